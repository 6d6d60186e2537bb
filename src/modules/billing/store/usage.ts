import type { Db } from '../../../kernel/context.ts';
import { integer, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/** How much of each limit the seller uses. A resource without a counter is absent. */
type Usage = Readonly<Record<string, number>>;

/**
 * The counters, and the number of feed runs since the day began, because that quota has no counter.
 *
 * @param dayStart the first instant of the day for which the quota counts, RFC 3339
 */
export async function readUsage(db: Db, sellerId: string, dayStart: string): Promise<Usage> {
  const rows = await db.all(statement({ resource: text, used: integer })`
    select resource, used
      from v_platform_usage
     where seller_id = ${sellerId}
     union all
    select 'feed_runs_per_day', count(*)::int
      from v_products_feed_runs
     where seller_id = ${sellerId}
       and received_at >= ${dayStart}
       and uses_quota`);
  return Object.fromEntries(rows.map(({ resource, used }) => [resource, used]));
}
