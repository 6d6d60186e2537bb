import type { Db } from '../../../kernel/context.ts';
import { text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/** Orders in one read. */
export const NAMELESS_MAX = 500;

/** Orders of the release before, which names no buyer by an id, in the order of their index. */
export const ordersWithoutBuyer = (
  db: Db,
): Promise<{ readonly seller_id: string; readonly order_id: string }[]> =>
  db.all(statement({ seller_id: text, order_id: text })`
    select seller_id, order_id
      from sales_order
     where buyer_id is null
       and erased_at is null
       and (customer_ref is not null or buyer_alias is not null)
     order by seller_id, customer_ref, order_id
     limit ${NAMELESS_MAX}`);
