/** The frame of a row: its number, where it stood, and the faults that every profile treats alike. */
import type { TextRecord } from '../../../../kernel/readers/records.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../row.ts';
import { hasError, rowMessage } from '../row-codes.ts';
import { cleanCell, isBlankRecord } from './cell.ts';

export interface RowSite {
  readonly row_number: number;
  readonly record: TextRecord;
}

/** What a row is when it is not simply a product. */
export interface RowPart {
  readonly role?: FeedRow['role'];
  readonly part_of?: number;
  /** Cells for the file of rejected rows when those of the record would not be understood alone. */
  readonly cells?: () => readonly string[];
}

/** Builds a row of the feed; where there is an error, it comes first. */
export function feedRow(
  site: RowSite,
  patch: ProductPatch | null,
  messages: readonly RowMessage[],
  part: RowPart = {},
): FeedRow {
  const { record } = site;
  const failed = hasError(messages);
  return {
    row_number: site.row_number,
    line_start: record.line_start,
    line_end: record.line_end,
    raw_sha256: record.raw_sha256,
    patch,
    messages: failed ? messages.toSorted(errorsFirst) : messages,
    ...(part.role === undefined ? {} : { role: part.role }),
    ...(part.part_of === undefined ? {} : { part_of: part.part_of }),
    cells: part.cells?.() ?? record.cells,
  };
}

function errorsFirst(one: RowMessage, other: RowMessage): number {
  return Number(other.severity === 'error') - Number(one.severity === 'error');
}

/** Numbers the records after the header from 1. */
export function createRowNumberer(): (record: TextRecord) => RowSite {
  let row_number = 0;
  return (record) => {
    row_number += 1;
    return { row_number, record };
  };
}

/**
 * The row of a record that no profile reads: one that the reader could not trust, a blank one, or one whose
 * number of cells is not the header's, which is never shifted. `null` for every other record.
 *
 * @param width number of cells in the header that holds for the record
 */
export function faultOf(site: RowSite, width: number): FeedRow | null {
  const { record } = site;
  if (record.problem !== undefined) {
    return feedRow(site, null, [rowMessage(record.problem.code, { message: record.problem.message })]);
  }
  if (record.cells.length === width && cleanCell(record.cells[0]) !== '') return null;
  if (isBlankRecord(record.cells)) {
    return feedRow(site, null, [rowMessage('row_blank')], { role: 'ignored' });
  }
  if (record.cells.length === width) return null;
  return feedRow(site, null, [
    rowMessage('column_count_mismatch', {
      value: `${record.cells.length} cells`,
      expected: `${width} cells`,
    }),
  ]);
}
