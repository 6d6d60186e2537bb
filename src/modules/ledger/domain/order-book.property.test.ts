/** For any order of the facts about an order, the ledger ends with the same balances. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import { bookingsOf, type PostedLeg } from './order-book.ts';
import type { MoneyLine, OrderMoney, OrderTerms } from './order-money.ts';
import { slotOf } from './order-slots.ts';

/** An event of the order; `after`: the events that must come before. */
interface Fact {
  readonly name: string;
  readonly after: string | null;
  readonly apply: (facts: OrderMoney) => OrderMoney;
}

const at = (hour: number) => new Date(Date.UTC(2026, 6, 1, hour)).toISOString();
const FIRST: OrderMoney = {
  order_id: 'ord_1',
  currency: 'AUD',
  loyalty: true,
  captured: null,
  lines: [],
  deliveries: [],
  refunds: [],
  disputes: [],
};

const withLine = (facts: OrderMoney, id: string, change: (line: MoneyLine) => MoneyLine): OrderMoney => ({
  ...facts,
  lines: facts.lines.map((line) => (line.order_line_id === id ? change(line) : line)),
});

const units = (id: string, kind: 'deliver' | 'end', quantity: number, hour: number): Fact => ({
  name: `${kind} ${quantity} of ${id} at ${hour}`,
  after: null,
  apply: (facts) =>
    kind === 'end'
      ? withLine(facts, id, (line) => ({ ...line, ended: line.ended + quantity }))
      : {
          ...withLine(facts, id, (line) => ({ ...line, delivered: line.delivered + quantity })),
          deliveries: [...facts.deliveries, { at: at(hour), lines: [{ order_line_id: id, quantity }] }],
        },
});

/** A unit that was reported as delivered and is then reported as lost. */
const takeBack = (id: string, arrived: Fact, when: number): Fact => ({
  name: `back of ${arrived.name}`,
  after: arrived.name,
  apply: (facts) => ({
    ...withLine(facts, id, (line) => ({ ...line, delivered: line.delivered - 1, ended: line.ended + 1 })),
    deliveries: facts.deliveries.filter(
      (_, index, all) =>
        index !== all.findIndex(({ at: then, lines }) => then === at(when) && lines[0]?.order_line_id === id),
    ),
  }),
});

const capture = (paid: Minor): Fact => ({
  name: 'captured',
  after: null,
  apply: (facts) => ({
    ...facts,
    captured: { at: at(1), amount_minor: paid, provider_fee_minor: minor(68) },
  }),
});

const refund = (id: string, lines: OrderMoney['refunds'][number]['lines'], hour: number): Fact => ({
  name: id,
  after: null,
  apply: (facts) => ({
    ...facts,
    refunds: [
      ...facts.refunds,
      { refund_id: id, status: 'processing', made_at: at(hour), settled_at: null, lines },
    ],
  }),
});
const settle = (id: string, status: 'succeeded' | 'failed', hour: number): Fact => ({
  name: `${id} ${status}`,
  after: id,
  apply: (facts) => ({
    ...facts,
    refunds: facts.refunds.map((one) =>
      one.refund_id === id ? { ...one, status, settled_at: at(hour) } : one,
    ),
  }),
});
const dispute = (id: string, amount_minor: Minor, hour: number): Fact => ({
  name: id,
  after: null,
  apply: (facts) => ({
    ...facts,
    disputes: [
      ...facts.disputes,
      {
        dispute_id: id,
        status: 'open',
        amount_minor,
        provider_fee_minor: minor(2_500),
        returned_fee_minor: null,
        opened_at: at(hour),
        decided_at: null,
      },
    ],
  }),
});
const decide = (id: string, status: 'lost' | 'won', returned: number, hour: number): Fact => ({
  name: `${id} ${status}`,
  after: id,
  apply: (facts) => ({
    ...facts,
    disputes: facts.disputes.map((one) =>
      one.dispute_id === id
        ? { ...one, status, returned_fee_minor: minor(returned), decided_at: at(hour) }
        : one,
    ),
  }),
});

const hour = fc.integer({ min: 2, max: 400 });
const item = fc.record({
  kind: fc.constant('item' as const),
  net: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 50_000 })),
  ordered: fc.integer({ min: 1, max: 5 }),
  /** The fate of the units, one after another; the rest stays open. */
  fates: fc.array(fc.constantFrom('deliver' as const, 'back' as const, 'end' as const, 'open' as const), {
    maxLength: 5,
  }),
  rate: fc.integer({ min: 0, max: 10_000 }),
});
const shipping = fc.record({
  kind: fc.constant('shipping' as const),
  net: fc.integer({ min: 0, max: 2_000 }),
  ordered: fc.constant(0),
  fates: fc.constant([] as ('deliver' | 'back' | 'end' | 'open')[]),
  rate: fc.constant(1_000),
});
const story = fc.record({
  lines: fc.tuple(fc.array(item, { minLength: 1, maxLength: 3 }), fc.array(shipping, { maxLength: 1 })),
  mispaid: fc.constantFrom(0, 0, 0, -7, 12),
  refunds: fc.array(
    fc.record({
      parts: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 }),
      outcome: fc.constantFrom(null, 'succeeded' as const, 'failed' as const),
      hour,
    }),
    { maxLength: 4 },
  ),
  disputes: fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 80_000 }),
      outcome: fc.constantFrom(null, 'lost' as const, 'won' as const),
      returned: fc.constantFrom(0, 2_500, 9_000),
      hour,
    }),
    { maxLength: 2 },
  ),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** The new order, its rates, and its events. */
function tell({ lines: [items, ships], mispaid, refunds, disputes }: Story) {
  const given = [...items, ...ships].map((line, index) => ({ ...line, id: `oli_${index}` }));
  const lines = given.map(
    ({ id, kind, net, ordered }): MoneyLine => ({
      order_line_id: id,
      kind,
      sku: id,
      net_minor: minor(net),
      ordered,
      delivered: 0,
      ended: 0,
    }),
  );
  const terms: OrderTerms = {
    fee_schedule_version: 'v',
    loyalty_program_fund_bps: 200,
    seller_order_fee_minor: minor(30),
    line_rates: given.map(({ id, rate }) => ({ order_line_id: id, platform_fee_bps: rate, source: 'order' })),
  };
  const price = given.reduce((sum, { net }) => sum + net, 0);
  const facts: Fact[] = [capture(minor(Math.max(0, price + mispaid)))];
  for (const { id, ordered, fates } of given)
    for (const [index, fate] of fates.slice(0, ordered).entries()) {
      if (fate === 'open') continue;
      const unit = units(id, fate === 'back' ? 'deliver' : fate, 1, 10 + index);
      facts.push(unit, ...(fate === 'back' ? [takeBack(id, unit, 10 + index)] : []));
    }
  const left = new Map(given.map(({ id, net }) => [id, net]));
  for (const [index, { parts, outcome, hour: when }] of refunds.entries()) {
    const taken = given.flatMap(({ id }, line) => {
      const amount = Math.round(((left.get(id) ?? 0) * (parts[line] ?? 0)) / 100);
      left.set(id, (left.get(id) ?? 0) - amount);
      return amount === 0 ? [] : [{ order_line_id: id, quantity: 1, amount_minor: minor(amount) }];
    });
    if (taken.length === 0) continue;
    facts.push(refund(`rf_${index}`, taken, when));
    if (outcome !== null) facts.push(settle(`rf_${index}`, outcome, when + 5));
  }
  for (const [index, { amount, outcome, returned, hour: when }] of disputes.entries()) {
    facts.push(dispute(`dp_${index}`, minor(amount), when));
    if (outcome !== null) facts.push(decide(`dp_${index}`, outcome, returned, when + 5));
  }
  return { first: { ...FIRST, lines }, terms, facts };
}

/** A ledger of one order. */
function post(posted: PostedLeg[], facts: OrderMoney, terms: OrderTerms): void {
  const { first, claims } = bookingsOf(facts, terms, posted, at(500));
  for (const booking of [...first, ...claims]) {
    expect(sumMinor(booking.legs.map(({ amount }) => amount))).toBe(0n);
    expect(booking.legs.length).toBeGreaterThan(1);
    expect(posted.filter(({ journal_id }) => journal_id === booking.key)).toEqual([]);
    for (const { account, amount, line } of booking.legs)
      posted.push({
        journal_id: booking.key,
        kind: booking.kind,
        occurred_at: booking.occurred_at,
        refund_id: booking.refund_id,
        dispute_id: booking.dispute_id,
        reverses_journal_id: booking.reverses_journal_id,
        account,
        amount_minor: amount,
        type: line?.type ?? null,
        order_line_id: line?.order_line_id ?? null,
        quantity: line?.quantity ?? null,
      });
  }
}

const sums = (posted: readonly PostedLeg[], keyOf: (leg: PostedLeg) => string | null): Map<string, Minor> => {
  const found = new Map<string, Minor>();
  for (const leg of posted) {
    const key = keyOf(leg);
    if (key !== null) found.set(key, sumMinor([found.get(key) ?? minor(0), leg.amount_minor]));
  }
  return found;
};
const accountOf = ({ account }: PostedLeg) => account;
const slotKey = ({ type, refund_id, dispute_id, order_line_id }: PostedLeg) =>
  type === null ? null : [slotOf(type), refund_id ?? dispute_id ?? '', order_line_id ?? ''].join(' ');

function requireSound(posted: readonly PostedLeg[], { lines }: OrderMoney): void {
  const accounts = sums(posted, accountOf);
  // Liabilities are credits. The escrow and the debt to buyers are never overdrawn.
  expect((accounts.get('order_escrow') ?? 0n) <= 0n).toBe(true);
  expect((accounts.get('buyer_refunds_payable') ?? 0n) <= 0n).toBe(true);
  for (const { order_line_id, net_minor } of lines) {
    const of = (slots: readonly string[]) =>
      sumMinor(
        posted
          .filter((leg) => leg.order_line_id === order_line_id && leg.type !== null)
          .filter(({ type }) => type !== null && slots.includes(slotOf(type)))
          .map(({ amount_minor }) => negated(amount_minor)),
      );
    const sold = of(['sale']);
    const taken = negated(of(['refund', 'chargeback']));
    expect(sold >= 0n && sold <= net_minor).toBe(true);
    expect(taken >= 0n && taken <= sold).toBe(true);
    expect(of(['platform_fee', 'platform_fee_credit']) <= 0n).toBe(true);
    expect(of(['loyalty', 'loyalty_credit']) <= 0n).toBe(true);
  }
}

const asText = (found: Map<string, Minor>) =>
  [...found]
    .filter(([, amount]) => amount !== 0n)
    .map(([key, amount]) => `${key}: ${amount}`)
    .sort();

/** Books facts in some order; a fact that waits for another one follows it directly. */
function tellIn(order: readonly Fact[], first: OrderMoney, terms: OrderTerms): PostedLeg[] {
  const posted: PostedLeg[] = [];
  const known = new Set<string>();
  let facts = first;
  let waiting = [...order];
  while (waiting.length > 0) {
    const [next] = waiting.filter(({ after }) => after === null || known.has(after));
    if (next === undefined) break;
    waiting = waiting.filter((one) => one !== next);
    known.add(next.name);
    facts = next.apply(facts);
    post(posted, facts, terms);
    // A repeated fact posts nothing.
    const before = posted.length;
    post(posted, facts, terms);
    expect(posted.length).toBe(before);
    requireSound(posted, facts);
  }
  return posted;
}

test('an order ends with the same balances for any order of its events', () => {
  const facts = story.chain((one) => {
    const { facts: events } = tell(one);
    return fc.tuple(
      fc.constant(one),
      fc.shuffledSubarray(
        events.map((_, index) => index),
        { minLength: events.length },
      ),
    );
  });
  fc.assert(
    fc.property(facts, ([one, order]) => {
      const { first, terms, facts: events } = tell(one);
      const shuffled = order.flatMap((index) => events[index] ?? []);
      const [straight, mixed] = [tellIn(events, first, terms), tellIn(shuffled, first, terms)];
      expect(asText(sums(mixed, accountOf))).toEqual(asText(sums(straight, accountOf)));
      expect(asText(sums(mixed, slotKey))).toEqual(asText(sums(straight, slotKey)));
    }),
    { numRuns: 250 },
  );
});
