import { appendBulk } from '../../../../platform/outbox/append.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import type { StoredProduct } from '../../domain/product.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { deleteProducts } from '../../store/write-products.ts';
import { applyWrites, isStockOnly, type ProductWrite } from './apply-batch.ts';
import { evidenceOf, type Follow, holdProductsOf, inPlace, record, takenKeys, WRITTEN } from './follow.ts';

/** Evidence of a row that the run had not written: there is nothing to undo. */
const passedOver = (row: Evidence): Evidence => ({
  ...row,
  outcome: 'ignored',
  resolution: null,
  changes: [],
  messages: [],
  cells: null,
});

/** Evidence of undoing a row: the same fields with before and after exchanged. */
const undone = (row: Evidence, outcome: RowOutcome): Evidence => ({
  ...row,
  outcome,
  resolution: null,
  messages: [],
  cells: null,
  changes: row.changes.map(({ field, before, after }) => ({ field, before: after, after: before })),
  product_version: row.product_version === null ? null : row.product_version + 1,
});

/** Evidence of a row whose product was changed since: it stays as it is. */
const skipped = (row: Evidence): Evidence => ({
  ...undone(row, 'not_attempted'),
  changes: [],
  messages: [rowMessage('version_conflict', { severity: 'warning' })],
});

interface Undoing {
  readonly evidence: readonly Evidence[];
  readonly writes: readonly ProductWrite[];
  readonly removed: readonly StoredProduct[];
}

async function undo(follow: Follow, rows: readonly Evidence[]): Promise<Undoing> {
  const written = rows.filter(({ outcome }) => WRITTEN.has(outcome));
  const products = await holdProductsOf(follow.db, written);
  const back = new Map(
    written.flatMap((row) => {
      const existing = products.get(row.product_id ?? '');
      if (existing === undefined || !inPlace(existing, row, 'after')) return [];
      const next = applyChanges(existing, row.changes, 'revert');
      // Open orders hold units of it: it cannot go any more.
      if (next === null && existing.quantity_reserved > 0) return [];
      return [[row.row_number, { row, existing, next }] as const];
    }),
  );
  const taken = await takenKeys(
    follow.db,
    [...back.values()].flatMap(({ existing, next }) => (next === null ? [] : [{ existing, next }])),
  );
  const writes: ProductWrite[] = [];
  const removed: StoredProduct[] = [];
  const evidence = rows.map((row): Evidence => {
    if (!WRITTEN.has(row.outcome)) return passedOver(row);
    const found = back.get(row.row_number);
    if (found === undefined || taken.has(found.existing.product_id)) return skipped(row);
    const { existing, next } = found;
    if (next === null) {
      removed.push(existing);
      return undone(row, 'deactivated');
    }
    const reverted = undone(row, 'updated');
    const version = existing.version + (isStockOnly(row.changes) ? 0 : 1);
    writes.push({ existing, next: { ...next, version }, changes: reverted.changes });
    return reverted;
  });
  return { evidence, writes, removed };
}

/** Undoes what a run wrote: created products go, changed ones get back what they had. */
export async function revertRows(follow: Follow): Promise<void> {
  for await (const rows of evidenceOf(follow)) {
    const { evidence, writes, removed } = await undo(follow, rows);
    follow.stock.push(...(await applyWrites(follow.db, follow.apply, writes)));
    await deleteProducts(
      follow.db,
      removed.map(({ product_id }) => product_id),
    );
    await appendBulk(
      follow.db,
      follow.apply,
      removed.map(({ product_id, version }) => ({
        type: 'product.deactivated',
        object_id: product_id,
        object_version: version + 1,
      })),
    );
    await record(follow, evidence);
  }
}
