/** Writes any number of products with one statement. */
import type { Acting } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { command, join, type Part, part, raw } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import { INSERTED, toRow, UPDATED } from './product-columns.ts';

/** The seller, the transaction and the time of a write. */
export type WriteContext = SellerDb & Pick<Acting, 'at'>;

const INSERTED_NAMES = Object.keys(INSERTED);
const INSERTED_LIST = raw(INSERTED_NAMES.join(', '));
const UPDATED_NAMES = Object.keys(UPDATED);
const UPDATED_LIST = raw(UPDATED_NAMES.join(', '));
const SET_NAMES = UPDATED_NAMES.filter((name) => name !== 'product_id');

/**
 * Inserts new products, with version 1.
 *
 * @throws a unique violation (SQLSTATE 23505) when a SKU, an external key or an MPN/brand pair exists
 */
export async function insertProducts(
  { db, seller_id, at }: WriteContext,
  products: readonly CatalogueProduct[],
): Promise<void> {
  if (products.length === 0) return;
  const { from, element } = asRelation(INSERTED, products.map(toRow));
  await db.run(command`
    insert into product (seller_id, ${INSERTED_LIST}, created_at, updated_at)
    select ${seller_id}, ${raw(INSERTED_NAMES.map(element).join(', '))}, ${at()}, ${at()}
      from ${from} as u (${INSERTED_LIST})`);
}

/**
 * Writes the content of existing products.
 *
 * @param products their `version` is one above the version that was read
 * @returns the number of written rows, without rows that another writer has changed since they were read
 */
export async function updateProducts(
  { db, seller_id, at }: WriteContext,
  products: readonly CatalogueProduct[],
): Promise<number> {
  if (products.length === 0) return 0;
  const { from, element } = asRelation(UPDATED, products.map(toRow));
  return db.run(command`
    update product p
       set ${raw(SET_NAMES.map((name) => `${name} = ${element(name)}`).join(', '))},
           reviewed_at = case when u.reviewed_from = u.version then ${at()}
                              else coalesce(p.reviewed_at, p.updated_at) end,
           updated_at = ${at()}
      from ${from} as u (${UPDATED_LIST})
     where p.seller_id = ${seller_id}
       and p.product_id = u.product_id
       and p.version = u.version - 1`);
}

export interface StockWrite {
  readonly product_id: string;
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  /** False sets only the reorder point, because orders may have moved the units since they were read. */
  readonly sets_quantity: boolean;
}

/** A supplier's count stays. Only the mirror sets it. */
const SET_QUANTITY = raw(
  "quantity_on_hand = case when i.stock_source = 'own' then excluded.quantity_on_hand else i.quantity_on_hand end,",
);

/**
 * Sets units on hand and reorder points, not reservations.
 *
 * @param setAt when the seller said so, RFC 3339: for a file the instant at which it was received
 */
export async function writeStock(
  { db, seller_id, at }: WriteContext,
  stock: readonly StockWrite[],
  setAt = at(),
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
      insert into inventory as i (seller_id, product_id, quantity_on_hand, reorder_point, updated_at, set_at)
      select ${seller_id}, u.*, ${at()}::timestamptz, ${setAt}::timestamptz
        from unnest(${join(arrays, ', ')}) as u
          on conflict (seller_id, product_id) do update
         set ${set}
             reorder_point = excluded.reorder_point,
             version = i.version + 1,
             updated_at = excluded.updated_at,
             set_at = excluded.set_at`);
  }
}

/** Deletes products, to revert the run that created them. */
export async function deleteProducts(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<void> {
  if (productIds.length === 0) return;
  for (const table of ['inventory', 'product_past_review', 'product'])
    await db.run(command`
      delete from ${raw(table)}
       where seller_id = ${seller_id}
         and product_id = any(${productIds})`);
}
