import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permutations } from '../../../../test/support/permutations.ts';
import { type Fact, fold, QUANTITIES, type SimpleKind, statusOf } from './fold.ts';

const START = Date.parse('2026-06-28T00:00:00Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const LINE = 'oli_1';
type Simple = SimpleKind | 'send';
const moved = (kind: Simple, units: number, minute: number): Fact => {
  const dated = { at: at(minute), fact_id: `${kind}:${minute}` };
  const line = { order_line_id: LINE, units };
  return kind === 'send'
    ? { kind, fee_minor: 250, lines: [{ ...line, unit_cost_minor: 1_840 }], ...dated }
    : { kind, lines: [line], ...dated };
};
const answered = (accepted: number, rejected: number, minute: number): Fact => ({
  ...{ kind: 'answer', accepted_at: at(minute), fee_minor: null, freight_minor: null },
  lines: [{ order_line_id: LINE, accepted, rejected, reason: null, unit_cost_minor: null }],
  ...{ at: at(minute), fact_id: `answer:${minute}` },
});
const shipped = (units: number, minute: number, taken = units): Fact => ({
  ...{ kind: 'ship', lines: [{ order_line_id: LINE, units, taken }], supplier_shipment_id: String(minute) },
  ...{ shipment_id: null, carrier: 'a', tracking_number: 'T', tracking_url: null, told_at: at(minute) },
  ...{ at: at(minute), fact_id: `ship:${minute}` },
});
const SENT = [moved('route', 11, 0), moved('send', 11, 2)];
const end = (...facts: readonly Fact[]) => {
  const line = fold([...SENT, ...facts]).get(LINE);
  return QUANTITIES.map((name) => line?.[name]);
};

test('answers, parcels and cancellations move units', () => {
  expect(end()).toEqual([0, 11, 0, 0, 0, 0]);
  expect(end(answered(9, 2, 3))).toEqual([0, 0, 9, 0, 2, 0]);
  expect(end(answered(9, 0, 3), moved('no_answer', 11, 4))).toEqual([0, 0, 9, 0, 2, 0]);
  expect(end(answered(9, 2, 3), shipped(4, 5))).toEqual([0, 0, 5, 4, 2, 0]);
  expect(end(shipped(4, 5))).toEqual([0, 7, 0, 4, 0, 0]);
  expect(end(answered(9, 2, 3), moved('supplier_cancel', 3, 4))).toEqual([0, 0, 6, 0, 5, 0]);
  expect(end(answered(9, 0, 3), moved('supplier_cancel', 3, 4))).toEqual([0, 0, 8, 0, 3, 0]);
  expect(end(moved('cancel_waiting', 4, 3))).toEqual([0, 7, 0, 0, 0, 4]);
  // An acceptance that is told after the deadline counts if it was in time.
  expect(end(moved('no_answer', 11, 4), answered(9, 0, 3))).toEqual([0, 0, 9, 0, 2, 0]);
  expect(end(moved('no_answer', 11, 4), answered(9, 0, 5))).toEqual([0, 0, 0, 0, 11, 0]);
});

test('a parcel of units that the order has no more is told, and takes none', () => {
  const found = fold([...SENT, moved('cancel_waiting', 11, 3), shipped(4, 5, 0)]).get(LINE);
  expect(found).toMatchObject({ shipped: 0, cancelled: 11, shipped_after_cancel: 4 });
});

test('acceptances are those of units that the supplier still owes or has sent', () => {
  const of = (...facts: readonly Fact[]) => fold([...SENT, ...facts]).get(LINE)?.acceptances;
  expect(of(answered(9, 2, 3))).toEqual([{ at: at(3), units: 9 }]);
  // Two units without an answer go first.
  expect(of(answered(4, 0, 3), answered(5, 0, 4), moved('supplier_cancel', 7, 5))).toEqual([
    { at: at(4), units: 4 },
  ]);
  expect(of(answered(9, 2, 3), shipped(4, 5))).toEqual([{ at: at(3), units: 9 }]);
  expect(of(shipped(4, 5))).toEqual([{ at: at(5), units: 4 }]);
});

test('facts of a supplier in every order, each told twice, end in the same units', () => {
  const facts = [answered(9, 2, 3), shipped(4, 5), moved('supplier_cancel', 2, 4), moved('no_answer', 11, 9)];
  for (const order of permutations(facts)) {
    expect(fold([...SENT, ...order, ...order]).get(LINE)).toEqual(fold([...SENT, ...facts]).get(LINE));
  }
});

test('every unit is somewhere, whatever happens in whatever order', () => {
  const units = fc.integer({ min: 0, max: 9 });
  const minute = fc.integer({ min: 0, max: 20 });
  const simple = fc.constantFrom<Simple>(
    ...(['route', 'send', 'supplier_cancel', 'cancel_accepted', 'cancel_waiting', 'delivered'] as const),
    ...(['take_over', 'no_answer', 'no_time'] as const),
  );
  const fact = fc.oneof(
    fc.tuple(simple, units, minute).map((args) => moved(...args)),
    fc.tuple(units, units, minute).map((args) => answered(...args)),
    fc.tuple(units, minute, units).map(([sent, when, room]) => shipped(sent, when, Math.min(sent, room))),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 25 }), (drawn) => {
      const facts = drawn.map((one, index) => ({ ...one, fact_id: String(index) }));
      const line = fold(facts).get(LINE);
      if (line === undefined) return;
      const sum = QUANTITIES.reduce((total, name) => total + line[name], 0);
      expect(sum).toBe(line.routed);
      expect(Math.min(...QUANTITIES.map((name) => line[name]))).toBeGreaterThanOrEqual(0);
      const owed = line.acceptances.reduce((total, one) => total + one.units, 0);
      expect(owed).toBe(line.accepted_open + line.shipped);
      expect(line.returned_accepted).toBeLessThanOrEqual(line.returned);
      expect(fold([...facts].reverse()).get(LINE)).toEqual(line);
    }),
    { numRuns: 1_000 },
  );
});

test('what the order has closed goes first of the seller’s own units', () => {
  const side = (closed: number) => [{ order_line_id: LINE, ordered: 12, closed }];
  const left = (closed: number, ...facts: readonly Fact[]) => {
    const line = fold([...SENT, ...facts], side(closed)).get(LINE);
    return QUANTITIES.map((name) => line?.[name]);
  };
  // The twelfth unit was beyond the stock.
  expect(left(1, answered(9, 2, 3))).toEqual([0, 0, 9, 0, 2, 0]);
  expect(left(3, answered(9, 2, 3))).toEqual([0, 0, 9, 0, 0, 2]);
  expect(left(5, answered(9, 2, 3))).toEqual([0, 0, 7, 0, 0, 4]);
  // Units that were with the supplier when they were closed are not closed again.
  expect(left(3, answered(9, 2, 3), moved('cancel_accepted', 2, 4))).toEqual([0, 0, 7, 0, 2, 2]);
});

test('the status is the first quantity that is left', () => {
  const of = (...facts: readonly Fact[]) => statusOf(fold([moved('route', 4, 0), ...facts]).values());
  expect(of()).toBe('queued');
  expect(of(moved('send', 4, 1))).toBe('sent');
  expect(of(moved('send', 4, 1), answered(3, 1, 2))).toBe('accepted');
  expect(of(moved('send', 4, 1), answered(3, 1, 2), shipped(3, 3))).toBe('shipped');
  expect(of(moved('send', 4, 1), answered(0, 4, 2))).toBe('returned');
  expect(of(moved('take_over', 4, 1))).toBe('cancelled');
});
