import { date, float, nullable, text } from '../../platform/db/columns.ts';
import { statement } from '../../platform/db/statement.ts';
import type { SellerCursor } from '../../platform/db/table.ts';

const ROWS_AT_ONCE = 1_000;

/** The orders placed before an instant, those of a buyer after one another; last those without a buyer. */
export const ordersByBuyer = ({ db, seller_id }: SellerCursor, before: string) =>
  db.cursor(
    statement({ buyer: nullable(text), currency: text, day: date, net_minor: float })`
      select customer_ref as buyer,
             currency,
             (placed_at at time zone 'Australia/Sydney')::date as day,
             net_minor::double precision as net_minor
        from v_orders_bought
       where seller_id = ${seller_id}
         and placed_at < ${before}
       order by customer_ref nulls last, placed_at`,
    ROWS_AT_ONCE,
  );
