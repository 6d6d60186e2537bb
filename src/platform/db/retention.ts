/** Deletes what has had its time, in bites that hold no lock for long. */
import type { WithSystem } from './scope.ts';
import { sql } from './sql.ts';

/** Rows per statement: some milliseconds. */
const BITE = 5_000;

/** Tables whose rows say themselves when their time is over. */
export const EXPIRING_TABLES = ['idempotency_key', 'auth_session', 'rate_window'] as const;
export type ExpiringTable = (typeof EXPIRING_TABLES)[number];

/**
 * Deletes the rows of a table that expired before an instant.
 *
 * @param before milliseconds since the epoch, on the clock that the table's `expires_at` follows
 * @returns how many
 */
export async function deleteExpired(
  withSystem: WithSystem,
  table: ExpiringTable,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const statement = sql(
    `delete from ${table} where ctid = any(array(select ctid from ${table} where expires_at < $1 limit ${BITE}))`,
    [new Date(before).toISOString()],
  );
  let total = 0;
  while (!signal.aborted) {
    const deleted = await withSystem('retention', 'read', (db) => db.run(statement));
    total += deleted;
    if (deleted < BITE) break;
  }
  return total;
}
