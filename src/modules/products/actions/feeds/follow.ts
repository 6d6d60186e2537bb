/** What committing a preview and reverting a run have in common. */
import type { CursorDb } from '../../../../kernel/context.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Counter, FeedRun } from '../../domain/feed-run/run.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import type { CatalogueProduct, StoredIdentity, StoredProduct } from '../../domain/product.ts';
import { insertEvidence, streamEvidence } from '../../store/feed-rows.ts';
import {
  loadByExternalKeys,
  loadByIds,
  loadByMpnBrand,
  loadBySkus,
  lockProducts,
} from '../../store/load-products.ts';
import type { ApplyContext, ProductWrite, ToldStock } from './apply-batch.ts';

const BATCH_ROWS = 1_000;

/** Outcomes that changed the catalogue. */
export const WRITTEN: ReadonlySet<RowOutcome> = new Set(['created', 'updated', 'deactivated', 'staged']);

/** A run that follows another, while it is made. */
export interface Follow {
  readonly db: CursorDb;
  /** The preview, or the applied run. */
  readonly first: FeedRun;
  readonly apply: ApplyContext;
  readonly counter: Counter;
  /** Stock that is to be written last. */
  readonly stock: ToldStock[];
}

export const evidenceOf = (follow: Follow): AsyncGenerator<Evidence[]> =>
  streamEvidence(follow.db, { runId: follow.first.run_id }, BATCH_ROWS);

/** Counts and stores the evidence of the following run. */
export async function record(follow: Follow, rows: readonly Evidence[]): Promise<void> {
  for (const row of rows)
    follow.counter.add(row.outcome, row.messages.filter(({ severity }) => severity === 'warning').length);
  await insertEvidence(follow.db, follow.apply.sellerId, follow.apply.runId, rows);
}

/** The products of the rows, held until the transaction ends. */
export async function holdProductsOf(
  db: CursorDb,
  rows: readonly Evidence[],
): Promise<ReadonlyMap<string, StoredProduct>> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  await lockProducts(db, ids);
  return new Map((await loadByIds(db, ids)).map((product) => [product.product_id, product]));
}

const STOCK_FIELDS = ['quantity_on_hand', 'reorder_point'] as const;

/**
 * Whether a product still stands where the changes start from (`before`) or where they ended (`after`). Stock
 * has no part in the version; it is compared by value, for a new product also where the row gave none.
 */
export function inPlace(
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
  identity?.strategy === 'mpn_brand' && status !== 'archived'
    ? `${identity.brand_folded}\0${identity.mpn_folded}`
    : null;
const keyOf = ({ external_profile, external_key }: CatalogueProduct): string | null =>
  external_key === null ? null : `${external_profile}\0${external_key}`;
const skuOf = ({ seller_sku }: CatalogueProduct): string | null => seller_sku;

/** What no two products of a seller may share. */
const UNIQUE = [skuOf, keyOf, pairOf];

/** Products that hold one of the keys that the writes would give out anew. */
async function loadHolders(db: CursorDb, fresh: readonly CatalogueProduct[]): Promise<StoredProduct[]> {
  const profiles = Map.groupBy(
    fresh.filter(({ external_key }) => external_key !== null),
    ({ external_profile }) => external_profile ?? '',
  );
  const byKey: StoredProduct[] = [];
  for (const [profile, products] of profiles)
    byKey.push(
      ...(await loadByExternalKeys(
        db,
        profile,
        products.flatMap((p) => p.external_key ?? []),
      )),
    );
  const pairs = fresh
    .filter((product) => pairOf(product) !== null)
    .map(({ identity }) => identity as StoredIdentity)
    .map(({ brand_folded, mpn_folded }) => ({ brand: brand_folded ?? '', mpn: mpn_folded ?? '' }));
  return [
    ...(await loadBySkus(
      db,
      fresh.flatMap(({ seller_sku }) => seller_sku ?? []),
    )),
    ...byKey,
    ...(await loadByMpnBrand(db, pairs)),
  ];
}

/** Products whose new SKU, key or MPN and brand another product has taken meanwhile. */
export async function takenKeys(
  db: CursorDb,
  writes: readonly Pick<ProductWrite, 'existing' | 'next'>[],
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
