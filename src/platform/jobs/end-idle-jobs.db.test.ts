/** Jobs that end because another one has done their work: none is lost that has more to do. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { runOn } from '../../../test/support/test-server.ts';
import { part } from '../db/statement.ts';
import { endIdleJobs, insertJob } from './job-statements.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-07-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;
const { now, ids, withSystem } = services;
const KIND = 'test.idle';
const job = (uniqueKey: string) =>
  insertJob(ids.next('job_'), { kind: KIND, uniqueKey, dueAt: now() }, now());
const sql = (text: string, values: readonly unknown[] = []) =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, [...values])).rows);
const left = async (): Promise<string[]> =>
  (await sql('select unique_key from job where kind = $1 order by 1', [KIND])).map((row) => row.unique_key);

test('an idle job ends; one that runs, one with work and one that is being woken stay', async () => {
  const keys = ['idle', 'runs', 'waits', 'woken', 'other'];
  for (const key of keys) await withSystem('jobs', 'single', (db) => db.run(job(key)));
  await sql("update job set lease_until = now(), lease_owner = 'w' where kind = $1 and unique_key = 'runs'", [
    KIND,
  ]);
  await runOn(app.database.adminUrl, async (waker) => {
    await waker.query('begin');
    await waker.query("select from job where kind = $1 and unique_key = 'woken' for update", [KIND]);
    const asked = { kind: KIND, keys: keys.filter((key) => key !== 'other') };
    const ended = await withSystem('jobs', 'write', (db) => endIdleJobs(db, asked, part`select 'waits'`));
    expect(ended).toBe(1);
    await waker.query('rollback');
  });
  expect(await left()).toEqual(['other', 'runs', 'waits', 'woken']);
});

test('work that is stored after the job was locked keeps it, and later work makes a new one', async () => {
  await withSystem('jobs', 'single', (db) => db.run(job('late')));
  const query = part`select unique_key from job where kind = 'test.work'`;
  let added: Promise<unknown> = Promise.resolve();
  await withSystem('jobs', 'write', async (db) => {
    expect(await endIdleJobs(db, { kind: KIND, keys: ['late'] }, query)).toBe(1);
    // Who stores work now waits for the end of this transaction.
    added = withSystem('jobs', 'single', (other) => other.run(job('late')));
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await added;
  expect(await left()).toContain('late');
});
