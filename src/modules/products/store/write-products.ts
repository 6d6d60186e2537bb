/** Writing products in sets: one statement for any number of rows, never one by one. */
import type { Db } from '../../../kernel/context.ts';
import { type ArrayParameter, intArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import { CONTENT_COLUMNS } from './product-columns.ts';

const names = CONTENT_COLUMNS.map(({ name }) => name);
const list = names.join(', ');
/** Parameters $4… are one array per column. */
const arrays = CONTENT_COLUMNS.map(({ type }, index) => `$${index + 4}::${type}[]`).join(', ');

const INSERT =
  `insert into product (seller_id, product_id, ${list}, version, created_at, updated_at) ` +
  `select $1, u.product_id, ${names.map((name) => `u.${name}`).join(', ')}, 1, $2::timestamptz, $2::timestamptz ` +
  `from unnest($3::text[], ${arrays}) as u (product_id, ${list})`;

const UPDATE_ARRAYS = CONTENT_COLUMNS.map(({ type }, index) => `$${index + 5}::${type}[]`).join(', ');
const UPDATE =
  `update product p set ${names.map((name) => `${name} = u.${name}`).join(', ')}, version = u.version, updated_at = $2::timestamptz ` +
  `from unnest($3::text[], $4::int[], ${UPDATE_ARRAYS}) as u (product_id, version, ${list}) ` +
  'where p.seller_id = $1 and p.product_id = u.product_id and p.version = u.version - 1';

const columnArrays = (products: readonly CatalogueProduct[]): ArrayParameter[] =>
  CONTENT_COLUMNS.map(({ array }) => array(products));

/**
 * Inserts new products with version 1.
 *
 * @param at instant on the service's clock, RFC 3339
 * @throws a unique violation (SQLSTATE 23505) when a SKU, an external key or an MPN/brand pair exists
 */
export async function insertProducts(
  db: Db,
  sellerId: string,
  products: readonly CatalogueProduct[],
  at: string,
): Promise<void> {
  if (products.length === 0) return;
  await db.run(
    sql(INSERT, [
      sellerId,
      at,
      textArray(products.map((product) => product.product_id)),
      ...columnArrays(products),
    ]),
  );
}

/**
 * Writes the content of existing products.
 *
 * @param products the new state; `version` is one above the version that was read
 * @returns how many were written: fewer than given when a row has moved since it was read
 */
export async function updateProducts(
  db: Db,
  sellerId: string,
  products: readonly CatalogueProduct[],
  at: string,
): Promise<number> {
  if (products.length === 0) return 0;
  const keys = [textArray(products.map((p) => p.product_id)), intArray(products.map((p) => p.version))];
  return db.run(sql(UPDATE, [sellerId, at, ...keys, ...columnArrays(products)]));
}

export interface StockWrite {
  readonly product_id: string;
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  /** False: only the reorder point is set; orders may have moved the units since they were read. */
  readonly sets_quantity: boolean;
}

const stockText = (set: string): string =>
  'insert into inventory as i (seller_id, product_id, quantity_on_hand, reorder_point, updated_at) ' +
  'select $1, u.*, $2::timestamptz from unnest($3::text[], $4::int[], $5::int[]) as u ' +
  `on conflict (seller_id, product_id) do update set ${set}` +
  'reorder_point = excluded.reorder_point, version = i.version + 1, updated_at = excluded.updated_at';
const STOCK = stockText('quantity_on_hand = excluded.quantity_on_hand, ');
const REORDER_POINT = stockText('');
const HOLD_STOCK =
  'select product_id from inventory where seller_id = $1 and product_id = any($2::text[]) order by product_id for update';

/** Sets stock absolutely; reservations are kept apart and never touched here. */
export async function writeStock(
  db: Db,
  sellerId: string,
  stock: readonly StockWrite[],
  at: string,
): Promise<void> {
  // One order for all writers, so that two of them never wait for each other in a circle.
  const sorted = [...stock].sort((a, b) => (a.product_id < b.product_id ? -1 : 1));
  const parts = [
    [STOCK, sorted.filter(({ sets_quantity }) => sets_quantity)],
    [REORDER_POINT, sorted.filter(({ sets_quantity }) => !sets_quantity)],
  ] as const;
  // Where both are needed, the rows are taken in that order before the first of them writes.
  if (parts.every(([, rows]) => rows.length > 0))
    await db.run(sql(HOLD_STOCK, [sellerId, textArray(sorted.map((s) => s.product_id))]));
  for (const [text, rows] of parts) {
    if (rows.length === 0) continue;
    await db.run(
      sql(text, [
        sellerId,
        at,
        textArray(rows.map((s) => s.product_id)),
        intArray(rows.map((s) => s.quantity_on_hand)),
        intArray(rows.map((s) => s.reorder_point)),
      ]),
    );
  }
}

const DELETE = 'delete from product where product_id = any($1)';
const DELETE_STOCK = 'delete from inventory where product_id = any($1)';

/** Removes products for good: only for undoing the run that created them. */
export async function deleteProducts(db: Db, productIds: readonly string[]): Promise<void> {
  if (productIds.length === 0) return;
  await db.run(sql(DELETE_STOCK, [productIds]));
  await db.run(sql(DELETE, [productIds]));
}
