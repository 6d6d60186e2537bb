import { fail } from '../../../../kernel/errors.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { originOf } from '../../domain/feed-run/run.ts';
import { linksChanged } from '../../store/changed-links.ts';
import { feedErrors } from '../feed-errors.ts';
import { applyWrites, type RowWrite } from './apply-batch.ts';
import { evidenceOf, type FollowUp, moveFrom, record, takenKeys, WRITTEN } from './follow-up.ts';

/** Rows in the body of a `preview_stale` error. */
const STALE_ROWS_MAX = 100;

interface StaleRow {
  readonly row_number: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
}

interface Committed {
  readonly writes: readonly RowWrite[];
  readonly evidence: readonly Evidence[];
}

/** The writes and the evidence for a batch of the preview. Adds the rows whose product has changed to `stale`. */
async function commitsOf(
  { ctx, runId, original }: FollowUp,
  rows: readonly Evidence[],
  stale: StaleRow[],
): Promise<Committed> {
  const source_origin = originOf(original.kind);
  const written = rows.filter(({ outcome }) => WRITTEN.has(outcome));
  const moved = await moveFrom('before', ctx, written);
  const taken = await takenKeys(
    ctx,
    [...moved.values()].flatMap(({ existing, next }) => (next === null ? [] : [{ existing, next }])),
  );
  const writes = written.flatMap(({ row_number, seller_sku, product_id }) => {
    const { existing = null, next = null, row } = moved.get(row_number) ?? {};
    if (next === null || row === undefined || taken.has(next.product_id)) {
      stale.push({ row_number, seller_sku, product_id });
      return [];
    }
    const source = { source_run_id: runId, source_row: row_number, source_origin };
    const version = (existing?.version ?? 0) + 1;
    return [{ existing, next: { ...next, ...source, version }, changes: row.changes }];
  });
  return { writes, evidence: rows.map((row) => moved.get(row.row_number)?.row ?? row) };
}

/**
 * Applies the stored changes of a preview.
 *
 * @throws ApiError 409 `preview_stale` with the rows whose products have changed since the preview; without rows if a
 *   member has linked variants of the store otherwise
 */
export async function commitRows(run: FollowUp): Promise<void> {
  // The file names the product of each variant.
  if (await linksChanged(run.ctx, run.original))
    throw fail(feedErrors.preview_stale, { facts: { moved: [], moved_count: 0, links_changed: true } });
  const stale: StaleRow[] = [];
  for await (const rows of evidenceOf(run)) {
    const { writes, evidence } = await commitsOf(run, rows, stale);
    // The run fails: the other batches are only read to list their stale rows.
    if (stale.length > 0) continue;
    run.stock.push(...(await applyWrites(run.ctx, writes)));
    await record(run, evidence);
  }
  if (stale.length === 0) return;
  throw fail(feedErrors.preview_stale, {
    facts: { moved: stale.slice(0, STALE_ROWS_MAX), moved_count: stale.length },
  });
}
