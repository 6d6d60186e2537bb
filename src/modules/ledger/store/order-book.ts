/** The posted legs and the frozen rates of an order. */
import type { Minor } from '../../../kernel/money.ts';
import { minor } from '../../../kernel/money.ts';
import { date, instant, integer, json, money, nullable, text } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type { PostedLeg } from '../domain/order-book.ts';
import type { OrderTerms } from '../domain/order-money.ts';

const orderTerms = defineTable('order_terms', ['order_id'], {
  order_id: text,
  fee_schedule_version: text,
  loyalty_program_fund_bps: integer,
  seller_order_fee_minor: money,
  line_rates: json<OrderTerms['line_rates']>('json'),
  frozen_at: instant,
  hold_days: nullable(integer),
  available_on: nullable(date),
});

export interface FrozenTerms extends OrderTerms {
  /** Set with the first delivery. */
  readonly hold_days: number | null;
  readonly available_on: string | null;
}

interface OrderBook {
  readonly terms: FrozenTerms | null;
  /** The seller's own rule; null if the general rule applies. */
  readonly hold_days: number | null;
  readonly posted: readonly PostedLeg[];
}

/** Amounts are numbers inside JSON. */
type Json<T> = { readonly [K in keyof T]: T[K] extends Minor ? number : T[K] };

/**
 * Reads the book of an order in one statement. The caller locks the order first, so that no other transaction posts for
 * it. Adjustments are left out, because they are not facts of the order.
 */
export async function readOrderBook({ db, seller_id }: SellerDb, orderId: string): Promise<OrderBook> {
  const row = await db.one(statement({
    terms: nullable(json<Json<FrozenTerms>>()),
    hold_days: nullable(integer),
    posted: nullable(json<readonly Json<PostedLeg>[]>()),
  })`
    select (select json_build_object(
                     'fee_schedule_version', t.fee_schedule_version,
                     'loyalty_program_fund_bps', t.loyalty_program_fund_bps,
                     'seller_order_fee_minor', t.seller_order_fee_minor, 'line_rates', t.line_rates,
                     'hold_days', t.hold_days, 'available_on', t.available_on)
              from order_terms t
             where t.seller_id = ${seller_id} and t.order_id = ${orderId}) as terms,
           (select hold_days from v_sellers_payout_terms where seller_id = ${seller_id}) as hold_days,
           (select json_agg(json_build_object(
                     'journal_id', e.journal_id, 'kind', j.kind, 'occurred_at', j.occurred_at,
                     'refund_id', j.refund_id, 'dispute_id', j.dispute_id,
                     'reverses_journal_id', j.reverses_journal_id, 'account', e.account,
                     'amount_minor', e.amount_minor, 'type', e.type, 'order_line_id', e.order_line_id,
                     'quantity', e.quantity) order by e.position)
              from ledger_journal j
              join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
             where j.seller_id = ${seller_id} and j.order_id = ${orderId}
               and j.kind <> 'adjustment_recorded') as posted`);
  const terms = row?.terms ?? null;
  return {
    terms: terms && { ...terms, seller_order_fee_minor: minor(terms.seller_order_fee_minor) },
    hold_days: row?.hold_days ?? null,
    posted: (row?.posted ?? []).map((leg) => ({
      ...leg,
      occurred_at: new Date(leg.occurred_at).toISOString(),
      amount_minor: minor(leg.amount_minor),
    })),
  };
}

/** Freezes the rates of an order. Rates that are already frozen do not change. */
export const insertTerms = (at: SellerDb & { at(): string }, orderId: string, terms: OrderTerms) =>
  orderTerms.insert(at, {
    order_id: orderId,
    fee_schedule_version: terms.fee_schedule_version,
    loyalty_program_fund_bps: terms.loyalty_program_fund_bps,
    seller_order_fee_minor: terms.seller_order_fee_minor,
    line_rates: terms.line_rates,
    frozen_at: at.at(),
    hold_days: null,
    available_on: null,
  });

/** Stores the first day on which money of the order may be available. The first delivery decides it. */
export const setAvailable = (
  at: SellerDb,
  orderId: string,
  holdDays: number,
  availableOn: string,
): Promise<number> =>
  orderTerms.change(
    at,
    part`hold_days = ${holdDays}, available_on = ${availableOn}::date`,
    part`order_id = ${orderId}`,
  );

/** The first day on which money of the order may be available; null before the first delivery. */
export async function availableFrom(at: SellerDb, orderId: string): Promise<string | null> {
  return (await orderTerms.find(at, { order_id: orderId }))?.available_on ?? null;
}
