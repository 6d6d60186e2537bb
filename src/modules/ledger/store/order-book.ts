/** What is posted of one order, and the rates that are frozen with it. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PostedLeg } from '../domain/order-book.ts';
import type { OrderTerms } from '../domain/order-money.ts';

export interface StandingTerms extends OrderTerms {
  /** Set with the first delivery. */
  readonly hold_days: number | null;
  readonly available_on: string | null;
}

export interface OrderBook {
  readonly terms: StandingTerms | null;
  /** The seller's own; null where the general rule holds. */
  readonly hold_days: number | null;
  readonly posted: readonly PostedLeg[];
}

// Adjustments are the marketplace's word, not a fact of the order.
const BOOK =
  "select (select json_build_object('fee_schedule_version', t.fee_schedule_version, " +
  "'loyalty_program_fund_bps', t.loyalty_program_fund_bps, 'seller_order_fee_minor', t.seller_order_fee_minor, " +
  "'line_rates', t.line_rates, 'hold_days', t.hold_days, 'available_on', t.available_on) " +
  'from order_terms t where t.seller_id = $1 and t.order_id = $2) as terms, ' +
  '(select hold_days from v_sellers_payout_terms where seller_id = $1) as hold_days, ' +
  "(select json_agg(json_build_object('journal_id', e.journal_id, 'kind', j.kind, 'occurred_at', j.occurred_at, 'refund_id', j.refund_id, " +
  "'dispute_id', j.dispute_id, 'reverses_journal_id', j.reverses_journal_id, 'account', e.account, " +
  "'amount_minor', e.amount_minor, 'type', e.type, 'order_line_id', e.order_line_id, 'quantity', e.quantity) " +
  'order by e.position) from ledger_journal j ' +
  'join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id ' +
  "where j.seller_id = $1 and j.order_id = $2 and j.kind <> 'adjustment_recorded') as posted";

type Json<T> = { readonly [K in keyof T]: T[K] extends Minor ? number : T[K] };
interface Row {
  readonly terms: Json<StandingTerms> | null;
  readonly hold_days: number | null;
  readonly posted: readonly Json<PostedLeg>[] | null;
}

/** In one statement; hold the order before, so that nobody posts of it meanwhile. */
export async function readOrderBook(db: Db, sellerId: string, orderId: string): Promise<OrderBook> {
  const row = await db.one<Row>(sql(BOOK, [sellerId, orderId]));
  const terms = row?.terms ?? null;
  return {
    terms: terms === null ? null : { ...terms, seller_order_fee_minor: minor(terms.seller_order_fee_minor) },
    hold_days: row?.hold_days ?? null,
    posted: (row?.posted ?? []).map((leg) => ({
      ...leg,
      occurred_at: new Date(leg.occurred_at).toISOString(),
      amount_minor: minor(leg.amount_minor),
    })),
  };
}

const FREEZE =
  'insert into order_terms (seller_id, order_id, fee_schedule_version, loyalty_program_fund_bps, seller_order_fee_minor, ' +
  'line_rates, frozen_at) values ($1, $2, $3, $4, $5, $6::json, $7::timestamptz) on conflict (seller_id, order_id) do nothing';

/** Keeps the rates of an order; those that stand already stay. */
export async function insertTerms(
  db: Db,
  sellerId: string,
  orderId: string,
  terms: OrderTerms,
  at: string,
): Promise<void> {
  const { fee_schedule_version: version, loyalty_program_fund_bps: loyalty } = terms;
  await db.run(
    sql(FREEZE, [
      sellerId,
      orderId,
      version,
      loyalty,
      terms.seller_order_fee_minor,
      JSON.stringify(terms.line_rates),
      at,
    ]),
  );
}

const HOLD =
  'update order_terms set hold_days = $3, available_on = $4::date where seller_id = $1 and order_id = $2';

/** The first delivery decides from when on anything tied to the order is available. */
export async function setAvailable(
  db: Db,
  sellerId: string,
  orderId: string,
  holdDays: number,
  availableOn: string,
): Promise<void> {
  await db.run(sql(HOLD, [sellerId, orderId, holdDays, availableOn]));
}

const AVAILABLE =
  'select available_on::text as available_on from order_terms where seller_id = $1 and order_id = $2';

/** The first day on which anything tied to the order may be available; null before its first delivery. */
export async function availableFrom(db: Db, sellerId: string, orderId: string): Promise<string | null> {
  const row = await db.one<{ available_on: string | null }>(sql(AVAILABLE, [sellerId, orderId]));
  return row?.available_on ?? null;
}
