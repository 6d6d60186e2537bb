/** Plans all rows of a run and, unless it is a preview, writes them, in one transaction. */
import type { Acting, CursorDb } from '../../../../kernel/context.ts';
import { mapAhead } from '../../../../kernel/readers/map-ahead.ts';
import { lockUsed, readUsed } from '../../../../platform/plan-usage.ts';
import { batchesOf } from '../../domain/feed-run/batches.ts';
import { rejectedCells } from '../../domain/feed-run/rejected-cells.ts';
import {
  Counter,
  changesProducts,
  type OnError,
  type RunCounts,
  type RunError,
} from '../../domain/feed-run/run.ts';
import type { PlanContext } from '../../domain/plan/plan-context.ts';
import type { FeedRow } from '../../domain/row.ts';
import { productSettings } from '../../settings.ts';
import { insertEvidence } from '../../store/feed-rows.ts';
import { holdToPlan } from '../hold-to-plan.ts';
import { applyWrites, type PendingStock, toEvidence, writePendingStock } from './apply-batch.ts';
import { draftBatch, type EarlierRows, noEarlierRows, type PlannedRow, settleBatch } from './plan-batch.ts';
import { rejectOvertaken } from './reject-overtaken.ts';

/** Batches that are drafted while one is written, so that this process and PostgreSQL work in parallel. */
const DRAFTS_AHEAD = 2;

/** The file breaks a rule of the feed contract; none of its rows may be applied. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The run would apply something, and may not. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
  readonly error: RunError;
  constructor(error: RunError) {
    super(error.detail);
    this.error = error;
  }
}

/** Another writer has changed the catalogue since the rows were planned; a retry may succeed. */
export class CatalogueChanged extends Error {
  override readonly name = 'CatalogueChanged';
}

interface RowRun {
  readonly runId: string;
  /** When the file was received, RFC 3339: the instant from which its stock counts. */
  readonly receivedAt: string;
  /** Rejects rows whose products the seller has changed since the file was received. */
  readonly reportsLaterChanges: boolean;
  readonly plan: Omit<PlanContext, 'remaining_slots'>;
  readonly dryRun: boolean;
  readonly onError: OnError;
  /** How many rows the file may have. */
  readonly rows: { readonly least: number; readonly most: number };
  /** The sentence for a file with more rows. */
  readonly tooManyRows: string;
  readonly productLimit: number;
  /** Why no row may be applied; undefined: rows may be. */
  readonly refusal: RunError | undefined;
  /** Locks the product count before the rows: other requests filled the plan during the last attempt. */
  readonly locksCount: boolean;
  /** Opens the rows from the beginning; a run with `on_error=abort` reads them twice. */
  readonly open: (db: CursorDb) => AsyncIterable<FeedRow[]>;
  /** Called between batches; throws to stop the run. */
  readonly checkpoint: (rowsDone: number, phase: 'validating' | 'applying') => Promise<void>;
}

/** @throws FileRejected for a file with too many or too few rows */
async function* countedRows(run: RowRun, db: CursorDb): AsyncGenerator<FeedRow[]> {
  let total = 0;
  for await (const rows of run.open(db)) {
    total += rows.length;
    if (total > run.rows.most) throw new FileRejected('too_many_rows', run.tooManyRows);
    yield rows;
  }
  if (total < run.rows.least) throw new FileRejected('no_rows', 'The file has no data rows.');
}

/** Marks a row of a run with `on_error=abort` as not attempted, unless it was rejected. */
function asNotAttempted(planned: PlannedRow): PlannedRow {
  return planned.outcome === 'rejected'
    ? planned
    : { ...planned, outcome: 'not_attempted', plan: { ...planned.plan, next: null, changes: [] } };
}

interface PassOptions {
  readonly write: boolean;
  /** Locks the named products until the run ends. */
  readonly lock: boolean;
  readonly evidence: boolean;
  readonly change?: (planned: PlannedRow) => PlannedRow;
}

async function runPass(
  ctx: Acting,
  run: RowRun,
  earlierRows: EarlierRows,
  options: PassOptions,
): Promise<RunCounts> {
  const counter = new Counter();
  const stock: PendingStock[] = [];
  const cellsOf = rejectedCells(productSettings.of(ctx.config));
  const evidenceOf = (rows: readonly PlannedRow[]) => rows.map((row) => toEvidence(row, cellsOf));
  const drafted = mapAhead(batchesOf(countedRows(run, ctx.db)), DRAFTS_AHEAD, async (rows) => {
    const drafts = await draftBatch(ctx, rows, run.plan, options.lock);
    return run.reportsLaterChanges ? rejectOvertaken(ctx, drafts, run.plan, run.receivedAt) : drafts;
  });
  for await (const drafts of drafted) {
    const planned = settleBatch(drafts, run.plan, earlierRows);
    const final = options.change === undefined ? planned : planned.map(options.change);
    for (const { outcome, plan } of final) counter.add(outcome, plan.messages);
    if (options.write && run.refusal !== undefined && changesProducts(counter.value))
      throw new RunRefused(run.refusal);
    const writes = final.flatMap(({ existing, plan: { next, changes } }) =>
      options.write && next !== null ? [{ existing, next, changes }] : [],
    );
    const [pending] = await Promise.all([
      applyWrites(ctx, writes, run.receivedAt),
      options.evidence ? insertEvidence(ctx, run.runId, evidenceOf(final)) : undefined,
    ]);
    stock.push(...pending);
    await run.checkpoint(counter.value.rows, options.write ? 'applying' : 'validating');
  }
  await writePendingStock(ctx, stock, {
    setAt: run.receivedAt,
    checkpoint: () => run.checkpoint(counter.value.rows, 'applying'),
  });
  return counter.value;
}

/** The number of the seller's products before the run. */
function countBefore(ctx: Acting, run: RowRun): Promise<number> {
  const creates = run.plan.mode === 'upsert' || run.plan.mode === 'create_only';
  const read = run.locksCount && creates && !run.dryRun ? lockUsed : readUsed;
  return read(ctx.db, ctx.seller_id, 'products');
}

/**
 * Plans and writes all rows in the transaction of `ctx`.
 *
 * @throws FileRejected, RunRefused, CatalogueChanged, and errors of `checkpoint`; the caller then rolls back
 */
export async function runRows(ctx: Acting, run: RowRun): Promise<RunCounts> {
  const counts = await runPasses(ctx, run, await countBefore(ctx, run));
  if (run.dryRun) return counts;
  // This locks the count until the commit, so it comes last.
  if ((await holdToPlan(ctx, run.productLimit)) !== undefined)
    throw new CatalogueChanged('other requests have filled the plan since the rows were planned');
  return counts;
}

async function runPasses(ctx: Acting, run: RowRun, used: number): Promise<RunCounts> {
  const earlierRows = (): EarlierRows => noEarlierRows(run.productLimit - used);
  const write = !run.dryRun;
  const lock = write;
  if (run.onError === 'continue') return runPass(ctx, run, earlierRows(), { write, lock, evidence: true });
  const check = await runPass(ctx, run, earlierRows(), { write: false, lock, evidence: false });
  if (check.rejected > 0)
    return runPass(ctx, run, earlierRows(), { write: false, lock, evidence: true, change: asNotAttempted });
  const counts = await runPass(ctx, run, earlierRows(), { write, lock, evidence: true });
  if (counts.rejected > 0) throw new CatalogueChanged('a row that the first pass accepted is rejected');
  return counts;
}
