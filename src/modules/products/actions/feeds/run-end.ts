/** The end of a run: the errors of a run without success, and what is stored with the end. */
import type { Acting, Db, Logger, Standing } from '../../../../kernel/context.ts';
import type { ErrorDef } from '../../../../kernel/errors.ts';
import { FeedFileError } from '../../../../kernel/readers/feed-file-error.ts';
import {
  findKey,
  freeKey,
  type IdempotencyKey,
  type StoredAnswer,
  storeKey,
} from '../../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../../platform/services.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import {
  type FeedRun,
  isTerminal,
  type RunCounts,
  type RunError,
  type RunStatus,
} from '../../domain/feed-run/run.ts';
import { runCompleted, runFailed } from '../../events.ts';
import { endRun, loadRun } from '../../store/feed-runs.ts';
import { feedErrors } from '../feed-errors.ts';
import { finishedAnswer } from './answer-run.ts';
import { emitBulk } from './apply-batch.ts';
import { FileRefused } from './run-rows.ts';

/** The job that executes an asynchronous run, and one whose process died. */
export const FINISH_JOB = 'feed.finish';
const DAY_MS = 86_400_000;

export interface ExecuteInput {
  readonly sellerId: string;
  readonly runId: string;
  readonly standing: Standing;
  /** Longest time from now until the run has ended. */
  readonly seconds: number;
  /** Whether to wait for the seller's other runs; the worker does other work instead. */
  readonly waits: boolean;
  /** Aborted when the worker shuts down; another worker then executes the run. */
  readonly signal?: AbortSignal;
  readonly log: Logger;
}

/** Another process executes the run, or it has ended. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

/** The process shuts down; another one will execute the run. */
export class RunAbandoned extends Error {
  override readonly name = 'RunAbandoned';
}

export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly status: 'timed_out' | 'cancelled';
  constructor(status: 'timed_out' | 'cancelled') {
    super(status);
    this.status = status;
  }
}

const errorOf = ({ code, detail }: ErrorDef, retryable: boolean): RunError => ({ code, detail, retryable });
export const CANCELLED = errorOf(feedErrors.feed_cancelled, false);
const FAILED = errorOf(feedErrors.feed_execution_failed, true);
const TIMED_OUT = errorOf(feedErrors.feed_timeout, true);

/** Statement timeout and lock timeout. */
const TIMEOUT_CODES: ReadonlySet<unknown> = new Set(['57014', '55P03']);

export interface Failure {
  readonly status: RunStatus;
  readonly error: RunError;
}

/** The end of a run that has thrown. */
export function failureOf(cause: unknown): Failure {
  if (cause instanceof RunStopped) {
    return { status: cause.status, error: cause.status === 'cancelled' ? CANCELLED : TIMED_OUT };
  }
  if (cause instanceof FileRefused || cause instanceof FeedFileError) {
    return { status: 'rejected', error: { code: cause.code, detail: cause.message, retryable: false } };
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return TIMEOUT_CODES.has(code)
    ? { status: 'timed_out', error: TIMED_OUT }
    : { status: 'failed', error: FAILED };
}

/** The idempotency key of the run's request. */
export async function keyOf(db: Db, run: FeedRun): Promise<IdempotencyKey | undefined> {
  return run.idempotency_key === null ? undefined : findKey(db, run.idempotency_key, run.run_id);
}

/** Stores the answer under the run's key, or frees the key when the run may be retried. */
async function settleKey(ctx: Acting, run: FeedRun, answer: StoredAnswer): Promise<void> {
  const key = await keyOf(ctx.db, run);
  if (key === undefined) return;
  if (run.error?.retryable) return freeKey(ctx.db, key);
  // The answer of an asynchronous run was stored when it was accepted.
  if (!run.async) await storeKey(ctx.db, ctx.seller_id, key, ctx.now(), answer, run.run_id);
}

/** Until when the evidence of a run that ends now is kept. */
export const evidenceExpiry = (services: Services): string =>
  new Date(services.now() + services.config.EVIDENCE_RETENTION_DAYS * DAY_MS).toISOString();

/**
 * Ends a run in the transaction of `ctx`: status, event, job, and the answer of its key.
 *
 * @throws RunBusy when it has ended already, RunStopped when it was cancelled before it could succeed
 */
export async function closeRun(
  services: Services,
  { standing }: ExecuteInput,
  ctx: Acting,
  { run_id }: FeedRun,
  outcome: { readonly status: RunStatus; readonly counts: RunCounts; readonly error: RunError | null },
): Promise<StoredAnswer> {
  const end = { ...outcome, finishedAt: ctx.at(), evidenceExpiresAt: evidenceExpiry(services) };
  const ended = await endRun(ctx.db, run_id, end);
  const after = await loadRun(ctx.db, run_id);
  if (after === undefined || (!ended && isTerminal(after.status)))
    throw new RunBusy('the run has ended already');
  if (!ended) throw new RunStopped('cancelled');
  await ctx.jobs.cancel(FINISH_JOB, run_id);
  const succeeded = outcome.status === 'succeeded' || outcome.status === 'succeeded_with_errors';
  await emitBulk(ctx, [(succeeded ? runCompleted : runFailed).bare(run_id, 1)]);
  const answer = await finishedAnswer(ctx.db, after, feedLimits(services.config, standing.plan));
  await settleKey(ctx, after, answer);
  return answer;
}
