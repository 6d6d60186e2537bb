/** Plans all rows of a run and, unless it is a preview, writes them, in one transaction. */
import type { Acting, CursorDb } from '../../../../kernel/context.ts';
import { mapAhead } from '../../../../kernel/readers/map-ahead.ts';
import { lockUsed, readUsed } from '../../../../platform/plan-usage.ts';
import { Counter, type OnError, type RunCounts } from '../../domain/feed-run/run.ts';
import type { PlanContext } from '../../domain/plan/plan-context.ts';
import type { FeedRow } from '../../domain/row.ts';
import { insertEvidence } from '../../store/feed-rows.ts';
import { exceedsLimit, settleProductCount } from '../../store/plan-slots.ts';
import { applyWrites, type PendingStock, toEvidence, writePendingStock } from './apply-batch.ts';
import { draftBatch, newMemory, type PlannedRow, type RunMemory, settleBatch } from './plan-batch.ts';

/** Rows of one batch: few round trips, little memory, progress in small steps. */
const BATCH_ROWS = 1_000;
/** PostgreSQL has nothing to do until the first batch is planned, so that one is small. */
const FIRST_BATCH_ROWS = 250;
/** Batches that are planned while one is written, so that this process and PostgreSQL work at the same time. */
const DRAFTS_AHEAD = 2;

/** The file as a whole breaks a rule; nothing of it may be applied. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Another writer has changed the catalogue since the rows were planned; the run can be retried. */
export class CatalogueMoved extends Error {
  override readonly name = 'CatalogueMoved';
}

export interface RowRun {
  readonly runId: string;
  readonly plan: Omit<PlanContext, 'remaining_slots'>;
  readonly dryRun: boolean;
  readonly onError: OnError;
  readonly maxRows: number;
  readonly productLimit: number;
  /** Locks the product count, because other requests filled the plan during the attempt before. */
  readonly locksCount: boolean;
  /** Opens the rows from the beginning; a run that aborts on errors goes through them twice. */
  readonly open: (db: CursorDb) => AsyncIterable<FeedRow[]>;
  /** Called between batches; throws to stop the run. */
  readonly checkpoint: (rowsDone: number, phase: 'validating' | 'applying') => Promise<void>;
}

async function* batches(run: RowRun, db: CursorDb): AsyncGenerator<FeedRow[]> {
  let held: FeedRow[] = [];
  let total = 0;
  let size = FIRST_BATCH_ROWS;
  for await (const rows of run.open(db)) {
    total += rows.length;
    if (total > run.maxRows)
      throw new FileRefused('too_many_rows', `The file has more than ${run.maxRows} rows.`);
    held = held.length === 0 ? rows : [...held, ...rows];
    while (held.length >= size) {
      yield held.slice(0, size);
      held = held.slice(size);
      size = BATCH_ROWS;
    }
  }
  if (held.length > 0) yield held;
  if (total === 0) throw new FileRefused('no_rows', 'The file holds no data rows.');
}

/** A run that aborts on errors does not attempt the accepted rows of a file with a refused one. */
function withhold(planned: PlannedRow): PlannedRow {
  return planned.outcome === 'rejected'
    ? planned
    : { ...planned, outcome: 'not_attempted', plan: { ...planned.plan, next: null, changes: [] } };
}

interface Pass {
  readonly write: boolean;
  /** Whether the named products are locked until the run ends. */
  readonly lock: boolean;
  readonly evidence: boolean;
  readonly change?: (planned: PlannedRow) => PlannedRow;
}

async function pass(ctx: Acting, run: RowRun, memory: RunMemory, how: Pass): Promise<RunCounts> {
  const counter = new Counter();
  const stock: PendingStock[] = [];
  const drafted = mapAhead(batches(run, ctx.db), DRAFTS_AHEAD, (rows) =>
    draftBatch(ctx.db, rows, run.plan, how.lock),
  );
  for await (const drafts of drafted) {
    const planned = settleBatch(drafts, run.plan, memory);
    const final = how.change === undefined ? planned : planned.map(how.change);
    for (const { outcome, plan } of final) counter.add(outcome, plan.messages);
    const writes = final.flatMap(({ existing, plan: { next, changes } }) =>
      how.write && next !== null ? [{ existing, next, changes }] : [],
    );
    const [pending] = await Promise.all([
      applyWrites(ctx, writes),
      how.evidence ? insertEvidence(ctx, run.runId, final.map(toEvidence)) : undefined,
    ]);
    stock.push(...pending);
    await run.checkpoint(counter.value.rows, how.write ? 'applying' : 'validating');
  }
  await writePendingStock(ctx, stock, () => run.checkpoint(counter.value.rows, 'applying'));
  return counter.value;
}

/** The number of products before the run. */
function countBefore(ctx: Acting, run: RowRun): Promise<number> {
  const creates = run.plan.mode === 'upsert' || run.plan.mode === 'create_only';
  const read = run.locksCount && creates && !run.dryRun ? lockUsed : readUsed;
  return read(ctx.db, ctx.seller_id, 'products');
}

/**
 * Runs all rows.
 *
 * @returns the counts; the rows, their evidence and their events stand in the transaction of `ctx`
 * @throws FileRefused, CatalogueMoved, and what `checkpoint` throws; the caller then rolls back
 */
export async function runRows(ctx: Acting, run: RowRun): Promise<RunCounts> {
  const counts = await runPasses(ctx, run, await countBefore(ctx, run));
  if (run.dryRun) return counts;
  // Locks the count until the commit, so it comes last.
  if (exceedsLimit(await settleProductCount(ctx), run.productLimit))
    throw new CatalogueMoved('other requests have filled the plan since the rows were planned');
  return counts;
}

async function runPasses(ctx: Acting, run: RowRun, used: number): Promise<RunCounts> {
  const memory = (): RunMemory => newMemory(run.productLimit - used);
  const write = !run.dryRun;
  const lock = write;
  if (run.onError === 'continue') return pass(ctx, run, memory(), { write, lock, evidence: true });
  const trial = await pass(ctx, run, memory(), { write: false, lock, evidence: false });
  if (trial.rejected > 0)
    return pass(ctx, run, memory(), { write: false, lock, evidence: true, change: withhold });
  const counts = await pass(ctx, run, memory(), { write, lock, evidence: true });
  if (counts.rejected > 0) throw new CatalogueMoved('a row that was accepted in the trial is refused');
  return counts;
}
