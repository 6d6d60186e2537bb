/** Reads and writes for decisions of the marketplace, in the system's scope. */
import { intArray } from '../../../platform/db/arrays.ts';
import { bigint, instant, integer, nullable } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { DecisionOrder, Review } from '../domain/plan/reviewed-version.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

interface CuratedProduct {
  readonly product: StoredProduct;
  readonly decided: DecisionOrder;
}

/** Locks a product until the transaction ends, and loads it. */
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

/**
 * When the file runs that wrote a product were committed, by the version that each wrote. All rows of a run have the
 * time of its start, but the marketplace reads them only after its end.
 */
export async function loadRunEnds(
  { db, seller_id }: SellerDb,
  productId: string,
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.all(statement({ version: integer, finished_at: instant })`
    select f.product_version + 1 as version, r.finished_at
      from feed_row f
      join feed_run r on r.seller_id = ${seller_id} and r.run_id = f.run_id
     where f.seller_id = ${seller_id}
       and f.product_id = ${productId}
       and f.product_version is not null
       and f.changes is not null
       and not r.dry_run
       and r.status in ('succeeded', 'succeeded_with_errors')`);
  return new Map(rows.map(({ version, finished_at }) => [version, finished_at]));
}

/** Stores which decision was applied last to ranges of versions. A decision without a version keeps the stored one. */
export async function recordDecision(
  { db, seller_id }: SellerDb,
  productId: string,
  reviews: readonly Review[],
  { at, version }: DecisionOrder,
): Promise<void> {
  await db.run(command`
    update product_past_review
       set decided_at = ${at},
           decided_version = coalesce(${version}, decided_version)
     where seller_id = ${seller_id}
       and product_id = ${productId}
       and last_version = any(${intArray(reviews.map(({ last_version }) => last_version))})`);
  if (reviews.every(({ replaced_at }) => replaced_at !== null)) return;
  await db.run(command`
    update product
       set curated_at = ${at},
           curated_version = coalesce(${version}, curated_version)
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
}
