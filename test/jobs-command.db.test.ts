/** `spp jobs`: the state of jobs, events and webhooks, and the retry of failed jobs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testDatabase } from './support/pg.ts';
import { runOn } from './support/test-server.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const database = await testDatabase();

function jobs(...given: string[]) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'jobs', ...given], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const run = (text: string) => runOn(database.adminUrl, (client) => client.query(text));
const add = (id: string, kind: string, due: string, more = "0, null, null, '{}'") =>
  run(`insert into job (job_id, kind, due_at, created_at, attempts, last_error, lease_until, payload)
       values ('${id}', '${kind}', clock_timestamp() + interval '${due}', clock_timestamp(), ${more})`);

test('lists jobs by kind, and what waits elsewhere', async () => {
  await run('delete from job');
  await add('job_1', 'labels.buy', '1 hour');
  await add('job_2', 'labels.buy', '-5 minutes');
  await add('job_3', 'labels.buy', '1 hour', "7, 'the carrier is away', null, '{}'");
  await add('job_4', 'feed.execute', '-1 second', "1, null, clock_timestamp() + interval '1 hour', '{}'");
  const { status, stdout } = jobs();
  expect(status).toBe(0);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows.slice(0, 3)).toEqual([
    ['job', 'waiting', 'running', 'late', 'failed', 'attempts', 'first due', 'last error'],
    ['feed.execute', '0', '1', '0', '0', '1', expect.stringMatching(/Z$/)],
    ['labels.buy', '3', '0', '1', '1', '7', expect.stringMatching(/Z$/), 'the carrier is away'],
  ]);
  expect(stdout).toMatch(/^spp_webhook_deliveries +state due +0$/m);
});

test('makes the failed jobs of a kind due, and no others', async () => {
  await run('delete from job');
  await add('job_1', 'labels.buy', '1 hour');
  await add('job_2', 'labels.buy', '1 hour', "7, 'away', null, '{}'");
  await add('job_3', 'labels.buy', '1 hour', "7, 'away', clock_timestamp() + interval '1 hour', '{}'");
  await add('job_4', 'other', '1 hour', "7, 'away', null, '{}'");
  expect(jobs('retry', 'labels.buy')).toMatchObject({
    status: 0,
    stdout: '1 failed job is due now; a worker tries within a second.\n',
  });
  const due = await run('select job_id from job where due_at <= clock_timestamp()');
  expect(due.rows).toEqual([{ job_id: 'job_2' }]);
  expect(jobs('retry', 'labels').stdout).toContain('No failed job of the kind "labels" waits');
});

test('says how it is used', () => {
  for (const given of [['retry'], ['again', 'labels.buy']])
    expect(jobs(...given)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('"jobs retry <kind>"'),
    });
});
