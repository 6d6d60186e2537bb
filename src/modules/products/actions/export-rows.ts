import type { CsvColumn } from '../../../kernel/csv-writer.ts';
import {
  type ExportFormat,
  objectsOf,
  writeCsv,
  writeJson,
  writeJsonLines,
} from '../../../kernel/write-rows.ts';
import type { SellerCursor } from '../../../platform/db/table.ts';
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
import { showImages } from '../domain/images/media-url.ts';
import {
  attributeNames,
  axisNames,
  type ExportFilter,
  exportInventory,
  exportProducts,
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

/** Exports the stock of products that are not archived. */
export function exportStock(at: SellerCursor, format: ExportFormat): AsyncGenerator<string> {
  return write(exportInventory(at), format, INVENTORY_EXPORT_COLUMNS, inventoryExportObject);
}

/** The rows with the present addresses of their uploaded images. */
async function* withAddresses(batches: AsyncIterable<ExportRow[]>, mediaUrl: string) {
  for await (const rows of batches)
    yield rows.map((row) =>
      row.images === null ? row : { ...row, images: showImages(row.images, mediaUrl) },
    );
}

/** Exports products in the columns of the native feed. */
export async function* exportNative(
  at: SellerCursor,
  filter: ExportFilter,
  format: ExportFormat,
  mediaUrl: string,
): AsyncGenerator<string> {
  const names =
    format === 'csv'
      ? { attributes: await attributeNames(at, filter), axes: await axisNames(at, filter) }
      : { attributes: [], axes: [] };
  const rows = withAddresses(exportProducts(at, filter, 'created'), mediaUrl);
  yield* write(rows, format, nativeExportColumns(names), nativeExportObject);
}

/** The records of each group of products. A group may continue in the next batch. */
async function* recordsByGroup(batches: AsyncIterable<ExportRow[]>): AsyncGenerator<StoreRecord[]> {
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

/** Exports products in the columns of a store platform's own export. */
export async function* exportStorePlatform(
  at: SellerCursor,
  filter: ExportFilter,
  { format, generation, mediaUrl }: { format: ExportFormat; generation: StoreGeneration; mediaUrl: string },
): AsyncGenerator<string> {
  const columns = storeExportColumns(generation, await attributeNames(at, filter));
  const rows = withAddresses(exportProducts(at, filter, 'store'), mediaUrl);
  yield* write(recordsByGroup(rows), format, columns, objectsOf(columns));
}
