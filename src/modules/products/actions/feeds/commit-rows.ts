import { fail } from '../../../../kernel/errors.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { applyChanges } from '../../domain/plan/changes.ts';
import { feedErrors } from '../feed-errors.ts';
import { applyWrites, type RowWrite } from './apply-batch.ts';
import {
  evidenceOf,
  type FollowingRun,
  hasState,
  lockProductsOf,
  record,
  takenKeys,
  WRITTEN,
} from './follow.ts';

const STALE_SHOWN = 100;

interface StaleRow {
  readonly row_number: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
}

/** The writes of a batch of the preview; rows whose product has changed are added to `stale`. */
async function writesOf(
  { ctx, runId, first }: FollowingRun,
  rows: readonly Evidence[],
  stale: StaleRow[],
): Promise<RowWrite[]> {
  const source_origin = first.kind === 'profile_import' ? 'profile_import' : 'feed';
  const products = await lockProductsOf(ctx.db, rows);
  const planned = rows.map((row) => {
    const existing = products.get(row.product_id ?? '') ?? null;
    const next = hasState(existing ?? undefined, row, 'before')
      ? applyChanges(existing, row.changes, 'apply')
      : null;
    return { row, existing, next };
  });
  const applicable = planned.flatMap(({ existing, next }) => (next === null ? [] : [{ existing, next }]));
  const taken = await takenKeys(ctx.db, applicable);
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
 * Applies exactly the changes of a preview.
 *
 * @throws ApiError 409 `preview_stale` with the rows whose products have changed since; nothing is then applied
 */
export async function commitRows(run: FollowingRun): Promise<void> {
  const stale: StaleRow[] = [];
  for await (const rows of evidenceOf(run)) {
    const written = rows.filter(({ outcome }) => WRITTEN.has(outcome));
    const writes = await writesOf(run, written, stale);
    // The other rows are only read to list the stale ones.
    if (stale.length > 0) continue;
    run.stock.push(...(await applyWrites(run.ctx, writes)));
    await record(run, rows);
  }
  if (stale.length === 0) return;
  throw fail(feedErrors.preview_stale, {
    facts: { moved: stale.slice(0, STALE_SHOWN), moved_count: stale.length },
  });
}
