/** Functions that the commit of a preview and the revert of a run share. */
import type { Acting } from '../../../../kernel/context.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Counter, FeedRun } from '../../domain/feed-run/run.ts';
import { identityMatchKey, mpnBrandOf } from '../../domain/identity/stored-identity.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import type { CatalogueProduct, StoredProduct } from '../../domain/product.ts';
import { insertEvidence, streamEvidence } from '../../store/feed-rows.ts';
import {
  loadByExternalKeys,
  loadByIds,
  loadByMpnBrand,
  loadBySkus,
  lockProducts,
} from '../../store/load-products.ts';
import type { PendingStock, RowWrite } from './apply-batch.ts';

/** Outcomes that changed the catalogue. */
export const WRITTEN: ReadonlySet<RowOutcome> = new Set(['created', 'updated', 'deactivated', 'staged']);

/** A run that commits or reverts another run. */
export interface FollowUp {
  readonly ctx: Acting;
  readonly runId: string;
  /** The preview, or the applied run. */
  readonly original: FeedRun;
  readonly counter: Counter;
  /** Stock that the run writes last, to lock it for a short time. */
  readonly stock: PendingStock[];
}

export const evidenceOf = ({ ctx, original }: FollowUp): AsyncGenerator<Evidence[]> =>
  streamEvidence(ctx, { runId: original.run_id });

/** Counts and stores the evidence of a batch. */
export async function record({ ctx, runId, counter }: FollowUp, rows: readonly Evidence[]): Promise<void> {
  for (const row of rows) counter.add(row.outcome, row.messages);
  await insertEvidence(ctx, runId, rows);
}

/** Locks the products of the rows until the transaction ends, and loads them. */
export async function lockProductsOf(
  at: SellerDb,
  rows: readonly Evidence[],
): Promise<ReadonlyMap<string, StoredProduct>> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  await lockProducts(at, ids);
  return new Map((await loadByIds(at, ids)).map((product) => [product.product_id, product]));
}

const STOCK_FIELDS = ['quantity_on_hand', 'reorder_point'] as const;

/**
 * Whether a product is as it was before the changes of a row, or after them. A change of stock does not change the
 * version, so stock is compared by value; a new product must have the stock of its row, or none.
 */
export function hasState(
  product: StoredProduct | undefined,
  row: Evidence,
  side: 'before' | 'after',
): boolean {
  if (product === undefined) return side === 'before' && row.product_version === 0;
  const version = row.product_version === null ? null : row.product_version + (side === 'after' ? 1 : 0);
  if (version !== null && product.version !== version) return false;
  return STOCK_FIELDS.every((field) => {
    const change = row.changes.find((candidate) => candidate.field === field);
    if (change === undefined) return row.product_version !== 0 || product[field] === null;
    return product[field] === change[side];
  });
}

const pairOf = ({ identity, status }: CatalogueProduct): string | null =>
  identity?.strategy === 'mpn_brand' && status !== 'archived' ? (identityMatchKey(identity) ?? null) : null;
const keyOf = ({ external_profile, external_key }: CatalogueProduct): string | null =>
  external_key === null ? null : `${external_profile}\0${external_key}`;
const skuOf = ({ seller_sku }: CatalogueProduct): string | null => seller_sku;

/** The values that only one product of a seller may have. */
const UNIQUE = [skuOf, keyOf, pairOf];

/** Products that have one of the new SKUs, keys, or MPNs and brands. */
async function loadHolders(at: SellerDb, products: readonly CatalogueProduct[]): Promise<StoredProduct[]> {
  const profiles = Map.groupBy(
    products.filter(({ external_key }) => external_key !== null),
    ({ external_profile }) => external_profile ?? '',
  );
  const holders = await loadBySkus(
    at,
    products.flatMap(({ seller_sku }) => seller_sku ?? []),
  );
  for (const [profile, imported] of profiles) {
    const keys = imported.flatMap(({ external_key }) => external_key ?? []);
    holders.push(...(await loadByExternalKeys(at, profile, keys)));
  }
  const pairs = products.flatMap((product) => (pairOf(product) === null ? [] : mpnBrandOf(product.identity)));
  return [...holders, ...(await loadByMpnBrand(at, pairs))];
}

/** Ids of the written products whose new SKU, key, or MPN and brand belongs to another product. */
export async function takenKeys(
  at: SellerDb,
  writes: readonly Pick<RowWrite, 'existing' | 'next'>[],
): Promise<ReadonlySet<string>> {
  const changed = writes.filter(({ existing, next }) =>
    UNIQUE.some((key) => key(next) !== null && (existing === null || key(existing) !== key(next))),
  );
  if (changed.length === 0) return new Set();
  const holders = await loadHolders(
    at,
    changed.map(({ next }) => next),
  );
  const taken = new Set<string>();
  for (const key of UNIQUE) {
    const byKey = new Map(holders.map((holder) => [key(holder), holder.product_id]));
    for (const { next } of changed) {
      const value = key(next);
      const holder = value === null ? undefined : byKey.get(value);
      if (holder !== undefined && holder !== next.product_id) taken.add(next.product_id);
    }
  }
  return taken;
}
