import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { Statement } from '../../kernel/context.ts';
import { createIds } from '../../kernel/ids.ts';
import type { ClaimedJob } from './job.ts';
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

test('long jobs have places of their own, and no job is taken again while it runs', async () => {
  vi.useFakeTimers({ now: 0 });
  const ran: string[] = [];
  const heldAtClaims: string[][] = [];
  let count = 0;
  const db = {
    all: async ({ values }: Statement<unknown>) => {
      const isLong = values.some((value) => Array.isArray(value) && value.includes('test.long'));
      heldAtClaims.push(values.filter(Array.isArray).at(-1) as string[]);
      const max = Number(values.at(-1));
      const due_at = '2026-01-01T00:00:00.000Z';
      return Array.from({ length: isLong ? max : 1 }, (): ClaimedJob => {
        count += 1;
        const job = { job_id: `job_${count}`, kind: isLong ? 'test.long' : 'test.short', attempts: 1 };
        return { ...job, seller_id: null, payload: {}, unique_key: null, due_at };
      });
    },
    run: async () => 1,
  };
  const now = () => Date.now();
  const jobs = createJobs({
    withSystem: ((_reason: string, _mode: string, work: (handle: typeof db) => unknown) => work(db)) as never,
    ...{ ids: createIds(now), now, systemNow: now, log: pino({ level: 'silent' }) },
  });
  let release = (): void => undefined;
  const held = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  const handler = (kind: string, work: () => Promise<undefined>) => async () => {
    ran.push(kind);
    return work();
  };
  jobs.handle(
    'test.long',
    handler('long', () => held),
    { long: true },
  );
  jobs.handle(
    'test.short',
    handler('short', async () => undefined),
  );
  jobs.start(() => false);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ran.filter((kind) => kind === 'long')).toHaveLength(2);
  expect(ran.filter((kind) => kind === 'short').length).toBeGreaterThan(3);
  expect(heldAtClaims.at(-1)).toHaveLength(2);
  release();
  await jobs.stop(0);
});

test('a job begins in fewer places while requests wait', async () => {
  vi.useFakeTimers({ now: 0 });
  const claims: number[] = [];
  const db = {
    all: async ({ values }: Statement<unknown>) => {
      claims.push(Number(values.at(-1)));
      return [];
    },
  };
  const now = () => Date.now();
  const jobs = createJobs({
    withSystem: ((_reason: string, _mode: string, work: (handle: typeof db) => unknown) => work(db)) as never,
    ...{ ids: createIds(now), now, systemNow: now, log: pino({ level: 'silent' }) },
  });
  jobs.handle('test.job', async () => undefined);
  let isBusy = true;
  jobs.start(() => isBusy);
  await vi.advanceTimersByTimeAsync(600);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(claims).toEqual([2, 8]);
  await jobs.stop(0);
});

test('a worker that rests takes a job at once when it is woken, and claims once for many calls', async () => {
  vi.useFakeTimers({ now: 0 });
  const claims: number[] = [];
  const db = {
    all: async () => {
      claims.push(Date.now());
      return [];
    },
  };
  const now = () => Date.now();
  const jobs = createJobs({
    withSystem: ((_reason: string, _mode: string, work: (handle: typeof db) => unknown) => work(db)) as never,
    ids: createIds(now),
    now,
    systemNow: now,
    log: pino({ level: 'silent' }),
  });
  jobs.handle('test.job', async () => undefined);
  jobs.start(() => false);
  await vi.advanceTimersByTimeAsync(600);
  expect(claims).toEqual([500]);
  for (let call = 0; call < 10; call += 1) jobs.wake();
  await vi.advanceTimersByTimeAsync(100);
  expect(claims).toEqual([500, 605]);
  await vi.advanceTimersByTimeAsync(500);
  expect(claims).toEqual([500, 605, 1105]);
  const stopped = jobs.stop(0);
  jobs.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  await stopped;
  expect(claims).toHaveLength(3);
});
