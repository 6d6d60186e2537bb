/**
 * Accepts a stored run, so that the worker executes it. Until then it is a synchronous run whose client waits: it is
 * never applied without an answer. Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import { coreErrors, fail } from '../../../../kernel/errors.ts';
import type { RequestKey, RouteResult } from '../../../../kernel/route.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import { isTerminal } from '../../domain/feed-run/run.ts';
import { loadRun, markAccepted, tryLockRun } from '../../store/feed-runs.ts';
import { acceptedAnswer, asResult } from './answer-run.ts';
import { cancelAbandon, planFinish, RunBusy, RunEnded } from './run-end.ts';
import { untilKnown } from './until-known.ts';

interface Acceptance {
  readonly key: RequestKey;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

async function accept(
  ctx: HandlerCtx,
  runId: string,
  { key, signal }: Acceptance,
): Promise<RouteResult<never>> {
  if (!(await tryLockRun(ctx.db, runId))) throw new RunBusy('another request works on the run');
  const { answer } = await key.earlier(ctx.db);
  if (answer !== undefined) return answer;
  const run = await loadRun(ctx, runId);
  if (run === undefined || isTerminal(run.status))
    throw new RunEnded('the run has ended before it was accepted');
  await markAccepted(ctx, runId);
  await cancelAbandon(ctx, runId);
  await planFinish(ctx, runId, ctx.now());
  const result = await key.keep(ctx.db, asResult(acceptedAnswer({ ...run, async: true })), runId);
  // A client that has gone does not know that its file was accepted.
  if (signal.aborted) throw fail(coreErrors.timeout);
  return result;
}

/**
 * Accepts a run and returns its 202. When the connection is lost, the run may have been accepted; so the request asks
 * until it knows, and gives no other answer before.
 *
 * @param waitMs the longest wait for the database
 * @throws RunBusy if another request works on the run, RunEnded if the run has ended
 */
export const acceptRun = (
  ctx: HandlerCtx,
  runId: string,
  acceptance: Acceptance,
  waitMs: number,
): Promise<RouteResult<never>> =>
  untilKnown(
    () => ctx.transaction('write', (db) => accept(ctx.in(db), runId, acceptance)),
    acceptance.signal,
    waitMs,
  );
