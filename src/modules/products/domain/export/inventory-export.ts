import type { CsvColumn } from '../../../../kernel/csv-writer.ts';
import { quantityAvailable } from '../visibility.ts';
import type { InventoryExportRow } from './export-row.ts';

/**
 * The columns of a stock export. `seller_sku`, `product_id`, `quantity` and `reorder_point` are columns of the native
 * feed. An underscore marks notes, which an import ignores.
 */
export const INVENTORY_EXPORT_COLUMNS: readonly CsvColumn<InventoryExportRow>[] = [
  { name: 'seller_sku', kind: 'text', value: (row) => row.seller_sku },
  // Only for products without a SKU: in a row with a SKU this column is an identity.
  { name: 'product_id', kind: 'text', value: (row) => (row.seller_sku === null ? row.product_id : null) },
  { name: '_title', kind: 'text', value: (row) => row.title },
  { name: 'quantity', kind: 'number', value: (row) => row.quantity_on_hand },
  { name: '_quantity_reserved', kind: 'number', value: (row) => row.quantity_reserved },
  { name: '_quantity_available', kind: 'number', value: quantityAvailable },
  { name: 'reorder_point', kind: 'number', value: (row) => row.reorder_point },
  { name: '_updated_at', kind: 'date', value: (row) => row.stock_updated_at },
];

export function inventoryExportObject(row: InventoryExportRow): Record<string, unknown> {
  return Object.fromEntries(INVENTORY_EXPORT_COLUMNS.map(({ name, value }) => [name, value(row) ?? null]));
}
