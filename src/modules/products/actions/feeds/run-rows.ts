/** Takes all rows of a run through planning and, unless it is a preview, writing: inside one transaction. */

import type { CursorDb } from '../../../../kernel/context.ts';
import { mapAhead } from '../../../../kernel/readers/map-ahead.ts';
import { lockUsed, readUsed } from '../../../../platform/plan-usage.ts';
import { Counter, type OnError, type RunCounts } from '../../domain/feed-run/run.ts';
import type { PlanContext } from '../../domain/plan/plan-context.ts';
import type { FeedRow } from '../../domain/row.ts';
import { passesLimit, settleProductCount } from '../../store/plan-slots.ts';
import { type ApplyContext, applyWrites, flushStock, type ToldStock, writeEvidence } from './apply-batch.ts';
import { draftBatch, newMemory, type PlannedRow, type RunMemory, settleBatch } from './plan-batch.ts';

/** Rows of one planning and writing step: few round trips, little memory, progress in small steps. */
const BATCH_ROWS = 1_000;
/** Of the first: until it is planned PostgreSQL has nothing to do. */
const FIRST_BATCH_ROWS = 250;
/** Batches that are read and planned while one is written: this process and PostgreSQL work at the same time. */
const DRAFTS_AHEAD = 2;

/** The file as a whole broke a rule while its rows went by; nothing of it may be applied. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Another writer changed what the rows were planned against; nothing of it may be applied, but it can be tried again. */
export class CatalogueMoved extends Error {
  override readonly name = 'CatalogueMoved';
}

export interface RowRun {
  readonly apply: ApplyContext;
  readonly plan: Omit<PlanContext, 'remaining_slots'>;
  readonly dryRun: boolean;
  readonly onError: OnError;
  readonly maxRows: number;
  readonly productLimit: number;
  /** Others filled the plan beside the attempt before: they are kept from it this time. */
  readonly holdCount: boolean;
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

/** Rows that stand beside a refused one are not attempted when the run aborts on errors. */
function withhold(planned: PlannedRow): PlannedRow {
  return planned.outcome === 'rejected'
    ? planned
    : { ...planned, outcome: 'not_attempted', plan: { ...planned.plan, next: null, changes: [] } };
}

interface Pass {
  readonly write: boolean;
  /** Whether the named products are held until the run ends. */
  readonly hold: boolean;
  readonly evidence: boolean;
  readonly change?: (planned: PlannedRow) => PlannedRow;
}

async function pass(db: CursorDb, run: RowRun, memory: RunMemory, how: Pass): Promise<RunCounts> {
  const counter = new Counter();
  const stock: ToldStock[] = [];
  const drafted = mapAhead(batches(run, db), DRAFTS_AHEAD, (rows) =>
    draftBatch(db, rows, run.plan, how.hold),
  );
  for await (const drafts of drafted) {
    const planned = settleBatch(drafts, run.plan, memory);
    const final = how.change === undefined ? planned : planned.map(how.change);
    for (const { outcome, plan } of final)
      counter.add(outcome, plan.messages.filter(({ severity }) => severity === 'warning').length);
    const writes = how.write
      ? final.flatMap(({ existing, plan }) =>
          plan.next === null ? [] : [{ existing, next: plan.next, changes: plan.changes }],
        )
      : [];
    const [moved] = await Promise.all([
      applyWrites(db, run.apply, writes),
      how.evidence ? writeEvidence(db, run.apply, final) : undefined,
    ]);
    stock.push(...moved);
    await run.checkpoint(counter.value.rows, how.write ? 'applying' : 'validating');
  }
  await flushStock(db, run.apply, stock, () => run.checkpoint(counter.value.rows, 'applying'));
  return counter.value;
}

/** How many products there are before the run. */
function countBefore(db: CursorDb, run: RowRun): Promise<number> {
  const creates = run.plan.mode === 'upsert' || run.plan.mode === 'create_only';
  return run.holdCount && creates && !run.dryRun
    ? lockUsed(db, run.apply.sellerId, 'products')
    : readUsed(db, run.apply.sellerId, 'products');
}

/** Comes last: from here to the commit nobody else creates. */
async function keepLimit(db: CursorDb, run: RowRun): Promise<void> {
  if (run.dryRun) return;
  const settled = await settleProductCount(db, run.apply.sellerId);
  if (passesLimit(settled, run.productLimit))
    throw new CatalogueMoved('others have taken places of the plan that the rows were planned with');
}

/**
 * Runs all rows.
 *
 * @returns the counts; the rows, their evidence and their events stand in the transaction of `db`
 * @throws FileRefused, and whatever `checkpoint` throws; the caller then rolls back
 */
export async function runRows(db: CursorDb, run: RowRun): Promise<RunCounts> {
  const used = await countBefore(db, run);
  const counts = await runPasses(db, run, used);
  await keepLimit(db, run);
  return counts;
}

async function runPasses(db: CursorDb, run: RowRun, used: number): Promise<RunCounts> {
  const memory = (): RunMemory => newMemory(run.productLimit - used);
  const hold = !run.dryRun;
  if (run.onError === 'continue') return pass(db, run, memory(), { write: hold, hold, evidence: true });
  const trial = await pass(db, run, memory(), { write: false, hold, evidence: false });
  if (trial.rejected > 0)
    return pass(db, run, memory(), { write: false, hold, evidence: true, change: withhold });
  const counts = await pass(db, run, memory(), { write: hold, hold, evidence: true });
  if (counts.rejected > 0) throw new CatalogueMoved('a row that could be applied cannot be any more');
  return counts;
}
