import { textArray } from '../../../platform/db/arrays.ts';
import { integer, text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, rowsOf, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { StockRow } from '../domain/product.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { type ListedStock, STOCK, STOCK_COLUMNS, STOCK_OF_EACH } from './stock-columns.ts';

/** The same rule as `isLowStock`. `greatest` ignores null, so unknown values are excluded explicitly. */
const IS_LOW = part`(not i.archived and i.quantity_on_hand is not null and i.reorder_point is not null
           and greatest(i.quantity_on_hand - i.quantity_reserved, 0) <= i.reorder_point)`;
const IS_SOLD_OUT = part`not i.archived and i.quantity_on_hand <= i.quantity_reserved`;

interface InventoryFilter {
  readonly sku?: string | undefined;
  readonly low_stock?: boolean | undefined;
  readonly out_of_stock?: boolean | undefined;
  /** RFC 3339; orders the list by the last change of the stock. */
  readonly updated_since?: string | undefined;
}

/** Position of the last row of the previous page. */
export type InventoryPosition =
  | readonly [product_id: string]
  | readonly [updated_at: string, product_id: string];

export async function loadStock(
  { db, seller_id }: SellerDb,
  productId: string,
): Promise<StockRow | undefined> {
  return db.one(statement(STOCK)`
    select ${STOCK_COLUMNS}
      from product p ${raw(STOCK_OF_EACH)}
     where p.seller_id = ${seller_id}
       and p.product_id = ${productId}`);
}

/** Looks each product up by itself: for a list, servers before PostgreSQL 17 may read the whole catalogue. */
export async function loadStocks(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<StockRow[]> {
  if (productIds.length === 0) return [];
  return db.all(statement(STOCK)`
    select f.*
      from (select distinct id from (${rowsOf(productIds, 'id')}) as u) as k
     cross join lateral (
             select ${STOCK_COLUMNS}
               from product p ${raw(STOCK_OF_EACH)}
              where p.seller_id = ${seller_id}
                and p.product_id = k.id
             offset 0) as f`);
}

/** The limit precedes the join, as in the list of products. */
const pageOfProducts = (
  sellerId: string,
  sku: string | undefined,
  before: string | undefined,
  limit: number,
) =>
  statement(STOCK)`
    select ${STOCK_COLUMNS}
      from (select seller_id, product_id, seller_sku, title, status
              from product
             where seller_id = ${sellerId}
               and ${allOf(
                 part`status <> 'archived'`,
                 sku !== undefined && part`seller_sku = ${sku}`,
                 before !== undefined && part`product_id < ${before}`,
               )}
             order by product_id desc
             limit ${limit + 1}::int) as p
           ${raw(STOCK_OF_EACH)}
     order by p.product_id desc`;

/**
 * Filters on stock start with the small table `inventory`, in the order of its index. Each product is looked up by its
 * key; with a join the planner may read the whole stock of a seller whom the statistics do not know.
 */
const pageOfStock = (sellerId: string, of: Part, where: Part, order: Part, limit: number) => statement(STOCK)`
    select ${STOCK_COLUMNS}
      from inventory i
     cross join lateral (
             select product_id, seller_sku, title, status
               from product
              where seller_id = ${sellerId}
                and product_id = i.product_id
                and ${of}
             offset 0) p
     where i.seller_id = ${sellerId}
       and ${where}
     order by ${order}
     limit ${limit + 1}::int`;

const IN_CATALOGUE = PRODUCT_STATUSES.filter((status) => status !== 'archived');
/** Statuses of products to reorder; a draft was never on sale. */
const FOR_SALE = ['active', 'inactive'];

const ofStatuses = (statuses: readonly string[]): Part => part`status = any(${textArray(statuses)}::text[])`;
const NEWEST_PRODUCT = part`i.product_id desc`;
const LAST_CHANGE = part`i.updated_at desc, i.product_id desc`;

/**
 * Lists the stock of products that are not archived, with one row beyond the page: newest product first, or last
 * changed first with `updated_since`.
 */
export async function listInventory(
  { db, seller_id }: SellerDb,
  { sku, low_stock, out_of_stock, updated_since }: InventoryFilter,
  after: InventoryPosition | undefined,
  limit: number,
): Promise<StockRow[]> {
  if (low_stock === undefined && out_of_stock === undefined && updated_since === undefined)
    return db.all(pageOfProducts(seller_id, sku, after?.[0], limit));
  const where = allOf(
    sku !== undefined &&
      part`i.product_id = (select product_id from product where seller_id = ${seller_id} and seller_sku = ${sku})`,
    low_stock !== undefined && (low_stock ? IS_LOW : part`not ${IS_LOW}`),
    out_of_stock !== undefined && (out_of_stock ? IS_SOLD_OUT : part`(${IS_SOLD_OUT}) is not true`),
    updated_since !== undefined && part`i.updated_at >= ${updated_since}`,
    after && updated_since === undefined && part`i.product_id < ${after[0]}`,
    after &&
      updated_since !== undefined &&
      part`(i.updated_at, i.product_id) < (${after[0]}::timestamptz, ${after[1]})`,
  );
  return db.all(
    pageOfStock(
      seller_id,
      ofStatuses(IN_CATALOGUE),
      where,
      updated_since === undefined ? NEWEST_PRODUCT : LAST_CHANGE,
      limit,
    ),
  );
}

/** Lists products whose available units are at or below their reorder point. */
export async function listLowStock(
  { db, seller_id }: SellerDb,
  before: string | undefined,
  limit: number,
): Promise<ListedStock[]> {
  const where = allOf(before !== undefined && part`i.product_id < ${before}`, IS_LOW);
  return db.all(pageOfStock(seller_id, ofStatuses(FOR_SALE), where, NEWEST_PRODUCT, limit));
}

/** Units that suppliers still owe for products, by product; without products of which nothing is owed. */
export async function readIncoming(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(statement({ product_id: text, quantity: integer })`
    select product_id, least(sum(quantity), 2147483647)::integer as quantity
      from v_wholesale_incoming
     where seller_id = ${seller_id}
       and product_id = any(${textArray(productIds)}::text[])
     group by product_id`);
  return new Map(rows.map(({ product_id, quantity }) => [product_id, quantity]));
}
