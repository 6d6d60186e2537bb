import { expect, test } from 'vitest';
import { dueThrough, lacking, liveFrame, rateBps, snapshotFrame } from './frame.ts';

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

test('figures that lack more are partial; without figures nothing is said of parts', () => {
  const frame = liveFrame('2026-06-28T01:00:00.000Z', 'a.b.v1', { missing: ['supplier_cost'] });
  expect(lacking(liveFrame(frame.generated_at, 'a.b.v1'), [])).toMatchObject({ semantic_status: 'complete' });
  expect(lacking(frame, ['freight', 'supplier_cost', 'freight'])).toMatchObject({
    semantic_status: 'partial',
    missing_components: ['freight', 'supplier_cost'],
  });
  const none = liveFrame(frame.generated_at, 'a.b.v1', { semantic_status: 'not_computed' });
  expect(lacking(none, ['freight'])).toEqual(none);
});

test('a rate is half up, and null below its least denominator', () => {
  expect([rateBps(18, 20), rateBps(1, 3), rateBps(2, 3), rateBps(1, 20_000), rateBps(0, 5)]).toEqual([
    9_000, 3_333, 6_667, 1, 0,
  ]);
  expect([rateBps(0, 0), rateBps(4, 4, 5)]).toEqual([null, null]);
});

const COMPUTED = {
  generated_at: '2026-10-25T17:02:11.000Z',
  facts_through_on: '2026-10-25',
  semantic_status: 'complete',
  status_reason: null,
  missing: ['lead_time'],
} as const;
const frameAt = (at: string, more: object = {}) =>
  snapshotFrame(Date.parse(at), 'a.b.v1', { ...COMPUTED, ...more });

test('a day is due at six in the morning in Sydney, also when the clocks change', () => {
  const due = (at: string) => dueThrough(Date.parse(at));
  expect([due('2026-10-26T05:59:59+11:00'), due('2026-10-26T06:00:00+11:00')]).toEqual([
    '2026-10-24',
    '2026-10-25',
  ]);
  // A day of 23 hours, and one of 25.
  expect([due('2026-10-04T05:59:59+11:00'), due('2026-10-04T06:00:00+11:00')]).toEqual([
    '2026-10-02',
    '2026-10-03',
  ]);
  expect([due('2026-04-05T05:59:59+10:00'), due('2026-04-05T06:00:00+10:00')]).toEqual([
    '2026-04-03',
    '2026-04-04',
  ]);
});

test('a snapshot is fresh until a due day is missing; then it lacks the recent days', () => {
  expect(frameAt('2026-10-27T05:59:59+11:00')).toMatchObject({
    generated_at: '2026-10-25T17:02:11.000Z',
    cache_status: 'fresh',
    semantic_status: 'complete',
  });
  expect(frameAt('2026-10-27T06:00:00+11:00')).toMatchObject({
    cache_status: 'stale',
    semantic_status: 'partial',
    missing_components: ['lead_time', 'recent_days'],
  });
  expect(frameAt('2026-11-27T06:00:00+11:00', { semantic_status: 'insufficient_history' })).toMatchObject({
    cache_status: 'stale',
    semantic_status: 'insufficient_history',
  });
  expect(frameAt('2026-11-27T06:00:00+11:00', { facts_through_on: null }).cache_status).toBe('fresh');
});

test('without a snapshot the answer says when to ask again', () => {
  expect(snapshotFrame(0, 'a.b.v1', undefined)).toMatchObject({
    generated_at: '1970-01-01T00:00:00.000Z',
    cache_status: 'none',
    semantic_status: 'not_computed',
    retry_after_seconds: 15,
  });
});
