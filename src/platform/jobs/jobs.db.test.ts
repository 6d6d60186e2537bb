/** A job with a key that is asked for again: no request is lost, whatever the job is doing. */
import { beforeEach, expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { callInternal } from '../../../test/support/internal.ts';
import { runOn } from '../../../test/support/test-server.ts';
import type { Db } from '../../kernel/context.ts';
import { systemNow } from '../db/clock.ts';
import type { WithSystem } from '../db/scope.ts';
import { command } from '../db/statement.ts';
import { defineJob, registerJob } from './define-job.ts';
import { claimJobs } from './job-statements.ts';
import { createJobs } from './jobs.ts';

const START = '2026-07-01T00:00:00.000Z';
const HOUR_MS = 3_600_000;
const KIND = 'test.wakes';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START, LOG_LEVEL: 'silent' });
const { services } = app.app;

const ran: string[] = [];
let during: (key: string) => Promise<unknown> = async () => undefined;
registerJob(
  services,
  defineJob({
    kind: KIND,
    recurring: false,
    handler: async ({ now }, { unique_key }) => {
      ran.push(`${unique_key} +${(now() - begun) / HOUR_MS} h`);
      await during(unique_key ?? '');
      return undefined;
    },
  }),
);
let begun = services.now();
beforeEach(() => {
  begun = services.now();
  ran.length = 0;
  during = async () => undefined;
});

const ask = (db: Db, key: string, hours = 0) =>
  services.jobs.add(db, { kind: KIND, uniqueKey: key, dueAt: begun + hours * HOUR_MS });
const askNow = (key: string, hours = 0) => services.withSystem('jobs', 'single', (db) => ask(db, key, hours));
const pass = (hours: number) =>
  callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: new Date(begun + hours * HOUR_MS).toISOString() },
  });
/** Once, in the first run. */
const once = (work: () => Promise<unknown>): void => {
  during = () => (ran.length === 1 ? work() : Promise.resolve());
};
const left = () =>
  runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query<{ unique_key: string }>(
      'select unique_key from job where kind = $1',
      [KIND],
    );
    return rows.map(({ unique_key }) => unique_key);
  });

test('while it runs, it runs again after that run, once for many requests', async () => {
  once(() => Promise.all(Array.from({ length: 10 }, () => askNow('a'))));
  await askNow('a');
  await pass(1);
  expect(ran).toEqual(['a +0 h', 'a +0 h']);
  expect(await left()).toEqual([]);
});

test('for a later instant while it runs, it runs again then', async () => {
  once(async () => {
    await askNow('b', 5);
    await askNow('b', 2);
    await askNow('b', 3);
  });
  await askNow('b');
  await pass(1);
  expect(ran).toEqual(['b +0 h']);
  await pass(6);
  expect(ran).toEqual(['b +0 h', 'b +2 h']);
});

test('while a run fails, neither the retry nor the request is lost', async () => {
  once(async () => {
    await askNow('c', 5);
    throw new Error('failed');
  });
  await askNow('c');
  await pass(6);
  expect(ran).toHaveLength(3);
  expect(ran.at(-1)).toBe('c +5 h');
  expect(await left()).toEqual([]);
});

test('while a worker dies, its run is repeated at once, and the later request is kept', async () => {
  const lease = (db: Db, until: number) =>
    db.run(command`
      update job set lease_until = ${new Date(until).toISOString()}::timestamptz, lease_owner = 'dead' where kind = ${KIND}`);
  // In one transaction, so that no worker takes the job before.
  await services.withSystem('jobs', 'write', async (db) => {
    await ask(db, 'd');
    await lease(db, systemNow() + HOUR_MS);
  });
  await askNow('d', 4);
  await services.jobs.runDue();
  expect(ran).toEqual([]);
  await services.withSystem('jobs', 'single', (db) => lease(db, 0));
  await pass(5);
  expect(ran).toEqual(['d +0 h', 'd +4 h']);
});

test('while it waits, it is due at the earlier instant', async () => {
  await askNow('e', 3);
  await askNow('e', 1);
  await askNow('e', 2);
  await pass(4);
  expect(ran).toEqual(['e +1 h']);
});

test('by a transaction that has not ended: no worker takes it before the change can be seen', async () => {
  await askNow('f');
  await services.withSystem('jobs', 'write', async (db) => {
    await ask(db, 'f');
    expect(await services.jobs.runDue()).toBe(0);
  });
  await services.jobs.runDue();
  expect(ran).toEqual(['f +0 h']);
});

test('by a transaction that is rolled back, it runs once', async () => {
  once(() =>
    services
      .withSystem('jobs', 'write', async (db) => {
        await ask(db, 'g');
        throw new Error('rolled back');
      })
      .catch(() => undefined),
  );
  await askNow('g');
  await pass(1);
  expect(ran).toEqual(['g +0 h']);
});

test('jobs that ask another system run 16 at once and end together; one that was woken runs again', async () => {
  const ends: string[] = [];
  const noting = (statement: Parameters<Db['run']>[0]) => {
    if (/delete\s+from job/.test(statement.text)) ends.push(statement.text);
    return statement;
  };
  const withSystem = ((reason, mode, work, options) =>
    services.withSystem(
      reason,
      mode,
      (db) =>
        work({
          all: (statement: Parameters<Db['all']>[0]) => db.all(noting(statement)),
          run: (statement: Parameters<Db['run']>[0]) => db.run(noting(statement)),
        } as never),
      options,
    )) as WithSystem;
  const { ids, now, log } = services;
  const jobs = createJobs({ withSystem, ids, now, systemNow, log });
  const kind = 'test.asks';
  const askFor = (uniqueKey: string) =>
    services.withSystem('jobs', 'single', (db) => jobs.add(db, { kind, uniqueKey, dueAt: begun }));
  const started: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  jobs.handle(
    kind,
    async ({ unique_key }) => {
      started.push(unique_key ?? '');
      await answered;
      return undefined;
    },
    { asks: true },
  );
  const keys = Array.from({ length: 16 }, (_, index) => `asks ${index}`);
  for (const key of keys) await askFor(key);
  jobs.start(() => false);
  await expect.poll(() => started.length, { timeout: 20_000 }).toBe(keys.length);
  await askFor('asks 3');
  answer();
  await expect.poll(() => started.length, { timeout: 20_000 }).toBe(keys.length + 1);
  await jobs.stop(1_000);
  expect(started.toSorted()).toEqual([...keys, 'asks 3'].toSorted());
  const waiting = await runOn(app.database.adminUrl, (client) =>
    client.query('select from job where kind = $1', [kind]),
  );
  expect(waiting.rowCount).toBe(0);
  // One statement for all, one more for the job that was asked for, and one after its second run.
  expect(ends.length).toBeLessThanOrEqual(4);
});

test('a stop gives back what has not ended, and another process goes on at once', async () => {
  const { ids, now, log, withSystem } = services;
  const kind = 'test.stops';
  const process = () => createJobs({ withSystem, ids, now, systemNow, log });
  const [first, second] = [process(), process()];
  const askFor = (uniqueKey: string) =>
    services.withSystem('jobs', 'single', (db) => first.add(db, { kind, uniqueKey, dueAt: begun }));
  const started: string[] = [];
  first.handle(
    kind,
    async ({ unique_key }, signal) => {
      started.push(unique_key ?? '');
      // Half of them end because of the stop; the others do not notice it.
      await new Promise((_, reject) => {
        if (started.length % 2 === 0) signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
      return undefined;
    },
    { asks: true },
  );
  const again: [string, number][] = [];
  second.handle(kind, async ({ unique_key, attempts }) => {
    again.push([unique_key ?? '', attempts]);
    return undefined;
  });
  const keys = Array.from({ length: 20 }, (_, index) => `stops ${index}`);
  for (const key of keys) await askFor(key);
  first.start(() => false);
  await expect.poll(() => started.length, { timeout: 20_000 }).toBe(keys.length);
  await askFor('stops 7');
  await first.stop(10);
  await second.runDue();
  expect(again.toSorted()).toEqual(keys.map((key) => [key, 1]).toSorted());
  const waiting = await runOn(app.database.adminUrl, (client) =>
    client.query('select from job where kind = $1', [kind]),
  );
  expect(waiting.rowCount).toBe(0);
});

test('a claim reads as much however many jobs wait, and takes those that have been due longest', async () => {
  const claim = claimJobs({
    ...{ now: begun, leaseNow: begun, leaseUntil: begun + HOUR_MS, owner: 'a test', max: 3 },
    ...{ kinds: ['test.many', 'test.few', 'test.none'], held: [] },
  });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(
      `insert into job (job_id, kind, unique_key, due_at, created_at)
       select kind || lpad(n::text, 5, '0'), 'test.' || kind, n, $1::timestamptz - interval '1 day' + n * step, $1
         from (values ('many', 20000, interval '1 second'), ('few', 2, interval '1500 ms')) given (kind, last, step),
              generate_series(1, last) n`,
      [new Date(begun).toISOString()],
    );
    const { rows: plans } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${claim.text}`,
      [...claim.values],
    );
    expect(plans[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(200);
    const { rows } = await client.query<{ job_id: string }>(claim.text, [...claim.values]);
    expect(rows.map(({ job_id }) => job_id).toSorted()).toEqual(['few00002', 'many00003', 'many00004']);
    await client.query('rollback');
  });
});
