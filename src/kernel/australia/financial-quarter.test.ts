import fc from 'fast-check';
import { expect, test } from 'vitest';
import { locksOn, monthsOf, parseQuarter, quarterOf } from './financial-quarter.ts';
import { addDays } from './settlement-period.ts';

test.each([
  ['2026-06-30', 'FY2025-26-Q4', '2026-04-01', '2026-06-30'],
  ['2026-07-01', 'FY2026-27-Q1', '2026-07-01', '2026-09-30'],
  ['2026-12-31', 'FY2026-27-Q2', '2026-10-01', '2026-12-31'],
  ['2027-01-01', 'FY2026-27-Q3', '2027-01-01', '2027-03-31'],
  ['2099-08-01', 'FY2099-00-Q1', '2099-07-01', '2099-09-30'],
])('%s lies in %s', (date, label, start, end) => {
  expect(quarterOf(date)).toEqual({ label, start, end });
  expect(parseQuarter(label)).toEqual({ label, start, end });
});

test.each([
  'FY2026-28-Q1',
  'FY2026-27-Q5',
  'FY2026-27-Q0',
  'fy2026-27-q1',
  '2026-27-Q1',
  'FY2026-27-Q1 ',
  // Its days would have a year of five digits. They would not sort with other days, and the database refuses them.
  'FY9999-00-Q3',
  'FY0000-01-Q1',
  '',
])('%j is no quarter', (label) => {
  expect(parseQuarter(label)).toBeUndefined();
});

test('every day lies in one quarter, the quarters follow each other, their months fill them', () => {
  const dates = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2098-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(dates, (date) => {
      const quarter = quarterOf(date);
      expect(quarter.start <= date && date <= quarter.end).toBe(true);
      expect(parseQuarter(quarter.label)).toEqual(quarter);
      expect(quarterOf(addDays(quarter.end, 1)).start).toBe(addDays(quarter.end, 1));
      const months = monthsOf(quarter, quarter.end);
      expect([months[0]?.start, months[2]?.end]).toEqual([quarter.start, quarter.end]);
      expect(months.slice(1).map(({ start }) => start)).toEqual(
        months.slice(0, 2).map(({ end }) => addDays(end, 1)),
      );
    }),
  );
});

test.each([
  ['2026-10-01', ['2026-10']],
  ['2026-11-30', ['2026-10', '2026-11']],
  ['2026-12-01', ['2026-10', '2026-11', '2026-12']],
  ['2027-02-01', ['2026-10', '2026-11', '2026-12']],
])('on %s the months %j of a quarter have begun', (today, begun) => {
  expect(monthsOf(quarterOf('2026-12-31'), today).map(({ month }) => month)).toEqual(begun);
});

test('a quarter accepts late facts for three days, then it is locked', () => {
  expect(locksOn(quarterOf('2026-08-01'))).toBe('2026-10-04');
});
