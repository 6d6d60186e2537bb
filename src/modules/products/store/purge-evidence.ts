import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { deleteFiles } from '../../../platform/files/file-lifetimes.ts';

/** Runs of one step. */
const RUNS_PER_STEP = 50;
/** Rows per statement: small transactions, so that nothing waits behind a clean-up and none of them times out. */
const ROWS_PER_STEP = 20_000;

const EXPIRED =
  'select seller_id, run_id, file_id from feed_run where evidence_expires_at <= $1 order by evidence_expires_at limit $2';
const ROWS =
  'delete from feed_row where ctid = any(array(select ctid from feed_row where seller_id = $1 and run_id = $2 limit $3))';
const DONE =
  'update feed_run set evidence_expires_at = null, file_id = null where (seller_id, run_id) in (select * from unnest($1::text[], $2::text[]))';

/**
 * Deletes row results and uploads whose time is over.
 *
 * @param at instant on the service's clock, RFC 3339
 * @returns how many runs were cleaned
 */
export async function purgeEvidence(db: Db, at: string): Promise<number> {
  for (let cleaned = 0; ; ) {
    const runs = await db.all<{ seller_id: string; run_id: string; file_id: string | null }>(
      sql(EXPIRED, [at, RUNS_PER_STEP]),
    );
    if (runs.length === 0) return cleaned;
    const sellers = runs.map(({ seller_id }) => seller_id);
    const ids = runs.map(({ run_id }) => run_id);
    for (const { seller_id, run_id } of runs)
      while ((await db.run(sql(ROWS, [seller_id, run_id, ROWS_PER_STEP]))) === ROWS_PER_STEP);
    await deleteFiles(db, runs);
    await db.run(sql(DONE, [sellers, ids]));
    cleaned += runs.length;
  }
}
