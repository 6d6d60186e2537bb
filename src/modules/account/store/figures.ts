/**
 * Figures from the sums of the ledger by month and day: their cost does not grow with the number of entries. Every
 * statement names the seller.
 */
import type { Db } from '../../../kernel/context.ts';
import { boolean, date, integer, money, nullable, type RowOf } from '../../../platform/db/columns.ts';
import { join, part, raw, statement } from '../../../platform/db/statement.ts';
import { type Bucket, bucketOf, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import type { AsOf } from '../domain/as-of.ts';

const activity = {
  /** Value of what was delivered, at least zero. */
  sales: money,
  /** Orders, each on the day of its first delivery. */
  orders: integer,
  /** Charged less credited: above zero is the seller's cost. */
  fees: money,
  /** From the seller's side. */
  adjustments: money,
  refunds: money,
  chargebacks: money,
  /** Lines of payment processing. */
  processed: integer,
};
export type Activity = RowOf<typeof activity>;

const account = {
  ...activity,
  in_hold: money,
  available: money,
  /** What would be available on another day if nothing more were recorded. */
  available_by: money,
  reserved: money,
  settled: money,
  in_transit: money,
  /** Payouts that arrived; those that were returned, below zero. */
  paid: money,
  returned: money,
  /** Entries of the ledger that these figures include. */
  entries: integer,
};
export type AccountFigures = RowOf<typeof account>;

const TYPES = Object.keys(ENTRY_TYPES) as EntryType[];
const ofBucket = (bucket: Bucket): string => {
  const types = TYPES.filter((type) => bucketOf(type) === bucket).map((type) => `'${type}'`);
  return `type in (${types.join(', ')})`;
};
/** From the seller's side: a gain is above zero. */
const gain = (name: string, where: string) =>
  raw(`coalesce(-sum(amount_minor) filter (where ${where}), 0)::bigint as ${name}`);
const cost = (name: string, where: string) =>
  raw(`coalesce(sum(amount_minor) filter (where ${where}), 0)::bigint as ${name}`);

const ACTIVITY = join(
  [
    gain('sales', ofBucket('gross')),
    raw('coalesce(sum(first_sales), 0)::int as orders'),
    cost('fees', ofBucket('fees')),
    gain('adjustments', ofBucket('adjustments')),
    gain('refunds', "type in ('refund', 'refund_reversal')"),
    gain('chargebacks', "type in ('chargeback', 'chargeback_reversal')"),
    raw("coalesce(sum(entries) filter (where type = 'payment_processing'), 0)::int as processed"),
  ],
  ',\n         ',
);

const PAYABLE = "coalesce(-sum(amount_minor) filter (where account = 'seller_payable'), 0)";
const BALANCES = join(
  [
    raw('(select -today from held)::bigint as in_hold'),
    raw(`(${PAYABLE} + (select today from held))::bigint as available`),
    raw(`(${PAYABLE} + (select later from held))::bigint as available_by`),
    gain('reserved', "account = 'seller_reserve'"),
    gain('settled', "account = 'seller_settled'"),
    gain('in_transit', "account = 'seller_in_transit'"),
    cost('paid', "account = 'seller_in_transit' and kind = 'payout_paid'"),
    cost('returned', "account = 'seller_settled' and kind = 'payout_returned'"),
    raw('coalesce(sum(entries), 0)::int as entries'),
  ],
  ',\n         ',
);

/** When an entry began to count: a late one at its recording, one that claims a later instant as well. */
const COUNTED_AT = raw('case when e.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end');

function requireRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a sum has no row');
  return row;
}

/**
 * The seller's account at an instant: the sums of whole months, of the whole days of the month of `wholeBefore`, and
 * the entries of that day until the instant.
 *
 * @param by the day of `available_by`, `YYYY-MM-DD`; absent, that of the instant
 */
export async function figuresAt(
  db: Db,
  sellerId: string,
  currency: string,
  { at, day, wholeBefore }: AsOf,
  by = day,
): Promise<AccountFigures> {
  const own = part`seller_id = ${sellerId} and currency = ${currency}`;
  const month = part`date_trunc('month', ${wholeBefore}::date)::date`;
  return requireRow(
    await db.one(statement(account)`
      with part as materialized (
        select e.account, j.kind, coalesce(e.type, '') as type, e.available_on, e.amount_minor, 1 as entries,
               (e.type = 'sale'
                and not exists (select
                                  from v_ledger_entry x
                                 where x.seller_id = e.seller_id and x.order_id = e.order_id
                                   and x.position < e.position and x.type = 'sale'))::int as first_sales
          from v_ledger_journal j
          join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
         where j.seller_id = ${sellerId}
           and j.posted_on = ${wholeBefore}::date
           and e.currency = ${currency}
           and ${COUNTED_AT} <= ${at}::timestamptz),
      sums as (
        select account, kind, type, sum(amount_minor) as amount_minor, sum(entries) as entries,
               sum(first_sales) as first_sales
          from (select account, kind, type, amount_minor, entries, first_sales
                  from v_ledger_month
                 where ${own} and month < ${month}
                 union all
                select account, kind, type, amount_minor, entries, first_sales
                  from v_ledger_day
                 where ${own} and posted_on >= ${month} and posted_on < ${wholeBefore}::date
                 union all
                select account, kind, type, amount_minor, entries, first_sales
                  from part) s
         group by account, kind, type),
      held as (
        select coalesce(sum(amount_minor) filter (where available_on > ${day}::date), 0) as today,
               coalesce(sum(amount_minor) filter (where available_on > ${by}::date), 0) as later
          from (select amount_minor, available_on
                  from v_ledger_day
                 where ${own} and type <> '' and available_on > least(${day}::date, ${by}::date)
                       -- Nearly every day lies before: as a bound of the index by day it would read nearly all days.
                   and posted_on + 0 < ${wholeBefore}::date
                 union all
                select amount_minor, available_on
                  from part) h)
      select ${ACTIVITY}, ${BALANCES}
        from sums`),
  );
}

/** What counts on the days of a window, both included. */
export async function activityOf(
  db: Db,
  sellerId: string,
  currency: string,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<Activity> {
  return requireRow(
    await db.one(statement(activity)`
      select ${ACTIVITY}
        from v_ledger_day
       where seller_id = ${sellerId}
         and currency = ${currency}
         and posted_on between ${start}::date and ${end}::date`),
  );
}

/** Last day of the periods that ended before a day, and the day of the first line. */
export async function settledThrough(
  db: Db,
  sellerId: string,
  currency: string,
  before: string,
): Promise<{ readonly closed_through: string | null; readonly first_on: string | null }> {
  return requireRow(
    await db.one(statement({ closed_through: nullable(date), first_on: nullable(date) })`
      select (select max(period_end)
                from v_settlements_settlement
               where seller_id = ${sellerId} and currency = ${currency}
                 and period_end < ${before}::date) as closed_through,
             (select min(posted_on)
                from v_ledger_day
               where seller_id = ${sellerId} and currency = ${currency} and type <> ''
                 and posted_on < ${before}::date) as first_on`),
  );
}

/** Whether any line of the day of an instant counted at that instant. */
export async function hasLineOnItsDay(
  db: Db,
  sellerId: string,
  currency: string,
  { day, at }: AsOf,
): Promise<boolean> {
  const row = await db.one(statement({ found: boolean })`
    select exists (
           select
             from v_ledger_journal j
             join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
            where j.seller_id = ${sellerId}
              and j.posted_on = ${day}::date
              and e.currency = ${currency}
              and e.bucket is not null
              and ${COUNTED_AT} <= ${at}::timestamptz) as found`);
  return row?.found ?? false;
}

/** Lines that happened between two instants but count only after a day. */
export async function countLate(
  db: Db,
  sellerId: string,
  currency: string,
  span: { readonly end: string; readonly start_at: string; readonly end_at: string },
): Promise<number> {
  const row = await db.one(statement({ late: integer })`
    select count(*)::int as late
      from v_ledger_entry e
      join v_ledger_journal j on j.seller_id = e.seller_id and j.journal_id = e.journal_id
     where e.seller_id = ${sellerId}
       and e.currency = ${currency}
       and e.late
       and e.bucket is not null
       and e.posted_on > ${span.end}::date
       and j.occurred_at >= ${span.start_at}::timestamptz
       and j.occurred_at < ${span.end_at}::timestamptz`);
  return row?.late ?? 0;
}

/**
 * Whether the provider's fee is unknown for an order with a sale on these days.
 *
 * @param window both days included; without a start, from the first line on
 */
export async function lacksProcessing(
  db: Db,
  sellerId: string,
  currency: string,
  { start, end }: { readonly start: string | null; readonly end: string },
): Promise<boolean> {
  const row = await db.one(statement({ missing: boolean })`
    select exists (
           select
             from v_orders_sold o
            where o.seller_id = ${sellerId}
              and not o.fee_captured
              and exists (select
                            from v_ledger_entry e
                           where e.seller_id = ${sellerId} and e.order_id = o.order_id and e.type = 'sale'
                             and e.currency = ${currency}
                             and e.posted_on between coalesce(${start}::date, '-infinity') and ${end}::date))
           as missing`);
  return row?.missing ?? false;
}
