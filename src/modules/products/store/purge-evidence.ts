import type { Db } from '../../../kernel/context.ts';
import { nullable, text } from '../../../platform/db/columns.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { deleteFiles } from '../../../platform/files/file-lifetimes.ts';

const RUNS_PER_STEP = 50;
/** Limits each transaction, so that other work does not wait for the deletion. */
const ROWS_PER_STEP = 20_000;

/**
 * Deletes row results and uploads that have expired.
 *
 * @param at instant on the service's clock, RFC 3339
 * @returns the number of runs whose evidence was deleted
 */
export async function purgeEvidence(db: Db, at: string): Promise<number> {
  for (let cleaned = 0; ; ) {
    const runs = await db.all(statement({ seller_id: text, run_id: text, file_id: nullable(text) })`
      select seller_id, run_id, file_id
        from feed_run
       where evidence_expires_at <= ${at}
       order by evidence_expires_at
       limit ${RUNS_PER_STEP}`);
    if (runs.length === 0) return cleaned;
    const sellers = runs.map(({ seller_id }) => seller_id);
    const pairs = (ids: readonly (string | null)[]) =>
      part`select * from unnest(${sellers}::text[], ${ids}::text[])`;
    for (const { seller_id, run_id } of runs) while (await deleteRows(db, seller_id, run_id));
    await deleteFiles(db, runs);
    await db.run(command`
      update feed_run
         set evidence_expires_at = null, file_id = null
       where (seller_id, run_id) in (${pairs(runs.map(({ run_id }) => run_id))})`);
    cleaned += runs.length;
  }
}

/** @returns false when no row is left */
async function deleteRows(db: Db, sellerId: string, runId: string): Promise<boolean> {
  const deleted = await db.run(command`
    delete from feed_row
     where ctid = any(array(
             select ctid
               from feed_row
              where seller_id = ${sellerId}
                and run_id = ${runId}
              limit ${ROWS_PER_STEP}))`);
  return deleted === ROWS_PER_STEP;
}
