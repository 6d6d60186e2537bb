import type { CursorDb } from '../../../../kernel/context.ts';
import {
  type ExportFormat,
  objectsOf,
  writeCsv,
  writeJson,
  writeJsonLines,
} from '../../../../platform/rest/write-rows.ts';
import type { ExportRow } from '../../domain/export/export-row.ts';
import { nativeExportColumns, nativeExportObject } from '../../domain/export/native-export.ts';
import { groupKeyOf } from '../../domain/export/store-group.ts';
import {
  type StoreGeneration,
  type StoreRecord,
  storeExportColumns,
  storeRecords,
} from '../../domain/export/store-platform-export.ts';
import {
  attributeNames,
  axisNames,
  type ExportFilter,
  exportProducts,
  handlesAreShared,
} from '../../store/export-rows.ts';

/** Products in the columns of the native feed. */
export async function* exportNative(
  db: CursorDb,
  filter: ExportFilter,
  format: ExportFormat,
): AsyncGenerator<string> {
  const rows = () => exportProducts(db, filter, 'created');
  if (format === 'json') yield* writeJson(rows(), nativeExportObject);
  else if (format === 'jsonl') yield* writeJsonLines(rows(), nativeExportObject);
  else {
    const names = { attributes: await attributeNames(db, filter), axes: await axisNames(db, filter) };
    yield* writeCsv(rows(), nativeExportColumns(names));
  }
}

/** Records of whole groups; a group that a batch cuts is held until the rest of it has come. */
async function* grouped(batches: AsyncIterable<ExportRow[]>): AsyncGenerator<StoreRecord[]> {
  let held: ExportRow[] = [];
  for await (const rows of batches) {
    const records: StoreRecord[] = [];
    for (const row of rows) {
      const [first] = held;
      if (first !== undefined && groupKeyOf(first) !== groupKeyOf(row)) {
        for (const record of storeRecords(held)) records.push(record);
        held = [];
      }
      held.push(row);
    }
    yield records;
  }
  yield storeRecords(held);
}

/** Products in the shape of a store platform's own export. */
export async function* exportStorePlatform(
  db: CursorDb,
  filter: ExportFilter,
  format: ExportFormat,
  generation: StoreGeneration,
): AsyncGenerator<string> {
  const columns = storeExportColumns(generation, {
    attributes: await attributeNames(db, filter),
    variants: await handlesAreShared(db, filter),
  });
  const records = grouped(exportProducts(db, filter, 'store'));
  if (format === 'csv') yield* writeCsv(records, columns);
  else if (format === 'json') yield* writeJson(records, objectsOf(columns));
  else yield* writeJsonLines(records, objectsOf(columns));
}
