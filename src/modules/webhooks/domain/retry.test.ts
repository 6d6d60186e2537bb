import { describe, expect, test } from 'vitest';
import { nextAttemptAt, parseRetryAfter, spread } from './retry.ts';

const NOW = Date.parse('2026-06-28T01:00:00Z');
const SCHEDULE = [0, 5, 300];
const HOUR_MS = 3_600_000;

test('delays are spread by up to a fifth in both directions', () => {
  expect([spread(100, 0), spread(100, 0.5), spread(100, 0.9999999)]).toEqual([80_000, 100_000, 120_000]);
  expect(spread(0, 0.9)).toBe(0);
});

test.each([
  ['120', 120_000],
  ['1.5', 1_500],
  [' 7 ', 7_000],
  ['99999999999', 99_999_999_999_000],
  ['Sun, 28 Jun 2026 01:02:00 GMT', 120_000],
  ['Sun, 28 Jun 2026 00:00:00 GMT', 0],
  ['Sunday, 28-Jun-26 01:02:00 GMT', 120_000],
  ['Sun Jun 28 01:02:00 2026', 120_000],
  ['Sun, 28 Jun 2026 01:02:00', undefined],
  ['not before 2040', undefined],
  ['later 5', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %s', (header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});

describe('the next attempt', () => {
  const next = (step: number, retryAfterMs?: number) =>
    nextAttemptAt({ schedule: SCHEDULE, step, now: NOW, random: 0.5, retryAfterMs });

  test('follows the schedule until it is used up', () => {
    expect([next(1), next(2), next(3)]).toEqual([NOW + 5_000, NOW + 300_000, undefined]);
  });

  test('is later if the receiver asks for it, by a day at most, and never earlier', () => {
    expect([next(1, 60_000), next(1, 1), next(1, 72 * HOUR_MS)]).toEqual([
      NOW + 60_000,
      NOW + 5_000,
      NOW + 24 * HOUR_MS,
    ]);
  });

  test('is not prolonged by Retry-After', () => {
    expect(next(3, 60_000)).toBeUndefined();
  });
});
