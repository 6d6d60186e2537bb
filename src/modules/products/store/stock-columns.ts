import { instant, integer, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { raw } from '../../../platform/db/statement.ts';
import type { StockSource } from '../domain/product.ts';
import type { ProductStatus } from '../domain/row.ts';

/** Rows of {@link STOCK_COLUMNS}. */
export const STOCK = {
  product_id: text,
  seller_sku: nullable(text),
  title: nullable(text),
  status: textOf<ProductStatus>(),
  quantity_on_hand: nullable(integer),
  quantity_reserved: integer,
  stock_source: textOf<StockSource>(),
  reorder_point: nullable(integer),
  /** Days from reordering to arrival; null: the default of the seller. */
  lead_time_days: nullable(integer),
  stock_version: integer,
  stock_updated_at: nullable(instant),
};
export type ListedStock = RowOf<typeof STOCK>;

/** Select list of a product `p` with its stock `i`. */
export const STOCK_COLUMNS = raw(`p.product_id, p.seller_sku, p.title, p.status, i.quantity_on_hand,
           coalesce(i.quantity_reserved, 0) as quantity_reserved, coalesce(i.stock_source, 'own') as stock_source,
           i.reorder_point, i.lead_time_days,
           coalesce(i.version, 0) as stock_version, i.updated_at as stock_updated_at`);

export const JOIN_STOCK = raw(
  'left join inventory i on i.seller_id = p.seller_id and i.product_id = p.product_id',
);

/**
 * Looks up the stock of each product. `offset 0` keeps the look-ups separate. The planner does not know how many rows
 * it will read: of a page it expects a tenth of the catalogue, and with a join it would read the whole stock; of a
 * whole catalogue it expects few rows, and PostgreSQL 15 would compare each product with the stock of all.
 */
export const STOCK_OF_EACH =
  'left join lateral (select * from inventory s where s.seller_id = p.seller_id ' +
  'and s.product_id = p.product_id offset 0) i on true';
