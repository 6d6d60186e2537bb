import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { ProductStatus } from '../domain/row.ts';

/** The part of a product that its stock resource is made of; a list reads no more than this. */
export interface StockRow {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly status: ProductStatus;
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
  readonly reorder_point: number | null;
  readonly stock_version: number;
  /** RFC 3339; `null` while no quantity was ever stated. */
  readonly stock_updated_at: string | null;
}

export const STOCK_COLUMNS =
  'p.product_id, p.seller_sku, p.title, p.status, i.quantity_on_hand, coalesce(i.quantity_reserved, 0) as quantity_reserved, ' +
  'i.reorder_point, coalesce(i.version, 0) as stock_version, i.updated_at as stock_updated_at';
export const JOIN_STOCK =
  'left join inventory i on i.seller_id = p.seller_id and i.product_id = p.product_id';

const ONE = `select ${STOCK_COLUMNS} from product p ${JOIN_STOCK} where p.product_id = $1`;
const SOME = `select ${STOCK_COLUMNS} from product p ${JOIN_STOCK} where p.product_id = any($1)`;

/** The page of products is cut first, then joined: the same rule as for the list of products. */
const PAGE =
  `select ${STOCK_COLUMNS} from (select seller_id, product_id, seller_sku, title, status from product ` +
  "where status <> 'archived' and ($1::text is null or seller_sku = $1) and ($2::text is null or product_id < $2) " +
  `order by product_id desc limit $3) p ${JOIN_STOCK} order by p.product_id desc`;

/** Units that can be sold, as `quantityAvailable` has it. */
const AVAILABLE = 'greatest(i.quantity_on_hand - i.quantity_reserved, 0)';
const IS_LOW = `i.reorder_point is not null and i.quantity_on_hand is not null and ${AVAILABLE} <= i.reorder_point`;

/** Filters on the stock itself start from the narrow table. */
const filteredPage = (low: boolean | undefined): string =>
  `select ${STOCK_COLUMNS} from inventory i join product p on p.seller_id = i.seller_id and p.product_id = i.product_id ` +
  "where p.status <> 'archived' and ($1::text is null or p.seller_sku = $1) and ($2::text is null or i.product_id < $2) " +
  'and ($4::timestamptz is null or i.updated_at >= $4) ' +
  `${low === undefined ? '' : `and ${low ? '' : 'not '}coalesce(${IS_LOW}, false) `}order by i.product_id desc limit $3`;

export interface InventoryFilter {
  readonly sku?: string | undefined;
  readonly low_stock?: boolean | undefined;
  readonly updated_since?: string | undefined;
}

export async function loadStock(db: Db, productId: string): Promise<StockRow | undefined> {
  return db.one<StockRow>(sql(ONE, [productId]));
}

export async function loadStocks(db: Db, productIds: readonly string[]): Promise<StockRow[]> {
  return productIds.length === 0 ? [] : db.all<StockRow>(sql(SOME, [productIds]));
}

/** Stock of the products that are not archived, newest product first, and one row beyond the page. */
export async function listInventory(
  db: Db,
  filter: InventoryFilter,
  before: string | undefined,
  limit: number,
): Promise<StockRow[]> {
  const values = [filter.sku ?? null, before ?? null, limit + 1];
  if (filter.low_stock === undefined && filter.updated_since === undefined)
    return db.all<StockRow>(sql(PAGE, values));
  return db.all<StockRow>(sql(filteredPage(filter.low_stock), [...values, filter.updated_since ?? null]));
}

const LOW = filteredPage(true).replace("p.status <> 'archived'", "p.status in ('active', 'inactive')");

/** Products whose available units have come down to their reorder point. */
export async function listLowStock(db: Db, before: string | undefined, limit: number): Promise<StockRow[]> {
  return db.all<StockRow>(sql(LOW, [null, before ?? null, limit + 1, null]));
}
