/** Parts of a transaction that can be undone while the rest stands. */
import type { Db } from '../../kernel/context.ts';
import { sql } from './sql.ts';

/** Inside a transaction these nest: the innermost of the name is meant. */
const SAVE = sql('savepoint part');
/** After this a transaction in which something has failed goes on (scope.ts). */
export const UNDO = sql('rollback to savepoint part');
const KEEP = sql('release savepoint part');

/** Runs something and undoes all that it wrote, whether it succeeds or throws. */
export async function rehearse<T>(db: Db, fn: () => Promise<T>): Promise<T> {
  await db.run(SAVE);
  try {
    return await fn();
  } finally {
    await db.run(UNDO);
    await db.run(KEEP);
  }
}

/** Runs something that leaves the transaction usable, and unchanged, when it throws. */
export async function attempt<T>(db: Db, fn: () => Promise<T>): Promise<T> {
  await db.run(SAVE);
  try {
    return await fn();
  } catch (error) {
    await db.run(UNDO);
    throw error;
  } finally {
    await db.run(KEEP);
  }
}
