/** Functions that the commit of a preview and the revert of a run share. */
import type { Acting, Standing } from '../../../../kernel/context.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Counter, FeedRun } from '../../domain/feed-run/run.ts';
import { identityMatchKey, mpnBrandOf } from '../../domain/identity/stored-identity.ts';
import { applyChanges, diffProduct } from '../../domain/plan/changes.ts';
import { type Curation, curationAfter } from '../../domain/plan/curation.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import type { CatalogueProduct, ReviewedField, StoredProduct } from '../../domain/product.ts';
import { reviewedFields } from '../../settings.ts';
import { insertEvidence, streamEvidence } from '../../store/feed-rows.ts';
import { changedSince, decidedVersions, stockSetSince, undoneChanges } from '../../store/later-changes.ts';
import {
  loadByExternalKeys,
  loadByIds,
  loadByMpnBrand,
  loadBySkus,
  lockProducts,
} from '../../store/load-products.ts';
import { type PendingStock, type RowWrite, setsStock } from './apply-batch.ts';

/** Outcomes that changed the catalogue. */
export const WRITTEN: ReadonlySet<RowOutcome> = new Set(['created', 'updated', 'deactivated', 'staged']);

/** A run that commits or reverts another run. */
export interface FollowUp {
  readonly ctx: Acting;
  readonly runId: string;
  /** The preview, or the applied run. */
  readonly original: FeedRun;
  readonly counter: Counter;
  readonly standing: Standing;
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

type Side = 'before' | 'after';

interface Moved {
  readonly existing: StoredProduct | null;
  readonly next: CatalogueProduct | null;
  /** The row with the changes from `existing` to `next`, and the version of `existing`. */
  readonly row: Evidence;
}

/** The version of a product on a side of a row; `null` when the row changes only stock. */
const versionOn = ({ product_version }: Evidence, side: Side): number | null =>
  product_version === null ? null : product_version + (side === 'after' ? 1 : 0);

/** The products of rows whose stock was set since an instant, other than by runs that were reverted. */
async function stockSetAgain(
  at: SellerDb,
  rows: readonly Evidence[],
  since: string | null,
): Promise<ReadonlySet<string>> {
  if (since === null) return new Set();
  const ids = rows.flatMap(({ product_id, changes }) => (setsStock(changes) ? (product_id ?? []) : []));
  const set = (await changedSince(at, ids, since)).filter(({ stock }) => stock);
  return new Set(
    await stockSetSince(
      at,
      set.map(({ product_id }) => product_id),
      since,
    ),
  );
}

/**
 * Locks the products of rows until the transaction ends, and takes each to the other side of its row. Rows whose
 * products the seller has changed since are left out. A change that a later run has reverted does not count.
 *
 * @param stockCounts whether a change of stock is such a change; a connected store sets the stock of what was imported
 * @param setSince from when stock that the seller has set is such a change, even if the value is the same; RFC 3339
 */
export async function moveFrom(
  side: Side,
  ctx: Acting,
  rows: readonly Evidence[],
  stockCounts = true,
  setSince: string | null = null,
): Promise<ReadonlyMap<number, Moved>> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  await lockProducts(ctx, { ids });
  const products = new Map((await loadByIds(ctx, ids)).map((product) => [product.product_id, product]));
  const later = rows.flatMap((row) => {
    const { product_id = '', version = 0 } = products.get(row.product_id ?? '') ?? {};
    return version > (versionOn(row, side) ?? version) ? product_id : [];
  });
  const decided = await decidedVersions(ctx, later);
  const undone = Map.groupBy(await undoneChanges(ctx, later), ({ product_id }) => product_id);
  const reset = await stockSetAgain(ctx, rows, stockCounts ? setSince : null);
  const fields = reviewedFields(ctx.config);
  return new Map(
    rows.flatMap((row) => {
      const id = row.product_id ?? '';
      const existing = products.get(id);
      const from = versionOn(row, side) ?? 0;
      const decisions = (decided.get(id) ?? []).filter((version) => version > from).length;
      // Of a change and its revert each made a version.
      const reverted = (undone.get(id) ?? []).filter(({ applied }) => applied !== null && applied > from);
      if (!hasState(existing, row, side, decisions + 2 * reverted.length)) return [];
      if (stockCounts && !hasStock(existing, row, side)) return [];
      if (reset.has(id)) return [];
      return [[row.row_number, move(existing ?? null, row, side, decisions > 0 ? fields : null)] as const];
    }),
  );
}

const STOCK_FIELDS = ['quantity_on_hand', 'reorder_point'] as const;

/**
 * Whether a product is as it was before the changes of a row, or after them, apart from its stock and from decisions of
 * the marketplace.
 *
 * @param later how many later versions left it so
 */
function hasState(product: StoredProduct | undefined, row: Evidence, side: Side, later: number): boolean {
  if (product === undefined) return side === 'before' && row.product_version === 0;
  const version = versionOn(row, side);
  return version === null || product.version === version + later;
}

/**
 * The same for stock. Its changes do not change the version, so it is compared by value; a new product must have the stock
 * of its row, or none.
 */
function hasStock(product: StoredProduct | undefined, row: Evidence, side: Side): boolean {
  if (product === undefined) return true;
  return STOCK_FIELDS.every((field) => {
    const change = row.changes.find((candidate) => candidate.field === field);
    if (change === undefined) return row.product_version !== 0 || product[field] === null;
    return product[field] === change[side];
  });
}

const CURATION: ReadonlySet<string> = new Set<keyof Curation>([
  'curation_state',
  'curation_reasons',
  'approved',
]);

/** @param fields the reviewed fields after a decision: then the curation follows from the content, not from the row */
function move(
  existing: StoredProduct | null,
  row: Evidence,
  side: Side,
  fields: readonly ReviewedField[] | null,
): Moved {
  const direction = side === 'before' ? 'apply' : 'revert';
  const swapped = row.changes.map(({ field, before, after }) => ({ field, before: after, after: before }));
  const changes = side === 'before' ? row.changes : swapped;
  const product_version = versionOn(row, side) === null ? null : (existing?.version ?? 0);
  if (existing === null || fields === null)
    return {
      existing,
      next: applyChanges(existing, row.changes, direction),
      row: { ...row, changes, product_version },
    };
  const stated = row.changes.filter(({ field }) => !CURATION.has(field));
  const moved = applyChanges(existing, stated, direction);
  const next = moved && { ...moved, ...curationAfter(existing, moved, fields) };
  return {
    existing,
    next,
    row: { ...row, product_version, changes: next === null ? changes : diffProduct(existing, next) },
  };
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
