import type { StockRow } from '../domain/product.ts';
import { isLowStock, quantityAvailable } from '../domain/visibility.ts';
import type { WireInventory } from './inventory.ts';

export function inventoryToWire(row: StockRow): WireInventory {
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    status: row.status,
    quantity_on_hand: row.quantity_on_hand,
    quantity_reserved: row.quantity_reserved,
    quantity_available: quantityAvailable(row),
    stock_source: row.stock_source,
    reorder_point: row.reorder_point,
    low_stock: isLowStock(row),
    version: row.stock_version,
    updated_at: row.stock_updated_at,
  };
}
