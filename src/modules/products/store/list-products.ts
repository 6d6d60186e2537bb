import type { Db } from '../../../kernel/context.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredProduct } from '../domain/product.ts';
import { STOCK_OF_EACH } from './list-inventory.ts';
import { SELECT_LIST, toProduct } from './product-columns.ts';

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

function filtered(filter: ProductFilter): Conditions {
  const where = new Conditions();
  if (filter.status !== undefined) where.add((p) => `status = ${p}`, filter.status);
  else if (filter.updated_since === undefined) where.fixed("status <> 'archived'");
  if (filter.curation !== undefined) where.add((p) => `curation_state = ${p}`, filter.curation);
  if (filter.sku !== undefined) where.add((p) => `seller_sku = ${p}`, filter.sku);
  if (filter.category !== undefined) where.add((p) => `category = ${p}`, filter.category);
  if (filter.updated_since !== undefined) where.add((p) => `updated_at >= ${p}`, filter.updated_since);
  where.addSearch(filter.q);
  return where;
}

/**
 * One page of products and one row beyond it, newest first: the page is cut before the stock is joined, which
 * at depth is the difference between a page and a whole catalogue.
 */
export async function listProducts(
  db: Db,
  filter: ProductFilter,
  after: ProductPosition | undefined,
  limit: number,
): Promise<StoredProduct[]> {
  const where = filtered(filter);
  const byChange = filter.updated_since !== undefined;
  if (after !== undefined && byChange) {
    where.fixed(
      `(updated_at, product_id) < (${where.value(after[0])}::timestamptz, ${where.value(after[1])})`,
    );
  } else if (after !== undefined) {
    where.add((p) => `product_id < ${p}`, after[0]);
  }
  const order = (alias: string) =>
    byChange ? `${alias}updated_at desc, ${alias}product_id desc` : `${alias}product_id desc`;
  // A parameter: whoever asks for pages of many sizes must not leave as many prepared statements behind.
  const rows = `${where.value(limit + 1)}::int`;
  const page = `select * from product where ${where.text} order by ${order('')} limit ${rows}`;
  const text = `select ${SELECT_LIST} from (${page}) p ${STOCK_OF_EACH} order by ${order('p.')}`;
  return (await db.all(sql(text, where.values))).map(toProduct);
}
