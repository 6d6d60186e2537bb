import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { hasWords } from '../../../platform/db/words.ts';
import { CURATION_STATES, type CurationState, type StoredProduct } from '../domain/product.ts';
import { PRODUCT_STATUSES, type ProductStatus } from '../domain/row.ts';
import { loadByIds } from './load-products.ts';
import { PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';
import { searchProducts } from './search-products.ts';
import { STOCK_OF_EACH } from './stock-columns.ts';

interface ProductFilter {
  readonly status?: ProductStatus | undefined;
  readonly curation?: CurationState | undefined;
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

/** A condition for each value of a column. The value is text of the statement, so partial indexes can be used. */
const conditionsOf = <Value extends string>(column: string, values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, raw(`${column} = '${value}'`)])) as Readonly<
    Record<Value, Part>
  >;
const OF_STATUS = conditionsOf('status', PRODUCT_STATUSES);
const OF_CURATION = conditionsOf('curation_state', CURATION_STATES);

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
    status !== undefined && OF_STATUS[status],
    status === undefined && updated_since === undefined && part`status <> 'archived'`,
    curation !== undefined && OF_CURATION[curation],
    sku !== undefined && part`seller_sku = ${sku}`,
    category !== undefined && part`category = ${category}`,
    shipping_profile_id !== undefined && part`shipping_profile_id = ${shipping_profile_id}`,
    updated_since !== undefined && part`updated_at >= ${updated_since}`,
  );
}

const BY_CHANGE = ['updated_at', 'product_id'] as const;
const BY_ID = ['product_id'] as const;

/**
 * The limit precedes the join with the stock; otherwise a page deep in the list would read the whole catalogue. The
 * limit is a parameter, so that all page sizes share one prepared statement.
 */
async function readPage(
  { db, seller_id }: SellerDb,
  where: Part,
  columns: typeof BY_CHANGE | typeof BY_ID,
  limit: number,
): Promise<StoredProduct[]> {
  const newestFirst = (alias: string) => raw(columns.map((name) => `${alias}.${name} desc`).join(', '));
  const rows = await db.all(statement(PRODUCT)`
    select ${raw(SELECT_LIST)}
      from (select *
              from product
             where seller_id = ${seller_id}
               and ${where}
             order by ${newestFirst('product')}
             limit ${limit}::int) as p
           ${raw(STOCK_OF_EACH)}
     order by ${newestFirst('p')}`);
  return rows.map(toProduct);
}

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
  const found =
    q === undefined ? undefined : await searchProducts(at, { q, where, before, limit: limit + 1 });
  if (found !== undefined)
    return (await loadByIds(at, found)).sort((a, b) => (a.product_id < b.product_id ? 1 : -1));
  const afterCursor = before !== undefined && part`product_id < ${before}`;
  return readPage(at, allOf(where, hasWords(q), afterCursor), BY_ID, limit + 1);
}
