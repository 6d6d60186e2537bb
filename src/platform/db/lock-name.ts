import type { Db } from '../../kernel/context.ts';
import { boolean } from './columns.ts';
import { command, statement } from './statement.ts';

/**
 * Transactions that lock the same name run one after another. The lock ends with the transaction.
 *
 * @param name begins with the kind of thing, so that two kinds share no lock
 */
export async function lockName(db: Db, name: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** The same without waiting. @returns false if another transaction holds the lock */
export async function tryLockName(db: Db, name: string): Promise<boolean> {
  const row = await db.one(statement({ locked: boolean })`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`);
  return row?.locked === true;
}
