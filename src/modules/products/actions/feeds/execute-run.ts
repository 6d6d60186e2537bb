/**
 * Executes a received run: one transaction holds the applied rows, the final status, the evidence, the answer
 * of the idempotency key and the events. Progress is written beside it. Source: contract section 5.
 */

import type { CursorDb, Logger, Standing } from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { FeedFileError } from '../../../../kernel/feed-file-error.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import {
  findClaim,
  freeKey,
  type KeyClaim,
  lockKey,
  storeKey,
} from '../../../../platform/http/idempotency.ts';
import { appendEvents } from '../../../../platform/outbox/append.ts';
import type { Services } from '../../../../platform/services.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import {
  finalStatus,
  isTerminal,
  NO_COUNTS,
  type RunCounts,
  type RunStatus,
} from '../../domain/feed-run/run.ts';
import { FEED_COLUMNS } from '../../domain/fields/field-columns.ts';
import type { SourceOrigin } from '../../domain/product.ts';
import { endRun, type FeedRun, loadRun, type RunError, writeProgress } from '../../store/feed-runs.ts';
import { holdFeeds, tryHoldRun } from '../../store/hold-run.ts';
import { type FeedAnswer, finishedAnswer } from './answer-run.ts';
import { openRows } from './open-rows.ts';
import { FileRefused, runRows } from './run-rows.ts';

/** Kind of the job that finishes a run whose process died, and that runs asynchronous ones. */
export const FINISH_JOB = 'feed.finish';
/** Progress is written at most this often. */
const PROGRESS_MS = 300;
const DAY_MS = 86_400_000;

/** Somebody else executes the run. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
}
class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly status: 'timed_out' | 'cancelled';
  constructor(status: 'timed_out' | 'cancelled') {
    super(status);
    this.status = status;
  }
}

export interface ExecuteInput {
  readonly sellerId: string;
  readonly runId: string;
  readonly standing: Standing;
  readonly seconds: number;
  readonly signal?: AbortSignal;
  readonly log: Logger;
}

/** The key under which the run was sent, as the receiving transaction claimed it. */
async function keyOf(db: CursorDb, run: FeedRun): Promise<KeyClaim | undefined> {
  return run.idempotency_key === null ? undefined : findClaim(db, run.idempotency_key, run.run_id);
}

function checkpoint(services: Services, input: ExecuteInput, deadline: number) {
  const startedAt = new Date(services.now()).toISOString();
  let last = 0;
  return async (rowsDone: number, phase: 'validating' | 'applying'): Promise<void> => {
    if (input.signal?.aborted) throw new RunStopped('timed_out');
    const now = systemNow();
    if (now > deadline) throw new RunStopped('timed_out');
    if (now - last < PROGRESS_MS) return;
    last = now;
    const cancelled = await services.withSeller(input.sellerId, 'read', (db) =>
      writeProgress(db, input.runId, phase, rowsDone, startedAt),
    );
    if (cancelled) throw new RunStopped('cancelled');
  };
}

const ORIGIN: Readonly<Partial<Record<FeedRun['kind'], SourceOrigin>>> = { profile_import: 'profile_import' };

async function applyRun(
  services: Services,
  input: ExecuteInput,
  run: FeedRun,
  db: CursorDb,
  deadline: number,
): Promise<RunCounts> {
  const { ids } = services;
  const limits = feedLimits(services.config, input.standing.plan);
  return runRows(db, {
    apply: {
      sellerId: input.sellerId,
      runId: run.run_id,
      ids,
      now: services.now(),
      correlation: { request_id: run.request_id, idempotency_key: run.idempotency_key },
    },
    plan: {
      mode: run.mode,
      currency: input.standing.currency,
      source_origin: ORIGIN[run.kind] ?? 'feed',
      run_id: run.run_id,
      profile: run.source.profile,
      from_file: true,
      columns: FEED_COLUMNS,
      nextProductId: () => ids.next('product'),
      nextImageId: () => ids.next('image'),
    },
    dryRun: run.dry_run,
    onError: run.on_error,
    maxRows: limits.max_rows,
    productLimit: planLimit(input.standing.plan, 'products'),
    open: (tx) => openRows(tx, services, run, limits, input.standing.currency),
    checkpoint: checkpoint(services, input, deadline),
  });
}

async function end(
  services: Services,
  input: ExecuteInput,
  db: CursorDb,
  run: FeedRun,
  status: RunStatus,
  counts: RunCounts,
  error: RunError | null,
): Promise<FeedRun> {
  const now = services.now();
  const ended = await endRun(db, run.run_id, {
    status,
    counts,
    error,
    finishedAt: new Date(now).toISOString(),
    evidenceExpiresAt: new Date(now + services.config.EVIDENCE_RETENTION_DAYS * DAY_MS).toISOString(),
  });
  if (!ended) throw new RunBusy('the run has ended already');
  await services.jobs.cancel(db, FINISH_JOB, run.run_id);
  const succeeded = status === 'succeeded' || status === 'succeeded_with_errors';
  await appendEvents(
    db,
    {
      sellerId: input.sellerId,
      ids: services.ids,
      now,
      correlation: { request_id: run.request_id, idempotency_key: run.idempotency_key },
    },
    [
      {
        type: succeeded ? 'feed_run.completed' : 'feed_run.failed',
        object_id: run.run_id,
        object_version: 1,
      },
    ],
  );
  return (await loadRun(db, run.run_id)) as FeedRun;
}

/** Stores the answer under the run's key, or frees the key when the outcome may be retried. */
async function settleKey(
  services: Services,
  input: ExecuteInput,
  db: CursorDb,
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

/** Takes the run for this transaction; the lock of its key makes duplicates answer "in progress" at once. */
async function takeRun(db: CursorDb, input: ExecuteInput): Promise<FeedRun> {
  if (!(await tryHoldRun(db, input.runId))) throw new RunBusy('another process executes the run');
  const run = await loadRun(db, input.runId);
  if (run === undefined || isTerminal(run.status)) throw new RunBusy('the run has ended already');
  const claim = await keyOf(db, run);
  if (claim !== undefined) await lockKey(db, input.sellerId, claim);
  // One writing run of a seller at a time: two of them over the same products would wait for each other.
  if (!run.dry_run) await holdFeeds(db, input.sellerId);
  return run;
}

const FAILED: RunError = {
  code: 'feed_execution_failed',
  detail: 'The run failed on our side; nothing was applied. Send it again.',
  retryable: true,
};
const STOPPED: Readonly<Record<RunStopped['status'], RunError>> = {
  timed_out: {
    code: 'feed_timeout',
    detail: 'The run took longer than it may; nothing was applied.',
    retryable: true,
  },
  cancelled: { code: 'cancelled', detail: 'The run was cancelled; nothing was applied.', retryable: false },
};

function failureOf(error: unknown): { readonly status: RunStatus; readonly error: RunError } {
  if (error instanceof RunStopped) return { status: error.status, error: STOPPED[error.status] };
  if (error instanceof FileRefused || error instanceof FeedFileError) {
    return { status: 'rejected', error: { code: error.code, detail: error.message, retryable: false } };
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === '57014' || code === '55P03') return { status: 'timed_out', error: STOPPED.timed_out };
  return { status: 'failed', error: FAILED };
}

/** Records why nothing was applied, in a transaction of its own. */
async function recordFailure(services: Services, input: ExecuteInput, cause: unknown): Promise<FeedAnswer> {
  const { status, error } = failureOf(cause);
  if (status === 'failed') input.log.error({ err: cause, run_id: input.runId }, 'feed run failed');
  return services.withSeller(input.sellerId, 'write', async (db) => {
    const run = await loadRun(db, input.runId);
    if (run === undefined) throw cause;
    if (isTerminal(run.status)) return finishedAnswer(db, run);
    const ended = await end(services, input, db, run, status, NO_COUNTS, error);
    const answer = await finishedAnswer(db, ended);
    await settleKey(services, input, db, ended, answer);
    return answer;
  });
}

/**
 * Executes a run to its end and returns the answer for whoever waits for it.
 *
 * @throws RunBusy when another process executes it, or it has ended
 */
export async function executeRun(services: Services, input: ExecuteInput): Promise<FeedAnswer> {
  const deadline = systemNow() + input.seconds * 1000;
  const timeouts = { statementTimeoutMs: input.seconds * 1000, lockTimeoutMs: input.seconds * 1000 };
  try {
    return await services.longSeller(
      input.sellerId,
      'write',
      async (db) => {
        const run = await takeRun(db, input);
        const counts = await applyRun(services, input, run, db, deadline);
        const ended = await end(services, input, db, run, finalStatus(counts), counts, null);
        const answer = await finishedAnswer(db, ended);
        await settleKey(services, input, db, ended, answer);
        return answer;
      },
      timeouts,
    );
  } catch (error) {
    if (error instanceof RunBusy || error instanceof ApiError) throw error;
    return recordFailure(services, input, error);
  }
}
