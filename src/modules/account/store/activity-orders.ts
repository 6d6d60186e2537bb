/** Sales and fees of each order and day. They sum to the figures of the days (store/figures.ts). */

import type { Period } from '../../../kernel/australia/settlement-period.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { date, integer, money, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import type { Account } from './figures.ts';

const orderDay = {
  posted_on: date,
  /** Null for fees that belong to no order. */
  order_id: nullable(text),
  order_number: nullable(text),
  sales: money,
  fees: money,
};
export type OrderDay = RowOf<typeof orderDay>;

const BATCH_ROWS = 1_000;
const entriesOf = ({ seller_id, currency }: Account, { start, end }: Period) => part`
  from v_ledger_entry
 where seller_id = ${seller_id}
   and currency = ${currency}
   and posted_on between ${start}::date and ${end}::date
   and bucket in ('gross', 'fees')
 group by posted_on, order_id`;

export async function countOrderDays(of: Account, days: Period): Promise<number> {
  const row = await of.db.one(statement({ rows: integer })`
    select count(*)::int as rows
      from (select ${entriesOf(of, days)}) as g`);
  return row?.rows ?? 0;
}

/** Sales and fees of each order and day, in batches. */
export const orderDays = (
  of: Account & { readonly db: CursorDb },
  days: Period,
): AsyncGenerator<OrderDay[]> =>
  of.db.cursor(
    statement(orderDay)`
      select g.*, n.order_number
        from (select posted_on, order_id,
                     coalesce(-sum(amount_minor) filter (where bucket = 'gross'), 0)::bigint as sales,
                     coalesce(sum(amount_minor) filter (where bucket = 'fees'), 0)::bigint as fees
                ${entriesOf(of, days)}) as g
        left join v_orders_sold n
          on n.seller_id = ${of.seller_id}
         and n.order_id = g.order_id
       order by g.posted_on, g.order_id`,
    BATCH_ROWS,
  );
