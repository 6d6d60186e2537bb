import { expect, test } from 'vitest';
import { dispatchBy, isTimeZone } from './dispatch-by.ts';
import type { Handling } from './profile.ts';

const WEEKDAYS: Handling = {
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
};
const by = (placed: string, change: Partial<Handling> = {}): string =>
  new Date(dispatchBy({ ...WEEKDAYS, ...change }, Date.parse(placed))).toISOString();

test.each<[string, string, string, Partial<Handling>]>([
  ['before the cut-off: the next working day', '2026-06-29T13:59:59+10:00', '2026-06-30T14:00:00.000Z', {}],
  ['at the cut-off: one day more', '2026-06-29T14:00:00+10:00', '2026-07-01T14:00:00.000Z', {}],
  ['on Friday morning: Monday', '2026-07-03T09:00:00+10:00', '2026-07-06T14:00:00.000Z', {}],
  ['on Friday evening: Tuesday', '2026-07-03T20:00:00+10:00', '2026-07-07T14:00:00.000Z', {}],
  ['on Saturday morning: as of Monday', '2026-07-04T09:00:00+10:00', '2026-07-07T14:00:00.000Z', {}],
  [
    'without handling days: the same day',
    '2026-06-29T09:00:00+10:00',
    '2026-06-29T14:00:00.000Z',
    { handling_days: 0 },
  ],
  [
    'a seller that works on Sundays only',
    '2026-06-29T09:00:00+10:00',
    '2026-07-12T14:00:00.000Z',
    { working_days: ['sun'] },
  ],
  [
    'a cut-off in Perth is two hours later',
    '2026-06-29T15:30:00+10:00',
    '2026-06-30T16:00:00.000Z',
    { timezone: 'Australia/Perth' },
  ],
  // Daylight saving begins on 4 October 2026: the day has 23 hours.
  [
    'over the change to daylight saving',
    '2026-10-03T09:00:00+10:00',
    '2026-10-04T13:00:00.000Z',
    { working_days: ['sat', 'sun'] },
  ],
  [
    'over the change back',
    '2027-04-03T09:00:00+11:00',
    '2027-04-04T14:00:00.000Z',
    { working_days: ['sat', 'sun'] },
  ],
])('%s', (_, placed, expected, change) => {
  expect(by(placed, change)).toBe(expected);
});

test.each([
  ['Australia/Sydney', true],
  ['UTC', true],
  ['+10:00', false],
  ['Australia/Nowhere', false],
  ['', false],
  ['../etc/passwd', false],
])('%s is a time zone: %s', (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
