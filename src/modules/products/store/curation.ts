/** What the marketplace's decisions read and write, in the system's scope: every statement names the seller. */

import { bigint, instant, integer, nullable } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

/** The order of a decision: of the newest that was applied to a product, or of one that arrives. */
export interface DecisionOrder {
  /** RFC 3339; `null` before the first. */
  readonly at: string | null;
  readonly version: bigint | null;
}

export interface CuratedProduct {
  readonly product: StoredProduct;
  readonly decided: DecisionOrder;
}

/** A product of the seller, locked until the transaction ends. */
export async function lockForDecision(
  { db, seller_id }: SellerDb,
  productId: string,
): Promise<CuratedProduct | undefined> {
  const row = await db.one(
    statement({ ...PRODUCT, curated_at: nullable(instant), curated_version: nullable(bigint) })`
      select ${raw(SELECT_LIST)}, p.curated_at, p.curated_version
        from ${raw(FROM_PRODUCT)}
       where p.seller_id = ${seller_id}
         and p.product_id = ${productId}
         for update of p`,
  );
  return row && { product: toProduct(row), decided: { at: row.curated_at, version: row.curated_version } };
}

/** Remembers the applied decision; one without a version keeps the last version. */
export async function recordDecision(
  { db, seller_id }: SellerDb,
  productId: string,
  { at, version }: DecisionOrder,
): Promise<void> {
  await db.run(command`
    update product
       set curated_at = ${at},
           curated_version = coalesce(${version}, curated_version)
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
}

export async function sellerExists({ db, seller_id }: SellerDb): Promise<boolean> {
  const found = await db.one(statement({ one: integer })`
    select 1 as one from v_sellers_standing where seller_id = ${seller_id}`);
  return found !== undefined;
}
