import { quantityAvailable } from '../domain/visibility.ts';
import type { StockRow } from '../store/list-inventory.ts';
import type { WireInventory } from './inventory.ts';

/** Whether the units that can be sold have come down to the reorder point; what is not known is not low. */
export function isLowStock(
  product: Pick<StockRow, 'quantity_on_hand' | 'quantity_reserved' | 'reorder_point'>,
): boolean {
  const available = quantityAvailable(product);
  return available !== null && product.reorder_point !== null && available <= product.reorder_point;
}

export function inventoryToWire(row: StockRow): WireInventory {
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    status: row.status,
    quantity_on_hand: row.quantity_on_hand,
    quantity_reserved: row.quantity_reserved,
    quantity_available: quantityAvailable(row),
    reorder_point: row.reorder_point,
    low_stock: isLowStock(row),
    version: row.stock_version,
    updated_at: row.stock_updated_at,
  };
}
