import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  type BusinessCalendar,
  between,
  describeCalendar,
  isCalendar,
  opens,
  WEEKDAYS,
} from './business-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ms = (text: string) => Date.parse(text);
const iso = (at: number) => new Date(at).toISOString();
const on = (days: readonly (typeof WEEKDAYS)[number][], ...hours: [string, string][]): BusinessCalendar => ({
  weekly: Object.fromEntries(days.map((day) => [day, hours])),
  closed_dates: [],
});
const WEEK = WEEKDAYS.slice(0, 5);
const DAYS = on(WEEK, ['00:00', '24:00']);
const OFFICE = on(WEEK, ['09:00', '17:00']);
const ALWAYS = on(WEEKDAYS, ['00:00', '24:00']);

// Good Friday is 3 April, Easter Monday 6 April 2026; the clock is set back on 5 April.
test.each([
  ['whole days, over Easter', DAYS, '2026-04-02T04:00:00Z', 1_440, '2026-04-07T05:00:00.000Z'],
  ['five sixths of them', DAYS, '2026-04-02T04:00:00Z', 1_200, '2026-04-07T01:00:00.000Z'],
  ['from a Saturday', DAYS, '2026-04-04T10:00:00+11:00', 1_440, '2026-04-07T14:00:00.000Z'],
  ['from an evening', DAYS, '2026-04-07T18:00:00+10:00', 240, '2026-04-07T12:00:00.000Z'],
  [
    'all hours: the day of the change has 25',
    ALWAYS,
    '2026-04-04T15:00:00+11:00',
    1_440,
    '2026-04-05T04:00:00.000Z',
  ],
  ['office hours', OFFICE, '2026-04-02T15:00:00+11:00', 480, '2026-04-07T05:00:00.000Z'],
  ['up to the end of a day', OFFICE, '2026-04-02T09:00:00+11:00', 480, '2026-04-02T06:00:00.000Z'],
  ['what is left of a longer target', OFFICE, '2026-04-08T14:00:00+10:00', 2_160, '2026-04-15T00:00:00.000Z'],
])('%s', (_, calendar, from, minutes, due) => {
  expect(iso(add(calendar, ms(from), minutes * MINUTE))).toBe(due);
  expect(between(calendar, ms(from), ms(due))).toBe(minutes * MINUTE);
});

test('a millisecond counts', () => {
  const opening = ms('2026-04-07T09:00:00+10:00');
  expect(add(OFFICE, opening - 1, 1)).toBe(opening + 1);
  expect(add(OFFICE, opening, 8 * HOUR)).toBe(opening + 8 * HOUR);
  expect(add(OFFICE, opening, 8 * HOUR + 1)).toBe(opening + 24 * HOUR + 1);
  expect(between(OFFICE, opening + 8 * HOUR - 1, opening + 24 * HOUR + 1)).toBe(2);
});

test('nothing is between an instant and an earlier one, and nothing added is no time', () => {
  const at = ms('2026-04-04T00:00:00Z');
  expect(between(ALWAYS, at, at)).toBe(0);
  expect(between(ALWAYS, at, at - HOUR)).toBe(0);
  expect(add(OFFICE, at, 0)).toBe(at);
});

test('hours that the clock skips are not open, hours that it repeats are open twice', () => {
  const night = on(WEEKDAYS, ['02:00', '03:00']);
  const dayOf = (date: string) => [ms(`${date}T00:00:00+10:00`), ms(`${date}T12:00:00+10:00`)] as const;
  expect(between(night, ...dayOf('2026-10-04'))).toBe(0);
  expect(between(night, ...dayOf('2026-04-05'))).toBe(2 * HOUR);
  expect(between(night, ...dayOf('2026-06-01'))).toBe(HOUR);
});

test('closed dates count for nothing', () => {
  const calendar = { ...DAYS, closed_dates: ['2026-04-08'] };
  expect(iso(add(calendar, ms('2026-04-07T12:00:00+10:00'), 24 * 60 * MINUTE))).toBe(
    '2026-04-09T02:00:00.000Z',
  );
});

test.each([
  [
    [
      ['09:00', '12:00'],
      ['12:00', '17:00'],
    ],
    true,
  ],
  [
    [
      ['09:00', '12:00'],
      ['11:59', '17:00'],
    ],
    false,
  ],
  [[['12:00', '09:00']], false],
  [[['09:00', '09:00']], false],
])('hours %j: %j', (mon, valid) => {
  expect(isCalendar({ weekly: { mon: mon as [string, string][] } })).toBe(valid);
});

test('a calendar that never opens is known', () => {
  expect(opens(OFFICE, '2026-04-02')).toBe(true);
  expect(opens({ weekly: {}, closed_dates: [] }, '2026-04-02')).toBe(false);
  expect(opens({ weekly: { mon: [] }, closed_dates: [] }, '2026-04-02')).toBe(false);
});

test('a calendar is described by runs of equal days', () => {
  expect(describeCalendar(OFFICE)).toBe(
    'Australia/Sydney, mon-fri 09:00-17:00, closed on national public holidays',
  );
  const odd = {
    weekly: {
      mon: [
        ['09:00', '12:00'],
        ['13:00', '17:00'],
      ],
      wed: [['09:00', '12:00']],
    },
  } as const;
  expect(describeCalendar({ ...odd, closed_dates: ['2026-12-24'] })).toBe(
    'Australia/Sydney, mon 09:00-12:00 13:00-17:00, wed 09:00-12:00, closed on national public holidays, 2026-12-24',
  );
});

describe('for any calendar, over both changes of the clock', () => {
  const time = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const hours = fc
    .uniqueArray(fc.integer({ min: 0, max: 1_440 }), { minLength: 2, maxLength: 6 })
    .map((times) => times.sort((a, b) => a - b))
    .map((times) =>
      Array.from({ length: Math.floor(times.length / 2) }, (_, n) => [times[2 * n], times[2 * n + 1]]),
    )
    .map((spans) => spans.map(([from = 0, to = 0]) => [time(from), time(to)] as [string, string]));
  const calendar: fc.Arbitrary<BusinessCalendar> = fc.record({
    // Some hours at midday, so that every calendar opens within a few days.
    weekly: fc
      .record(Object.fromEntries(WEEKDAYS.map((day) => [day, fc.option(hours, { nil: [] })])))
      .map((weekly) => ({ ...weekly, wed: [['11:00', '13:00']] as [string, string][] })),
    closed_dates: fc.subarray(['2026-04-02', '2026-04-07', '2026-10-05', '2026-12-24']),
  });
  const from = ms('2026-03-28T00:00:00Z');
  const instant = fc.oneof(
    fc.integer({ min: from, max: from + 14 * 24 * HOUR }),
    fc.integer({ min: ms('2026-09-28T00:00:00Z'), max: ms('2026-10-10T00:00:00Z') }),
    fc.integer({ min: ms('2026-12-20T00:00:00Z'), max: ms('2027-01-04T00:00:00Z') }),
  );
  const span = fc.oneof(fc.integer({ min: 1, max: 30 * HOUR }), fc.integer({ min: 1, max: 1_000 }));

  test('what is added lies between, exactly and at the first instant', () => {
    fc.assert(
      fc.property(calendar, instant, span, (c, a, x) => {
        const due = add(c, a, x);
        expect(between(c, a, due)).toBe(x);
        expect(between(c, a, due - 1)).toBe(x - 1);
      }),
    );
  });

  test('adding in two steps is adding at once', () => {
    fc.assert(
      fc.property(calendar, instant, span, span, (c, a, x, y) => {
        expect(add(c, add(c, a, x), y)).toBe(add(c, a, x + y));
      }),
    );
  });

  test('a later start or a longer target is never due earlier', () => {
    fc.assert(
      fc.property(calendar, instant, span, fc.nat(3 * 24 * HOUR), fc.nat(HOUR), (c, a, x, later, longer) => {
        expect(add(c, a + later, x)).toBeGreaterThanOrEqual(add(c, a, x));
        expect(add(c, a, x + longer)).toBeGreaterThanOrEqual(add(c, a, x));
      }),
    );
  });

  test('time adds up at any instant between', () => {
    fc.assert(
      fc.property(calendar, instant, fc.nat(9 * 24 * HOUR), fc.nat(9 * 24 * HOUR), (c, a, x, y) => {
        expect(between(c, a, a + x) + between(c, a + x, a + x + y)).toBe(between(c, a, a + x + y));
      }),
    );
  });
});
