/** What the commit of a preview and the revert of a run share. */
import type { Acting, CursorDb } from '../../../../kernel/context.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Counter, FeedRun } from '../../domain/feed-run/run.ts';
import { mpnBrandOf, sharedIdentityKey } from '../../domain/identity/stored-identity.ts';
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

/** A run that commits or reverts another. */
export interface FollowingRun {
  readonly ctx: Acting;
  readonly runId: string;
  /** The preview, or the applied run. */
  readonly first: FeedRun;
  readonly counter: Counter;
  /** Stock that is written last. */
  readonly stock: PendingStock[];
}

export const evidenceOf = ({ ctx, first }: FollowingRun): AsyncGenerator<Evidence[]> =>
  streamEvidence(ctx.db, { runId: first.run_id });

/** Counts and stores evidence of the run. */
export async function record(
  { ctx, runId, counter }: FollowingRun,
  rows: readonly Evidence[],
): Promise<void> {
  for (const row of rows) counter.add(row.outcome, row.messages);
  await insertEvidence(ctx, runId, rows);
}

/** The products of the rows, locked until the transaction ends. */
export async function lockProductsOf(
  db: CursorDb,
  rows: readonly Evidence[],
): Promise<ReadonlyMap<string, StoredProduct>> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  await lockProducts(db, ids);
  return new Map((await loadByIds(db, ids)).map((product) => [product.product_id, product]));
}

const STOCK_FIELDS = ['quantity_on_hand', 'reorder_point'] as const;

/**
 * Whether a product still has the state from before the changes, or from after them. The version does not count
 * stock, so stock is compared by value; a new product must have the stock of its row, or none.
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
  identity?.strategy === 'mpn_brand' && status !== 'archived' ? (sharedIdentityKey(identity) ?? null) : null;
const keyOf = ({ external_profile, external_key }: CatalogueProduct): string | null =>
  external_key === null ? null : `${external_profile}\0${external_key}`;
const skuOf = ({ seller_sku }: CatalogueProduct): string | null => seller_sku;

/** What no two products of a seller may share. */
const UNIQUE = [skuOf, keyOf, pairOf];

/** Products that have one of the new keys. */
async function loadHolders(db: CursorDb, fresh: readonly CatalogueProduct[]): Promise<StoredProduct[]> {
  const profiles = Map.groupBy(
    fresh.filter(({ external_key }) => external_key !== null),
    ({ external_profile }) => external_profile ?? '',
  );
  const holders = await loadBySkus(
    db,
    fresh.flatMap(({ seller_sku }) => seller_sku ?? []),
  );
  for (const [profile, products] of profiles) {
    const keys = products.flatMap(({ external_key }) => external_key ?? []);
    holders.push(...(await loadByExternalKeys(db, profile, keys)));
  }
  const pairs = fresh.flatMap((product) => (pairOf(product) === null ? [] : mpnBrandOf(product.identity)));
  return [...holders, ...(await loadByMpnBrand(db, pairs))];
}

/** Products whose new SKU, key or MPN and brand another product has taken. */
export async function takenKeys(
  db: CursorDb,
  writes: readonly Pick<RowWrite, 'existing' | 'next'>[],
): Promise<ReadonlySet<string>> {
  const fresh = writes.filter(({ existing, next }) =>
    UNIQUE.some((key) => key(next) !== null && (existing === null || key(existing) !== key(next))),
  );
  if (fresh.length === 0) return new Set();
  const holders = await loadHolders(
    db,
    fresh.map(({ next }) => next),
  );
  const taken = new Set<string>();
  for (const key of UNIQUE) {
    const byKey = new Map(holders.map((holder) => [key(holder), holder.product_id]));
    for (const { next } of fresh) {
      const value = key(next);
      const holder = value === null ? undefined : byKey.get(value);
      if (holder !== undefined && holder !== next.product_id) taken.add(next.product_id);
    }
  }
  return taken;
}
