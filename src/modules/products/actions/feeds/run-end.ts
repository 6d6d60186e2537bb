/** How a run ends: the words for each end without success, and what is stored with it. */
import type { Db, Logger, Standing } from '../../../../kernel/context.ts';
import { FeedFileError } from '../../../../kernel/readers/feed-file-error.ts';
import {
  findKey,
  freeKey,
  type IdempotencyKey,
  storeKey,
} from '../../../../platform/keys/idempotency-key.ts';
import { appendBulk } from '../../../../platform/outbox/append.ts';
import type { Services } from '../../../../platform/services.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import {
  type FeedRun,
  isTerminal,
  type RunCounts,
  type RunError,
  type RunStatus,
} from '../../domain/feed-run/run.ts';
import { endRun, loadRun } from '../../store/feed-runs.ts';
import { type FeedAnswer, finishedAnswer } from './answer-run.ts';
import { FileRefused } from './run-rows.ts';

/** Kind of the job that finishes a run whose process died, and that runs asynchronous ones. */
export const FINISH_JOB = 'feed.finish';
const DAY_MS = 86_400_000;

export interface ExecuteInput {
  readonly sellerId: string;
  readonly runId: string;
  readonly standing: Standing;
  /** Longest time from now until the run has ended. */
  readonly seconds: number;
  /** Whether to wait for the seller's other runs; the worker has other work to do meanwhile. */
  readonly waits: boolean;
  /** Aborted when the worker is shutting down: the run is then left to another one. */
  readonly signal?: AbortSignal;
  readonly log: Logger;
}

/** Somebody else executes the run, or it has ended. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}

/** The process is going away; the run stays as it is and is taken up again. */
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

export const CANCELLED: RunError = {
  code: 'feed_cancelled',
  detail: 'The run was cancelled; nothing was applied.',
  retryable: false,
};
const FAILED: RunError = {
  code: 'feed_execution_failed',
  detail: 'The run failed on our side; nothing was applied. Send it again.',
  retryable: true,
};
const TIMED_OUT: RunError = {
  code: 'feed_timeout',
  detail: 'The run took longer than it may; nothing was applied.',
  retryable: true,
};

/** A statement that ran too long, a lock that did not come free in time. */
const OVER_TIME: ReadonlySet<unknown> = new Set(['57014', '55P03']);

export interface Failure {
  readonly status: RunStatus;
  readonly error: RunError;
}

/** What a thrown value makes of the run. */
export function failureOf(cause: unknown): Failure {
  if (cause instanceof RunStopped) {
    return { status: cause.status, error: cause.status === 'cancelled' ? CANCELLED : TIMED_OUT };
  }
  if (cause instanceof FileRefused || cause instanceof FeedFileError) {
    return { status: 'rejected', error: { code: cause.code, detail: cause.message, retryable: false } };
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return OVER_TIME.has(code)
    ? { status: 'timed_out', error: TIMED_OUT }
    : { status: 'failed', error: FAILED };
}

/** The key under which the run was sent, as the receiving transaction claimed it. */
export async function keyOf(db: Db, run: FeedRun): Promise<IdempotencyKey | undefined> {
  return run.idempotency_key === null ? undefined : findKey(db, run.idempotency_key, run.run_id);
}

/** Stores the answer under the run's key, or frees the key when the outcome may be retried. */
async function settleKey(
  services: Services,
  input: ExecuteInput,
  db: Db,
  run: FeedRun,
  answer: FeedAnswer,
): Promise<void> {
  const claim = await keyOf(db, run);
  if (claim === undefined) return;
  if (run.error?.retryable) return freeKey(db, claim);
  // The answer of an asynchronous run is that it was accepted; it was stored when it was.
  if (run.async) return;
  const stored = { status: answer.status, headers: answer.headers, body: answer.payload };
  await storeKey(db, input.sellerId, claim, services.now(), stored, run.run_id);
}

/**
 * Ends a run in the transaction of `db`: status, event, job, and the answer of its key.
 *
 * @throws RunBusy when it has ended already, RunStopped when it was cancelled before it could succeed
 */
export async function closeRun(
  services: Services,
  input: ExecuteInput,
  db: Db,
  run: FeedRun,
  outcome: { readonly status: RunStatus; readonly counts: RunCounts; readonly error: RunError | null },
): Promise<FeedAnswer> {
  const now = services.now();
  const ended = await endRun(db, run.run_id, {
    ...outcome,
    finishedAt: new Date(now).toISOString(),
    evidenceExpiresAt: new Date(now + services.config.EVIDENCE_RETENTION_DAYS * DAY_MS).toISOString(),
  });
  const after = await loadRun(db, run.run_id);
  if (after === undefined || (!ended && isTerminal(after.status)))
    throw new RunBusy('the run has ended already');
  if (!ended) throw new RunStopped('cancelled');
  await services.jobs.cancel(db, FINISH_JOB, run.run_id);
  const succeeded = outcome.status === 'succeeded' || outcome.status === 'succeeded_with_errors';
  const correlation = { request_id: run.request_id, idempotency_key: run.idempotency_key };
  await appendBulk(db, { sellerId: input.sellerId, ids: services.ids, now, correlation }, [
    {
      type: succeeded ? 'feed_run.completed' : 'feed_run.failed',
      object_id: run.run_id,
      object_version: 1,
    },
  ]);
  const answer = await finishedAnswer(db, after, feedLimits(services.config, input.standing.plan));
  await settleKey(services, input, db, after, answer);
  return answer;
}
