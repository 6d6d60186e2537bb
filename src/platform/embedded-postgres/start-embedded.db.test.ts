import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report, ServiceProcess } from '../../../test/support/service-process.ts';
import { spawnService } from '../../../test/support/service-process.ts';
import { runOn } from '../../../test/support/test-server.ts';
import { isAlive, postmasterFile, readPostmaster } from './running-server.ts';
import { stopServer } from './server-process.ts';

/** What Ctrl-C may take at most. */
const STOP_LIMIT_MS = 10_000;

let dataDir = '';
interface Started extends ServiceProcess {
  readonly report: Report;
}
const services: Started[] = [];

beforeAll(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'spp-embedded-')));
  chmodSync(dataDir, 0o755);
});
afterAll(async () => {
  for (const service of services) {
    service.process.kill('SIGKILL');
    if (service.report.pid) await stopServer(service.report.pid);
  }
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(directory = dataDir): Promise<Started> {
  const service = spawnService(directory);
  const started = { ...service, report: await service.up };
  services.push(started);
  return started;
}

function latest(): Started {
  const service = services.at(-1);
  if (!service) throw new Error('the first test starts a service');
  return service;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const { rows } = await runOn(url, (client) => client.query(sql));
  return rows;
}

const noted = (service: Started): Promise<unknown[]> =>
  query(service.report.superuserUrl, 'select id from note order by id');

test('an empty directory becomes a durable UTF-8 server that asks for its passwords', async () => {
  const { report } = await start();
  const settings = await query(
    report.superuserUrl,
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commit, current_setting('server_encoding') as encoding,
            current_setting('listen_addresses') as listen, lower('ÄÉ') as folded,
            (select datlocprovider::text || datlocale from pg_database where datname = 'spp') as locale`,
  );
  expect(settings).toEqual([
    {
      major: 18,
      fsync: 'on',
      commit: 'on',
      encoding: 'UTF8',
      listen: '127.0.0.1',
      folded: 'äé',
      locale: 'bC.UTF-8',
    },
  ]);
  expect(report.url).toMatch(/^postgres:\/\/spp_login:[\w-]{32}@127\.0\.0\.1:\d+\/spp$/);
  const role =
    'select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = current_user';
  expect(await query(report.url, role)).toEqual([
    { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false },
  ]);
  await expect(query(report.url.replace(/:[\w-]{32}@/, ':guess@'), 'select 1')).rejects.toThrow('password');
  expect(statSync(join(dataDir, 'embedded-postgres.json')).mode & 0o077).toBe(0);
  expect(statSync(report.dataPath).mode & 0o077).toBe(0);
  await query(report.superuserUrl, 'create table note (id int)');
});

test('a second start on the same directory is refused, names the process and leaves the first one running', async () => {
  const first = latest();
  const second = spawnService(dataDir);
  const { error } = await second.up;
  expect(error).toContain(`already running on ${dataDir} (process ${first.process.pid})`);
  expect(error).toContain('another DATA_DIR');
  await second.ended;
  expect(second.process.exitCode).toBe(1);
  expect(await query(first.report.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('after a kill of the service alone the next start adopts its server', async () => {
  const before = latest();
  await query(before.report.superuserUrl, 'insert into note values (1)');
  before.process.kill('SIGKILL');
  await before.ended;
  expect(isAlive(before.report.pid)).toBe(true);
  const after = await start();
  expect(after.report).toMatchObject({ adopted: true, pid: before.report.pid, url: before.report.url });
  expect(await noted(after)).toEqual([{ id: 1 }]);
});

test('after a kill of service and server the next start recovers all commits', async () => {
  const before = latest();
  const { superuserUrl, pid } = before.report;
  const cut = runOn(superuserUrl, async (client) => {
    client.on('error', () => undefined);
    await client.query('insert into note values (2)');
    await client.query('begin; insert into note values (3)');
    before.process.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await client.query('select pg_sleep(30)');
  });
  await expect(cut).rejects.toThrow();
  await before.ended;
  expect(existsSync(postmasterFile(before.report.dataPath))).toBe(true);
  const after = await start();
  expect(after.report.adopted).toBe(false);
  expect(after.log.join('\n')).toContain('recovering');
  expect(await noted(after)).toEqual([{ id: 1 }, { id: 2 }]);
});

test('Ctrl-C reaches the service only, and both end in time with sessions open', async () => {
  const service = latest();
  const { superuserUrl, pid, dataPath } = service.report;
  const session = runOn(superuserUrl, async (client) => {
    client.on('error', () => undefined);
    await client.query('begin; insert into note values (9); select pg_sleep(60)');
  });
  const cut = expect(session).rejects.toThrow();
  await expect
    .poll(() => query(superuserUrl, 'select from pg_stat_activity where wait_event = $$PgSleep$$'))
    .toHaveLength(1);
  const began = performance.now();
  process.kill(-(service.process.pid ?? 0), 'SIGINT');
  expect(await service.ended).toEqual({ drained: true });
  expect(performance.now() - began).toBeLessThan(STOP_LIMIT_MS);
  await cut;
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(postmasterFile(dataPath))).toBe(false);
});

test('a start gets past a reused process number and a taken port', async () => {
  const before = latest();
  const port = Number(new URL(before.report.url).port);
  const squatter = createServer().listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  const bystander = spawn('sleep', ['60']);
  const stale = [bystander.pid, before.report.dataPath, 1, port, '', '127.0.0.1', '', 'ready', ''];
  writeFileSync(postmasterFile(before.report.dataPath), stale.join('\n'));
  const after = await start();
  squatter.close();
  expect(bystander.kill()).toBe(true);
  expect(new URL(after.report.url).port).not.toBe(String(port));
  expect(await noted(after)).toEqual([{ id: 1 }, { id: 2 }]);
  after.process.kill('SIGTERM');
  await after.ended;
});

test('a start succeeds after first starts that were killed at any instant', async () => {
  const other = mkdtempSync(join(tmpdir(), 'spp-embedded-'));
  chmodSync(other, 0o755);
  try {
    for (const delayMs of [150, 300, 450, 600, 800]) {
      const begun = spawnService(other);
      await delay(delayMs);
      // Its group holds it and initdb; the server has a group of its own.
      process.kill(-(begun.process.pid ?? 0), 'SIGKILL');
      const server = readPostmaster(join(other, 'postgres', 'data'));
      if (server && isAlive(server.pid)) process.kill(server.pid, 'SIGKILL');
      await begun.ended;
    }
    const service = await start(other);
    expect(service.report.error).toBeUndefined();
    expect(await query(service.report.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    service.process.kill('SIGTERM');
    await service.ended;
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
