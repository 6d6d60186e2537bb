/** Sales and fees of each order and day; their sums equal those of the days (store/figures.ts). */

import type { CursorDb } from '../../../kernel/context.ts';
import { date, integer, money, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';

const orderDay = {
  posted_on: date,
  /** Null for fees that belong to no order. */
  order_id: nullable(text),
  sales: money,
  fees: money,
};
export type OrderDay = RowOf<typeof orderDay>;

export interface ActivityWindow {
  readonly sellerId: string;
  readonly currency: string;
  /** Inclusive Sydney dates. */
  readonly start: string;
  readonly end: string;
}

const BATCH_ROWS = 1_000;
const entriesOf = ({ sellerId, currency, start, end }: ActivityWindow) => part`
  from v_ledger_entry
 where seller_id = ${sellerId}
   and currency = ${currency}
   and posted_on between ${start}::date and ${end}::date
   and bucket in ('gross', 'fees')
 group by posted_on, order_id`;

export async function countOrderDays(db: CursorDb, window: ActivityWindow): Promise<number> {
  const row = await db.one(statement({ rows: integer })`
    select count(*)::int as rows
      from (select ${entriesOf(window)}) as g`);
  return row?.rows ?? 0;
}

/** Sales and fees of each order and day, in batches. */
export const orderDays = (db: CursorDb, window: ActivityWindow): AsyncGenerator<OrderDay[]> =>
  db.cursor(
    statement(orderDay)`
      select posted_on, order_id,
             coalesce(-sum(amount_minor) filter (where bucket = 'gross'), 0)::bigint as sales,
             coalesce(sum(amount_minor) filter (where bucket = 'fees'), 0)::bigint as fees
        ${entriesOf(window)}
       order by posted_on, order_id`,
    BATCH_ROWS,
  );
