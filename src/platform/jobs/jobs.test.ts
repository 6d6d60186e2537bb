import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { Statement } from '../../kernel/context.ts';
import { createIds } from '../../kernel/ids.ts';
import type { ClaimedJob } from './job-statements.ts';
import { createJobs, LEASE_MS } from './jobs.ts';

afterEach(() => vi.useRealTimers());

/** A table that gives two jobs of one seller to the first claim, and keeps the renewals of leases. */
function twoJobs() {
  const due_at = '2026-01-01T00:00:00.000Z';
  const common = { kind: 'test.job', seller_id: 'slr_1', payload: {}, unique_key: null, due_at, attempts: 1 };
  let claims: ClaimedJob[] = ['job_1', 'job_2'].map((job_id) => ({ job_id, ...common }));
  const renewed: unknown[] = [];
  const db = {
    all: async () => {
      const claimed = claims;
      claims = [];
      return claimed;
    },
    run: async ({ text, values }: Statement<unknown>) => {
      if (text.includes('set lease_until = $1\n')) renewed.push(values);
      return 1;
    },
  };
  const withSystem = (_reason: string, _mode: string, work: (handle: typeof db) => unknown) => work(db);
  return { renewed, withSystem };
}

test('a job that waits for another one of its claim keeps its lease', async () => {
  vi.useFakeTimers({ now: 0 });
  const { renewed, withSystem } = twoJobs();
  const now = () => Date.now();
  const jobs = createJobs({
    withSystem: withSystem as never,
    ids: createIds(now),
    now,
    systemNow: now,
    log: pino({ level: 'silent' }),
  });
  jobs.handle('test.job', async () => {
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
    return undefined;
  });
  const ended = jobs.runDue();
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
  expect(renewed.map((values) => (values as unknown[])[1])).toEqual([
    ['job_1', 'job_2'],
    ['job_1', 'job_2'],
  ]);
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(renewed.slice(3).map((values) => (values as unknown[])[1])).toEqual([['job_2'], ['job_2']]);
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(await ended).toBe(2);
  const count = renewed.length;
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(renewed).toHaveLength(count);
});
