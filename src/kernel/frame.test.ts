import { expect, test } from 'vitest';
import { liveFrame, rateBps } from './frame.ts';

test('what is missing makes figures partial, sorted by name', () => {
  const frame = liveFrame('2026-06-28T01:00:00.000Z', 'quality.summary.v1', {
    missing: ['ratings', 'lead_time'],
  });
  expect(frame).toMatchObject({
    cache_status: 'live',
    semantic_status: 'partial',
    missing_components: ['lead_time', 'ratings'],
    facts_through_on: null,
  });
  expect(liveFrame(frame.generated_at, 'a.b.v1').semantic_status).toBe('complete');
});

test('a rate is half up, and null below its least denominator', () => {
  expect([rateBps(18, 20), rateBps(1, 3), rateBps(2, 3), rateBps(1, 20_000), rateBps(0, 5)]).toEqual([
    9_000, 3_333, 6_667, 1, 0,
  ]);
  expect([rateBps(0, 0), rateBps(4, 4, 5)]).toEqual([null, null]);
});
