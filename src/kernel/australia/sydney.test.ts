import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { daysLater, nextTimeOfDay, startOfDay, sydneyDate, TIME_ZONE } from './sydney.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

test.each([
  ['2026-06-30T13:59:59.999Z', '2026-06-30'],
  ['2026-06-30T14:00:00Z', '2026-07-01'],
  ['2026-01-01T12:59:59Z', '2026-01-01'],
  ['2026-01-01T13:00:00Z', '2026-01-02'],
])('%s is the Sydney day %s', (instant, date) => {
  expect(sydneyDate(at(instant))).toBe(date);
});

test('a day lasts from its midnight in Sydney to its last millisecond', () => {
  expect(iso(startOfDay(at('2026-07-01T13:59:59.999Z')).start)).toBe('2026-06-30T14:00:00.000Z');
  expect(iso(startOfDay(at('2026-06-30T14:00:00Z')).start)).toBe('2026-06-30T14:00:00.000Z');
});

test.each([
  ['2026-04-05', '2026-04-04T13:00:00.000Z', '2026-04-05T14:00:00.000Z', 25],
  ['2026-10-04', '2026-10-03T14:00:00.000Z', '2026-10-04T13:00:00.000Z', 23],
])('the day of a clock change, %s, has its own length', (_date, start, next, hours) => {
  const noon = at(start) + 12 * 3_600_000;
  expect(iso(startOfDay(noon).start)).toBe(start);
  expect(iso(startOfDay(noon).next)).toBe(next);
  expect((startOfDay(noon).next - startOfDay(noon).start) / 3_600_000).toBe(hours);
});

test.each([
  ['2026-07-10T16:29:59.999Z', '2026-07-10T16:30:00.000Z', 'later today'],
  ['2026-07-10T16:30:00Z', '2026-07-11T16:30:00.000Z', 'tomorrow, when it is that time now'],
  [
    '2026-10-02T16:30:00Z',
    '2026-10-03T16:30:00.000Z',
    'a time that the clock leaves out: when it shows an hour later',
  ],
  ['2026-10-03T16:30:00Z', '2026-10-04T15:30:00.000Z', 'the day after a clock change'],
  ['2026-04-03T15:30:00Z', '2026-04-04T15:30:00.000Z', 'a time that the clock shows twice: the first'],
])('after %s it is half past two at %s: %s', (from, next) => {
  expect(iso(nextTimeOfDay(at(from), { hour: 2, minute: 30 }))).toBe(next);
});

test('days later, the clock in Sydney shows the same time', () => {
  expect(iso(daysLater(at('2027-02-01T00:00:00+11:00'), 90))).toBe('2027-05-01T14:00:00.000Z');
  expect(iso(daysLater(at('2026-09-01T00:00:00+10:00'), 90))).toBe('2026-11-29T13:00:00.000Z');
});

test('each hour of the days around clock changes has the date that the calendar says', () => {
  for (const first of ['2026-04-03T00:00:00Z', '2026-10-02T00:00:00Z', '1995-03-04T00:00:00Z'])
    for (let hour = 0; hour < 96; hour += 1)
      for (const ms of [0, 1, 3_599_999]) {
        const instant = at(first) + hour * 3_600_000 + ms;
        const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(TIME_ZONE);
        expect(sydneyDate(instant)).toBe(local.toPlainDate().toString());
        expect(startOfDay(instant).start).toBe(local.startOfDay().epochMilliseconds);
        expect(startOfDay(instant).next).toBe(local.add({ days: 1 }).startOfDay().epochMilliseconds);
      }
});
