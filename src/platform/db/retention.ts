/** Deletes what has had its time, in bites that hold no lock for long. */
import type { WithSystem } from './scope.ts';
import { sql } from './sql.ts';

/** Rows per statement: some milliseconds. */
const BITE = 5_000;

/** Tables whose rows have their time, and the indexed column that says when. */
const AGES = {
  idempotency_key: 'expires_at',
  auth_session: 'expires_at',
  rate_window: 'expires_at',
  notification: 'expires_at',
  shipping_quote: 'expires_at',
  // What has no number yet was never shown to anybody.
  outbox: 'sequence is not null and created_at',
} as const;
export type ExpiringTable = keyof typeof AGES;

/** What goes with rows of a table: those of another that name them by these columns. */
const WITH_THEM: Partial<Record<ExpiringTable, { readonly table: string; readonly by: string }>> = {
  outbox: { table: 'event_object', by: 'seller_id, object_id, sequence' },
};

function forget(table: ExpiringTable): string {
  const bite = `delete from ${table} where ctid = any(array(select ctid from ${table} where ${AGES[table]} < $1 limit ${BITE}))`;
  const more = WITH_THEM[table];
  if (more === undefined) return bite;
  const theirs = `delete from ${more.table} where (${more.by}) in (select ${more.by} from gone)`;
  return `with gone as (${bite} returning ${more.by}), theirs as (${theirs}) select from gone`;
}

/**
 * Deletes the rows of a table whose instant is before another.
 *
 * @param before milliseconds since the epoch, on the clock that the table follows
 * @returns how many
 */
export async function deleteExpired(
  withSystem: WithSystem,
  table: ExpiringTable,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const statement = sql(forget(table), [new Date(before).toISOString()]);
  let total = 0;
  while (!signal.aborted) {
    const deleted = await withSystem('retention', 'read', (db) => db.run(statement));
    total += deleted;
    if (deleted < BITE) break;
  }
  return total;
}
