import type { CursorDb } from '../../../kernel/context.ts';
import type { CsvColumn } from '../../../kernel/csv-writer.ts';
import {
  type ExportFormat,
  objectsOf,
  writeCsv,
  writeJson,
  writeJsonLines,
} from '../../../kernel/write-rows.ts';
import type { ExportRow } from '../domain/export/export-row.ts';
import { INVENTORY_EXPORT_COLUMNS, inventoryExportObject } from '../domain/export/inventory-export.ts';
import { nativeExportColumns, nativeExportObject } from '../domain/export/native-export.ts';
import { groupKeyOf } from '../domain/export/store-group.ts';
import {
  type StoreGeneration,
  type StoreRecord,
  storeExportColumns,
  storeRecords,
} from '../domain/export/store-platform-export.ts';
import {
  attributeNames,
  axisNames,
  type ExportFilter,
  exportInventory,
  exportProducts,
  handlesAreShared,
} from '../store/export-rows.ts';

function write<Row>(
  rows: AsyncIterable<readonly Row[]>,
  format: ExportFormat,
  columns: readonly CsvColumn<Row>[],
  toObject: (row: Row) => unknown,
): AsyncGenerator<string> {
  if (format === 'csv') return writeCsv(rows, columns);
  return format === 'json' ? writeJson(rows, toObject) : writeJsonLines(rows, toObject);
}

/** Stock of the products that are not archived. */
export function exportStock(db: CursorDb, format: ExportFormat): AsyncGenerator<string> {
  return write(exportInventory(db), format, INVENTORY_EXPORT_COLUMNS, inventoryExportObject);
}

/** Products in the columns of the native feed. */
export async function* exportNative(
  db: CursorDb,
  filter: ExportFilter,
  format: ExportFormat,
): AsyncGenerator<string> {
  const names =
    format === 'csv'
      ? { attributes: await attributeNames(db, filter), axes: await axisNames(db, filter) }
      : { attributes: [], axes: [] };
  const rows = exportProducts(db, filter, 'created');
  yield* write(rows, format, nativeExportColumns(names), nativeExportObject);
}

/** Records of whole groups; a group that ends a batch may continue in the next one. */
async function* grouped(batches: AsyncIterable<ExportRow[]>): AsyncGenerator<StoreRecord[]> {
  let group: ExportRow[] = [];
  for await (const rows of batches) {
    const records: StoreRecord[] = [];
    for (const row of rows) {
      const [first] = group;
      if (first !== undefined && groupKeyOf(first) !== groupKeyOf(row)) {
        for (const record of storeRecords(group)) records.push(record);
        group = [];
      }
      group.push(row);
    }
    yield records;
  }
  yield storeRecords(group);
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
  yield* write(grouped(exportProducts(db, filter, 'store')), format, columns, objectsOf(columns));
}
