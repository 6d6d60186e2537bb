/**
 * Figures from the sums of the ledger by month and day, so the cost does not grow with the number of entries. Every
 * statement names the seller.
 */
import type { Period } from '../../../kernel/australia/settlement-period.ts';
import { boolean, date, integer, money, nullable, type RowOf } from '../../../platform/db/columns.ts';
import { join, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { type Bucket, bucketOf, DELIVERY_LIST, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import type { AsOf } from '../domain/as-of.ts';

/** A seller's account in one currency. */
export interface Account extends SellerDb {
  readonly currency: string;
}

const activity = {
  /** The value of delivered goods; at least zero. */
  sales: money,
  /** The number of orders. An order counts on the day of its first delivery. */
  orders: integer,
  /** Charges less credits; above zero if the seller pays. */
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
  /** The amount that will be available on another day if nothing more is recorded. */
  available_by: money,
  reserved: money,
  settled: money,
  in_transit: money,
  /** Payouts that have arrived. A returned payout counts below zero. */
  paid: money,
  returned: money,
  /** The number of ledger entries in these figures. */
  entries: integer,
};
export type AccountFigures = RowOf<typeof account>;

const DELIVERIES = raw(DELIVERY_LIST);
const TYPES = Object.keys(ENTRY_TYPES) as EntryType[];
const ofBucket = (bucket: Bucket): string => {
  const types = TYPES.filter((type) => bucketOf(type) === bucket).map((type) => `'${type}'`);
  return `type in (${types.join(', ')})`;
};
/** Above zero if the seller gains. */
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

/** The instant from which an entry counts: its recording, if the entry is late or its own instant is later. */
const COUNTED_AT = raw('case when e.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end');

function requireRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a sum has no row');
  return row;
}

/**
 * The seller's account at an instant: the sums of whole months, of the whole days of the month of `wholeBefore`, and
 * the entries of that day until the instant.
 *
 * @param by the day of `available_by`, `YYYY-MM-DD`; by default the day of the instant
 */
export async function figuresAt(
  { db, seller_id, currency }: Account,
  { at, day, wholeBefore }: AsOf,
  by = day,
): Promise<AccountFigures> {
  const own = part`seller_id = ${seller_id} and currency = ${currency}`;
  const month = part`date_trunc('month', ${wholeBefore}::date)::date`;
  return requireRow(
    await db.one(statement(account)`
      with part as materialized (
        select e.account, j.kind, coalesce(e.type, '') as type, e.available_on, e.amount_minor, 1 as entries,
               (e.type in ${DELIVERIES}
                and not exists (select
                                  from v_ledger_entry x
                                 where x.seller_id = e.seller_id and x.order_id = e.order_id
                                   and x.position < e.position and x.type in ${DELIVERIES}))::int as first_sales
          from v_ledger_journal j
          join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
         where j.seller_id = ${seller_id}
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

/** The sums of the days of a window, both included. */
export async function activityOf(
  { db, seller_id, currency }: Account,
  { start, end }: Period,
): Promise<Activity> {
  return requireRow(
    await db.one(statement(activity)`
      select ${ACTIVITY}
        from v_ledger_day
       where seller_id = ${seller_id}
         and currency = ${currency}
         and posted_on between ${start}::date and ${end}::date`),
  );
}

/** Last day of the periods that ended before a day, and the day of the first line. */
export async function settledThrough(
  { db, seller_id, currency }: Account,
  before: string,
): Promise<{ readonly closed_through: string | null; readonly first_on: string | null }> {
  return requireRow(
    await db.one(statement({ closed_through: nullable(date), first_on: nullable(date) })`
      select (select max(period_end)
                from v_settlements_settlement
               where seller_id = ${seller_id} and currency = ${currency}
                 and period_end < ${before}::date) as closed_through,
             (select min(posted_on)
                from v_ledger_day
               where seller_id = ${seller_id} and currency = ${currency} and type <> ''
                 and posted_on < ${before}::date) as first_on`),
  );
}

/** Whether any line of the day of an instant counted at that instant. */
export async function hasLineOnItsDay(
  { db, seller_id, currency }: Account,
  { day, at }: AsOf,
): Promise<boolean> {
  const row = await db.one(statement({ found: boolean })`
    select exists (
           select
             from v_ledger_journal j
             join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
            where j.seller_id = ${seller_id}
              and j.posted_on = ${day}::date
              and e.currency = ${currency}
              and e.bucket is not null
              and ${COUNTED_AT} <= ${at}::timestamptz) as found`);
  return row?.found ?? false;
}

/** The lines that happened between two instants but count only after a day. */
export async function countLate(
  { db, seller_id, currency }: Account,
  span: { readonly end: string; readonly start_at: string; readonly end_at: string },
): Promise<number> {
  const row = await db.one(statement({ late: integer })`
    select count(*)::int as late
      from v_ledger_entry e
      join v_ledger_journal j on j.seller_id = e.seller_id and j.journal_id = e.journal_id
     where e.seller_id = ${seller_id}
       and e.currency = ${currency}
       and e.late
       and e.bucket is not null
       and e.posted_on > ${span.end}::date
       and j.occurred_at >= ${span.start_at}::timestamptz
       and j.occurred_at < ${span.end_at}::timestamptz`);
  return row?.late ?? 0;
}

/**
 * Whether the provider's fee is unknown for an order that was delivered on these days.
 *
 * @param window both days included. Without a start it begins with the first line.
 */
export async function lacksProcessing(
  { db, seller_id, currency }: Account,
  { start, end }: { readonly start: string | null; readonly end: string },
): Promise<boolean> {
  const row = await db.one(statement({ missing: boolean })`
    select exists (
           select
             from v_orders_sold o
            where o.seller_id = ${seller_id}
              and not o.fee_captured
              and exists (select
                            from v_ledger_entry e
                           where e.seller_id = ${seller_id} and e.order_id = o.order_id
                             and e.type in ${DELIVERIES}
                             and e.currency = ${currency}
                             and e.posted_on between coalesce(${start}::date, '-infinity') and ${end}::date))
           as missing`);
  return row?.missing ?? false;
}
