/** Stock as orders move it; in the system's scope too, so every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StockRow } from '../domain/product.ts';
import { STOCK_COLUMNS } from './list-inventory.ts';

/** A product whose stock was never stated has no row yet; version 0 is that of before the first change. */
const OPEN =
  'insert into inventory (seller_id, product_id, version, updated_at) ' +
  'select p.seller_id, p.product_id, 0, $3::timestamptz from product p where p.seller_id = $1 and p.product_id = any($2) ' +
  'order by p.product_id on conflict (seller_id, product_id) do nothing';
/** In order of the id, as every writer of stock takes its rows. */
const HOLD =
  `select ${STOCK_COLUMNS}, p.version as product_version from inventory i join product p on p.seller_id = i.seller_id and p.product_id = i.product_id ` +
  'where i.seller_id = $1 and i.product_id = any($2) order by i.product_id for update of i';

export interface HeldStock extends StockRow {
  readonly product_version: number;
}

/**
 * Holds the stock of the products until the transaction ends and reads it as it is then.
 *
 * @param productIds each once
 */
export async function holdStock(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
  at: string,
): Promise<HeldStock[]> {
  const hold = sql<HeldStock>(HOLD, [sellerId, productIds]);
  const held = await db.all(hold);
  if (held.length === productIds.length) return held;
  await db.run(sql(OPEN, [sellerId, productIds, at]));
  return db.all(hold);
}

const WRITE =
  'update inventory i set quantity_on_hand = u.on_hand, quantity_reserved = u.reserved, version = i.version + 1, updated_at = $2::timestamptz ' +
  'from unnest($3::text[], $4::int[], $5::int[]) as u (product_id, on_hand, reserved) where i.seller_id = $1 and i.product_id = u.product_id';

/** Writes what is on hand and what is reserved; the rows must be held. */
export async function writeHeldStock(
  db: Db,
  sellerId: string,
  rows: readonly StockRow[],
  at: string,
): Promise<void> {
  await db.run(
    sql(WRITE, [
      sellerId,
      at,
      textArray(rows.map((row) => row.product_id)),
      intArray(rows.map((row) => row.quantity_on_hand)),
      intArray(rows.map((row) => row.quantity_reserved)),
    ]),
  );
}

/** A product as an order names it. */
export interface SkuProduct {
  readonly product_id: string;
  readonly seller_sku: string;
  readonly title: string | null;
  readonly category: string | null;
}

const BY_SKU =
  'select product_id, seller_sku, title, category from product where seller_id = $1 and seller_sku = any($2::text[])';

/** Products of a seller under some SKUs, archived ones too: what was sold was sold. */
export async function productsBySku(
  db: Db,
  sellerId: string,
  skus: readonly string[],
): Promise<SkuProduct[]> {
  return skus.length === 0 ? [] : db.all<SkuProduct>(sql(BY_SKU, [sellerId, textArray(skus)]));
}

const UNITS =
  'select product_id, quantity_on_hand, quantity_reserved from inventory where seller_id = $1 and product_id = any($2)';

/** Units that could be reserved now, by product; a product whose stock is not known is left out. */
export async function availableUnits(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all<Pick<StockRow, 'product_id' | 'quantity_on_hand' | 'quantity_reserved'>>(
    sql(UNITS, [sellerId, productIds]),
  );
  return new Map(
    rows.flatMap(({ product_id, quantity_on_hand: onHand, quantity_reserved: reserved }) =>
      onHand === null ? [] : [[product_id, Math.max(0, onHand - reserved)] as const],
    ),
  );
}
