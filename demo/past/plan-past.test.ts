import { expect, test } from 'vitest';
import { addDays, closesAt, periodOf } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { payoutNews } from '../payout-events.ts';
import type { Deed } from './past-step.ts';
import { daysBefore, planHistory } from './plan-past.ts';

const DAYS = 45;
const HOLD_DAYS = 7;
const NOON_MS = 12 * 3_600_000;

const pastOf = (now: number): readonly Deed[] =>
  planHistory({ beganAt: daysBefore(now, DAYS), until: now, sellerId: 'slr_1' });
const told = (deeds: readonly Deed[], type: string) =>
  deeds.flatMap((deed) => (deed.kind === 'tell' && deed.event.type === `marketplace.${type}` ? [deed] : []));

/** Days all over two years, on every weekday and in every half of a month. */
const TODAYS = Array.from({ length: 92 }, (_, index) => addDays('2027-03-01', index * 8));

test.each(TODAYS)('on %s a settlement is paid, and refunds and disputes have come and gone', (today) => {
  const now = dayOf(today).start + NOON_MS;
  const past = pastOf(now).filter(({ at }) => at <= now);
  const [first] = told(past, 'order.delivered');
  const available = addDays(sydneyDate(first?.at ?? now), HOLD_DAYS);
  const period = periodOf(available, 'semi_monthly');
  const settlement = { settlement_id: 'stl_1', period_end: period.end, closed_at: closesAt(period) };
  for (const { at } of payoutNews('slr_1', settlement)) expect(at).toBeLessThan(now);
  for (const type of ['refund.confirmed', 'dispute.won', 'dispute.lost', 'adjustment.recorded'])
    expect(told(past, type), type).not.toEqual([]);
});

test('the same beginning has the same past, and a later end only adds to it', () => {
  const now = dayOf('2027-03-01').start + NOON_MS;
  const options = { beganAt: daysBefore(now, DAYS), sellerId: 'slr_1' };
  const orders = (until: number) =>
    told(planHistory({ ...options, until }), 'order.placed').map(({ event }) => event);
  const [earlier, later] = [orders(now), orders(now + 3 * 24 * 3_600_000)];
  expect(earlier.length).toBeGreaterThan(50);
  expect(later.slice(0, earlier.length)).toEqual(earlier);
  expect(later.length).toBeGreaterThan(earlier.length);
});

test('nothing has two names, and no name two things', () => {
  const past = pastOf(dayOf('2027-03-01').start);
  const ids = past.flatMap((deed) => (deed.kind === 'tell' ? [deed.event.id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  const bookings = past.flatMap(({ books }) => (books === undefined ? [] : [books.id]));
  expect(new Set(bookings).size).toBe(bookings.length);
});
