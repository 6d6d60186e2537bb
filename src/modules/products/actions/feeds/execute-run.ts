/**
 * Executes a received run: one transaction writes the applied rows, the final status, the evidence, the answer of
 * the idempotency key and the events. Progress is written in other transactions.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */

import type { Acting, CursorDb } from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { acting } from '../../../../platform/acting.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { LaneBusy, LaneTimeout } from '../../../../platform/jobs/lanes.ts';
import { lockKey, type StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../../platform/services.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import {
  type FeedRun,
  finalStatus,
  isTerminal,
  NO_COUNTS,
  type RunCounts,
} from '../../domain/feed-run/run.ts';
import { loadRun, lockFeeds, preferIndexes, tryLockRun, writeProgress } from '../../store/feed-runs.ts';
import { finishedAnswer } from './answer-run.ts';
import { openRows, reportedColumns } from './open-rows.ts';
import {
  closeRun,
  type ExecuteInput,
  failureOf,
  keyOf,
  RunAbandoned,
  RunBusy,
  RunStopped,
} from './run-end.ts';
import { CatalogueMoved, runRows } from './run-rows.ts';

/** Progress is written at most this often. */
const PROGRESS_MS = 300;
/** A run that conflicts with another writer starts again, at most so often. */
const ATTEMPTS_MAX = 3;
/** Deadlock, serialisation failure, unique violation. */
const COLLISIONS: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505']);

type Checkpoint = (rowsDone: number, phase: 'validating' | 'applying') => Promise<void>;

interface Progress {
  readonly checkpoint: Checkpoint;
  /** Stops the progress; the end of the run is written with the run. */
  end(): void;
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
      const continues = await services.withSeller(input.sellerId, 'read', (db) =>
        writeProgress(db, input.runId, phase, rowsDone, startedAt),
      );
      stopped = !continues;
    } catch (err) {
      // The seller's other requests may wait for this run with all connections of the seller.
      input.log.warn({ err, run_id: input.runId }, 'the progress of a feed run could not be written');
    } finally {
      writing = false;
    }
  };
  // Progress within the interval is written at its end, because the run may wait for another writer.
  const later = (ms: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (writing) later(PROGRESS_MS);
      else void write();
    }, ms);
  };
  return {
    checkpoint: async (...at) => {
      if (input.signal?.aborted) throw new RunAbandoned('the worker is shutting down');
      const now = systemNow();
      if (now > deadline) throw new RunStopped('timed_out');
      if (stopped) throw new RunStopped('cancelled');
      reached = at;
      // Not waited for: what it finds stops the run at its next batch, or at its end.
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
  const limits = feedLimits(services.config, plan);
  const progress = followProgress(services, input, deadline);
  const rows = runRows(ctx, {
    runId: run.run_id,
    plan: {
      mode: run.mode,
      currency,
      source_origin: run.kind === 'profile_import' ? 'profile_import' : 'feed',
      run_id: run.run_id,
      profile: run.source.profile,
      from_file: true,
      columns: reportedColumns(run),
      nextProductId: () => ctx.ids.next('prd_'),
      nextImageId: () => ctx.ids.next('img_'),
    },
    dryRun: run.dry_run,
    onError: run.on_error,
    maxRows: limits.max_rows,
    productLimit: planLimit(plan, 'products'),
    locksCount: retried,
    open: (db) => openRows(db, services, run, limits, currency),
    checkpoint: progress.checkpoint,
  });
  return rows.finally(() => progress.end());
}

/** Takes the run for this transaction. The lock on its key makes duplicates answer "in progress" at once. */
async function takeRun(db: CursorDb, input: ExecuteInput): Promise<FeedRun> {
  await preferIndexes(db);
  if (!(await tryLockRun(db, input.runId))) throw new RunBusy('another process executes the run');
  const run = await loadRun(db, input.runId);
  if (run === undefined || isTerminal(run.status)) throw new RunBusy('the run has ended already');
  const key = await keyOf(db, run);
  if (key !== undefined) await lockKey(db, input.sellerId, key);
  // Two writing runs over the same products would wait for each other, so the runs of a seller take turns.
  if (!run.dry_run) await lockFeeds(db, input.sellerId);
  return run;
}

/** The context of a run: one instant for all its rows. */
function contextOf(services: Services, { sellerId }: ExecuteInput, run: FeedRun, db: CursorDb): Acting {
  const now = services.now();
  const correlation = { request_id: run.request_id, idempotency_key: run.idempotency_key };
  return acting({ ...services, now: () => now }, { db, seller_id: sellerId, correlation });
}

/** The whole run in one transaction; `retried` after a conflict with another writer. */
function attempt(
  services: Services,
  input: ExecuteInput,
  deadline: number,
  retried: boolean,
): Promise<StoredAnswer> {
  const left = Math.max(1_000, deadline - systemNow());
  return services.longSeller(
    input.sellerId,
    'write',
    async (db) => {
      const run = await takeRun(db, input);
      const counts = await applyRun(
        services,
        input,
        run,
        contextOf(services, input, run, db),
        deadline,
        retried,
      );
      const end = { status: finalStatus(counts), counts, error: null };
      return closeRun(services, input, contextOf(services, input, run, db), run, end);
    },
    { statementTimeoutMs: left, lockTimeoutMs: left },
  );
}

/** Records in a transaction of its own why nothing was applied. */
async function recordFailure(services: Services, input: ExecuteInput, cause: unknown): Promise<StoredAnswer> {
  const failure = failureOf(cause);
  if (failure.status === 'failed') input.log.error({ err: cause, run_id: input.runId }, 'feed run failed');
  return services.withSeller(input.sellerId, 'write', async (db) => {
    const run = await loadRun(db, input.runId);
    if (run === undefined) throw cause;
    if (isTerminal(run.status)) return finishedAnswer(db, run);
    const ctx = contextOf(services, input, run, db);
    return closeRun(services, input, ctx, run, { ...failure, counts: NO_COUNTS });
  });
}

function isCollision(error: unknown): boolean {
  return (
    error instanceof CatalogueMoved ||
    (error instanceof Error && 'code' in error && COLLISIONS.has(error.code))
  );
}

async function attempts(services: Services, input: ExecuteInput, deadline: number): Promise<StoredAnswer> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(services, input, deadline, count > 1);
    } catch (error) {
      if (!isCollision(error) || count === ATTEMPTS_MAX || systemNow() > deadline) throw error;
    }
  }
}

/**
 * Executes a run to its end and returns its answer. The runs of a seller take turns, and all runs together leave
 * connections for other work.
 *
 * @throws RunBusy when another process executes it, or it has ended; RunAbandoned when this process shuts down
 */
export async function executeRun(services: Services, input: ExecuteInput): Promise<StoredAnswer> {
  const deadline = systemNow() + input.seconds * 1000;
  const lane = { lane: input.sellerId, id: input.runId, deadline: input.waits ? deadline : systemNow() };
  try {
    return await services.feedLanes.run(lane, () => attempts(services, input, deadline));
  } catch (error) {
    if (error instanceof LaneBusy) throw new RunBusy('this process executes the run already');
    if (error instanceof LaneTimeout && !input.waits)
      throw new RunBusy('another run of the seller is in work');
    if (error instanceof RunBusy || error instanceof RunAbandoned || error instanceof ApiError) throw error;
    return recordFailure(services, input, error instanceof LaneTimeout ? new RunStopped('timed_out') : error);
  }
}
