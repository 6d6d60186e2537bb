import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { derivePurchase, type Fact, type OrderedPurchase, statusOf, type TimedFact } from './purchase.ts';

const RUNS = { numRuns: 1_000 };
const at = (hour: number): string => new Date(Date.UTC(2026, 7, 3, hour)).toISOString();
const order = (...ordered: readonly number[]): OrderedPurchase => ({
  lines: ordered.map((units, index) => ({
    ...{ line_no: index + 1, ordered: units, ordered_price_minor: minor(5_945) },
  })),
  ...{ stated_freight_minor: null, freight_cap_minor: minor(5_000) },
});
const timed = (hour: number, fact_id: string, fact: Fact): TimedFact => ({
  ...{ fact_id, happened_at: at(hour), fact },
});
const answered = (accepted: number, declined: number, more: object = {}): Fact => ({
  ...{ kind: 'answered', freight_minor: null },
  lines: [
    {
      ...{ line_no: 1, accepted, declined, reason: null, promised_on: null, pack_price_minor: null },
      ...more,
    },
  ],
});
const receipt = (id: string, good: number, rejected = 0): Fact => ({
  ...{ kind: 'received', receipt_id: id, lines: [{ line_no: 1, good, rejected }] },
});
const cancelled = (quantity: number): Fact => ({
  ...{ kind: 'cancelled_by_supplier', reason: 'out_of_stock', lines: [{ line_no: 1, quantity }] },
});
const unitsOf = (facts: readonly TimedFact[], ordered = 144) => {
  const line = derivePurchase(order(ordered), facts).lines.get(1);
  return line && [line.unconfirmed, line.confirmed, line.received, line.cancelled];
};

test('golden 6.1: what has arrived is not taken back by an older cancellation that is told late', () => {
  const facts = [
    timed(1, 'answer/a-1', answered(132, 12)),
    timed(2, 'receipt/1', receipt('rec_1', 100)),
    timed(4, 'receipt/2', receipt('rec_2', 30, 2)),
  ];
  expect(unitsOf(facts.slice(0, 1))).toEqual([0, 132, 0, 12]);
  expect(unitsOf(facts)).toEqual([0, 2, 130, 12]);
  const told = [...facts, timed(3, 'cancellation/c-1', cancelled(10))];
  expect(unitsOf(told)).toEqual([0, 0, 130, 14]);
  const closed = [...told, timed(5, 'close', { kind: 'closed', reason: 'other' })];
  expect(unitsOf(closed)).toEqual([0, 0, 130, 14]);
  expect(derivePurchase(order(144), closed)).toMatchObject({ over_at: at(5) });
});

test('shipments confirm, reversals give back, prices only fall, and freight is set once', () => {
  const shipped = (quantity: number): Fact => ({
    ...{ kind: 'shipped', supplier_shipment_id: 's', carrier: null, tracking_number: null },
    ...{ shipped_at: at(0), expected_on: null, lines: [{ line_no: 1, quantity }] },
  });
  expect(unitsOf([timed(1, 'shipment/1', shipped(100))])).toEqual([44, 100, 0, 0]);
  expect(unitsOf([timed(1, 'shipment/1', shipped(100)), timed(2, 'answer/1', answered(44, 0))])).toEqual([
    ...[0, 144, 0, 0],
  ]);
  const reversed: Fact = { kind: 'reversed', receipt_id: 'rec_2', reverses: 'rec_1', reason: 'wrong' };
  expect(unitsOf([timed(1, 'r/1', receipt('rec_1', 40, 4)), timed(2, 'r/2', reversed)])).toEqual([
    144, 0, 0, 0,
  ]);
  const priced = derivePurchase(order(144), [
    timed(1, 'answer/1', { ...answered(72, 0, { pack_price_minor: 5_000 }), freight_minor: 900 } as Fact),
    timed(2, 'answer/2', { ...answered(72, 0, { pack_price_minor: 5_900 }), freight_minor: 100 } as Fact),
  ]);
  expect(priced.freight_minor).toBe(900n);
  expect(priced.lines.get(1)?.pack_price_minor).toBe(5_000n);
});

const units = fc.integer({ min: 0, max: 60 });
const fact = fc.oneof(
  fc.tuple(units, units).map(([accepted, declined]) => answered(accepted, declined)),
  units.map(cancelled),
  units.map(
    (quantity): Fact => ({
      ...{ kind: 'cancelled_by_seller', reason: 'x', requested: [], lines: [{ line_no: 1, quantity }] },
    }),
  ),
  units.map(
    (quantity): Fact => ({
      ...{ kind: 'shipped', supplier_shipment_id: 's', carrier: null, tracking_number: null },
      ...{ shipped_at: at(0), expected_on: null, lines: [{ line_no: 2, quantity }] },
    }),
  ),
  fc.constantFrom<Fact>({ kind: 'not_answered' }, { kind: 'closed', reason: 'other' }),
);
/** Facts with their instants, some at the same, and receipts that were possible when they were booked. */
const history = fc
  .array(fc.record({ hour: fc.integer({ min: 0, max: 12 }), fact: fc.option(fact), good: units }), {
    maxLength: 9,
  })
  .map((steps) => {
    const facts: TimedFact[] = [];
    for (const [index, step] of steps.entries()) {
      const line = derivePurchase(order(50, 30), facts).lines.get(1);
      const owed = line === undefined ? 0 : line.unconfirmed + line.confirmed;
      const booked = receipt(`rec_${index}`, Math.min(step.good, owed));
      facts.push(timed(step.hour, `fact/${index}`, step.fact ?? booked));
    }
    return facts;
  });

test('whatever happens, each unit is in one place, and the order in which facts are told does not matter', () => {
  fc.assert(
    fc.property(
      history.chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
      ),
      ([facts, told]) => {
        const state = derivePurchase(order(50, 30), facts);
        for (const [line_no, ordered] of [
          [1, 50],
          [2, 30],
        ] as const) {
          const line = state.lines.get(line_no);
          const parts = [line?.unconfirmed, line?.confirmed, line?.received, line?.cancelled].map(Number);
          expect(parts.every((part) => part >= 0)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part)).toBe(ordered);
        }
        expect(derivePurchase(order(50, 30), told)).toEqual(state);
        const good = facts.flatMap(({ fact: one }) => (one.kind === 'received' ? one.lines : []));
        expect(state.lines.get(1)?.received).toBe(good.reduce((sum, line) => sum + line.good, 0));
      },
    ),
    RUNS,
  );
});

test('a further fact other than a reversal takes no received unit back', () => {
  fc.assert(
    fc.property(history, fact, fc.integer({ min: 0, max: 12 }), (facts, more, hour) => {
      const before = derivePurchase(order(50, 30), facts).lines.get(1)?.received;
      const after = derivePurchase(order(50, 30), [...facts, timed(hour, 'more', more)]);
      expect(after.lines.get(1)?.received).toBe(before);
    }),
    RUNS,
  );
});

test('a fact of a supplier after the order was over is without effect, so refusing it changes nothing', () => {
  fc.assert(
    fc.property(history, (facts) => {
      const state = derivePurchase(order(50, 30), facts);
      const early = facts.filter(
        ({ happened_at, fact: { kind } }) =>
          kind === 'received' || state.over_at === null || happened_at <= state.over_at,
      );
      expect(derivePurchase(order(50, 30), early)).toEqual(state);
    }),
    RUNS,
  );
});

test.each([
  [{ unconfirmed: 10, confirmed: 0, received: 0, cancelled: 2 }, 'submitted'],
  [{ unconfirmed: 5, confirmed: 5, received: 0, cancelled: 2 }, 'confirmed'],
  [{ unconfirmed: 0, confirmed: 5, received: 5, cancelled: 2 }, 'partially_received'],
  [{ unconfirmed: 0, confirmed: 0, received: 10, cancelled: 2 }, 'received'],
  [{ unconfirmed: 0, confirmed: 0, received: 0, cancelled: 12 }, 'cancelled'],
] as const)('%o is %s', (line, status) => {
  expect(statusOf([line])).toBe(status);
});
