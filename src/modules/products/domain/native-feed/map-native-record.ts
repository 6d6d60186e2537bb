import { unguardCell } from '../../../../kernel/formula-guard.ts';
import type { TextRecord } from '../../../../kernel/readers/records.ts';
import { FEED_COLUMNS } from '../fields/field-columns.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import { unusableRow } from '../record-rows.ts';
import type { FeedRow } from '../row.ts';
import type { NativeHeader } from './map-native-header.ts';
import { nativeRow, patchOf } from './native-row.ts';

/**
 * A cell that says nothing about its field, where an empty one would clear it. The file of rejected rows has it for the
 * keys that a row of JSON does not have.
 */
export const UNSTATED = '_unchanged';

/**
 * Maps one record of a native file to a row.
 *
 * @param row_number counts the data rows of the file from 1
 */
export function mapNativeRecord(header: NativeHeader, record: TextRecord, row_number: number): FeedRow {
  const width = header.columns.length;
  const unusable = unusableRow({ row_number, record }, width);
  if (unusable !== null) return unusable;
  const { cells, line_start, line_end, raw_sha256 } = record;
  const row = nativeRow(header.exponent);
  for (let index = 0; index < width; index += 1) {
    const found = header.columns[index];
    const cell = unguardCell(cells[index] ?? '');
    if (found != null && cell !== UNSTATED) found.column.apply(cell, row, found.suffix);
  }
  const { patch, messages } = validatePatch(patchOf(row), FEED_COLUMNS, header.exponent);
  for (const message of row.messages) messages.push(message);
  return { row_number, line_start, line_end, raw_sha256, patch, messages, cells };
}
