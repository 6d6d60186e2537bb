/** Who changed what, other than by feeds. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Change } from '../domain/plan/changes.ts';
import { packChanges } from './stored-changes.ts';

export interface ChangeRecord {
  readonly product_id: string;
  readonly version: number;
  /** What was done, in one word: `created`, `updated`, `archived`, `stock_set`, … */
  readonly action: string;
  readonly changes: readonly Change[];
}

/** Who did it; the marketplace and the system have no member. */
export interface Actor {
  readonly kind: 'member' | 'marketplace' | 'system';
  readonly id: string | null;
  readonly request_id: string | null;
}

const INSERT =
  'insert into product_change (seller_id, product_id, version, actor_kind, actor_id, action, request_id, changes, changed_at) ' +
  'select $1, u.product_id, u.version, $2, $3, u.action, $4, u.changes::json, $5::timestamptz ' +
  'from unnest($6::text[], $7::int[], $8::text[], $9::text[]) as u (product_id, version, action, changes)';

/** Records changes in the transaction that makes them. */
export async function insertChanges(
  db: Db,
  sellerId: string,
  actor: Actor,
  at: string,
  records: readonly ChangeRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await db.run(
    sql(INSERT, [
      sellerId,
      actor.kind,
      actor.id,
      actor.request_id,
      at,
      records.map((record) => record.product_id),
      records.map((record) => record.version),
      records.map((record) => record.action),
      records.map((record) => JSON.stringify(packChanges(record.changes))),
    ]),
  );
}
