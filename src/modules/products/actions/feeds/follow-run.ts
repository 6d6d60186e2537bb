/**
 * Runs that follow another: `commit` applies exactly the changes of a preview, `revert` undoes an applied run. Both
 * use the stored changes, in one transaction, and are recorded as separate runs.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import type { CursorDb } from '../../../../kernel/context.ts';
import { coreErrors, fail, tierLimitExceeded } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import type { RequestKey, RouteResult } from '../../../../kernel/route.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { LaneBusy, LaneTimeout } from '../../../../platform/jobs/lanes.ts';
import type { StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import { Counter, type FeedRun, finalStatus, NO_COUNTS, type RunKind } from '../../domain/feed-run/run.ts';
import { runCompleted } from '../../events.ts';
import { endRun, findFollower, insertRun, loadRun, lockFeeds } from '../../store/feed-runs.ts';
import { exceedsLimit, settleProductCount } from '../../store/plan-slots.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import { asResult, finishedAnswer } from './answer-run.ts';
import { emitBulk, writePendingStock } from './apply-batch.ts';
import { commitRows } from './commit-rows.ts';
import type { FollowingRun } from './follow.ts';
import type { FeedCtx } from './receive-feed.ts';
import { revertRows } from './revert-rows.ts';
import { evidenceExpiry } from './run-end.ts';

type FollowKind = Extract<RunKind, 'commit' | 'revert'>;

const KINDS = {
  commit: { rows: commitRows, column: 'commits_run_id', refused: feedErrors.run_not_committable },
  revert: { rows: revertRows, column: 'reverts_run_id', refused: feedErrors.run_not_revertible },
} as const;

function followingRun(ctx: FeedCtx, first: FeedRun, kind: FollowKind): FeedRun {
  const at = ctx.at();
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
    created_by: ctx.by.id,
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
  const { refused, column } = KINDS[kind];
  if (!applied || !allowed) throw fail(refused, { facts: { status: first.status, dry_run: first.dry_run } });
  const follower = await findFollower(db, column, first.run_id);
  if (follower !== undefined) throw fail(refused, { facts: { status: first.status, followed_by: follower } });
}

/** The whole run in the transaction of `ctx`. */
async function follow(ctx: FeedCtx, runId: string, kind: FollowKind): Promise<StoredAnswer> {
  const { db } = ctx;
  // Before the run is read: the second of two commits of one preview must see the first.
  await lockFeeds(db, ctx.seller_id);
  const first = await loadRun(db, runId);
  if (first === undefined) throw fail(coreErrors.not_found);
  await checkAllowed(db, first, kind);
  const { plan } = await ctx.standing();
  const run = followingRun(ctx, first, kind);
  await insertRun(ctx, run);
  const counter = new Counter();
  const following: FollowingRun = { ctx, runId: run.run_id, first, counter, stock: [] };
  await KINDS[kind].rows(following);
  const counts = counter.value;
  if (counts.rows !== first.counts.rows) {
    const detail = 'The row results of the run are no longer kept.';
    throw fail(KINDS[kind].refused, { detail, facts: { status: first.status, dry_run: first.dry_run } });
  }
  await writePendingStock(ctx, following.stock);
  const settled = await settleProductCount(ctx);
  if (exceedsLimit(settled, planLimit(plan, 'products')))
    throw tierLimitExceeded(plan, 'products', settled.counted - settled.moved);
  await endRun(db, run.run_id, {
    // A revert skips rows whose products have changed since, which is no error.
    status: kind === 'revert' ? 'succeeded' : finalStatus(counts),
    counts,
    error: null,
    finishedAt: ctx.at(),
    evidenceExpiresAt: evidenceExpiry(ctx.services),
  });
  await emitBulk(ctx, [runCompleted.bare(run.run_id, 1)]);
  const ended = await loadRun(db, run.run_id);
  if (ended === undefined) throw feedFailure(feedErrors.feed_execution_failed);
  return finishedAnswer(db, ended);
}

/**
 * Commits a preview or reverts an applied run. The runs of a seller take turns; a run holds no connection while it
 * waits for its turn.
 *
 * @throws ApiError 402 over the plan, 404, 409 `preview_stale|run_not_committable|run_not_revertible`, 503 when
 *   the turn does not come in time
 */
export async function followRun(
  ctx: FeedCtx,
  runId: string,
  kind: FollowKind,
  key: RequestKey,
): Promise<RouteResult<never>> {
  const { config, feedLanes } = ctx.services;
  const { request_id, idempotency_key } = ctx.correlation;
  const lane = {
    lane: ctx.seller_id,
    id: idempotency_key === null ? `${request_id}` : `${ctx.seller_id} ${kind} ${idempotency_key}`,
    deadline: systemNow() + config.MAX_SYNC_SECONDS * 1000,
  };
  try {
    return await feedLanes.run(lane, () =>
      ctx.longTransaction('write', async (db) => {
        const { answer } = await key.earlier(db);
        return answer ?? key.keep(db, asResult(await follow(ctx.in(db), runId, kind)));
      }),
    );
  } catch (error) {
    if (error instanceof LaneBusy)
      throw fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } });
    if (error instanceof LaneTimeout) throw fail(coreErrors.unavailable, { headers: { 'retry-after': '5' } });
    throw error;
  }
}
