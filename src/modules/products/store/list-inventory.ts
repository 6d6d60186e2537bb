import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { StockRow } from '../domain/product.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { STOCK, STOCK_COLUMNS, STOCK_OF_EACH } from './stock-columns.ts';

/** As `isLowStock` says. `greatest` ignores null, so unknown values are excluded by name. */
const IS_LOW = part`(i.quantity_on_hand is not null and i.reorder_point is not null
           and greatest(i.quantity_on_hand - i.quantity_reserved, 0) <= i.reorder_point)`;

export interface InventoryFilter {
  readonly sku?: string | undefined;
  readonly low_stock?: boolean | undefined;
  /** RFC 3339; the list is then in order of the last change of the stock. */
  readonly updated_since?: string | undefined;
}

/** Where the page before ended. */
export type InventoryPosition =
  | readonly [product_id: string]
  | readonly [updated_at: string, product_id: string];

export async function loadStock(db: Db, productId: string): Promise<StockRow | undefined> {
  return db.one(statement(STOCK)`
    select ${STOCK_COLUMNS}
      from product p ${raw(STOCK_OF_EACH)}
     where p.product_id = ${productId}`);
}

/** Looked up one by one: given a list, servers before PostgreSQL 17 read the whole catalogue for each. */
export async function loadStocks(db: Db, productIds: readonly string[]): Promise<StockRow[]> {
  if (productIds.length === 0) return [];
  return db.all(statement(STOCK)`
    select f.*
      from (select distinct id from unnest(${textArray(productIds)}::text[]) as u (id)) as k
     cross join lateral (
             select ${STOCK_COLUMNS}
               from product p ${raw(STOCK_OF_EACH)}
              where p.product_id = k.id
             offset 0) as f`);
}

/** The page of products is cut before it is joined, as in the list of products. */
const pageOfProducts = (sku: string | undefined, before: string | undefined, limit: number) =>
  statement(STOCK)`
    select ${STOCK_COLUMNS}
      from (select seller_id, product_id, seller_sku, title, status
              from product
             where ${allOf(
               part`status <> 'archived'`,
               sku !== undefined && part`seller_sku = ${sku}`,
               before !== undefined && part`product_id < ${before}`,
             )}
             order by product_id desc
             limit ${limit + 1}::int) as p
           ${raw(STOCK_OF_EACH)}
     order by p.product_id desc`;

/** Filters on the stock itself start from its narrow table; each product is looked up by its key. */
const pageOfStock = (where: Part, order: Part, limit: number) => statement(STOCK)`
    select ${STOCK_COLUMNS}
      from inventory i
      join product p on p.seller_id = i.seller_id and p.product_id = i.product_id
     where ${where}
     order by ${order}
     limit ${limit + 1}::int`;

const IN_CATALOGUE = PRODUCT_STATUSES.filter((status) => status !== 'archived');
/** What may be sold again; a draft is not there yet. */
const FOR_SALE = ['active', 'inactive'];

const ofStatuses = (statuses: readonly string[]): Part =>
  part`p.status = any(${textArray(statuses)}::text[])`;
const NEWEST_PRODUCT = part`i.product_id desc`;
const LAST_CHANGE = part`i.updated_at desc, i.product_id desc`;

/**
 * Stock of the products that are not archived and one row beyond the page: newest product first, or last changed
 * first with `updated_since`.
 */
export async function listInventory(
  db: Db,
  { sku, low_stock, updated_since }: InventoryFilter,
  after: InventoryPosition | undefined,
  limit: number,
): Promise<StockRow[]> {
  if (low_stock === undefined && updated_since === undefined)
    return db.all(pageOfProducts(sku, after?.[0], limit));
  const where = allOf(
    ofStatuses(IN_CATALOGUE),
    sku !== undefined && part`p.seller_sku = ${sku}`,
    low_stock !== undefined && (low_stock ? IS_LOW : part`not ${IS_LOW}`),
    updated_since !== undefined && part`i.updated_at >= ${updated_since}`,
    after && updated_since === undefined && part`i.product_id < ${after[0]}`,
    after &&
      updated_since !== undefined &&
      part`(i.updated_at, i.product_id) < (${after[0]}::timestamptz, ${after[1]})`,
  );
  return db.all(pageOfStock(where, updated_since === undefined ? NEWEST_PRODUCT : LAST_CHANGE, limit));
}

/** Products whose available units have come down to their reorder point. */
export async function listLowStock(db: Db, before: string | undefined, limit: number): Promise<StockRow[]> {
  const where = allOf(ofStatuses(FOR_SALE), before !== undefined && part`i.product_id < ${before}`, IS_LOW);
  return db.all(pageOfStock(where, NEWEST_PRODUCT, limit));
}
