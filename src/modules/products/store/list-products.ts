import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { SELECT_LIST, type StoredProduct, toProduct } from './product-columns.ts';
import { foldText } from './search-text.ts';

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

/** More words than a search needs; each costs a pass over the text. */
const WORDS_MAX = 10;

/** Conditions and the values that they take, numbered in the order in which they are added. */
class Conditions {
  readonly values: unknown[] = [];
  private readonly texts: string[] = [];

  add(text: (parameter: string) => string, value: unknown): void {
    this.values.push(value);
    this.texts.push(text(`$${this.values.length}`));
  }

  fixed(text: string): void {
    this.texts.push(text);
  }

  get text(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }
}

function filtered(filter: ProductFilter): Conditions {
  const where = new Conditions();
  if (filter.status !== undefined) where.add((p) => `status = ${p}`, filter.status);
  else if (filter.updated_since === undefined) where.fixed("status <> 'archived'");
  if (filter.curation !== undefined) where.add((p) => `curation_state = ${p}`, filter.curation);
  if (filter.sku !== undefined) where.add((p) => `seller_sku = ${p}`, filter.sku);
  if (filter.category !== undefined) where.add((p) => `category = ${p}`, filter.category);
  if (filter.updated_since !== undefined) where.add((p) => `updated_at >= ${p}`, filter.updated_since);
  const words = foldText(filter.q ?? '')
    .split(/\s+/)
    .filter((word) => word !== '');
  for (const word of words.slice(0, WORDS_MAX)) where.add((p) => `strpos(search_text, ${p}) > 0`, word);
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
    where.values.push(after[0], after[1]);
    const at = where.values.length;
    where.fixed(`(updated_at, product_id) < ($${at - 1}::timestamptz, $${at})`);
  } else if (after !== undefined) {
    where.add((p) => `product_id < ${p}`, after[0]);
  }
  const order = (alias: string) =>
    byChange ? `${alias}updated_at desc, ${alias}product_id desc` : `${alias}product_id desc`;
  const page = `select * from product where ${where.text} order by ${order('')} limit ${limit + 1}`;
  const text =
    `select ${SELECT_LIST} from (${page}) p left join inventory i on i.seller_id = p.seller_id ` +
    `and i.product_id = p.product_id order by ${order('p.')}`;
  return (await db.all(sql(text, where.values))).map(toProduct);
}
