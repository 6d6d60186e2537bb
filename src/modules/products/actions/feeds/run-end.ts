/** Ends a run: its final status, its error, and the answer of its idempotency key. */
import type { Acting, Logger, Standing } from '../../../../kernel/context.ts';
import type { ErrorDef } from '../../../../kernel/errors.ts';
import { FeedFileError } from '../../../../kernel/readers/feed-file-error.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import {
  codeOf,
  isConflict as isDatabaseConflict,
  isUnavailable,
} from '../../../../platform/db/unavailable.ts';
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
  isChannelRun,
  isTerminal,
  type RunCounts,
  type RunError,
  type RunStatus,
} from '../../domain/feed-run/run.ts';
import { runCompleted, runFailed } from '../../events.ts';
import { productSettings } from '../../settings.ts';
import { endRun, loadRun } from '../../store/feed-runs.ts';
import { feedErrors } from '../feed-errors.ts';
import { ABANDONED_CODE, finishedAnswer } from './answer-run.ts';
import { emitBulk } from './apply-batch.ts';
import { QUOTA_CODE } from './check-quota.ts';
import { CatalogueChanged, FileRejected, RunRefused } from './run-rows.ts';

/** The job that executes an asynchronous run, or ends a synchronous one whose process died. */
export const FINISH_JOB = 'feed.finish';
/** Plans {@link FINISH_JOB} for a run. @param dueAt milliseconds */
export const planFinish = (
  { jobs }: Pick<Acting, 'jobs'>,
  runId: string,
  dueAt: number,
  uniqueKey = runId,
): Promise<void> => jobs.add({ kind: FINISH_JOB, uniqueKey, dueAt, payload: { run_id: runId } });
/** The job that runs after a run of a channel has succeeded. The module `channels` handles it. */
export const CHANNEL_RUN_JOB = 'products.channel_run_ended';
/** How often the job checks whether a process still works on a synchronous run. */
export const LOOK_AGAIN_MS = 5_000;
/** How often a request postpones the job of its run. */
const HOLD_MS = 3_000;
/** How long the job leaves a run alone; the request postpones it three times in this time. */
const HELD_MS = 10_000;
/** The key of the job that abandons a run. An accepted run has another job, which is not postponed. */
const heldKey = (runId: string): string => `held ${runId}`;
/** Plans the job that ends a synchronous run if its process dies. */
export const planAbandon = (ctx: Pick<Acting, 'jobs' | 'now'>, runId: string): Promise<void> =>
  planFinish(ctx, runId, ctx.now() + HELD_MS, heldKey(runId));
/** Cancels the job of {@link planAbandon}. */
export const cancelAbandon = ({ jobs }: Pick<Acting, 'jobs'>, runId: string): Promise<void> =>
  jobs.cancel(FINISH_JOB, heldKey(runId));

/**
 * Postpones the job of a run at once and then every 3 s while its request waits or works. A request that waits has no
 * lock on its run. If the job comes first (the process stood still, or the database was away), the request finds under
 * the lock that its run has ended.
 */
export async function holdRun<T>(
  { jobs, now, log }: Pick<Services, 'jobs' | 'now' | 'log'>,
  runId: string,
  work: () => Promise<T>,
): Promise<T> {
  const postpone = (): Promise<void> =>
    jobs
      .postpone(FINISH_JOB, heldKey(runId), now() + HELD_MS)
      .catch((err: Error) => log.warn({ err, run_id: runId }, 'could not postpone the end of a feed run'));
  void postpone();
  const timer = setInterval(postpone, HOLD_MS);
  return work().finally(() => clearInterval(timer));
}

/** Longest wait for the end of a transaction whose connection was lost. */
export const LOST_WAIT_MS = 10_000;
const DAY_MS = 86_400_000;

export interface ExecuteInput {
  readonly sellerId: string;
  readonly runId: string;
  readonly standing: Standing;
  /** Time limit of the run, from now. */
  readonly seconds: number;
  /** Whether to wait for the seller's other runs. A request waits. The worker does not wait but retries later. */
  readonly waits: boolean;
  /** Aborts when the client of a synchronous run disconnects, or when the worker of an asynchronous run shuts down. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Writes the entry of the activity log in the transaction that ends the run, which is that of `ctx`. */
  readonly record?: (ctx: Acting, run: FeedRun, answer: StoredAnswer) => Promise<void>;
}

/** Another process executes the run. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

/** The run has ended, or was deleted with its seller. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
}

/** The worker shuts down; another one will execute the asynchronous run. */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}

type StopReason = 'timed_out' | 'cancelled' | 'abandoned';

export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(reason);
    this.reason = reason;
  }
}

const errorOf = ({ code, detail }: ErrorDef, retryable: boolean): RunError => ({ code, detail, retryable });
export const CANCELLED = errorOf(feedErrors.feed_cancelled, false);
const FAILED = errorOf(feedErrors.feed_execution_failed, true);
const TIMED_OUT = errorOf(feedErrors.feed_timeout, true);

interface Failure {
  readonly status: RunStatus;
  readonly error: RunError;
}

/** The end of a synchronous run whose client got no answer. Such a run is never applied afterwards. */
export const ABANDONED: Failure = {
  status: 'failed',
  error: {
    code: ABANDONED_CODE,
    detail: 'The request ended before the service could answer it. Nothing was applied. Send the file again.',
    retryable: true,
  },
};

const STOPPED: Readonly<Record<StopReason, Failure>> = {
  timed_out: { status: 'timed_out', error: TIMED_OUT },
  cancelled: { status: 'cancelled', error: CANCELLED },
  abandoned: ABANDONED,
};

/** SQLSTATEs of a statement timeout and a lock timeout. */
const TIMEOUT_CODES: ReadonlySet<unknown> = new Set(['57014', '55P03']);
/** Whether the run conflicts with another writer. */
export const isConflict = (cause: unknown): boolean =>
  cause instanceof CatalogueChanged || isDatabaseConflict(cause);

/** Whether the connection was lost. Then it is unknown whether the transaction was committed. */
export const lostDatabase = (cause: unknown): boolean =>
  !isConflict(cause) && !TIMEOUT_CODES.has(codeOf(cause)) && isUnavailable(cause);

/** The status and the error for a run that threw `cause`. */
export function failureOf(cause: unknown): Failure {
  if (cause instanceof RunStopped) return STOPPED[cause.reason];
  if (cause instanceof RunRefused) return { status: 'failed', error: cause.error };
  if (cause instanceof FileRejected || cause instanceof FeedFileError) {
    return { status: 'rejected', error: { code: cause.code, detail: cause.message, retryable: false } };
  }
  if (TIMEOUT_CODES.has(codeOf(cause))) return STOPPED.timed_out;
  return lostDatabase(cause) ? ABANDONED : { status: 'failed', error: FAILED };
}

export async function keyOf(at: SellerDb, run: FeedRun): Promise<IdempotencyKey | undefined> {
  return run.idempotency_key === null ? undefined : findKey(at, run.idempotency_key, run.run_id);
}

/** Stores the answer under the run's key, or frees the key when a retry may succeed. */
async function settleKey(ctx: Acting, run: FeedRun, answer: StoredAnswer): Promise<void> {
  const key = await keyOf(ctx, run);
  if (key === undefined) return;
  // The next day has a quota of its own.
  if (run.error?.retryable || run.error?.code === QUOTA_CODE) return freeKey(ctx, key);
  // The answer for an asynchronous run was stored when the run was accepted.
  if (!run.async) await storeKey(ctx.db, ctx.seller_id, key, ctx.now(), answer, run.run_id);
}

/** Lets the module `channels` link what a run of a channel has applied, or end the links of what it reverted. */
export async function followChannelRun(ctx: Acting, run: FeedRun): Promise<void> {
  const { run_id } = run;
  if (isChannelRun(run))
    await ctx.jobs.add({ kind: CHANNEL_RUN_JOB, payload: { run_id }, uniqueKey: run_id, dueAt: ctx.now() });
}

/** When the evidence of a run that ends now expires. */
export const evidenceExpiry = (services: Services): string =>
  new Date(
    services.now() + productSettings.of(services.config).EVIDENCE_RETENTION_DAYS * DAY_MS,
  ).toISOString();

/**
 * Ends a run in the transaction of `ctx`: status, event, job, and the answer of its key.
 *
 * @throws RunEnded when it has already ended, RunStopped when a success was cancelled
 */
export async function closeRun(
  services: Services,
  { standing: { plan }, record }: Pick<ExecuteInput, 'standing' | 'record'>,
  ctx: Acting,
  { run_id }: FeedRun,
  outcome: { readonly status: RunStatus; readonly counts: RunCounts; readonly error: RunError | null },
): Promise<StoredAnswer> {
  const end = { ...outcome, finishedAt: ctx.at(), evidenceExpiresAt: evidenceExpiry(services) };
  const ended = await endRun(ctx, run_id, end);
  const after = await loadRun(ctx, run_id);
  if (after === undefined || (!ended && isTerminal(after.status)))
    throw new RunEnded('the run has already ended');
  if (!ended) throw new RunStopped('cancelled');
  await (after.async ? ctx.jobs.cancel(FINISH_JOB, run_id) : cancelAbandon(ctx, run_id));
  const succeeded = outcome.status === 'succeeded' || outcome.status === 'succeeded_with_errors';
  await emitBulk(ctx, [(succeeded ? runCompleted : runFailed).bare(run_id, 1)]);
  if (succeeded) await followChannelRun(ctx, after);
  const answer = await finishedAnswer(ctx, after, feedLimits(productSettings.of(services.config), plan));
  await settleKey(ctx, after, answer);
  await record?.(ctx, after, answer);
  return answer;
}
