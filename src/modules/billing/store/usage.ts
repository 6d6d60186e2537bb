import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** What is used of each limit by now; a resource that nothing counts is absent. */
export type Usage = Readonly<Record<string, number>>;

/** The counters of the database, and the feed runs received since the day began: their quota has no counter. */
const USAGE =
  'select resource, used from v_platform_usage where seller_id = $1 union all ' +
  "select 'feed_runs_per_day', count(*)::int from v_products_feed_runs where seller_id = $1 and received_at >= $2";

/** @param dayStart first instant of the day that the quotas count, RFC 3339 */
export async function readUsage(db: Db, sellerId: string, dayStart: string): Promise<Usage> {
  const rows = await db.all<{ resource: string; used: number }>(sql(USAGE, [sellerId, dayStart]));
  return Object.fromEntries(rows.map(({ resource, used }) => [resource, used]));
}
