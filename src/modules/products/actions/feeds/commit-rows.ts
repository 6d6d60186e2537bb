import { fail } from '../../../../kernel/errors.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import { feedErrors } from '../feed-errors.ts';
import { applyWrites, type RowWrite } from './apply-batch.ts';
import {
  evidenceOf,
  type FollowUp,
  hasState,
  lockProductsOf,
  record,
  takenKeys,
  WRITTEN,
} from './follow-up.ts';

/** Rows in the body of a `preview_stale` error. */
const STALE_ROWS_MAX = 100;

interface StaleRow {
  readonly row_number: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
}

/** The writes for a batch of the preview. Adds the rows whose product has changed to `stale`. */
async function writesOf(
  { ctx, runId, original }: FollowUp,
  rows: readonly Evidence[],
  stale: StaleRow[],
): Promise<RowWrite[]> {
  const source_origin = original.kind === 'profile_import' ? 'profile_import' : 'feed';
  const products = await lockProductsOf(ctx, rows);
  const planned = rows.map((row) => {
    const existing = products.get(row.product_id ?? '') ?? null;
    const next = hasState(existing ?? undefined, row, 'before')
      ? applyChanges(existing, row.changes, 'apply')
      : null;
    return { row, existing, next };
  });
  const applicable = planned.flatMap(({ existing, next }) => (next === null ? [] : [{ existing, next }]));
  const taken = await takenKeys(ctx, applicable);
  return planned.flatMap(({ row, existing, next }) => {
    const { row_number, seller_sku, product_id, changes } = row;
    if (next === null || taken.has(next.product_id)) {
      stale.push({ row_number, seller_sku, product_id });
      return [];
    }
    const source = { source_run_id: runId, source_row: row_number, source_origin } as const;
    return [{ existing, next: { ...next, ...source, version: (existing?.version ?? 0) + 1 }, changes }];
  });
}

/**
 * Applies the stored changes of a preview.
 *
 * @throws ApiError 409 `preview_stale` with the rows whose products have changed since the preview
 */
export async function commitRows(run: FollowUp): Promise<void> {
  const stale: StaleRow[] = [];
  for await (const rows of evidenceOf(run)) {
    const written = rows.filter(({ outcome }) => WRITTEN.has(outcome));
    const writes = await writesOf(run, written, stale);
    // The run fails: the other batches are only read to list their stale rows.
    if (stale.length > 0) continue;
    run.stock.push(...(await applyWrites(run.ctx, writes)));
    await record(run, rows);
  }
  if (stale.length === 0) return;
  throw fail(feedErrors.preview_stale, {
    facts: { moved: stale.slice(0, STALE_ROWS_MAX), moved_count: stale.length },
  });
}
