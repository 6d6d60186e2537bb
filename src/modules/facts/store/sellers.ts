import type { Db } from '../../../kernel/context.ts';
import { text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/**
 * Sellers with an order since an instant, or with facts or a kept payload already.
 *
 * @param after the last seller of the page before
 */
export async function sellersToRoll(db: Db, after: string, since: string, limit: number): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select s.seller_id
      from v_sellers_standing s
     where s.seller_id > ${after}
       and s.status <> 'closed'
       and (exists (select from v_orders_changed o
                     where o.seller_id = s.seller_id
                       and o.recorded_at >= ${since}::timestamptz)
            or exists (select from fact_progress p
                        where p.seller_id = s.seller_id
                          and p.through_on is not null)
            or exists (select from insight_snapshot k
                        where k.seller_id = s.seller_id))
     order by s.seller_id
     limit ${limit}`);
  return rows.map(({ seller_id }) => seller_id);
}
