/** Numbers the records of a file, makes rows of them, and handles the records that no reader can map. */
import type { TextRecord } from '../../../kernel/readers/records.ts';
import { cleanCell, isBlankRecord } from './profiles/cell.ts';
import type { ProfileMapper } from './profiles/profile.ts';
import type { FeedRow, ProductPatch, RowMessage } from './row.ts';
import { errorsFirst, hasError, rowMessage } from './row-codes.ts';

export interface NumberedRecord {
  readonly row_number: number;
  readonly record: TextRecord;
}

interface RowPart {
  readonly role?: FeedRow['role'];
  readonly part_of?: number;
  readonly former_keys?: readonly string[];
  /** The cells for the file of rejected rows, if the record is not complete without other records. */
  readonly cells?: FeedRow['standalone'];
}

/** Builds a row of the feed; errors come first among its messages. */
export function feedRow(
  numbered: NumberedRecord,
  patch: ProductPatch | null,
  messages: readonly RowMessage[],
  part: RowPart = {},
): FeedRow {
  const { record } = numbered;
  const failed = hasError(messages);
  return {
    row_number: numbered.row_number,
    line_start: record.line_start,
    line_end: record.line_end,
    raw_sha256: record.raw_sha256,
    patch,
    messages: failed ? messages.toSorted(errorsFirst) : messages,
    ...(part.role === undefined ? {} : { role: part.role }),
    ...(part.part_of === undefined ? {} : { part_of: part.part_of }),
    ...(part.former_keys === undefined ? {} : { former_keys: part.former_keys }),
    cells: record.cells,
    ...(part.cells === undefined ? {} : { standalone: part.cells }),
  };
}

/** A row that changes nothing. */
export function ignoredRow(numbered: NumberedRecord, message: RowMessage): FeedRow {
  return feedRow(numbered, null, [message], { role: 'ignored' });
}

/** Numbers the records after the header from 1. */
export function createRecordNumberer(): (record: TextRecord) => NumberedRecord {
  let row_number = 0;
  return (record) => {
    row_number += 1;
    return { row_number, record };
  };
}

/** A mapper that makes one row of each record. */
export function recordMapper(width: number, mapRecord: (numbered: NumberedRecord) => FeedRow): ProfileMapper {
  const number = createRecordNumberer();
  return {
    push(record) {
      const numbered = number(record);
      return [unusableRow(numbered, width) ?? mapRecord(numbered)];
    },
    end: () => [],
  };
}

/**
 * The row of a record that cannot be mapped: it is broken or blank, or its number of cells differs from the header's.
 * `null` for every other record.
 *
 * @param width the number of cells in the header
 */
export function unusableRow(numbered: NumberedRecord, width: number): FeedRow | null {
  const { record } = numbered;
  if (record.problem !== undefined) {
    return feedRow(numbered, null, [rowMessage(record.problem.code, { message: record.problem.message })]);
  }
  if (record.cells.length === width && cleanCell(record.cells[0]) !== '') return null;
  if (isBlankRecord(record.cells)) return ignoredRow(numbered, rowMessage('row_blank'));
  if (record.cells.length === width) return null;
  return feedRow(numbered, null, [
    rowMessage('column_count_mismatch', {
      message: `The row has ${record.cells.length} cells, the header has ${width}.`,
      value: `${record.cells.length} cells`,
      expected: `${width} cells`,
    }),
  ]);
}
