import { coreErrors, fail } from '../../../../kernel/errors.ts';
import { appendEvents } from '../../../../platform/outbox/append.ts';
import { type FeedRun, isTerminal, NO_COUNTS } from '../../domain/feed-run/run.ts';
import { feedErrors } from '../../feed-errors.ts';
import { endRun, loadRun, requestCancel } from '../../store/feed-runs.ts';
import type { FeedCtx } from './receive-feed.ts';
import { CANCELLED, FINISH_JOB } from './run-end.ts';

/**
 * Cancels a run: at once when nobody executes it yet, else at its next checkpoint.
 *
 * @throws ApiError 404, 409 `run_finished`
 */
export async function cancelRun(
  ctx: FeedCtx,
  runId: string,
): Promise<{ readonly run: FeedRun; readonly stopped: boolean }> {
  const at = new Date(ctx.now()).toISOString();
  const before = await loadRun(ctx.db, runId);
  if (before === undefined) throw fail(coreErrors.not_found);
  if (isTerminal(before.status) || !(await requestCancel(ctx.db, runId, at))) {
    throw fail(feedErrors.run_finished, { facts: { status: before.status } });
  }
  const waiting = before.status === 'received' && before.async;
  if (waiting) {
    await endRun(ctx.db, runId, {
      status: 'cancelled',
      counts: NO_COUNTS,
      error: CANCELLED,
      finishedAt: at,
      evidenceExpiresAt: at,
    });
    await ctx.services.jobs.cancel(ctx.db, FINISH_JOB, runId);
    await appendEvents(
      ctx.db,
      { sellerId: ctx.seller.seller_id, ids: ctx.ids, now: ctx.now(), correlation: ctx.correlation },
      [{ type: 'feed_run.failed', object_id: runId, object_version: 1 }],
    );
  }
  const run = await loadRun(ctx.db, runId);
  if (run === undefined) throw fail(coreErrors.not_found);
  return { run, stopped: waiting };
}
