import type { Db } from '../../../kernel/context.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { hasWords } from '../../../platform/db/words.ts';
import type { StoredProduct } from '../domain/product.ts';
import { loadByIds } from './load-products.ts';
import { PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';
import { searchProducts } from './search-products.ts';
import { STOCK_OF_EACH } from './stock-columns.ts';

export interface ProductFilter {
  readonly status?: string | undefined;
  readonly curation?: string | undefined;
  readonly sku?: string | undefined;
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  /** RFC 3339; the list is then in order of the last change, and shows archived products too. */
  readonly updated_since?: string | undefined;
}

/** Where the page before ended. */
export type ProductPosition =
  | readonly [product_id: string]
  | readonly [updated_at: string, product_id: string];

/** Conditions on the products themselves; a filter that is not asked for is left out of the text. */
function filtersOf({ status, curation, sku, category, updated_since }: ProductFilter): Part {
  return allOf(
    status !== undefined && part`status = ${status}`,
    status === undefined && updated_since === undefined && part`status <> 'archived'`,
    curation !== undefined && part`curation_state = ${curation}`,
    sku !== undefined && part`seller_sku = ${sku}`,
    category !== undefined && part`category = ${category}`,
    updated_since !== undefined && part`updated_at >= ${updated_since}`,
  );
}

const BY_CHANGE = ['updated_at', 'product_id'] as const;
const BY_ID = ['product_id'] as const;

/**
 * Cut before the stock of each product is looked up: at depth this is the difference between a page and a whole
 * catalogue. The limit is a parameter, so that pages of many sizes share one prepared statement.
 */
async function readPage(
  db: Db,
  where: Part,
  columns: typeof BY_CHANGE | typeof BY_ID,
  limit: number,
): Promise<StoredProduct[]> {
  const newestFirst = (alias: string) => raw(columns.map((name) => `${alias}.${name} desc`).join(', '));
  const rows = await db.all(statement(PRODUCT)`
    select ${raw(SELECT_LIST)}
      from (select *
              from product
             where ${where}
             order by ${newestFirst('product')}
             limit ${limit}::int) as p
           ${raw(STOCK_OF_EACH)}
     order by ${newestFirst('p')}`);
  return rows.map(toProduct);
}

/** One page of products and one row beyond it, newest first, or last changed first with `updated_since`. */
export async function listProducts(
  db: Db,
  filter: ProductFilter,
  after: ProductPosition | undefined,
  limit: number,
): Promise<StoredProduct[]> {
  const where = filtersOf(filter);
  const { q } = filter;
  if (filter.updated_since !== undefined) {
    const from = after && part`(updated_at, product_id) < (${after[0]}::timestamptz, ${after[1]})`;
    return readPage(db, allOf(where, hasWords(q), from), BY_CHANGE, limit + 1);
  }
  const before = after?.[0];
  const found =
    q === undefined ? undefined : await searchProducts(db, { q, where, before, limit: limit + 1 });
  if (found !== undefined)
    return (await loadByIds(db, found)).sort((a, b) => (a.product_id < b.product_id ? 1 : -1));
  const behind = before !== undefined && part`product_id < ${before}`;
  return readPage(db, allOf(where, hasWords(q), behind), BY_ID, limit + 1);
}
