import { fail } from '../../../../kernel/errors.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import { feedErrors } from '../../feed-errors.ts';
import { applyWrites, type ProductWrite } from './apply-batch.ts';
import { evidenceOf, type Follow, holdProductsOf, inPlace, record, takenKeys, WRITTEN } from './follow.ts';

/** Moved rows that are named; more than that is a new preview anyway. */
const MOVED_SHOWN = 100;

interface Moved {
  readonly row_number: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
}

/** The writes of a batch of the preview; rows whose product has moved are added to `moved`. */
async function writesOf(follow: Follow, rows: readonly Evidence[], moved: Moved[]): Promise<ProductWrite[]> {
  const { db, first, apply } = follow;
  const origin = first.kind === 'profile_import' ? 'profile_import' : 'feed';
  const products = await holdProductsOf(db, rows);
  const planned = rows.flatMap((row) => {
    const existing = products.get(row.product_id ?? '');
    const next = inPlace(existing, row, 'before')
      ? applyChanges(existing ?? null, row.changes, 'apply')
      : null;
    if (next !== null) return [{ row, existing: existing ?? null, next }];
    moved.push({ row_number: row.row_number, seller_sku: row.seller_sku, product_id: row.product_id });
    return [];
  });
  const taken = await takenKeys(db, planned);
  return planned.flatMap(({ row, existing, next }) => {
    if (taken.has(next.product_id)) {
      moved.push({ row_number: row.row_number, seller_sku: row.seller_sku, product_id: row.product_id });
      return [];
    }
    const source = { source_run_id: apply.runId, source_row: row.row_number, source_origin: origin } as const;
    const version = (existing?.version ?? 0) + 1;
    return [{ existing, next: { ...next, ...source, version }, changes: row.changes }];
  });
}

/**
 * Applies exactly what a preview has stored.
 *
 * @throws ApiError 409 `preview_stale` naming the rows whose products have moved since; nothing is then applied
 */
export async function commitRows(follow: Follow): Promise<void> {
  const moved: Moved[] = [];
  for await (const rows of evidenceOf(follow)) {
    const writes = await writesOf(
      follow,
      rows.filter(({ outcome }) => WRITTEN.has(outcome)),
      moved,
    );
    // The rest is only looked at to name what has moved.
    if (moved.length > 0) continue;
    follow.stock.push(...(await applyWrites(follow.db, follow.apply, writes)));
    await record(follow, rows);
  }
  if (moved.length === 0) return;
  moved.sort((one, other) => one.row_number - other.row_number);
  throw fail(feedErrors.preview_stale, {
    facts: { moved: moved.slice(0, MOVED_SHOWN), moved_count: moved.length },
  });
}
