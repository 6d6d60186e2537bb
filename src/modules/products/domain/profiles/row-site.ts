/** A row without its content: its number, its place in the file, and the faults that all profiles treat alike. */
import type { TextRecord } from '../../../../kernel/readers/records.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../row.ts';
import { hasError, rowMessage } from '../row-codes.ts';
import { cleanCell, isBlankRecord } from './cell.ts';
import type { ProfileMapper } from './profile.ts';

export interface RowSite {
  readonly row_number: number;
  readonly record: TextRecord;
}

export interface RowPart {
  readonly role?: FeedRow['role'];
  readonly part_of?: number;
  /** Cells for the file of rejected rows, where those of the record are not complete without other records. */
  readonly cells?: () => readonly string[];
}

/** Builds a row of the feed; errors come first among its messages. */
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

/** A row that changes nothing. */
export function ignoredRow(site: RowSite, message: RowMessage): FeedRow {
  return feedRow(site, null, [message], { role: 'ignored' });
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

/** A mapper that makes one row of each record. */
export function recordMapper(width: number, mapRecord: (site: RowSite) => FeedRow): ProfileMapper {
  const numberer = createRowNumberer();
  return {
    push(record) {
      const site = numberer(record);
      return [faultOf(site, width) ?? mapRecord(site)];
    },
    end: () => [],
  };
}

/**
 * The row of a record that no profile maps: a broken record, a blank one, or one with another number of cells than
 * the header. `null` for every other record.
 *
 * @param width number of cells in the header
 */
export function faultOf(site: RowSite, width: number): FeedRow | null {
  const { record } = site;
  if (record.problem !== undefined) {
    return feedRow(site, null, [rowMessage(record.problem.code, { message: record.problem.message })]);
  }
  if (record.cells.length === width && cleanCell(record.cells[0]) !== '') return null;
  if (isBlankRecord(record.cells)) return ignoredRow(site, rowMessage('row_blank'));
  if (record.cells.length === width) return null;
  return feedRow(site, null, [
    rowMessage('column_count_mismatch', {
      value: `${record.cells.length} cells`,
      expected: `${width} cells`,
    }),
  ]);
}
