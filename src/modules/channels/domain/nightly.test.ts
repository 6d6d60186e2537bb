import { describe, expect, test } from 'vitest';
import { nightlyAfter } from './nightly.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the nightly sweep', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `chn_${index}`);
  /** 03:30 in Sydney, in winter. */
  const from = Date.parse('2026-07-01T17:30:00Z');

  test('begins between 03:30 and 05:30 in Sydney, spread by the channel', () => {
    const delays = ids.map((id) => nightlyAfter(id, from - 1) - from);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(2 * HOUR_MS);
    expect(new Set(delays.map((delay) => Math.floor(delay / (HOUR_MS / 2)))).size).toBe(4);
  });

  test('comes once a night, also when the clocks change', () => {
    const night = Date.parse('2026-10-02T00:00:00Z');
    for (const id of ids.slice(0, 20)) {
      const first = nightlyAfter(id, night);
      expect(nightlyAfter(id, first)).toBe(first + DAY_MS - HOUR_MS);
      expect(nightlyAfter(id, first - 1)).toBe(first);
    }
  });
});
