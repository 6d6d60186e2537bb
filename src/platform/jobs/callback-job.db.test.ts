/** Callbacks of one object: stored once, worked one after another, retried for a day. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { callInternal } from '../../../test/support/internal.ts';
import { part } from '../db/statement.ts';
import { callbackJob } from './callback-job.ts';
import { registerJob } from './define-job.ts';
import type { JobHandler } from './job.ts';
import { insertWithJobs } from './job-statements.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-07-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;
const at = () => new Date(services.now()).toISOString();

/** Callbacks are rows of a table of a module. The test uses the table of marketplace events. */
async function arrive(key: string, id: string): Promise<number> {
  const insert = part`
    insert into marketplace_event (source, event_id, type, digest, status, occurred_at, recorded_at)
    values (${key}, ${id}, 'test', ''::bytea, 'applied', ${at()}, ${at()})
        on conflict do nothing
    returning ''::text as id`;
  const given = part`
    select ''::text as id, ${services.ids.next('job_')}::text as job_id, ${key}::text as job_key`;
  const job = { kind: 'test.callbacks', now: services.now() };
  return services.withSystem('jobs', 'single', (db) => db.run(insertWithJobs(given, insert, job)));
}

const worked: string[] = [];
let during: (key: string) => Promise<void> = async () => undefined;
let gaveUp = '';
registerJob(
  services,
  callbackJob({
    kind: 'test.callbacks',
    work: async (_, key) => {
      worked.push(`${key} ${at()}`);
      await during(key);
    },
    giveUp: async (_, key, until) => {
      if (key === 'three' || until < '2026-07-04T00:00:00.000Z') return 1;
      gaveUp = `${key} ${at()}`;
      return 0;
    },
  }),
);
const move = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });

test('a callback is stored once, and one that arrives during the work is processed after it', async () => {
  let running = 0;
  let most = 0;
  during = async (key) => {
    running += 1;
    most = Math.max(most, running);
    if (worked.length === 1) expect(await arrive(key, 'second')).toBe(1);
    running -= 1;
  };
  expect(await arrive('one', 'first')).toBe(1);
  expect(await arrive('one', 'first')).toBe(0);
  await move('2026-07-01T00:01:00.000Z');
  expect([worked, most]).toEqual([Array(2).fill('one 2026-07-01T00:00:00.000Z'), 1]);
  await move('2026-07-02T00:00:00.000Z');
  expect(worked).toHaveLength(2);
});

test('a failure is retried after 5 s, 30 s, 2 min, 10 min, 1 h, then hourly, and given up after a day', async () => {
  await move('2026-07-04T00:00:00.000Z');
  worked.length = 0;
  during = () => Promise.reject(new Error('not yet'));
  await arrive('two', 'first');
  await move('2026-07-06T00:00:00.000Z');
  const instants = worked.map((one) => Date.parse(one.slice('two '.length)) / 1000);
  const pauses = instants.slice(1).map((instant, index) => instant - (instants[index] ?? 0));
  expect(pauses.slice(0, 7)).toEqual([5, 30, 120, 600, 3600, 3600, 3600]);
  expect(gaveUp).toBe(worked.at(-1));
  expect(instants.at(-1)).toBeLessThan(Date.parse('2026-07-05T02:00:00Z') / 1000);
});

test('a callback that arrives after failures starts the retries anew', async () => {
  await move('2026-07-08T00:00:00.000Z');
  worked.length = 0;
  during = () => Promise.reject(new Error('not yet'));
  await arrive('three', 'first');
  await move('2026-07-08T02:00:00.000Z');
  expect(worked.length).toBeGreaterThan(5);
  worked.length = 0;
  await arrive('three', 'second');
  await move('2026-07-08T02:20:00.000Z');
  const instants = worked.map((one) => Date.parse(one.slice('three '.length)) / 1000);
  const pauses = instants.slice(1).map((instant, index) => instant - (instants[index] ?? 0));
  expect(pauses.slice(0, 4)).toEqual([5, 30, 120, 600]);
});

test('what a worker leaves because it stops has not failed, however old it is', async () => {
  const given: string[] = [];
  const handlers: JobHandler[] = [];
  const jobs = { handle: (_kind: string, handler: JobHandler) => handlers.push(handler) };
  const job = callbackJob({
    kind: 'test.stopped',
    work: () => Promise.reject(new Error('the worker stops')),
    giveUp: async (_, key) => given.push(key),
  });
  registerJob({ ...services, jobs } as never, job);
  await expect(handlers[0]?.({ unique_key: 'four' } as never, AbortSignal.abort())).rejects.toThrow('stops');
  expect(given).toEqual([]);
});
