/**
 * Runs that follow another: `commit` applies exactly a stored preview, `revert` undoes an applied run. Both work
 * from the stored changes, in one transaction, and are recorded as runs of their own.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import type { CursorDb } from '../../../../kernel/context.ts';
import { coreErrors, fail, tierLimitExceeded } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { LaneBusy, LaneTimeout } from '../../../../platform/jobs/lanes.ts';
import {
  type IdempotencyKey,
  type StoredAnswer,
  storeKey,
  takeKey,
} from '../../../../platform/keys/idempotency-key.ts';
import { appendBulk } from '../../../../platform/outbox/append.ts';
import { Counter, type FeedRun, finalStatus, NO_COUNTS, type RunKind } from '../../domain/feed-run/run.ts';
import { feedErrors, feedFailure } from '../../feed-errors.ts';
import { endRun, findFollower, insertRun, loadRun } from '../../store/feed-runs.ts';
import { holdFeeds } from '../../store/hold-run.ts';
import { passesLimit, settleProductCount } from '../../store/plan-slots.ts';
import { type FeedAnswer, finishedAnswer, replayed } from './answer-run.ts';
import { flushStock } from './apply-batch.ts';
import { commitRows } from './commit-rows.ts';
import type { Follow } from './follow.ts';
import type { FeedCtx } from './receive-feed.ts';
import { revertRows } from './revert-rows.ts';

const DAY_MS = 86_400_000;
type FollowKind = Extract<RunKind, 'commit' | 'revert'>;

const HOW = {
  commit: { rows: commitRows, column: 'commits_run_id', refused: feedErrors.run_not_committable },
  revert: { rows: revertRows, column: 'reverts_run_id', refused: feedErrors.run_not_revertible },
} as const;

function followingRun(ctx: FeedCtx, first: FeedRun, kind: FollowKind): FeedRun {
  const at = new Date(ctx.now()).toISOString();
  return {
    ...first,
    run_id: ctx.ids.next('frn_'),
    kind,
    dry_run: false,
    async: false,
    status: 'applying',
    counts: NO_COUNTS,
    file_id: null,
    idempotency_key: ctx.correlation.idempotency_key,
    replay_key: ctx.ids.next('req_'),
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

async function checkAllowed(db: CursorDb, first: FeedRun, kind: FollowKind): Promise<void> {
  const applied = first.status === 'succeeded' || first.status === 'succeeded_with_errors';
  const allowed = kind === 'commit' ? first.dry_run : !first.dry_run && first.kind !== 'revert';
  const { refused, column } = HOW[kind];
  if (!applied || !allowed) throw fail(refused, { facts: { status: first.status, dry_run: first.dry_run } });
  const follower = await findFollower(db, column, first.run_id);
  if (follower !== undefined) throw fail(refused, { facts: { status: first.status, followed_by: follower } });
}

/** Follows the rows of the first run and returns what the plan has to say to the result. */
async function followRows(ctx: FeedCtx, follow: Follow, kind: FollowKind): Promise<void> {
  const { db, first, apply } = follow;
  const { plan } = await ctx.standing();
  await HOW[kind].rows(follow);
  if (follow.counter.value.rows !== first.counts.rows) {
    const detail = 'The row results of the run are no longer kept.';
    throw fail(HOW[kind].refused, { detail, facts: { status: first.status, dry_run: first.dry_run } });
  }
  await flushStock(db, apply, follow.stock);
  const settled = await settleProductCount(db, apply.sellerId);
  if (passesLimit(settled, planLimit(plan, 'products')))
    throw tierLimitExceeded(plan, 'products', settled.counted - settled.moved);
}

/** The whole following run in the transaction of `db`. */
async function follow(ctx: FeedCtx, db: CursorDb, runId: string, kind: FollowKind): Promise<FeedAnswer> {
  const sellerId = ctx.seller.seller_id;
  // Before the run is read: two commits of one preview must see each other, and runs write in turns.
  await holdFeeds(db, sellerId);
  const first = await loadRun(db, runId);
  if (first === undefined) throw fail(coreErrors.not_found);
  await checkAllowed(db, first, kind);
  const run = followingRun(ctx, first, kind);
  await insertRun(db, sellerId, run);
  const { ids, correlation } = ctx;
  const apply = { sellerId, runId: run.run_id, ids, now: ctx.now(), correlation };
  const following: Follow = { db, first, apply, counter: new Counter(), stock: [] };
  await followRows(ctx, following, kind);
  const counts = following.counter.value;
  const keptMs = ctx.services.config.EVIDENCE_RETENTION_DAYS * DAY_MS;
  await endRun(db, run.run_id, {
    // Rows that were changed since are skipped and named; that is no error of the revert.
    status: kind === 'revert' ? 'succeeded' : finalStatus(counts),
    counts,
    error: null,
    finishedAt: new Date(ctx.now()).toISOString(),
    evidenceExpiresAt: new Date(ctx.now() + keptMs).toISOString(),
  });
  await appendBulk(db, apply, [{ type: 'feed_run.completed', object_id: run.run_id, object_version: 1 }]);
  const ended = await loadRun(db, run.run_id);
  if (ended === undefined) throw feedFailure(feedErrors.feed_execution_failed);
  return finishedAnswer(db, ended);
}

/** The same, once for each key: its answer is stored with the run. */
async function followOnce(
  ctx: FeedCtx,
  db: CursorDb,
  claim: IdempotencyKey | undefined,
  work: () => Promise<FeedAnswer>,
): Promise<FeedAnswer> {
  if (claim === undefined) return work();
  const earlier = await takeKey(db, ctx.seller.seller_id, claim, ctx.now());
  if (earlier?.status !== undefined) return replayed(earlier as StoredAnswer);
  const answer = await work();
  const stored = { status: answer.status, headers: answer.headers, body: answer.payload };
  await storeKey(db, ctx.seller.seller_id, claim, ctx.now(), stored);
  return answer;
}

/**
 * Commits a preview or reverts an applied run, in the seller's turn among its runs: whoever waits holds no
 * connection.
 *
 * @throws ApiError 402 over the plan, 404, 409 `preview_stale|run_not_committable|run_not_revertible`, 503 when
 *   the turn does not come in time
 */
export async function followRun(
  ctx: FeedCtx,
  runId: string,
  kind: FollowKind,
  claim: IdempotencyKey | undefined,
): Promise<FeedAnswer> {
  const { config, feedLanes } = ctx.services;
  const lane = {
    lane: ctx.seller.seller_id,
    id: claim === undefined ? ctx.request_id : `${ctx.seller.seller_id} ${claim.routeId} ${claim.key}`,
    deadline: systemNow() + config.MAX_SYNC_SECONDS * 1000,
  };
  try {
    return await feedLanes.run(lane, () =>
      ctx.longTransaction('write', (db) => followOnce(ctx, db, claim, () => follow(ctx, db, runId, kind))),
    );
  } catch (error) {
    if (error instanceof LaneBusy)
      throw fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } });
    if (error instanceof LaneTimeout) throw fail(coreErrors.unavailable, { headers: { 'retry-after': '5' } });
    throw error;
  }
}
