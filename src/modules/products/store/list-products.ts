import { textArray } from '../../../platform/db/arrays.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { hasWords } from '../../../platform/db/words.ts';
import { CURATION_STATES, type StoredProduct } from '../domain/product.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { loadByIds } from './load-products.ts';
import { PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';
import { searchProducts } from './search-products.ts';
import { STOCK_OF_EACH } from './stock-columns.ts';

interface ProductFilter {
  readonly status?: string | undefined;
  readonly curation?: string | undefined;
  readonly sku?: string | undefined;
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly shipping_profile_id?: string | undefined;
  /** RFC 3339; orders the list by the last change, and includes archived products. */
  readonly updated_since?: string | undefined;
}

/** Position of the last product of the previous page. */
export type ProductPosition =
  | readonly [product_id: string]
  | readonly [updated_at: string, product_id: string];

/** The statement only has the conditions of the filters that are set. */
function filtersOf({
  status,
  curation,
  sku,
  category,
  shipping_profile_id,
  updated_since,
}: ProductFilter): Part {
  return allOf(
    status !== undefined && part`status = ${status}`,
    status === undefined && updated_since === undefined && part`status <> 'archived'`,
    curation !== undefined && part`curation_state = ${curation}`,
    sku !== undefined && part`seller_sku = ${sku}`,
    category !== undefined && part`category = ${category}`,
    shipping_profile_id !== undefined && part`shipping_profile_id = ${shipping_profile_id}`,
    updated_since !== undefined && part`updated_at >= ${updated_since}`,
  );
}

/**
 * Products of some status or review state. Each pair of a status and a review state is read by itself, newest first,
 * because one of the two may be rare in a large catalogue.
 */
function byState(sellerId: string, where: Part, before: string | undefined, limit: number): Part {
  return part`(select p.*
              from (select status, curation_state
                      from unnest(${textArray(PRODUCT_STATUSES)}::text[]) as a (status)
                     cross join unnest(${textArray(CURATION_STATES)}::text[]) as b (curation_state)
                     where ${where}
                    offset 0) as state
             cross join lateral (
                   select *
                     from product
                    where seller_id = ${sellerId}
                      and status = state.status
                      and curation_state = state.curation_state
                      and ${allOf(before !== undefined && part`product_id < ${before}`)}
                    order by product_id desc
                    limit ${limit}::int) as p
             order by p.product_id desc
             limit ${limit}::int)`;
}

const BY_CHANGE = ['updated_at', 'product_id'] as const;
const BY_ID = ['product_id'] as const;
type Order = typeof BY_CHANGE | typeof BY_ID;

const newestFirst = (alias: string, columns: Order): Part =>
  raw(columns.map((name) => `${alias}.${name} desc`).join(', '));

/** A page of the products of a source, which is a subquery in the order of the list. */
async function readFrom({ db }: SellerDb, source: Part, columns: Order): Promise<StoredProduct[]> {
  const rows = await db.all(statement(PRODUCT)`
    select ${raw(SELECT_LIST)}
      from ${source} as p
           ${raw(STOCK_OF_EACH)}
     order by ${newestFirst('p', columns)}`);
  return rows.map(toProduct);
}

/**
 * The limit precedes the join with the stock; otherwise a page deep in the list would read the whole catalogue. The
 * limit is a parameter, so that all page sizes share one prepared statement.
 */
function readPage(at: SellerDb, where: Part, columns: Order, limit: number): Promise<StoredProduct[]> {
  const source = part`(select *
              from product
             where seller_id = ${at.seller_id}
               and ${where}
             order by ${newestFirst('product', columns)}
             limit ${limit}::int)`;
  return readFrom(at, source, columns);
}

/** Whether the list has filters of status and review state only. */
const isByState = ({ status, curation, ...others }: ProductFilter): boolean =>
  (status ?? curation) !== undefined && Object.values(others).every((one) => one === undefined);

/** Lists products, with one row beyond the page: newest first, or last changed first with `updated_since`. */
export async function listProducts(
  at: SellerDb,
  filter: ProductFilter,
  after: ProductPosition | undefined,
  limit: number,
): Promise<StoredProduct[]> {
  const where = filtersOf(filter);
  const { q } = filter;
  if (filter.updated_since !== undefined) {
    const from = after && part`(updated_at, product_id) < (${after[0]}::timestamptz, ${after[1]})`;
    return readPage(at, allOf(where, hasWords(q), from), BY_CHANGE, limit + 1);
  }
  const before = after?.[0];
  if (isByState(filter)) return readFrom(at, byState(at.seller_id, where, before, limit + 1), BY_ID);
  const found =
    q === undefined ? undefined : await searchProducts(at, { q, where, before, limit: limit + 1 });
  if (found !== undefined)
    return (await loadByIds(at, found)).sort((a, b) => (a.product_id < b.product_id ? 1 : -1));
  const afterCursor = before !== undefined && part`product_id < ${before}`;
  return readPage(at, allOf(where, hasWords(q), afterCursor), BY_ID, limit + 1);
}
