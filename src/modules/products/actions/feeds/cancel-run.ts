import type { SellerCtx } from '../../../../kernel/context.ts';
import { fail, requireFound } from '../../../../kernel/errors.ts';
import { type FeedRun, isTerminal, NO_COUNTS } from '../../domain/feed-run/run.ts';
import { runFailed } from '../../events.ts';
import { endRun, loadRun, requestCancel } from '../../store/feed-runs.ts';
import { feedErrors } from '../feed-errors.ts';
import { CANCELLED, FINISH_JOB } from './run-end.ts';

/**
 * Cancels a run: immediately when it waits for the worker, otherwise at its next checkpoint.
 *
 * @throws ApiError 404, 409 `run_finished`
 */
export async function cancelRun(
  ctx: SellerCtx,
  runId: string,
): Promise<{ readonly run: FeedRun; readonly stopped: boolean }> {
  const at = ctx.at();
  const before = requireFound(await loadRun(ctx, runId));
  if (isTerminal(before.status) || !(await requestCancel(ctx, runId, at))) {
    throw fail(feedErrors.run_finished, { facts: { status: before.status } });
  }
  const waiting = before.status === 'received' && before.async;
  if (waiting) {
    await endRun(ctx, runId, {
      status: 'cancelled',
      counts: NO_COUNTS,
      error: CANCELLED,
      finishedAt: at,
      evidenceExpiresAt: at,
    });
    await ctx.jobs.cancel(FINISH_JOB, runId);
    await ctx.emit(runFailed.bare(runId, 1));
  }
  const run = requireFound(await loadRun(ctx, runId));
  return { run, stopped: waiting };
}
