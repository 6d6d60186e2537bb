/** The start checks that each pool can do its work, and refuses with a sentence for the operator. */
import type { Statement } from '../../kernel/context.ts';
import { sendBatch } from './batch.ts';
import { boolean } from './columns.ts';
import { connectionsOf } from './fair-connections.ts';
import type { SessionPool } from './pool.ts';
import { command, statement } from './statement.ts';
import { codeOf, isLostStatement, isReadOnly, readOnlyError } from './unavailable.ts';

/** The service cannot work on the configured database. The message is a sentence for the operator. */
class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/** Whether the server is a standby or is switched to reads. In a transaction that only reads, both can be asked too. */
export const READ_ONLY = statement({ read_only: boolean })`
  select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only`;

const WRITE: readonly Statement<unknown>[] = [command`begin`, READ_ONLY, command`commit`];

const isOfStatementMode = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('statement pooling mode');

/** Says why the service cannot work with this database or pooler; undefined for other errors. */
export function explainRefusal(error: unknown): string | undefined {
  if (isOfStatementMode(error))
    return 'The pooler in front of PostgreSQL is in statement mode, which has no transactions: use pool_mode = transaction.';
  if (isReadOnly(error))
    return (
      'The database accepts no writes: it is a standby, or default_transaction_read_only is on. Name the primary, ' +
      'or all hosts with target_session_attrs=read-write.'
    );
  return undefined;
}

/**
 * Runs a read and a write on two connections by turns. In transaction mode a pooler gives both the same session, in which
 * an older PgBouncer cannot tell the prepared statements of the one from those of the other.
 */
async function tryPool(pool: SessionPool): Promise<void> {
  const connect = connectionsOf(pool).ofSystem(false);
  const leases = await Promise.allSettled([connect(), connect()]);
  try {
    for (const lease of leases) if (lease.status === 'rejected') throw lease.reason;
    for (const statements of [[READ_ONLY], WRITE, [READ_ONLY]])
      for (const lease of leases) {
        if (lease.status === 'rejected') continue;
        const results = await sendBatch(lease.value.client, statements);
        const rows = results.flatMap((result) => result.rows as { readonly read_only: boolean }[]);
        if (rows.some(({ read_only }) => read_only)) throw readOnlyError();
      }
  } finally {
    for (const lease of leases) if (lease.status === 'fulfilled') lease.value.release();
  }
}

/**
 * Checks that a pool can do its work. If its pooler mixes up prepared statements, the pool sends them without names.
 *
 * @param setting the setting of the pool's size, for the message
 * @throws DatabaseRefused
 */
export async function checkPool(pool: SessionPool, setting: string): Promise<void> {
  try {
    await tryPool(pool).catch((error: unknown) => {
      if (!isLostStatement(error) || !pool.stopNaming()) throw error;
      return tryPool(pool);
    });
  } catch (error) {
    const sentence = explainRefusal(error) ?? `${(error as Error).message || String(codeOf(error))}.`;
    throw new DatabaseRefused(`DATABASE_URL, connections of ${setting}: ${sentence}`, { cause: error });
  }
}
