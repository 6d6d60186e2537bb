/** Parts of a transaction that can be rolled back by themselves. */
import type { Db } from '../../kernel/context.ts';
import { command } from './statement.ts';

/** Savepoints with the same name can be nested, because PostgreSQL uses the innermost one. */
const SAVEPOINT = command`savepoint part`;
/** After this statement a failed transaction can continue (scope.ts). */
export const ROLL_BACK_TO_SAVEPOINT = command`rollback to savepoint part`;
const RELEASE_SAVEPOINT = command`release savepoint part`;

/** Runs `fn` and rolls back all that it wrote, whether it succeeds or throws. */
export async function rehearse<T>(db: Db, fn: () => Promise<T>): Promise<T> {
  await db.run(SAVEPOINT);
  try {
    return await fn();
  } finally {
    await db.run(ROLL_BACK_TO_SAVEPOINT);
    await db.run(RELEASE_SAVEPOINT);
  }
}

/** Runs `fn`. If it throws, its writes are rolled back and the transaction can continue. */
export async function attempt<T>(db: Db, fn: () => Promise<T>): Promise<T> {
  await db.run(SAVEPOINT);
  try {
    const result = await fn();
    await db.run(RELEASE_SAVEPOINT);
    return result;
  } catch (error) {
    await db.run(ROLL_BACK_TO_SAVEPOINT);
    await db.run(RELEASE_SAVEPOINT);
    throw error;
  }
}
