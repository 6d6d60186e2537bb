import { instant, integer, json, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Change } from '../domain/plan/changes.ts';
import { type StoredChange, unpackChanges } from './stored-changes.ts';

const ENTRY = {
  at: instant,
  /** Orders changes with the same time. */
  key: text,
  version: nullable(integer),
  actor_kind: textOf<'feed' | 'marketplace' | 'member' | 'channel' | 'system'>(),
  actor_id: nullable(text),
  action: text,
  request_id: nullable(text),
  delivery_id: nullable(text),
  run_id: nullable(text),
  row: nullable(integer),
  changes: json<readonly StoredChange[]>('json'),
};

/** A change of a product by a request, the marketplace or a row of a feed. */
interface HistoryEntry extends Omit<RowOf<typeof ENTRY>, 'changes'> {
  readonly changes: readonly Change[];
}

/** Numbers are padded to this length, so that their texts sort as the numbers do. */
const PAD = raw('20');

/** Lists the changes of a product, last change first, with one row beyond the page. Previews and failed runs changed nothing. */
export async function listHistory(
  { db, seller_id }: SellerDb,
  productId: string,
  after: readonly [at: string, key: string] | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  const rows = await db.all(statement(ENTRY)`
    select *
      from (select c.changed_at as at, 'c' || lpad(c.entry::text, ${PAD}, '0') collate "C" as key,
                   c.version, c.actor_kind, c.actor_id, c.action, c.request_id,
                   c.delivery_id, null::text as run_id, null::int as row, c.changes
              from product_change c
             where c.seller_id = ${seller_id}
               and c.product_id = ${productId}
             union all
            select r.finished_at, 'b' || r.run_id || lpad(f.row_number::text, ${PAD}, '0'),
                   f.product_version + 1, 'feed', r.created_by, f.outcome, r.request_id,
                   null, r.run_id, f.row_number, f.changes
              from feed_row f
              join feed_run r on r.seller_id = ${seller_id} and r.run_id = f.run_id
             where f.seller_id = ${seller_id}
               and f.product_id = ${productId}
               and f.changes is not null
               and not r.dry_run
               and r.status in ('succeeded', 'succeeded_with_errors')) h
     where ${allOf(after && part`(at, key) < (${after[0]}::timestamptz, ${after[1]})`)}
     order by at desc, key desc
     limit ${limit + 1}`);
  return rows.map((row) => ({ ...row, changes: unpackChanges(row.changes) }));
}
