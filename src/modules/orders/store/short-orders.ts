import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Orders of one run; the rest has its turn in the next. */
const ORDERS_MAX = 1_000;

const SHORT =
  'select distinct o.seller_id, o.order_id, o.recorded_at from order_line l ' +
  'join inventory i on i.seller_id = l.seller_id and i.product_id = l.product_id ' +
  'join sales_order o on o.seller_id = l.seller_id and o.order_id = l.order_id ' +
  'where l.reserved < l.awaiting + l.accepted_open and l.product_id is not null ' +
  'and (i.quantity_on_hand is null or i.quantity_on_hand > i.quantity_reserved) ' +
  'order by o.recorded_at, o.order_id limit $1';

/** Orders of all sellers that could hold more of the stock than they do, the oldest first. */
export async function shortOrders(db: Db): Promise<{ seller_id: string; order_id: string }[]> {
  return db.all<{ seller_id: string; order_id: string }>(sql(SHORT, [ORDERS_MAX]));
}
