/**
 * Executes a stored run. One transaction writes the applied rows, the final status, the evidence, the answer of the
 * idempotency key and the events. Other transactions write the progress.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */

import type { Acting, CursorDb } from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { refuseOverdue } from '../../../../kernel/standing.ts';
import { acting } from '../../../../platform/acting.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { readStanding } from '../../../../platform/db/read-standing.ts';
import { LaneBusy, LaneTimeout } from '../../../../platform/jobs/lanes.ts';
import { lockKey, type StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../../platform/services.ts';
import { readTrading } from '../../../sellers/index.ts';
import { feedLimits, tooManyRows } from '../../domain/feed-run/limits.ts';
import {
  type FeedRun,
  finalStatus,
  isChannelRun,
  isTerminal,
  NO_COUNTS,
  originOf,
  type RunCounts,
  type RunError,
} from '../../domain/feed-run/run.ts';
import { countRows } from '../../metrics.ts';
import { mediaUrl, productSettings, reviewedFields } from '../../settings.ts';
import {
  loadRun,
  lockWritingRuns,
  preferIndexes,
  tryLockRun,
  waitForRun,
  writeProgress,
} from '../../store/feed-runs.ts';
import { finishedAnswer } from './answer-run.ts';
import { refusalByQuota } from './check-quota.ts';
import { openRows, reportedColumns } from './open-rows.ts';
import {
  closeRun,
  type ExecuteInput,
  failureOf,
  isConflict,
  keyOf,
  LOST_WAIT_MS,
  lostDatabase,
  RunBusy,
  RunEnded,
  RunInterrupted,
  RunStopped,
} from './run-end.ts';
import { RunRefused, runRows } from './run-rows.ts';

/** Progress is written at most this often. */
const PROGRESS_MS = 300;
/** A run is retried after a conflict with another writer; this limits the attempts. */
const ATTEMPTS_MAX = 3;

type Checkpoint = (rowsDone: number, phase: 'validating' | 'applying') => Promise<void>;

interface Progress {
  readonly checkpoint: Checkpoint;
  /** Stops writing progress. The run's transaction writes the final one. */
  end(): void;
}

/**
 * Stops a run whose client no longer waits for the answer. It is also called directly before the commit, while the
 * run holds all its locks. So a request that the client sends afterwards waits for these locks and is applied after
 * this run.
 */
function refuseLate({ signal, waits }: ExecuteInput, deadline: number): void {
  if (signal.aborted)
    throw waits ? new RunStopped('abandoned') : new RunInterrupted('the worker is shutting down');
  if (systemNow() > deadline) throw new RunStopped('timed_out');
}

function followProgress(services: Services, input: ExecuteInput, deadline: number): Progress {
  const startedAt = new Date(services.now()).toISOString();
  let reached: Parameters<Checkpoint> = [0, 'validating'];
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = false;
  let stopped = false;
  const write = async (): Promise<void> => {
    const [rowsDone, phase] = reached;
    writing = true;
    last = systemNow();
    try {
      const continues = await services.withSeller(input.sellerId, 'single', (db) =>
        writeProgress({ db, seller_id: input.sellerId }, input.runId, phase, rowsDone, startedAt),
      );
      stopped = !continues;
    } catch (err) {
      // Other requests of the seller may hold all of the seller's connections while they wait for this run.
      input.log.warn({ err, run_id: input.runId }, 'could not write the progress of a feed run');
    } finally {
      writing = false;
    }
  };
  // A timer writes the last progress of an interval, because the run may then wait for another writer.
  const later = (ms: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (writing) later(PROGRESS_MS);
      else void write();
    }, ms);
  };
  return {
    checkpoint: async (...at) => {
      refuseLate(input, deadline);
      const now = systemNow();
      if (stopped) throw new RunStopped('cancelled');
      reached = at;
      // The run does not wait for the write; a cancellation that it finds stops the run at the next checkpoint.
      if (!writing && now - last >= PROGRESS_MS) void write();
      else later(PROGRESS_MS);
    },
    end: () => clearTimeout(timer),
  };
}

async function applyRun(
  services: Services,
  input: ExecuteInput,
  run: FeedRun,
  ctx: Acting,
  deadline: number,
  retried: boolean,
): Promise<RunCounts> {
  const { plan, currency } = input.standing;
  const { default_reorder_point } = await readTrading(ctx);
  const limits = feedLimits(productSettings.of(services.config), plan);
  const usesQuota = !run.dry_run && run.mode !== 'inventory' && !isChannelRun(run);
  const refusal = usesQuota ? await refusalByQuota(ctx, plan) : undefined;
  const progress = followProgress(services, input, deadline);
  const rows = runRows(ctx, {
    runId: run.run_id,
    // An accepted file waits for the worker, so changes that the seller makes in the meantime are newer.
    reportsLaterChanges: run.async && !run.dry_run,
    receivedAt: run.received_at,
    plan: {
      mode: run.mode,
      tier: plan,
      currency,
      default_reorder_point,
      source_origin: originOf(run.kind),
      run_id: run.run_id,
      profile: run.source.profile,
      from_file: true,
      columns: reportedColumns(run),
      reviewed_fields: reviewedFields(services.config),
      media_url: mediaUrl(services.config),
      nextProductId: () => ctx.ids.next('prd_'),
      nextImageId: () => ctx.ids.next('img_'),
    },
    dryRun: run.dry_run,
    onError: run.on_error,
    // A store is read whole; the plan limits the products only.
    rows: isChannelRun(run)
      ? { least: 0, most: Number.POSITIVE_INFINITY }
      : { least: 1, most: limits.max_rows },
    tooManyRows: tooManyRows(limits, plan),
    productLimit: planLimit(plan, 'products'),
    refusal,
    locksCount: retried,
    open: (db) => openRows(db, services, run, limits, currency),
    checkpoint: progress.checkpoint,
  });
  return rows.finally(() => progress.end());
}

/**
 * Locks the run. While a synchronous run is applied, the lock on its key makes a duplicate request fail immediately
 * with "in progress"; the key of an asynchronous one has its answer since the run was accepted.
 */
async function lockRun(db: CursorDb, input: ExecuteInput, limitMs: number): Promise<FeedRun> {
  await preferIndexes(db);
  if (!(await tryLockRun(db, input.runId))) throw new RunBusy('another process executes the run');
  const run = await loadRun({ db, seller_id: input.sellerId }, input.runId);
  if (run === undefined || isTerminal(run.status)) throw new RunEnded('the run has already ended');
  const key = run.async ? undefined : await keyOf({ db, seller_id: input.sellerId }, run);
  if (key !== undefined) await lockKey(db, input.sellerId, key);
  // Two runs that write the same products could deadlock, so a seller has one writing run at a time.
  if (!run.dry_run) await lockWritingRuns(db, input.sellerId, limitMs);
  return run;
}

/** The acting context of a run. Its clock stands still, so all rows have the same time. */
function contextOf(services: Services, { sellerId }: ExecuteInput, run: FeedRun, db: CursorDb): Acting {
  const now = services.now();
  const correlation = { request_id: run.request_id, idempotency_key: run.idempotency_key };
  return acting({ ...services, now: () => now }, { db, seller_id: sellerId, correlation });
}

/** Why a run that was accepted earlier may no longer add products: the terms have become overdue since. */
async function overdueSince(
  services: Services,
  { sellerId }: ExecuteInput,
  db: CursorDb,
  run: FeedRun,
): Promise<RunError | undefined> {
  if (!run.async || run.dry_run || run.mode === 'inventory') return undefined;
  const standing = await readStanding(db, sellerId);
  try {
    if (standing !== undefined) refuseOverdue(standing, services.now());
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, detail: error.message, retryable: false };
  }
}

/** Executes the run in one transaction. */
async function attempt(
  services: Services,
  input: ExecuteInput,
  deadline: number,
  retried: boolean,
): Promise<StoredAnswer> {
  const left = Math.max(1_000, deadline - systemNow());
  let written = NO_COUNTS;
  const answer = await services.withSellerLong(
    input.sellerId,
    'write',
    async (db) => {
      const run = await lockRun(db, input, left);
      const error = await overdueSince(services, input, db, run);
      if (error !== undefined) {
        const refused = { status: 'failed', counts: NO_COUNTS, error } as const;
        return closeRun(services, input, contextOf(services, input, run, db), run, refused);
      }
      const counts = await applyRun(
        services,
        input,
        run,
        contextOf(services, input, run, db),
        deadline,
        retried,
      );
      if (!run.dry_run) written = counts;
      const end = { status: finalStatus(counts), counts, error: null };
      const ctx = contextOf(services, input, run, db);
      const answer = await closeRun(services, input, ctx, run, end);
      refuseLate(input, deadline);
      return answer;
    },
    { statementTimeoutMs: left, lockTimeoutMs: left },
  );
  countRows(services, written);
  return answer;
}

/**
 * Ends a run that has failed, in a new transaction. If the connection was lost, the transaction of the run may have
 * been committed. This waits for its lock on the run, and then reads whether the run has its final status.
 */
async function recordFailure(services: Services, input: ExecuteInput, cause: unknown): Promise<StoredAnswer> {
  const failure = failureOf(cause);
  if (failure.status === 'failed' && !(cause instanceof RunRefused))
    input.log.error({ err: cause, run_id: input.runId }, 'feed run failed');
  return services.withSeller(
    input.sellerId,
    'write',
    async (db) => {
      await waitForRun(db, input.runId);
      const run = await loadRun({ db, seller_id: input.sellerId }, input.runId);
      if (run === undefined) throw cause;
      if (isTerminal(run.status)) return finishedAnswer({ db, seller_id: input.sellerId }, run);
      const ctx = contextOf(services, input, run, db);
      return closeRun(services, input, ctx, run, { ...failure, counts: NO_COUNTS });
    },
    { lockTimeoutMs: LOST_WAIT_MS },
  );
}

/** The answer of a run that another process has ended. */
function endedAnswer(services: Services, { sellerId, runId }: ExecuteInput): Promise<StoredAnswer> {
  return services.withSeller(sellerId, 'read', async (db) => {
    const run = await loadRun({ db, seller_id: sellerId }, runId);
    if (run === undefined) throw new RunEnded('the run was deleted');
    return finishedAnswer({ db, seller_id: sellerId }, run);
  });
}

async function attemptUntilDone(
  services: Services,
  input: ExecuteInput,
  deadline: number,
): Promise<StoredAnswer> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(services, input, deadline, count > 1);
    } catch (error) {
      if (!isConflict(error) || count === ATTEMPTS_MAX || systemNow() > deadline) throw error;
    }
  }
}

/**
 * Executes a run and returns its answer. The lanes run one feed run of a seller at a time, and keep connections free
 * for other work.
 *
 * @throws RunBusy if another process executes the run
 * @throws RunInterrupted if this worker shuts down
 * @throws the error of a lost connection. The worker then executes an asynchronous run again, and ends a synchronous
 *   one.
 */
export async function executeRun(services: Services, input: ExecuteInput): Promise<StoredAnswer> {
  const deadline = systemNow() + input.seconds * 1000;
  const lane = { lane: input.sellerId, id: input.runId, deadline: input.waits ? deadline : systemNow() };
  try {
    return await services.feedLanes.run(lane, () => attemptUntilDone(services, input, deadline));
  } catch (error) {
    if (error instanceof LaneBusy) throw new RunBusy('this process already executes the run');
    if (error instanceof LaneTimeout && !input.waits)
      throw new RunBusy('another run of the seller is executing');
    if (error instanceof RunEnded) return await endedAnswer(services, input);
    if (error instanceof RunBusy || error instanceof RunInterrupted || error instanceof ApiError) throw error;
    // An asynchronous run was accepted, so the worker's job executes it again.
    if (!input.waits && lostDatabase(error)) throw error;
    return await recordFailure(
      services,
      input,
      error instanceof LaneTimeout ? new RunStopped('timed_out') : error,
    );
  }
}
