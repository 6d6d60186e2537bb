import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Orders that are read at once. */
export const SHORT_ORDERS_MAX = 1_000;

/**
 * Of a stock that is not known something can always be had. Stock and order of each line are looked up for
 * themselves (`offset 0`): joined, all orders of the seller may be held against all of its short lines.
 */
const SHORT =
  'select distinct o.seller_id, o.order_id, o.recorded_at from v_orders_short l ' +
  'cross join lateral (select from v_products_stock i where i.seller_id = l.seller_id and i.product_id = l.product_id ' +
  'and (i.quantity_on_hand is null or i.quantity_on_hand > i.quantity_reserved) offset 0) i ' +
  'cross join lateral (select s.seller_id, s.order_id, s.recorded_at from sales_order s ' +
  'where s.seller_id = l.seller_id and s.order_id = l.order_id offset 0) o';
const OLDEST_FIRST = 'order by o.recorded_at, o.order_id limit $1';

/**
 * Orders that could hold more of the stock than they do, the oldest first.
 *
 * @param sellerId undefined: of all sellers
 */
export function shortOrders(
  db: Db,
  sellerId?: string,
): Promise<{ readonly seller_id: string; readonly order_id: string }[]> {
  return db.all(
    sellerId === undefined
      ? sql(`${SHORT} ${OLDEST_FIRST}`, [SHORT_ORDERS_MAX])
      : sql(`${SHORT} where l.seller_id = $2 ${OLDEST_FIRST}`, [SHORT_ORDERS_MAX, sellerId]),
  );
}
