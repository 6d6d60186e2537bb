/**
 * Runs that follow another: `commit` applies exactly a stored preview, `revert` undoes an applied run. Both work
 * from the stored changes, in one transaction, and are recorded as runs of their own. Contract section 5.
 */
import type { CursorDb } from '../../../../kernel/context.ts';
import { coreErrors, fail, tierLimitExceeded } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { appendEvents } from '../../../../platform/outbox/append.ts';
import { Counter, finalStatus, NO_COUNTS, type RunKind } from '../../domain/feed-run/run.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import type { RowOutcome } from '../../domain/plan/plan-context.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { feedErrors, feedFailure } from '../../feed-errors.ts';
import { type Evidence, insertEvidence, streamEvidence } from '../../store/feed-rows.ts';
import { endRun, type FeedRun, findFollower, insertRun, loadRun } from '../../store/feed-runs.ts';
import { loadByIds, loadBySkus, lockProducts } from '../../store/load-products.ts';
import { lockProductCount } from '../../store/plan-slots.ts';
import type { StoredProduct } from '../../store/product-columns.ts';
import { deleteProducts, type StockWrite } from '../../store/write-products.ts';
import { type FeedAnswer, finishedAnswer } from './answer-run.ts';
import { type ApplyContext, applyWrites, flushStock, isStockOnly, type ProductWrite } from './apply-batch.ts';
import type { FeedCtx } from './receive-feed.ts';

const BATCH_ROWS = 1_000;
/** Moved rows that are named; more than that is a new preview anyway. */
const MOVED_SHOWN = 100;
const DAY_MS = 86_400_000;

const WRITTEN: ReadonlySet<RowOutcome> = new Set(['created', 'updated', 'deactivated', 'staged']);

const sameJson = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left ?? null) === JSON.stringify(right ?? null);

/** Whether a product still stands where the changes start from (commit) or where they ended (revert). */
function inPlace(product: StoredProduct | undefined, row: Evidence, side: 'before' | 'after'): boolean {
  if (product === undefined) return side === 'before' && row.product_version === 0;
  if (row.product_version !== null && product.version !== row.product_version + (side === 'after' ? 1 : 0))
    return false;
  // Stock has no part in the version; it is compared by value.
  return row.changes.every(({ field, before, after }) => {
    if (field !== 'quantity_on_hand' && field !== 'reorder_point') return true;
    return sameJson(product[field], side === 'before' ? before : after);
  });
}

async function productsOf(db: CursorDb, rows: readonly Evidence[]): Promise<Map<string, StoredProduct>> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  await lockProducts(db, ids);
  return new Map((await loadByIds(db, ids)).map((product) => [product.product_id, product]));
}

interface Follow {
  readonly ctx: FeedCtx;
  readonly db: CursorDb;
  readonly first: FeedRun;
  readonly apply: ApplyContext;
  readonly counter: Counter;
  readonly stock: StockWrite[];
}

interface Moved {
  readonly row_number: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
}

async function record(follow: Follow, rows: readonly Evidence[]): Promise<void> {
  for (const row of rows)
    follow.counter.add(row.outcome, row.messages.filter(({ severity }) => severity === 'warning').length);
  await insertEvidence(follow.db, follow.apply.sellerId, follow.apply.runId, rows);
}

/** SKUs that a preview would create and that somebody created since. */
async function takenSkus(db: CursorDb, rows: readonly Evidence[]): Promise<ReadonlySet<string>> {
  const fresh = rows
    .filter(({ product_version }) => product_version === 0)
    .flatMap(({ seller_sku }) => seller_sku ?? []);
  return new Set((await loadBySkus(db, fresh)).flatMap(({ seller_sku }) => seller_sku ?? []));
}

async function commitRows(follow: Follow): Promise<void> {
  const moved: Moved[] = [];
  for await (const rows of streamEvidence(follow.db, { runId: follow.first.run_id }, BATCH_ROWS)) {
    const written = rows.filter(({ outcome }) => WRITTEN.has(outcome));
    const products = await productsOf(follow.db, written);
    const taken = await takenSkus(follow.db, written);
    const writes: ProductWrite[] = [];
    for (const row of written) {
      const existing = products.get(row.product_id ?? '');
      const occupied = row.product_version === 0 && row.seller_sku !== null && taken.has(row.seller_sku);
      if (occupied || !inPlace(existing, row, 'before')) {
        moved.push({ row_number: row.row_number, seller_sku: row.seller_sku, product_id: row.product_id });
        continue;
      }
      const next = applyChanges(existing ?? null, row.changes, 'apply');
      if (next === null) continue;
      const source = {
        source_run_id: follow.apply.runId,
        source_row: row.row_number,
        source_origin: originOf(follow.first),
      } as const;
      writes.push({
        existing: existing ?? null,
        next: { ...next, ...source, version: (existing?.version ?? 0) + 1 },
        changes: row.changes,
      });
    }
    if (moved.length > 0) continue;
    follow.stock.push(...(await applyWrites(follow.db, follow.apply, writes)));
    await record(follow, rows);
  }
  if (moved.length > 0) {
    throw fail(feedErrors.preview_stale, {
      facts: { moved: moved.slice(0, MOVED_SHOWN), moved_count: moved.length },
    });
  }
}

const originOf = (run: FeedRun) => (run.kind === 'profile_import' ? 'profile_import' : 'feed');

/** Evidence of undoing a row: the same fields with before and after exchanged. */
function undone(row: Evidence, outcome: RowOutcome): Evidence {
  return {
    ...row,
    outcome,
    resolution: null,
    messages: [],
    cells: null,
    changes: row.changes.map(({ field, before, after }) => ({ field, before: after, after: before })),
    product_version: row.product_version === null ? null : row.product_version + 1,
  };
}

async function revertRows(follow: Follow): Promise<void> {
  for await (const rows of streamEvidence(follow.db, { runId: follow.first.run_id }, BATCH_ROWS)) {
    const products = await productsOf(
      follow.db,
      rows.filter(({ outcome }) => WRITTEN.has(outcome)),
    );
    const writes: ProductWrite[] = [];
    const removed: StoredProduct[] = [];
    const evidence = rows.map((row): Evidence => {
      if (!WRITTEN.has(row.outcome))
        return { ...row, outcome: 'ignored', changes: [], messages: [], resolution: null, cells: null };
      const existing = products.get(row.product_id ?? '');
      if (existing === undefined || !inPlace(existing, row, 'after')) {
        return {
          ...undone(row, 'not_attempted'),
          changes: [],
          messages: [rowMessage('version_conflict', { severity: 'warning' })],
        };
      }
      const next = applyChanges(existing, row.changes, 'revert');
      if (next === null) {
        if (existing.quantity_reserved > 0)
          return {
            ...undone(row, 'not_attempted'),
            changes: [],
            messages: [rowMessage('version_conflict', { severity: 'warning' })],
          };
        removed.push(existing);
        return undone(row, 'deactivated');
      }
      const reverted = undone(row, 'updated');
      writes.push({
        existing,
        next: { ...next, version: existing.version + (isStockOnly(row.changes) ? 0 : 1) },
        changes: reverted.changes,
      });
      return reverted;
    });
    follow.stock.push(...(await applyWrites(follow.db, follow.apply, writes)));
    await deleteProducts(
      follow.db,
      removed.map(({ product_id }) => product_id),
    );
    await appendEvents(
      follow.db,
      follow.apply,
      removed.map(({ product_id, version }) => ({
        type: 'product.deactivated',
        object_id: product_id,
        object_version: version + 1,
      })),
    );
    await record(follow, evidence);
  }
}

function followingRun(ctx: FeedCtx, first: FeedRun, kind: Extract<RunKind, 'commit' | 'revert'>): FeedRun {
  const at = new Date(ctx.now()).toISOString();
  return {
    ...first,
    run_id: ctx.ids.next('feedRun'),
    kind,
    dry_run: false,
    async: false,
    status: 'applying',
    counts: NO_COUNTS,
    file_id: null,
    idempotency_key: ctx.correlation.idempotency_key,
    replay_key: ctx.ids.next('request'),
    error: null,
    detection: null,
    commits_run_id: kind === 'commit' ? first.run_id : null,
    reverts_run_id: kind === 'revert' ? first.run_id : null,
    rows_done: 0,
    rows_total: null,
    created_by: ctx.seller.member_id,
    request_id: ctx.request_id,
    cancel_requested_at: null,
    received_at: at,
    started_at: at,
    finished_at: null,
  };
}

async function checkAllowed(db: CursorDb, first: FeedRun, kind: 'commit' | 'revert'): Promise<void> {
  const applied = first.status === 'succeeded' || first.status === 'succeeded_with_errors';
  const allowed = kind === 'commit' ? first.dry_run : !first.dry_run && first.kind !== 'revert';
  const def = kind === 'commit' ? feedErrors.run_not_committable : feedErrors.run_not_revertible;
  if (!applied || !allowed) throw fail(def, { facts: { status: first.status, dry_run: first.dry_run } });
  const follower = await findFollower(
    db,
    kind === 'commit' ? 'commits_run_id' : 'reverts_run_id',
    first.run_id,
  );
  if (follower !== undefined) throw fail(def, { facts: { status: first.status, followed_by: follower } });
}

/**
 * Commits a preview or reverts an applied run, in the transaction of `ctx.db`.
 *
 * @throws ApiError 402 over the plan, 404, 409 `preview_stale|run_not_committable|run_not_revertible`
 */
export async function followRun(
  ctx: FeedCtx,
  db: CursorDb,
  runId: string,
  kind: 'commit' | 'revert',
): Promise<FeedAnswer> {
  // Taken before the run is read: two commits of one preview must see each other.
  const limit = planLimit((await ctx.standing()).plan, 'products');
  await lockProductCount(db, ctx.seller.seller_id);
  const first = await loadRun(db, runId);
  if (first === undefined) throw fail(coreErrors.not_found);
  await checkAllowed(db, first, kind);
  const run = followingRun(ctx, first, kind);
  await insertRun(db, ctx.seller.seller_id, run);
  const apply: ApplyContext = {
    sellerId: ctx.seller.seller_id,
    runId: run.run_id,
    ids: ctx.ids,
    now: ctx.now(),
    correlation: ctx.correlation,
  };
  const follow: Follow = { ctx, db, first, apply, counter: new Counter(), stock: [] };
  await (kind === 'commit' ? commitRows(follow) : revertRows(follow));
  await flushStock(db, apply, follow.stock);
  const used = await lockProductCount(db, ctx.seller.seller_id);
  if (kind === 'commit' && used > limit)
    throw tierLimitExceeded((await ctx.standing()).plan, 'products', used);
  const counts = follow.counter.value;
  const finishedAt = new Date(ctx.now()).toISOString();
  const evidenceExpiresAt = new Date(
    ctx.now() + ctx.services.config.EVIDENCE_RETENTION_DAYS * DAY_MS,
  ).toISOString();
  const status = kind === 'revert' ? 'succeeded' : finalStatus(counts);
  await endRun(db, run.run_id, { status, counts, error: null, finishedAt, evidenceExpiresAt });
  await appendEvents(db, apply, [{ type: 'feed_run.completed', object_id: run.run_id, object_version: 1 }]);
  const ended = await loadRun(db, run.run_id);
  if (ended === undefined) throw feedFailure(feedErrors.feed_execution_failed);
  return finishedAnswer(db, ended);
}
