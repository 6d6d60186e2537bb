/** What the marketplace's decisions read and write; in the system's scope, so every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

/** Which decision a product stands under: the newest that was applied. */
export interface DecisionOrder {
  /** RFC 3339; `null` before the first. */
  readonly at: string | null;
  readonly version: bigint | null;
}

export interface CuratedProduct {
  readonly product: StoredProduct;
  readonly decided: DecisionOrder;
}

const LOCK =
  `select ${SELECT_LIST}, p.curated_at, p.curated_version from ${FROM_PRODUCT} ` +
  'where p.seller_id = $1 and p.product_id = $2 for update of p';

/** A product of the seller, held until the transaction ends. */
export async function lockForDecision(
  db: Db,
  sellerId: string,
  productId: string,
): Promise<CuratedProduct | undefined> {
  const row = await db.one<{ curated_at: string | null; curated_version: bigint | null }>(
    sql(LOCK, [sellerId, productId]),
  );
  if (row === undefined) return undefined;
  const { curated_at, curated_version, ...product } = row;
  return { product: toProduct(product), decided: { at: curated_at, version: curated_version } };
}

/** Remembers which decision was applied; a later one without a version does not forget the last version. */
export async function recordDecision(
  db: Db,
  sellerId: string,
  productId: string,
  order: DecisionOrder,
): Promise<void> {
  await db.run(
    sql(
      'update product set curated_at = $3, curated_version = coalesce($4, curated_version) where seller_id = $1 and product_id = $2',
      [sellerId, productId, order.at, order.version],
    ),
  );
}

export async function sellerExists(db: Db, sellerId: string): Promise<boolean> {
  return (
    (await db.one(sql('select 1 as one from v_sellers_standing where seller_id = $1', [sellerId]))) !==
    undefined
  );
}
