import type { Db } from '../../../kernel/context.ts';
import { instant, text } from '../../../platform/db/columns.ts';
import { allOf, part, statement } from '../../../platform/db/statement.ts';

/** Orders in one read. */
export const SHORT_ORDERS_MAX = 1_000;

/**
 * Orders that miss units of which stock is available, the oldest first. Unknown stock counts as available.
 *
 * `offset 0` makes the planner look up stock and order of each line; a join might compare all orders of the
 * seller with all of its short lines.
 *
 * @param sellerId undefined: all sellers
 */
export const shortOrders = (
  db: Db,
  sellerId?: string,
): Promise<{ readonly seller_id: string; readonly order_id: string }[]> =>
  db.all(statement({ seller_id: text, order_id: text, recorded_at: instant })`
    select distinct o.seller_id, o.order_id, o.recorded_at
      from v_orders_short l
     cross join lateral (
           select from v_products_stock i
            where i.seller_id = l.seller_id and i.product_id = l.product_id
              and (i.quantity_on_hand is null or i.quantity_on_hand > i.quantity_reserved)
           offset 0) i
     cross join lateral (
           select s.seller_id, s.order_id, s.recorded_at
             from sales_order s
            where s.seller_id = l.seller_id and s.order_id = l.order_id
           offset 0) o
     where ${allOf(sellerId !== undefined && part`l.seller_id = ${sellerId}`)}
     order by o.recorded_at, o.order_id
     limit ${SHORT_ORDERS_MAX}`);
