import type { Db } from '../../../kernel/context.ts';
import { BY_INDEX } from '../../../platform/db/by-index.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Takes a run until the transaction ends; false when another process has it. */
export async function tryHoldRun(db: Db, runId: string): Promise<boolean> {
  const lock = await db.one<{ free: boolean }>(
    sql('select pg_try_advisory_xact_lock(hashtextextended($1, 1)) as free', [`feed:${runId}`]),
  );
  return lock?.free === true;
}

/** Waits until no other run of the seller is being received, and keeps it so: the runs of a day are counted. */
export async function holdIntake(db: Db, sellerId: string): Promise<void> {
  await db.run(sql('select pg_advisory_xact_lock(hashtextextended($1, 3))', [`intake:${sellerId}`]));
}

/** Waits until no other run of the seller writes, and keeps it so until the transaction ends. */
export async function holdFeeds(db: Db, sellerId: string): Promise<void> {
  await db.run(sql('select pg_advisory_xact_lock(hashtextextended($1, 2))', [`feeds:${sellerId}`]));
}

/** For the rest of the transaction; see {@link BY_INDEX}. */
export async function lookUpByIndex(db: Db): Promise<void> {
  await db.run(sql(`select ${BY_INDEX}`));
}
