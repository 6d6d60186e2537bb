import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { easterSunday, endOfBusinessDay, isBusinessDay } from './business-days.ts';

const date = (text: string) => Temporal.PlainDate.from(text);

test.each([
  [2000, '2000-04-23'],
  [2024, '2024-03-31'],
  [2025, '2025-04-20'],
  [2026, '2026-04-05'],
  [2038, '2038-04-25'],
])('Easter of %i is %s', (year, expected) => {
  expect(easterSunday(year).toString()).toBe(expected);
});

test.each([
  ['2026-01-01', 'New Year’s Day'],
  ['2026-01-26', 'Australia Day'],
  ['2026-04-03', 'Good Friday'],
  ['2026-04-06', 'Easter Monday'],
  ['2025-04-25', 'Anzac Day'],
  ['2026-12-25', 'Christmas Day'],
  ['2026-12-28', 'Boxing Day, which was a Saturday'],
  ['2021-12-27', 'Christmas Day, which was a Saturday'],
  ['2021-12-28', 'Boxing Day, which was a Sunday'],
  ['2022-01-03', 'New Year’s Day, which was a Saturday'],
  ['2026-06-27', 'a Saturday'],
  ['2026-06-28', 'a Sunday'],
])('%s is no business day: %s', (day) => {
  expect(isBusinessDay(date(day))).toBe(false);
});

test.each(['2026-04-27', '2026-06-08', '2026-12-24', '2026-06-26'])('%s is one', (day) => {
  expect(isBusinessDay(date(day))).toBe(true);
});

test.each([
  // Sydney is ten hours ahead in June: Thursday evening in London is Friday there.
  ['2026-06-25T01:00:00Z', 2, '2026-06-29T14:00:00.000Z'],
  ['2026-06-25T20:00:00Z', 2, '2026-06-30T14:00:00.000Z'],
  ['2026-06-28T01:00:00Z', 1, '2026-06-29T14:00:00.000Z'],
  // Over Easter, and over the end of daylight saving on the Sunday of it.
  ['2026-04-02T00:00:00Z', 2, '2026-04-08T14:00:00.000Z'],
  // Eleven hours ahead in December.
  ['2026-12-24T00:00:00Z', 2, '2026-12-30T13:00:00.000Z'],
])('from %s, %i business days end at %s', (from, days, expected) => {
  expect(new Date(endOfBusinessDay(Date.parse(from), days)).toISOString()).toBe(expected);
});
