/** Writes products in sets: one statement for any number of rows. */
import type { Acting, Db } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { command, join, type Part, part, raw } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import { toRow, WRITTEN } from './product-columns.ts';

/** The seller's scope and the instant of a write. */
export type Writing = SellerDb & Pick<Acting, 'at'>;

const NAMES = Object.keys(WRITTEN);
const LIST = raw(NAMES.join(', '));
const CONTENT = NAMES.filter((name) => name !== 'product_id');

/**
 * Inserts new products, with version 1.
 *
 * @throws a unique violation (SQLSTATE 23505) when a SKU, an external key or an MPN/brand pair exists
 */
export async function insertProducts(
  { db, seller_id, at }: Writing,
  products: readonly CatalogueProduct[],
): Promise<void> {
  if (products.length === 0) return;
  const { from, element } = asRelation(WRITTEN, products.map(toRow));
  await db.run(command`
    insert into product (seller_id, ${LIST}, created_at, updated_at)
    select ${seller_id}, ${raw(NAMES.map(element).join(', '))}, ${at()}, ${at()}
      from ${from} as u (${LIST})`);
}

/**
 * Writes the content of existing products.
 *
 * @param products the new state; `version` is one above the version that was read
 * @returns the number of written rows: a row that another writer has changed since it was read is left out
 */
export async function updateProducts(
  { db, seller_id, at }: Writing,
  products: readonly CatalogueProduct[],
): Promise<number> {
  if (products.length === 0) return 0;
  const { from, element } = asRelation(WRITTEN, products.map(toRow));
  return db.run(command`
    update product p
       set ${raw(CONTENT.map((name) => `${name} = ${element(name)}`).join(', '))}, updated_at = ${at()}
      from ${from} as u (${LIST})
     where p.seller_id = ${seller_id}
       and p.product_id = u.product_id
       and p.version = u.version - 1`);
}

export interface StockWrite {
  readonly product_id: string;
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  /** False: only the reorder point is set; orders may have moved the units since they were read. */
  readonly sets_quantity: boolean;
}

const SET_QUANTITY = raw('quantity_on_hand = excluded.quantity_on_hand,');

/** Sets stock; reservations stay as they are. */
export async function writeStock(
  { db, seller_id, at }: Writing,
  stock: readonly StockWrite[],
): Promise<void> {
  // All writers lock stock in the order of the ids, so that two of them never deadlock.
  const sorted = stock.toSorted((a, b) => (a.product_id < b.product_id ? -1 : 1));
  const parts: readonly (readonly [Part, readonly StockWrite[]])[] = [
    [SET_QUANTITY, sorted.filter(({ sets_quantity }) => sets_quantity)],
    [raw(''), sorted.filter(({ sets_quantity }) => !sets_quantity)],
  ];
  if (parts.every(([, rows]) => rows.length > 0))
    await db.run(command`
      select product_id
        from inventory
       where seller_id = ${seller_id}
         and product_id = any(${textArray(sorted.map((row) => row.product_id))}::text[])
       order by product_id
         for update`);
  for (const [set, rows] of parts) {
    if (rows.length === 0) continue;
    const arrays = [
      part`${textArray(rows.map((row) => row.product_id))}::text[]`,
      part`${intArray(rows.map((row) => row.quantity_on_hand))}::int[]`,
      part`${intArray(rows.map((row) => row.reorder_point))}::int[]`,
    ];
    await db.run(command`
      insert into inventory as i (seller_id, product_id, quantity_on_hand, reorder_point, updated_at)
      select ${seller_id}, u.*, ${at()}::timestamptz
        from unnest(${join(arrays, ', ')}) as u
          on conflict (seller_id, product_id) do update
         set ${set}
             reorder_point = excluded.reorder_point,
             version = i.version + 1,
             updated_at = excluded.updated_at`);
  }
}

/** Deletes products: only to undo the run that created them. */
export async function deleteProducts(db: Db, productIds: readonly string[]): Promise<void> {
  if (productIds.length === 0) return;
  await db.run(command`delete from inventory where product_id = any(${productIds})`);
  await db.run(command`delete from product where product_id = any(${productIds})`);
}
