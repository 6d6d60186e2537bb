import { expect, test } from 'vitest';
import type { Closing } from '../../../kernel/australia/closing.ts';
import { dispatchBy, handlingWithoutProfile, isTimeZone } from './dispatch-by.ts';
import type { Handling } from './profile.ts';

const WEEKDAYS: Handling = {
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
};
const by = (placed: string, change: Partial<Handling> = {}, closing: Closing | null = null): string =>
  new Date(dispatchBy({ ...WEEKDAYS, ...change }, Date.parse(placed), closing)).toISOString();

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

// Over Easter: Friday 3 and Monday 6 April 2026 are public holidays, also for a seller that works every day.
test.each<[string, string, Partial<Handling>, string]>([
  ['Easter', '2026-04-02T09:00:00+11:00', {}, '2026-04-07T14:00:00.000Z'],
  [
    'Good Friday',
    '2026-04-02T09:00:00+11:00',
    { working_days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
    '2026-04-04T13:00:00.000Z',
  ],
  // Christmas Day 2027 is a Saturday: it stays a holiday beside the Monday that it moves to, and so does Boxing Day.
  [
    'Christmas on a weekend',
    '2027-12-24T09:00:00+11:00',
    { working_days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
    '2027-12-29T13:00:00.000Z',
  ],
])('leaves %s out', (_, placed, change, expected) => {
  expect(by(placed, change)).toBe(expected);
});

test('a closing is left out, and the time before it counts', () => {
  const closing = { from: '2026-07-01', to: '2026-07-10' };
  const closed = (placed: string, change: Partial<Handling> = {}) => by(placed, change, closing);
  expect(closed('2026-06-29T09:00:00+10:00')).toBe('2026-06-30T14:00:00.000Z');
  expect(closed('2026-06-30T09:00:00+10:00')).toBe('2026-07-13T14:00:00.000Z');
  expect(closed('2026-07-03T09:00:00+10:00')).toBe('2026-07-14T14:00:00.000Z');
  expect(closed('2026-07-03T09:00:00+10:00', { handling_days: 0 })).toBe('2026-07-13T14:00:00.000Z');
});

test.each([
  // Sydney is ten hours ahead in June: Thursday evening in London is Friday there.
  ['2026-06-25T01:00:00Z', 2, '2026-06-29T14:00:00.000Z'],
  ['2026-06-25T20:00:00Z', 2, '2026-06-30T14:00:00.000Z'],
  ['2026-06-28T01:00:00Z', 1, '2026-06-29T14:00:00.000Z'],
  ['2026-06-28T01:00:00Z', 0, '2026-06-29T14:00:00.000Z'],
  ['2026-06-29T01:00:00Z', 0, '2026-06-29T14:00:00.000Z'],
  ['2026-04-02T00:00:00Z', 2, '2026-04-08T14:00:00.000Z'],
  ['2026-12-24T00:00:00Z', 2, '2026-12-30T13:00:00.000Z'],
])('without a profile, from %s %i business days end at %s', (from, days, expected) => {
  const handling = handlingWithoutProfile(days);
  expect(new Date(dispatchBy(handling, Date.parse(from), null)).toISOString()).toBe(expected);
  if (days === 2) expect(handlingWithoutProfile(null)).toEqual(handling);
});

/** A small generator, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('a later order is never due earlier, and never before its own day is over', () => {
  const pick = numbers(7);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  for (let round = 0; round < 60; round += 1) {
    const working_days = days.filter(() => pick(2) === 0);
    const handling: Handling = {
      handling_days: pick(6),
      cut_off: pick(3) === 0 ? null : `${String(pick(24)).padStart(2, '0')}:00`,
      timezone: ['Australia/Sydney', 'Australia/Perth', 'UTC'][pick(3)] ?? 'UTC',
      working_days: working_days.length === 0 ? ['wed'] : working_days,
    };
    const closing = pick(2) === 0 ? null : { from: '2026-12-20', to: `2027-01-${10 + pick(15)}` };
    let last = 0;
    for (let at = Date.parse('2026-12-10T00:00:00Z'); at < Date.parse('2027-01-10T00:00:00Z'); at += 3.3e7) {
      const due = dispatchBy(handling, at, closing);
      expect(due, JSON.stringify({ handling, closing, at })).toBeGreaterThanOrEqual(Math.max(last, at));
      last = due;
    }
  }
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
