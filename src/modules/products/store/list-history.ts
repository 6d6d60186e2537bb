import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Change } from '../domain/plan/changes.ts';
import { type StoredChange, unpackChanges } from './stored-changes.ts';

/** One change of a product, made by a request, the marketplace or a row of a feed. */
export interface HistoryEntry {
  readonly at: string;
  /** Orders the changes of one instant. */
  readonly key: string;
  readonly version: number | null;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly action: string;
  readonly request_id: string | null;
  readonly run_id: string | null;
  readonly row: number | null;
  readonly changes: readonly Change[];
}

/** Digits of a padded number, so that texts compare as numbers do. */
const PAD = 20;

/** Rows of previews and of runs that failed changed nothing. */
const HISTORY =
  'select * from (' +
  `select c.changed_at as at, 'c' || lpad(c.entry::text, ${PAD}, '0') collate "C" as key, c.version, c.actor_kind, c.actor_id, ` +
  'c.action, c.request_id, null::text as run_id, null::int as row, c.changes from product_change c where c.product_id = $1 ' +
  'union all ' +
  `select r.finished_at, 'b' || r.run_id || lpad(f.row_number::text, ${PAD}, '0'), f.product_version + 1, 'feed', r.created_by, ` +
  'f.outcome, r.request_id, r.run_id, f.row_number, f.changes from feed_row f join feed_run r using (seller_id, run_id) ' +
  "where f.product_id = $1 and f.changes is not null and not r.dry_run and r.status in ('succeeded', 'succeeded_with_errors') " +
  ') h where $2::timestamptz is null or (at, key) < ($2::timestamptz, $3) order by at desc, key desc limit $4';

/** The changes of a product and one beyond the page, the last first. */
export async function listHistory(
  db: Db,
  productId: string,
  after: readonly [at: string, key: string] | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  const rows = await db.all<Omit<HistoryEntry, 'changes'> & { readonly changes: StoredChange[] }>(
    sql(HISTORY, [productId, after?.[0] ?? null, after?.[1] ?? null, limit + 1]),
  );
  return rows.map((row) => ({ ...row, changes: unpackChanges(row.changes) }));
}
