import { unguardCell } from '../../../../kernel/formula-guard.ts';
import type { TextRecord } from '../../../../kernel/readers/records.ts';
import { trimLine } from '../fields/clean-text.ts';
import { FEED_COLUMNS } from '../fields/field-columns.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import type { FeedRow, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { NativeHeader } from './map-native-header.ts';
import { nativeRow, patchOf } from './native-row.ts';

/**
 * Reads one record of a native file. A record with another number of cells than the header is refused.
 *
 * @param row_number of data rows, from 1
 */
export function mapNativeRecord(header: NativeHeader, record: TextRecord, row_number: number): FeedRow {
  const { cells, problem } = record;
  if (problem !== undefined) {
    return refused(record, row_number, rowMessage(problem.code, { message: problem.message }));
  }
  if (cells.every((cell) => trimLine(cell) === '')) {
    return {
      ...place(record, row_number),
      patch: null,
      messages: [rowMessage('row_blank')],
      role: 'ignored',
    };
  }
  const width = header.columns.length;
  if (cells.length !== width) {
    const expected = `${width} cells`;
    const message = rowMessage('column_count_mismatch', { value: `${cells.length} cells`, expected });
    return refused(record, row_number, message);
  }
  const row = nativeRow(header.exponent);
  for (let index = 0; index < width; index += 1) {
    const found = header.columns[index];
    if (found != null) found.column.apply(unguardCell(cells[index] ?? ''), row, found.suffix);
  }
  const { patch, messages } = validatePatch(patchOf(row), FEED_COLUMNS, header.exponent);
  for (const message of row.messages) messages.push(message);
  return { ...place(record, row_number), patch, messages, cells };
}

function refused(record: TextRecord, row_number: number, message: RowMessage): FeedRow {
  return { ...place(record, row_number), patch: null, messages: [message], cells: record.cells };
}

function place({ line_start, line_end, raw_sha256 }: TextRecord, row_number: number) {
  return { row_number, line_start, line_end, raw_sha256 };
}
