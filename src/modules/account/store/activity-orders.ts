/** What was recorded of orders day by day; sums equal those of the days (store/ledger-days.ts). */
import type { CursorDb } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface OrderDay {
  readonly posted_on: string;
  /** Null of fees that belong to no order. */
  readonly order_id: string | null;
  readonly sales: bigint;
  readonly fees: bigint;
}

const FROM =
  'from v_ledger_entry where seller_id = $1 and currency = $2 and posted_on between $3::date and $4::date ' +
  "and bucket in ('gross', 'fees') group by posted_on, order_id";
const COUNT = `select count(*)::int as rows from (select ${FROM}) as g`;
const ROWS =
  "select posted_on, order_id, coalesce(-sum(amount_minor) filter (where bucket = 'gross'), 0)::bigint as sales, " +
  `coalesce(sum(amount_minor) filter (where bucket = 'fees'), 0)::bigint as fees ${FROM} order by posted_on, order_id`;
const BATCH_ROWS = 1_000;

export interface ActivityWindow {
  readonly sellerId: string;
  readonly currency: string;
  /** Inclusive Sydney dates. */
  readonly start: string;
  readonly end: string;
}

const valuesOf = ({ sellerId, currency, start, end }: ActivityWindow) => [sellerId, currency, start, end];

export async function countOrderDays(db: CursorDb, window: ActivityWindow): Promise<number> {
  return (await db.one<{ rows: number }>(sql(COUNT, valuesOf(window))))?.rows ?? 0;
}

/** Sales and fees of each order and day, in batches. */
export function orderDays(db: CursorDb, window: ActivityWindow): AsyncGenerator<OrderDay[]> {
  return db.cursor(sql<OrderDay>(ROWS, valuesOf(window)), BATCH_ROWS);
}
