import { expect, test } from 'vitest';
import type { ClaimedJob } from './job.ts';
import { byInstant, ofOneInstant } from './jobs-of-one-instant.ts';

const SOON = '2026-07-01T00:00:00.000Z';
const LATER = '2026-07-01T00:00:00.001Z';
const job = (job_id: string, due_at: string, seller_id: string | null, kind = 'any'): ClaimedJob => ({
  ...{ job_id, due_at, seller_id, kind },
  ...{ payload: {}, unique_key: null, attempts: 0 },
});
const keyOf = ({ seller_id, kind }: ClaimedJob): string | null =>
  seller_id ?? (kind === 'sweep' ? kind : null);
const groups = (...jobs: ClaimedJob[]): string[] =>
  ofOneInstant(jobs.sort(byInstant), keyOf).map((group) => group.map(({ job_id }) => job_id).join(' '));

test('jobs of one instant run together, unless one of them must be alone', () => {
  expect(groups(job('c', SOON, 'one'), job('b', SOON, 'two'), job('a', SOON, null, 'sweep'))).toEqual([
    'a b c',
  ]);
  expect(groups(job('a', SOON, 'one'), job('b', SOON, null), job('c', SOON, 'one'))).toEqual(['a', 'b', 'c']);
  expect(groups(job('a', SOON, null), job('b', SOON, null))).toEqual(['a', 'b']);
});

test('a later instant waits for the earlier one', () => {
  expect(groups(job('a', LATER, 'one'), job('b', SOON, 'two'))).toEqual(['b', 'a']);
});
