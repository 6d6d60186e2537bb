/**
 * Follow-up runs: `commit` applies the stored changes of a preview, `revert` undoes the stored changes of an applied
 * run. Each is a new run in one transaction.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import { coreErrors, fail, requireFound, tierLimitExceeded } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import type { RouteResult } from '../../../../kernel/route.ts';
import { refuseOverdue } from '../../../../kernel/standing.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import { LaneBusy, LaneTimeout } from '../../../../platform/jobs/lanes.ts';
import type { StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import {
  Counter,
  changesProducts,
  type FeedRun,
  finalStatus,
  isChannelRun,
  NO_COUNTS,
  type RunKind,
} from '../../domain/feed-run/run.ts';
import { runCompleted } from '../../events.ts';
import { productSettings } from '../../settings.ts';
import { endRun, findFollowUp, insertRun, loadRun, lockWritingRuns } from '../../store/feed-runs.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import { holdToPlan } from '../hold-to-plan.ts';
import { asResult, finishedAnswer } from './answer-run.ts';
import { emitBulk, writePendingStock } from './apply-batch.ts';
import { quotaReached, refusalByQuota } from './check-quota.ts';
import { commitRows } from './commit-rows.ts';
import type { FollowUp } from './follow-up.ts';
import { revertRows } from './revert-rows.ts';
import { evidenceExpiry, followChannelRun, LOST_WAIT_MS } from './run-end.ts';
import type { FeedRequest } from './start-run.ts';
import { untilKnown } from './until-known.ts';

/** Above the longest time limit of a synchronous run, so that the run ends first. */
export const FEED_TIMEOUT_MS = 660_000;

type FollowUpKind = Extract<RunKind, 'commit' | 'revert'>;

const KINDS = {
  commit: { rows: commitRows, column: 'commits_run_id', notAllowed: feedErrors.run_not_committable },
  revert: { rows: revertRows, column: 'reverts_run_id', notAllowed: feedErrors.run_not_revertible },
} as const;

function followUpRun(ctx: HandlerCtx, original: FeedRun, kind: FollowUpKind): FeedRun {
  const at = ctx.at();
  return {
    ...original,
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
    commits_run_id: kind === 'commit' ? original.run_id : null,
    reverts_run_id: kind === 'revert' ? original.run_id : null,
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

async function checkAllowed(at: SellerDb, original: FeedRun, kind: FollowUpKind): Promise<void> {
  const applied = original.status === 'succeeded' || original.status === 'succeeded_with_errors';
  const allowed = kind === 'commit' ? original.dry_run : !original.dry_run && original.kind !== 'revert';
  const { notAllowed, column } = KINDS[kind];
  if (!applied || !allowed)
    throw fail(notAllowed, { facts: { status: original.status, dry_run: original.dry_run } });
  const followUp = await findFollowUp(at, column, original.run_id);
  if (followUp !== undefined)
    throw fail(notAllowed, { facts: { status: original.status, followed_by: followUp } });
}

/** Executes the follow-up run in the transaction of `ctx`. */
async function execute(ctx: HandlerCtx, runId: string, kind: FollowUpKind): Promise<StoredAnswer> {
  // The lock precedes the read, so that the second of two commits of one preview sees the first.
  await lockWritingRuns(ctx.db, ctx.seller_id, FEED_TIMEOUT_MS);
  const original = requireFound(await loadRun(ctx, runId));
  await checkAllowed(ctx, original, kind);
  const standing = await ctx.standing();
  const { plan } = standing;
  const grows = kind === 'commit' && original.mode !== 'inventory';
  if (grows) refuseOverdue(standing, ctx.now());
  if (grows && !isChannelRun(original) && changesProducts(original.counts)) {
    const refusal = await refusalByQuota(ctx, plan);
    if (refusal !== undefined) throw quotaReached(refusal, ctx.now());
  }
  const run = followUpRun(ctx, original, kind);
  await insertRun(ctx, run);
  const counter = new Counter();
  const followUp: FollowUp = { ctx, runId: run.run_id, original, counter, standing, stock: [] };
  await KINDS[kind].rows(followUp);
  const counts = counter.value;
  if (counts.rows !== original.counts.rows) {
    throw fail(feedErrors.evidence_expired, {
      facts: { status: original.status, dry_run: original.dry_run },
    });
  }
  await writePendingStock(ctx, followUp.stock);
  const counted = await holdToPlan(ctx, planLimit(plan, 'products'));
  if (counted !== undefined) throw tierLimitExceeded(plan, 'products', counted);
  await endRun(ctx, run.run_id, {
    // A revert skips rows whose products have changed since; that is not an error.
    status: kind === 'revert' ? 'succeeded' : finalStatus(counts),
    counts,
    error: null,
    finishedAt: ctx.at(),
    evidenceExpiresAt: evidenceExpiry(ctx.services),
  });
  await emitBulk(ctx, [runCompleted.bare(run.run_id, 1)]);
  await followChannelRun(ctx, run);
  const ended = await loadRun(ctx, run.run_id);
  ctx.audit({ counts: { ...counts } });
  if (ended === undefined) throw feedFailure(feedErrors.feed_execution_failed);
  return finishedAnswer(ctx, ended);
}

/**
 * Commits a preview or reverts an applied run. A seller has one run at a time; a waiting run holds no connection. If
 * the client disconnects before the commit, nothing is applied.
 *
 * @throws ApiError 402 over the plan, 403 `agreement_required`, 404, 409 `preview_stale|evidence_expired|run_not_committable|run_not_revertible`, 429, 503 when
 *   it waits too long for the seller's other runs
 */
export async function commitOrRevert(
  ctx: HandlerCtx,
  runId: string,
  kind: FollowUpKind,
  { key, signal }: Pick<FeedRequest, 'key' | 'signal'>,
): Promise<RouteResult<never>> {
  const { config, feedLanes } = ctx.services;
  const { request_id, idempotency_key } = ctx.correlation;
  const lane = {
    lane: ctx.seller_id,
    id: idempotency_key === null ? `${request_id}` : `${ctx.seller_id} ${kind} ${idempotency_key}`,
    deadline: systemNow() + productSettings.of(config).MAX_SYNC_SECONDS * 1000,
  };
  const attempt = () =>
    ctx.longTransaction('write', async (db) => {
      const { answer } = await key.earlier(db);
      if (answer !== undefined) return answer;
      const result = await key.keep(db, asResult(await execute(ctx.in(db), runId, kind)));
      if (signal.aborted) throw fail(coreErrors.timeout);
      return result;
    });
  try {
    // Without a key a second attempt could not find out whether the first was committed.
    return await feedLanes.run(lane, () =>
      idempotency_key === null ? attempt() : untilKnown(attempt, signal, LOST_WAIT_MS),
    );
  } catch (error) {
    if (error instanceof LaneBusy)
      throw fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } });
    if (error instanceof LaneTimeout) throw fail(coreErrors.unavailable, { headers: { 'retry-after': '5' } });
    throw error;
  }
}
