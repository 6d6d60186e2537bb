import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { type Booking, bookingsOf, type PostedLeg } from './order-book.ts';
import type { OrderMoney, OrderTerms } from './order-money.ts';

const at = (day: number) => new Date(Date.UTC(2026, 6, day)).toISOString();
const TERMS: OrderTerms = {
  fee_schedule_version: 'v',
  loyalty_program_fund_bps: 200,
  seller_order_fee_minor: minor(30),
  line_rates: [{ order_line_id: 'oli_1', platform_fee_bps: 1_000, source: 'default' }],
};
const captured = { at: at(1), amount_minor: minor(6_000), provider_fee_minor: minor(68) };
const line = {
  order_line_id: 'oli_1',
  kind: 'item',
  sku: 'MUG',
  net_minor: minor(6_000),
  ordered: 3,
} as const;

/** An order of three units at 20.00. */
const order = (delivered: number, ended = 0, more: Partial<OrderMoney> = {}): OrderMoney => ({
  order_id: 'ord_1',
  currency: 'AUD',
  loyalty: false,
  captured,
  lines: [{ ...line, delivered, ended }],
  deliveries:
    delivered === 0 ? [] : [{ at: at(5), lines: [{ order_line_id: 'oli_1', quantity: delivered }] }],
  refunds: [],
  disputes: [],
  ...more,
});
const refund = (amount: number, status: 'processing' | 'succeeded' | 'failed' = 'processing') => ({
  refund_id: 'rf_1',
  status,
  made_at: at(7),
  settled_at: status === 'processing' ? null : at(9),
  lines: [{ order_line_id: 'oli_1', quantity: 1, amount_minor: minor(amount) }],
});
const dispute = (amount: number) => ({
  dispute_id: 'dp_1',
  status: 'open' as const,
  amount_minor: minor(amount),
  provider_fee_minor: minor(0),
  returned_fee_minor: null,
  opened_at: at(8),
  decided_at: null,
});

const posted = (bookings: readonly Booking[]): PostedLeg[] =>
  bookings.flatMap((booking) =>
    booking.legs.map(({ account, amount, line: shown }) => ({
      ...booking,
      journal_id: booking.key,
      account,
      amount_minor: amount,
      type: shown?.type ?? null,
      order_line_id: shown?.order_line_id ?? null,
      quantity: shown?.quantity ?? null,
    })),
  );
const book = (facts: OrderMoney, before: readonly PostedLeg[] = []): Booking[] => {
  const { first, claims } = bookingsOf(facts, TERMS, before, at(20));
  return [...first, ...claims];
};
/** Each leg by the type of its statement line, or else by its account. Debits are above zero. */
const legsOf = ({ legs }: Pick<Booking, 'legs'>) =>
  legs.map(({ account, amount, line: shown }) => [shown?.type ?? account, Number(amount)]);

describe('an order in the ledger', () => {
  test('has no journal before its payment; afterwards it has all of them, each with its own instant', () => {
    expect(book(order(3, 0, { captured: null, refunds: [refund(100)] }))).toEqual([]);
    const late = book(order(3, 0, { captured: { ...captured, at: at(10) }, refunds: [refund(2_000)] }));
    expect(late.map(({ kind, occurred_at }) => [kind, occurred_at])).toEqual([
      ['order_captured', at(10)],
      ['order_delivered', at(5)],
      ['refund_created', at(7)],
    ]);
  });

  test('that is cancelled in part refunds that part, and the rest is sold in full', () => {
    const [, released, sold] = book(order(2, 1));
    expect(legsOf(released ?? { legs: [] })).toEqual([
      ['order_escrow', 2_000],
      ['provider_clearing', -2_000],
    ]);
    expect(legsOf(sold ?? { legs: [] })).toContainEqual(['sale', -4_000]);
  });

  test('a payment of a smaller amount: the marketplace bears the difference', () => {
    const [capture] = book(order(0, 0, { captured: { ...captured, amount_minor: minor(5_900) } }));
    expect(legsOf(capture ?? { legs: [] })).toEqual([
      ['provider_clearing', 5_900 - 68],
      ['order_escrow', -6_000],
      ['platform_loss', 100],
      ['processing_cost', 68],
    ]);
  });

  test('a refund before the delivery does not concern the seller; with the delivery it does', () => {
    const early = posted(book(order(0, 0, { refunds: [refund(2_000)] })));
    expect(early.filter(({ type }) => type !== null)).toEqual([]);
    const [sold, moved] = book(order(3, 0, { refunds: [refund(2_000)] }), early);
    expect(legsOf(sold ?? { legs: [] })).toContainEqual(['sale', -6_000]);
    expect(legsOf(moved ?? { legs: [] })).toEqual([
      ['refund', 2_000],
      ['platform_fee_credit', -200],
      ['order_escrow', -2_000],
      ['platform_fee_income', 200],
    ]);
  });

  test('a refund of cancelled units moves no further money', () => {
    const [, , given] = book(order(0, 3, { refunds: [refund(2_000)] }));
    expect(legsOf(given ?? { legs: [] })).toEqual([
      ['buyer_refunds_payable', -2_000],
      ['provider_clearing', 2_000],
    ]);
  });

  test('a refund that fails is reversed once, and the reversal names it', () => {
    const before = posted(book(order(3, 0, { refunds: [refund(2_000)] })));
    const failed = order(3, 0, { refunds: [refund(2_000, 'failed')] });
    const [undone, ...more] = book(failed, before);
    expect(more).toEqual([]);
    expect(undone).toMatchObject({
      kind: 'refund_failed',
      occurred_at: at(20),
      reverses_journal_id: 'ord_1 refund rf_1 1',
    });
    expect(legsOf(undone ?? { legs: [] })).toEqual([
      ['refund_reversal', -2_000],
      ['platform_fee_credit_reversal', 200],
      ['buyer_refunds_payable', 2_000],
      ['platform_fee_income', -200],
    ]);
    expect(undone?.legs.flatMap(({ line: shown }) => shown?.description ?? [])).toEqual([
      'Refund rf_1 reversed',
      'Platform fee credit reversal',
    ]);
    expect(book(failed, [...before, ...posted([undone].flatMap((one) => one ?? []))])).toEqual([]);
  });

  test('a parcel that is reported after a later one counts from its own delivery', () => {
    const parcel = (day: number) => ({ at: at(day), lines: [{ order_line_id: 'oli_1', quantity: 1 }] });
    const later = posted(book(order(1, 0, { deliveries: [parcel(5)] })));
    const both = order(2, 0, { deliveries: [parcel(5), parcel(3)] });
    const { first } = bookingsOf(both, TERMS, later, at(3));
    expect(first.map(({ kind, occurred_at, held }) => [kind, occurred_at, held])).toEqual([
      ['order_delivered', at(3), true],
    ]);
  });

  test('a delivery that is withdrawn is reversed after its posting, and the units are not held again', () => {
    const arrived = posted(book(order(3)));
    // The units were cancelled two days before the reported delivery.
    const { first } = bookingsOf(order(0, 3, { deliveries: [] }), TERMS, arrived, at(3));
    expect(first.map(({ kind, occurred_at, held }) => [kind, occurred_at, held])).toEqual([
      ['order_released', at(3), false],
      ['order_delivered', at(5), false],
    ]);
  });

  test('two names that differ in their blanks name different journals', () => {
    const named = (order_id: string, refund_id: string) =>
      book({ ...order(3, 0, { refunds: [{ ...refund(100), refund_id }] }), order_id }).map(({ key }) => key);
    const keys = [...named('ord_1', 'refund x'), ...named('ord_1 refund', 'x')];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a dispute takes the remaining amount of the lines; the marketplace bears the rest', () => {
    const facts = order(3, 0, { refunds: [refund(2_000)], disputes: [dispute(7_000)] });
    const opened = book(facts).find(({ kind }) => kind === 'chargeback_opened');
    expect(legsOf(opened ?? { legs: [] })).toEqual([
      ['chargeback', 4_000],
      ['provider_clearing', -7_000],
      ['platform_loss', 3_000],
    ]);
  });
});
