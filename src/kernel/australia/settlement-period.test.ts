import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  closesAt,
  instantsOf,
  periodFrom,
  periodOf,
  SETTLEMENT_SCHEDULES,
} from './settlement-period.ts';

test.each([
  ['semi_monthly', '2026-07-01', '2026-07-01', '2026-07-15'],
  ['semi_monthly', '2026-07-15', '2026-07-01', '2026-07-15'],
  ['semi_monthly', '2026-07-16', '2026-07-16', '2026-07-31'],
  ['semi_monthly', '2028-02-20', '2028-02-16', '2028-02-29'],
  ['monthly', '2026-02-28', '2026-02-01', '2026-02-28'],
  ['weekly_cut_at_month_end', '2026-07-01', '2026-07-01', '2026-07-05'],
  ['weekly_cut_at_month_end', '2026-07-08', '2026-07-06', '2026-07-12'],
  ['weekly_cut_at_month_end', '2026-08-31', '2026-08-31', '2026-08-31'],
  ['weekly_cut_at_month_end', '2026-09-01', '2026-09-01', '2026-09-06'],
] as const)('%s: %s lies in %s to %s', (schedule, date, start, end) => {
  expect(periodOf(date, schedule)).toEqual({ start, end });
});

const dates = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe.each(SETTLEMENT_SCHEDULES)('%s', (schedule) => {
  test('every day lies in one period, which begins where the last one ended and stays in its month', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const period = periodOf(date, schedule);
        expect(period.start <= date && date <= period.end).toBe(true);
        expect(period.start.slice(0, 7)).toBe(period.end.slice(0, 7));
        expect(periodOf(period.start, schedule)).toEqual(period);
        expect(periodOf(period.end, schedule)).toEqual(period);
        const next = addDays(period.end, 1);
        expect(periodOf(next, schedule).start).toBe(next);
      }),
    );
  });
});

test('after a change of schedule, the next period begins where the last one ended', () => {
  expect(periodFrom('2026-07-16', 'monthly')).toEqual({ start: '2026-07-16', end: '2026-07-31' });
});

test.each([
  ['2026-07-15', '2026-07-15T16:00:00.000Z'],
  ['2026-12-31', '2026-12-31T15:00:00.000Z'],
  // Clocks go from 02:00 to 03:00 on the day of the close, and from 03:00 back to 02:00.
  ['2026-10-03', '2026-10-03T16:00:00.000Z'],
  ['2026-04-04', '2026-04-04T15:00:00.000Z'],
])('the period that ends on %s closes at %s', (end, at) => {
  expect(new Date(closesAt({ start: end, end })).toISOString()).toBe(at);
});

test('the instants of a period follow the changes of the clock', () => {
  expect(instantsOf({ start: '2026-07-16', end: '2026-07-31' })).toEqual({
    start_at: '2026-07-15T14:00:00.000Z',
    end_at: '2026-07-31T14:00:00.000Z',
  });
  expect(instantsOf({ start: '2026-10-01', end: '2026-12-31' })).toEqual({
    start_at: '2026-09-30T14:00:00.000Z',
    end_at: '2026-12-31T13:00:00.000Z',
  });
});
