/**
 * Figures from the sums of the ledger by month and day: their cost does not grow with the number of
 * entries. Every statement names the seller.
 */

import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type Bucket, bucketOf, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import type { AsOf } from '../domain/as-of.ts';

const TYPES = Object.keys(ENTRY_TYPES) as EntryType[];
const quoted = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(', ');
const ofBucket = (bucket: Bucket): string =>
  `type in (${quoted(TYPES.filter((type) => bucketOf(type) === bucket))})`;
/** From the seller's side: a gain is above zero. */
const gain = (name: string, where: string): string =>
  `coalesce(-sum(amount_minor) filter (where ${where}), 0)::bigint as ${name}`;
const cost = (name: string, where: string): string =>
  `coalesce(sum(amount_minor) filter (where ${where}), 0)::bigint as ${name}`;

const ACTIVITY = [
  gain('sales', ofBucket('gross')),
  'coalesce(sum(first_sales), 0)::int as orders',
  cost('fees', ofBucket('fees')),
  gain('adjustments', ofBucket('adjustments')),
  gain('refunds', "type in ('refund', 'refund_reversal')"),
  gain('chargebacks', "type in ('chargeback', 'chargeback_reversal')"),
  "coalesce(sum(entries) filter (where type = 'payment_processing'), 0)::int as processed",
].join(', ');

const PAYABLE = "coalesce(-sum(amount_minor) filter (where account = 'seller_payable'), 0)";
const STANDING = [
  '(select -today from held)::bigint as in_hold',
  `(${PAYABLE} + (select today from held))::bigint as available`,
  `(${PAYABLE} + (select later from held))::bigint as available_by`,
  gain('reserved', "account = 'seller_reserve'"),
  gain('settled', "account = 'seller_settled'"),
  gain('in_transit', "account = 'seller_in_transit'"),
  cost('paid', "account = 'seller_in_transit' and kind = 'payout_paid'"),
  cost('returned', "account = 'seller_settled' and kind = 'payout_returned'"),
  'coalesce(sum(entries), 0)::int as entries',
].join(', ');

/** When an entry came to count: what was late counts from its recording on, what claims the future too. */
const COUNTED_AT = 'case when e.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end';

/** Of the day `$4`, what counted at `$5`. */
const PART_OF_DAY =
  "select e.account, j.kind, coalesce(e.type, '') as type, e.available_on, e.amount_minor, 1 as entries, " +
  "(e.type = 'sale' and not exists (select from v_ledger_entry x where x.seller_id = e.seller_id and x.order_id = e.order_id " +
  "and x.position < e.position and x.type = 'sale'))::int as first_sales from v_ledger_journal j " +
  'join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id ' +
  `where j.seller_id = $1 and j.posted_on = $4::date and e.currency = $2 and ${COUNTED_AT} <= $5::timestamptz`;

/**
 * Everything until then: whole months, whole days of the month of `$4` and the part of that day; and what of it is
 * not available on `$3` yet, nor on `$6`.
 */
const SUMS = 'account, kind, type, amount_minor, entries, first_sales';
const MONTH = "date_trunc('month', $4::date)::date";
const OWN = 'seller_id = $1 and currency = $2';
const HELD =
  'select coalesce(sum(amount_minor) filter (where available_on > $3::date), 0) as today, ' +
  'coalesce(sum(amount_minor) filter (where available_on > $6::date), 0) as later';
const AT =
  `with part as materialized (${PART_OF_DAY}), sums as (select account, kind, type, sum(amount_minor) as amount_minor, ` +
  'sum(entries) as entries, sum(first_sales) as first_sales from (' +
  `select ${SUMS} from v_ledger_month where ${OWN} and month < ${MONTH} union all ` +
  `select ${SUMS} from v_ledger_day where ${OWN} and posted_on >= ${MONTH} and posted_on < $4::date union all ` +
  `select ${SUMS} from part) s group by account, kind, type), ` +
  `held as (${HELD} from (select amount_minor, available_on from v_ledger_day ` +
  // Nearly every day lies before `$4`: as a bound of the index by day it would have nearly all days read.
  `where ${OWN} and type <> '' and available_on > least($3::date, $6::date) and posted_on + 0 < $4::date ` +
  'union all select amount_minor, available_on from part) h) ' +
  `select ${ACTIVITY}, ${STANDING} from sums`;

export interface Activity {
  /** Value of what was delivered, at least zero. */
  readonly sales: Minor;
  /** Orders, each on the day of its first delivery. */
  readonly orders: number;
  /** Charged less given back: above zero is the seller's cost. */
  readonly fees: Minor;
  /** Seen from the seller. */
  readonly adjustments: Minor;
  readonly refunds: Minor;
  readonly chargebacks: Minor;
  /** Lines of payment processing. */
  readonly processed: number;
}

export interface AccountFigures extends Activity {
  readonly in_hold: Minor;
  readonly available: Minor;
  /** What would be available on another day if nothing more came. */
  readonly available_by: Minor;
  readonly reserved: Minor;
  readonly settled: Minor;
  readonly in_transit: Minor;
  /** Payouts that arrived; what of them came back, below zero. */
  readonly paid: Minor;
  readonly returned: Minor;
  /** Entries of the ledger that are in these figures. */
  readonly entries: number;
}

type Row<T> = { readonly [K in keyof T]: T[K] extends Minor ? bigint : T[K] };

function toFigures<T extends object>(row: Row<T> | undefined): T {
  if (row === undefined) throw new Error('a sum answered nothing');
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? minor(value) : value]),
  ) as T;
}

/**
 * All that the ledger knew of a seller's account at an instant.
 *
 * @param by the day of `available_by`, `YYYY-MM-DD`; absent, that of the instant
 */
export async function figuresAt(
  db: Db,
  sellerId: string,
  currency: string,
  asOf: AsOf,
  by = asOf.day,
): Promise<AccountFigures> {
  const values = [sellerId, currency, asOf.day, asOf.wholeBefore, asOf.at, by];
  return toFigures<AccountFigures>(await db.one<Row<AccountFigures>>(sql(AT, values)));
}

const WINDOW =
  `select ${ACTIVITY} from v_ledger_day where seller_id = $1 and currency = $2 ` +
  'and posted_on between $3::date and $4::date';

/** What counted on the days of a window, both included. */
export async function activityOf(
  db: Db,
  sellerId: string,
  currency: string,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<Activity> {
  return toFigures<Activity>(await db.one<Row<Activity>>(sql(WINDOW, [sellerId, currency, start, end])));
}

const SETTLED =
  'select (select max(period_end) from v_settlements_settlement where seller_id = $1 and currency = $2 and period_end < $3::date) ' +
  'as closed_through, (select min(posted_on) from v_ledger_day where seller_id = $1 and currency = $2 ' +
  "and type <> '' and posted_on < $3::date) as first_on";

/** Last day of the periods that ended before a day, and the day of the first line. */
export async function settledThrough(
  db: Db,
  sellerId: string,
  currency: string,
  before: string,
): Promise<{ readonly closed_through: string | null; readonly first_on: string | null }> {
  const row = await db.one<{ closed_through: string | null; first_on: string | null }>(
    sql(SETTLED, [sellerId, currency, before]),
  );
  return row ?? { closed_through: null, first_on: null };
}

const LINE_OF_DAY =
  'select exists (select from v_ledger_journal j join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id ' +
  'where j.seller_id = $1 and j.posted_on = $3::date and e.currency = $2 and e.bucket is not null ' +
  `and ${COUNTED_AT} <= $4::timestamptz) as found`;

/** Whether any line of the day of an instant counted by then. */
export async function hasLineOnItsDay(
  db: Db,
  sellerId: string,
  currency: string,
  { day, at }: AsOf,
): Promise<boolean> {
  return (await db.one<{ found: boolean }>(sql(LINE_OF_DAY, [sellerId, currency, day, at])))?.found ?? false;
}

const LATE =
  'select count(*)::int as late from v_ledger_entry e join v_ledger_journal j on j.seller_id = e.seller_id ' +
  'and j.journal_id = e.journal_id where e.seller_id = $1 and e.currency = $2 and e.late and e.bucket is not null ' +
  'and e.posted_on > $3::date and j.occurred_at >= $4::timestamptz and j.occurred_at < $5::timestamptz';

/** Lines that happened between two instants but count only after a day. */
export async function countLate(
  db: Db,
  sellerId: string,
  currency: string,
  span: { readonly end: string; readonly start_at: string; readonly end_at: string },
): Promise<number> {
  const values = [sellerId, currency, span.end, span.start_at, span.end_at];
  return (await db.one<{ late: number }>(sql(LATE, values)))?.late ?? 0;
}

const UNCAPTURED =
  'select exists (select from v_orders_sold o where o.seller_id = $1 and not o.fee_captured and exists (' +
  'select from v_ledger_entry e where e.seller_id = $1 and e.order_id = o.order_id ' +
  "and e.type = 'sale' and e.currency = $2 and e.posted_on between coalesce($3::date, '-infinity') and $4::date)) as missing";

/**
 * Whether the provider's fee of some order is not known that has a sale on these days.
 *
 * @param window both days included; without a start, from the first line on
 */
export async function lacksProcessing(
  db: Db,
  sellerId: string,
  currency: string,
  window: { readonly start: string | null; readonly end: string },
): Promise<boolean> {
  const values = [sellerId, currency, window.start, window.end];
  return (await db.one<{ missing: boolean }>(sql(UNCAPTURED, values)))?.missing ?? false;
}
