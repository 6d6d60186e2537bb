import { refuseOverdue } from '../../../../kernel/standing.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { isChannelRun } from '../../domain/feed-run/run.ts';
import type { StoredProduct } from '../../domain/product.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { productEvents } from '../../events.ts';
import { changedByOthers, undoneChanges } from '../../store/later-changes.ts';
import { wantedProducts } from '../../store/offer-stock.ts';
import { deleteProducts } from '../../store/write-products.ts';
import { stockWarnings } from '../set-stock.ts';
import { applyWrites, emitBulk, isStockOnly, type RowWrite, setsStock } from './apply-batch.ts';
import { evidenceOf, type FollowUp, moveFrom, record, takenKeys, WRITTEN } from './follow-up.ts';

/** Evidence for a row that changed nothing. */
const ignored = (row: Evidence): Evidence => ({
  ...row,
  outcome: 'ignored',
  resolution: null,
  changes: [],
  messages: [],
  cells: null,
});

/** Evidence for a row whose product has changed since. */
const skipped = (row: Evidence): Evidence => ({
  ...ignored(row),
  outcome: 'not_attempted',
  product_version: row.product_version === null ? null : row.product_version + 1,
  messages: [rowMessage('version_conflict', { severity: 'warning' })],
});

interface Created {
  readonly existing: StoredProduct;
  readonly row: Evidence;
}

/**
 * The products whose stock was moved since rows have created them. The row has set it once at most. A run that was
 * reverted and its revert have each set it once.
 */
async function movedSince({ ctx }: FollowUp, created: readonly Created[]): Promise<string[]> {
  const setsByRow = ({ row }: Created): number => (setsStock(row.changes) ? 1 : 0);
  const seen = created.filter((one) => one.existing.stock_version > setsByRow(one));
  const ids = seen.map(({ existing }) => existing.product_id);
  const undone = Map.groupBy(await undoneChanges(ctx, ids), ({ product_id }) => product_id);
  return seen.flatMap((one) => {
    const { product_id, stock_version } = one.existing;
    const sets = undone.get(product_id)?.filter(({ stock }) => stock).length ?? 0;
    return stock_version > 2 * sets + setsByRow(one) ? product_id : [];
  });
}

/**
 * Products that rows have created and that orders may need. A connected store sets the stock of what was imported as
 * often as it changes, so there the history says whether others have moved it.
 */
async function neededProducts(run: FollowUp, created: readonly Created[]): Promise<ReadonlySet<string>> {
  const { ctx, original } = run;
  const ids = created.map(({ existing }) => existing.product_id);
  const [wanted, others] = await Promise.all([
    wantedProducts(ctx, ids),
    isChannelRun(original) ? changedByOthers(ctx, ids) : movedSince(run, created),
  ]);
  const reserved = created.filter(({ existing }) => existing.quantity_reserved > 0);
  return new Set([...wanted, ...others, ...reserved.map(({ existing: { product_id } }) => product_id)]);
}

interface Reverts {
  readonly evidence: readonly Evidence[];
  readonly writes: readonly RowWrite[];
  readonly removed: readonly StoredProduct[];
}

async function revertsOf(run: FollowUp, rows: readonly Evidence[]): Promise<Reverts> {
  const { ctx, runId, original, standing } = run;
  const moved = await moveFrom(
    'after',
    ctx,
    rows.filter(({ outcome }) => WRITTEN.has(outcome)),
    !isChannelRun(original),
    original.finished_at,
  );
  const changed = [...moved.values()].flatMap(({ existing, next }) =>
    next === null ? [] : [{ existing, next }],
  );
  const created = [...moved.values()].flatMap(({ existing, next, row }) =>
    existing !== null && next === null ? [{ existing, row }] : [],
  );
  const [taken, needed] = await Promise.all([takenKeys(ctx, changed), neededProducts(run, created)]);
  const writes: RowWrite[] = [];
  const removed: StoredProduct[] = [];
  const evidence = rows.map((stated): Evidence => {
    if (!WRITTEN.has(stated.outcome)) return ignored(stated);
    const { existing, next = null, row } = moved.get(stated.row_number) ?? {};
    if (existing == null || row === undefined || taken.has(existing.product_id)) return skipped(stated);
    const result = { ...row, resolution: null, messages: [], cells: null };
    if (next === null) {
      if (needed.has(existing.product_id)) return skipped(stated);
      removed.push(existing);
      return { ...result, outcome: 'deactivated' };
    }
    if (next.status === 'active' && existing.status !== 'active') refuseOverdue(standing, ctx.now());
    const version = existing.version + (isStockOnly(row.changes) ? 0 : 1);
    const source = { source_run_id: runId, source_row: row.row_number };
    writes.push({ existing, next: { ...next, ...source, version }, changes: row.changes });
    // Orders may have reserved more units than there were before the run.
    const messages = setsStock(row.changes) ? stockWarnings({ ...existing, ...next }) : [];
    return { ...result, outcome: 'updated', messages };
  });
  return { evidence, writes, removed };
}

/**
 * Reverts a run: deletes the products that it created, and restores the former values of those that it changed. It activates none
 * while the terms are overdue.
 */
export async function revertRows(run: FollowUp): Promise<void> {
  const { ctx } = run;
  for await (const rows of evidenceOf(run)) {
    const { evidence, writes, removed } = await revertsOf(run, rows);
    run.stock.push(...(await applyWrites(ctx, writes)));
    await deleteProducts(
      ctx,
      removed.map(({ product_id }) => product_id),
    );
    const removal = productEvents['product.deactivated'];
    await emitBulk(
      ctx,
      removed.map(({ product_id, version }) => removal.bare(product_id, version + 1)),
    );
    await record(run, evidence);
  }
}
