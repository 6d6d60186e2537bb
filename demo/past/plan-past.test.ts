import { expect, test } from 'vitest';
import { addDays, closesAt, periodOf } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { payoutEvents } from '../payout-events.ts';
import type { PastStep } from './past-step.ts';
import { daysBefore, planPast } from './plan-past.ts';

const DAYS = 45;
const HOLD_DAYS = 7;
const NOON_MS = 12 * 3_600_000;

const pastOf = (now: number): readonly PastStep[] =>
  planPast({ beganAt: daysBefore(now, DAYS), until: now, sellerId: 'slr_1' });
const eventSteps = (steps: readonly PastStep[], type: string) =>
  steps.flatMap((step) => (step.kind === 'event' && step.event.type === `marketplace.${type}` ? [step] : []));

/** Days over two years: every weekday, both halves of a month. */
const TODAYS = Array.from({ length: 92 }, (_, index) => addDays('2027-03-01', index * 8));

test.each(TODAYS)(
  'on %s the past has a paid settlement, a refund, both ends of a dispute and a contest',
  (today) => {
    const now = dayOf(today).start + NOON_MS;
    const past = pastOf(now).filter(({ at }) => at <= now);
    const [first] = eventSteps(past, 'order.delivered');
    const available = addDays(sydneyDate(first?.at ?? now), HOLD_DAYS);
    const period = periodOf(available, 'semi_monthly');
    const settlement = { settlement_id: 'stl_1', period_end: period.end, closed_at: closesAt(period) };
    for (const { at } of payoutEvents('slr_1', settlement)) expect(at).toBeLessThan(now);
    const tickets = ['ticket.opened', 'ticket.updated'];
    for (const type of ['refund.confirmed', 'dispute.won', 'dispute.lost', 'adjustment.recorded', ...tickets])
      expect(eventSteps(past, type), type).not.toEqual([]);
    expect(past.filter(({ kind }) => kind === 'contest')).toHaveLength(1);
  },
);

test('a plan with the same beginning has the same steps, and a later end only adds steps', () => {
  const now = dayOf('2027-03-01').start + NOON_MS;
  const options = { beganAt: daysBefore(now, DAYS), sellerId: 'slr_1' };
  const orders = (until: number) =>
    eventSteps(planPast({ ...options, until }), 'order.placed').map(({ event }) => event);
  const [earlier, later] = [orders(now), orders(now + 3 * 24 * 3_600_000)];
  expect(earlier.length).toBeGreaterThan(50);
  expect(later.slice(0, earlier.length)).toEqual(earlier);
  expect(later.length).toBeGreaterThan(earlier.length);
});

test.each(TODAYS)(
  'on %s buyers have asked and rated; two wait, one answer was late, one star was contested',
  (today) => {
    const now = dayOf(today).start + NOON_MS;
    const past = pastOf(now).filter(({ at }) => at <= now);
    const asked = eventSteps(past, 'message.received');
    const answers = past.flatMap((step) => (step.kind === 'answer' ? [step] : []));
    const late = answers.filter(({ at, orderId }) => {
      const question = asked.find(({ event }) => event.subject === orderId);
      return at - (question?.at ?? at) > 7 * 24 * 3_600_000;
    });
    expect(late).toHaveLength(1);
    const answered = new Set(answers.map(({ orderId }) => orderId));
    const waiting = asked.filter(({ event }) => !answered.has(event.subject ?? ''));
    expect(waiting.length).toBeGreaterThanOrEqual(2);
    expect(answers.length).toBeGreaterThan(5);
    expect(eventSteps(past, 'review.posted').length).toBeGreaterThan(10);
    expect(eventSteps(past, 'feedback.posted').length).toBeGreaterThan(2);
    expect(past.filter(({ kind }) => kind === 'contest_rating')).toHaveLength(1);
    for (const kind of ['ask', 'hear']) expect(past.filter((step) => step.kind === kind)).toHaveLength(1);
  },
);

test.each(TODAYS)(
  'on %s the shop has dealt with suppliers, and a buyer has what a supplier sent',
  (today) => {
    const now = dayOf(today).start;
    const past = pastOf(now).filter(({ at }) => at <= now);
    expect(
      past.flatMap((step) => (step.kind === 'supply' && step.act !== undefined ? [step.act] : [])),
    ).toEqual([...['request', 'award', 'receive', 'list', 'reorder', 'request_again']]);
    const [placed] = eventSteps(past, 'order.placed').filter(({ event }) =>
      JSON.stringify(event.data).includes('JUG-SAND'),
    );
    const delivered = eventSteps(past, 'order.delivered').filter(
      ({ event }) => event.subject === placed?.event.subject,
    );
    expect(delivered).toHaveLength(1);
    // A listing without a count of the last 24 hours is paused.
    const counted = past.flatMap((step) => (step.kind === 'supply' ? [step.at] : []));
    expect(now - Math.max(...counted)).toBeLessThan(24 * 3_600_000);
  },
);

test('a third of the orders are by buyers who have bought before', () => {
  const placed = eventSteps(pastOf(dayOf('2027-03-01').start), 'order.placed');
  const buyers = placed.map(({ event }) => (event.data as { buyer: { customer_ref: string } }).buyer);
  const refs = buyers.map(({ customer_ref }) => customer_ref);
  const again = refs.filter((ref, index) => refs.indexOf(ref) < index);
  expect(again).toHaveLength(Math.floor(refs.length / 3));
});

test('the marketplace tells of every week and month that ends in the past, and holds one week back', () => {
  const past = pastOf(dayOf('2027-03-04').start);
  expect(eventSteps(past, 'search.observed').length).toBeGreaterThanOrEqual(5);
  const cells = eventSteps(past, 'intel.observed').map(
    ({ event }) => event.data as { price?: object; contributors: number },
  );
  expect(cells.filter(({ price }) => price !== undefined).length).toBeGreaterThanOrEqual(1);
  expect(cells.filter(({ contributors }) => contributors < 10)).toHaveLength(1);
});

test('ids of events and bookings are unique', () => {
  const past = pastOf(dayOf('2027-03-01').start);
  const ids = past.flatMap((step) => (step.kind === 'event' ? [step.event.id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  const bookings = past.flatMap(({ booking }) => (booking === undefined ? [] : [booking.id]));
  expect(new Set(bookings).size).toBe(bookings.length);
});
