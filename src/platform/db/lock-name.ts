import type { Db } from '../../kernel/context.ts';
import { command } from './statement.ts';

/**
 * Transactions that lock the same name run one after another. The lock ends with the transaction.
 *
 * @param name begins with the kind of thing, so that two kinds share no lock
 */
export async function lockName(db: Db, name: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
