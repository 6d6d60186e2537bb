import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import type { StoredProduct } from '../../domain/product.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { productEvents } from '../../events.ts';
import { deleteProducts } from '../../store/write-products.ts';
import { stockWarnings } from '../set-stock.ts';
import { applyWrites, emitBulk, isStockOnly, type RowWrite, setsStock } from './apply-batch.ts';
import {
  evidenceOf,
  type FollowUp,
  hasState,
  lockProductsOf,
  record,
  takenKeys,
  WRITTEN,
} from './follow-up.ts';

/** Evidence for a row that changed nothing. */
const ignored = (row: Evidence): Evidence => ({
  ...row,
  outcome: 'ignored',
  resolution: null,
  changes: [],
  messages: [],
  cells: null,
});

/** Evidence for a reverted row: its changes with `before` and `after` swapped. */
const reverted = (row: Evidence, outcome: RowOutcome): Evidence => ({
  ...row,
  outcome,
  resolution: null,
  messages: [],
  cells: null,
  changes: row.changes.map(({ field, before, after }) => ({ field, before: after, after: before })),
  product_version: row.product_version === null ? null : row.product_version + 1,
});

/** Evidence for a row whose product has changed since. */
const skipped = (row: Evidence): Evidence => ({
  ...reverted(row, 'not_attempted'),
  changes: [],
  messages: [rowMessage('version_conflict', { severity: 'warning' })],
});

interface Reverts {
  readonly evidence: readonly Evidence[];
  readonly writes: readonly RowWrite[];
  readonly removed: readonly StoredProduct[];
}

async function revertsOf({ ctx, runId }: FollowUp, rows: readonly Evidence[]): Promise<Reverts> {
  const products = await lockProductsOf(
    ctx,
    rows.filter(({ outcome }) => WRITTEN.has(outcome)),
  );
  const found = new Map(
    rows.flatMap((row) => {
      const existing = WRITTEN.has(row.outcome) ? products.get(row.product_id ?? '') : undefined;
      if (existing === undefined || !hasState(existing, row, 'after')) return [];
      const next = applyChanges(existing, row.changes, 'revert');
      // A product with reserved units cannot be removed.
      if (next === null && existing.quantity_reserved > 0) return [];
      return [[row.row_number, { existing, next }] as const];
    }),
  );
  const changed = [...found.values()].flatMap(({ existing, next }) =>
    next === null ? [] : [{ existing, next }],
  );
  const taken = await takenKeys(ctx, changed);
  const writes: RowWrite[] = [];
  const removed: StoredProduct[] = [];
  const evidence = rows.map((row): Evidence => {
    if (!WRITTEN.has(row.outcome)) return ignored(row);
    const revert = found.get(row.row_number);
    if (revert === undefined || taken.has(revert.existing.product_id)) return skipped(row);
    const { existing, next } = revert;
    if (next === null) {
      removed.push(existing);
      return reverted(row, 'deactivated');
    }
    // Orders may have reserved more units than there were before the run.
    const messages = setsStock(row.changes) ? stockWarnings({ ...existing, ...next }) : [];
    const result = { ...reverted(row, 'updated'), messages };
    const version = existing.version + (isStockOnly(row.changes) ? 0 : 1);
    const source = { source_run_id: runId, source_row: row.row_number };
    writes.push({ existing, next: { ...next, ...source, version }, changes: result.changes });
    return result;
  });
  return { evidence, writes, removed };
}

/** Reverts a run: deletes the products that it created, and restores the former values of those that it changed. */
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
