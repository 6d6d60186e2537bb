import type { CursorDb } from '../../../../kernel/context.ts';
import {
  type ExportFormat,
  writeCsv,
  writeJson,
  writeJsonLines,
} from '../../../../platform/rest/write-rows.ts';
import { INVENTORY_EXPORT_COLUMNS, inventoryExportObject } from '../../domain/export/inventory-export.ts';
import { exportInventory } from '../../store/export-rows.ts';

/** Stock of the products that are not archived. */
export async function* exportStock(db: CursorDb, format: ExportFormat): AsyncGenerator<string> {
  const rows = exportInventory(db);
  if (format === 'csv') yield* writeCsv(rows, INVENTORY_EXPORT_COLUMNS);
  else if (format === 'json') yield* writeJson(rows, inventoryExportObject);
  else yield* writeJsonLines(rows, inventoryExportObject);
}
