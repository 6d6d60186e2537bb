import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Runs of one step: small transactions, so that nothing waits behind a clean-up. */
const RUNS_PER_STEP = 50;

const EXPIRED =
  'select seller_id, run_id, file_id from feed_run where evidence_expires_at <= $1 order by evidence_expires_at limit $2';
const ROWS =
  'delete from feed_row where (seller_id, run_id) in (select * from unnest($1::text[], $2::text[]))';
const FILES = 'delete from file where (seller_id, file_id) in (select * from unnest($1::text[], $2::text[]))';
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
    await db.run(sql(ROWS, [sellers, ids]));
    await db.run(sql(FILES, [sellers, runs.map(({ file_id }) => file_id)]));
    await db.run(sql(DONE, [sellers, ids]));
    cleaned += runs.length;
  }
}
