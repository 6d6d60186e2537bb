import { refuseOverdue } from '../../../../kernel/standing.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { isChannelRun } from '../../domain/feed-run/run.ts';
import type { StoredProduct } from '../../domain/product.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { productEvents } from '../../events.ts';
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

/**
 * Whether the stock of a product that a row has created was moved since, so that orders may have its units: the row
 * itself has set it once at most.
 */
const isInUse = ({ stock_version, quantity_reserved }: StoredProduct, { changes }: Evidence): boolean =>
  quantity_reserved > 0 || stock_version > (setsStock(changes) ? 1 : 0);

interface Reverts {
  readonly evidence: readonly Evidence[];
  readonly writes: readonly RowWrite[];
  readonly removed: readonly StoredProduct[];
}

async function revertsOf(
  { ctx, runId, original, standing }: FollowUp,
  rows: readonly Evidence[],
): Promise<Reverts> {
  const moved = await moveFrom(
    'after',
    ctx,
    rows.filter(({ outcome }) => WRITTEN.has(outcome)),
    !isChannelRun(original),
  );
  const changed = [...moved.values()].flatMap(({ existing, next }) =>
    next === null ? [] : [{ existing, next }],
  );
  const [taken, wanted] = await Promise.all([
    takenKeys(ctx, changed),
    wantedProducts(
      ctx,
      [...moved.values()].flatMap(({ existing, next }) =>
        existing !== null && next === null ? [existing.product_id] : [],
      ),
    ),
  ]);
  const writes: RowWrite[] = [];
  const removed: StoredProduct[] = [];
  const evidence = rows.map((stated): Evidence => {
    if (!WRITTEN.has(stated.outcome)) return ignored(stated);
    const { existing, next = null, row } = moved.get(stated.row_number) ?? {};
    if (existing == null || row === undefined || taken.has(existing.product_id)) return skipped(stated);
    const result = { ...row, resolution: null, messages: [], cells: null };
    if (next === null) {
      if (isInUse(existing, row) || wanted.has(existing.product_id)) return skipped(stated);
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
