import { expect, test } from 'vitest';
import { afterOpenTime, isClosedAt, isClosedOn } from './closing.ts';

const CHRISTMAS = { from: '2026-12-24', to: '2027-01-03' };
const HOUR = 3_600_000;
const ends = (at: string, hours: number, closing = CHRISTMAS): string =>
  new Date(afterOpenTime(Date.parse(at), hours * HOUR, closing)).toISOString();

test.each([
  ['2026-12-23', false],
  ['2026-12-24', true],
  ['2027-01-03', true],
  ['2027-01-04', false],
])('%s is closed: %s', (date, closed) => {
  expect(isClosedOn(CHRISTMAS, date)).toBe(closed);
});

test('a closing without a last day does not end; without a first day there is no closing', () => {
  expect(isClosedOn({ from: '2026-12-24', to: null }, '2030-01-01')).toBe(true);
  expect(isClosedAt(null, null, 0)).toBe(false);
  // Sydney is eleven hours ahead in December.
  expect(isClosedAt('2026-12-24', null, Date.parse('2026-12-23T12:59:59Z'))).toBe(false);
  expect(isClosedAt('2026-12-24', null, Date.parse('2026-12-23T13:00:00Z'))).toBe(true);
});

test.each([
  ['ends before the closing', '2026-12-22T01:00:00Z', 24, '2026-12-23T01:00:00.000Z'],
  ['ends as the closing begins', '2026-12-22T13:00:00Z', 24, '2026-12-23T13:00:00.000Z'],
  // The window has four hours left when the closing begins. They run after it.
  ['is interrupted', '2026-12-22T17:00:00Z', 24, '2027-01-03T17:00:00.000Z'],
  ['begins inside: runs from the first open day', '2026-12-30T05:00:00Z', 24, '2027-01-04T13:00:00.000Z'],
  ['begins after it', '2027-01-03T13:00:00Z', 24, '2027-01-04T13:00:00.000Z'],
])('a window that %s', (_, at, hours, expected) => {
  expect(ends(at, hours)).toBe(expected);
});

test('open time never runs backwards', () => {
  const start = Date.parse('2026-12-20T00:00:00Z');
  let last = 0;
  for (let at = start; at < start + 20 * 24 * HOUR; at += HOUR / 2) {
    const end = afterOpenTime(at, 24 * HOUR, CHRISTMAS);
    expect(end).toBeGreaterThanOrEqual(Math.max(last, at + 24 * HOUR));
    last = end;
  }
});
