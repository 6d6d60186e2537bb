import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StockRow } from '../domain/product.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';

export const STOCK_COLUMNS =
  'p.product_id, p.seller_sku, p.title, p.status, i.quantity_on_hand, coalesce(i.quantity_reserved, 0) as quantity_reserved, ' +
  'i.reorder_point, coalesce(i.version, 0) as stock_version, i.updated_at as stock_updated_at';
export const JOIN_STOCK =
  'left join inventory i on i.seller_id = p.seller_id and i.product_id = p.product_id';
/**
 * The same for the rows of a page, looked up one by one: how many rows a page has is a parameter, and a planner
 * that thinks of a tenth of the catalogue would rather read the whole stock. `offset 0` keeps it from merging.
 */
export const STOCK_OF_EACH =
  'left join lateral (select * from inventory s where s.seller_id = p.seller_id and s.product_id = p.product_id offset 0) i on true';

const ONE = `select ${STOCK_COLUMNS} from product p ${STOCK_OF_EACH} where p.product_id = $1`;
/** Each is looked up for itself: given the list, servers before PostgreSQL 17 pass over the whole catalogue. */
const SOME =
  'select f.* from (select distinct id from unnest($1::text[]) as u (id)) as k cross join lateral (' +
  `select ${STOCK_COLUMNS} from product p ${STOCK_OF_EACH} where p.product_id = k.id offset 0) as f`;

/** As `isLowStock` has it. `greatest` passes over null, so what is not known is left out by name. */
const IS_LOW =
  '(i.quantity_on_hand is not null and i.reorder_point is not null and ' +
  'greatest(i.quantity_on_hand - i.quantity_reserved, 0) <= i.reorder_point)';

export interface InventoryFilter {
  readonly sku?: string | undefined;
  readonly low_stock?: boolean | undefined;
  readonly updated_since?: string | undefined;
}

export async function loadStock(db: Db, productId: string): Promise<StockRow | undefined> {
  return db.one<StockRow>(sql(ONE, [productId]));
}

export async function loadStocks(db: Db, productIds: readonly string[]): Promise<StockRow[]> {
  return productIds.length === 0 ? [] : db.all<StockRow>(sql(SOME, [textArray(productIds)]));
}

/** The page of products is cut first, then joined: the same rule as for the list of products. */
function pageOfProducts({ sku }: InventoryFilter, before: string | undefined, limit: number) {
  const where = new Conditions();
  where.fixed("status <> 'archived'");
  if (sku !== undefined) where.add((p) => `seller_sku = ${p}`, sku);
  if (before !== undefined) where.add((p) => `product_id < ${p}`, before);
  const page =
    `select seller_id, product_id, seller_sku, title, status from product where ${where.text} ` +
    `order by product_id desc limit ${where.value(limit + 1)}::int`;
  const text = `select ${STOCK_COLUMNS} from (${page}) p ${STOCK_OF_EACH} order by p.product_id desc`;
  return sql<StockRow>(text, where.values);
}

/** Filters on the stock itself start from the narrow table. */
function pageOfStock(
  { sku, low_stock, updated_since }: InventoryFilter,
  statuses: readonly string[],
  before: string | undefined,
  limit: number,
) {
  const where = new Conditions();
  where.add((p) => `p.status = any(${p})`, statuses);
  if (sku !== undefined) where.add((p) => `p.seller_sku = ${p}`, sku);
  if (before !== undefined) where.add((p) => `i.product_id < ${p}`, before);
  if (updated_since !== undefined) where.add((p) => `i.updated_at >= ${p}`, updated_since);
  if (low_stock !== undefined) where.fixed(low_stock ? IS_LOW : `not ${IS_LOW}`);
  const text =
    `select ${STOCK_COLUMNS} from inventory i join product p on p.seller_id = i.seller_id and p.product_id = i.product_id ` +
    `where ${where.text} order by i.product_id desc limit ${where.value(limit + 1)}::int`;
  return sql<StockRow>(text, where.values);
}

const IN_CATALOGUE = PRODUCT_STATUSES.filter((status) => status !== 'archived');
/** What may be sold again; a draft is not there yet. */
const FOR_SALE = ['active', 'inactive'];

/** Stock of the products that are not archived, newest product first, and one row beyond the page. */
export async function listInventory(
  db: Db,
  filter: InventoryFilter,
  before: string | undefined,
  limit: number,
): Promise<StockRow[]> {
  const ofStock = filter.low_stock !== undefined || filter.updated_since !== undefined;
  return db.all(
    ofStock ? pageOfStock(filter, IN_CATALOGUE, before, limit) : pageOfProducts(filter, before, limit),
  );
}

/** Products whose available units have come down to their reorder point. */
export async function listLowStock(db: Db, before: string | undefined, limit: number): Promise<StockRow[]> {
  return db.all(pageOfStock({ low_stock: true }, FOR_SALE, before, limit));
}
