/** Production mode from outside: the settings that it requires, what it leaves out, and its log. */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn, withDatabase } from '../support/test-server.ts';

const { url, adminUrl } = await testDatabase();
const cluster = await prepareCluster(url);
const service = await cluster.start({ LOG_LEVEL: 'debug' });
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.url}${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test.each(['/docs', '/redoc', '/openapi.json'])('%s does not exist', async (path) => {
  expect(await get(path)).toMatchObject({ status: 404, body: { code: 'route_not_found' } });
});

test('neither do the sign-in of development and the manual clock', async () => {
  const response = await fetch(`${service.api}/auth/token`, {
    method: 'POST',
    body: 'username=a&password=b',
  });
  expect([response.status, (await response.json()) as object]).toMatchObject([
    404,
    { code: 'route_not_found' },
  ]);
  const clock = await fetch(`${service.internalUrl}/internal/v1/clock`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}` },
  });
  expect(clock.status).toBe(404);
});

test('no demo is started and no walk-through printed', () => {
  expect(service.output()).not.toMatch(/demo|curl/i);
});

/** Every line, parsed. */
const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('every line of the output is JSON: migrations, start, requests, stop, and why a start fails', async () => {
  const name = `spp_test_fresh_${randomBytes(5).toString('hex')}`;
  await runOn(adminUrl, (client) => client.query(`create database ${name} template template0`));
  onTestFinished(async () => {
    await runOn(adminUrl, (client) => client.query(`drop database ${name} with (force)`));
  });
  const member = await cluster.start({ DATABASE_URL: withDatabase(adminUrl, name) });
  await fetch(`${member.url}/health/live`);
  expect((await member.end('SIGTERM')).code).toBe(0);
  const lines = linesOf(member.output());
  for (const { level, time, message } of lines)
    expect({ level, time, message }).toEqual({
      level: expect.stringMatching(/^(?:debug|info|warn|error|fatal)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      message: expect.any(String),
    });
  const messages = lines.map(({ message }) => String(message));
  for (const begin of ['Migrations applied: ', 'Seller Partner Service: ', 'request', 'Stopping (SIGTERM)'])
    expect(messages.filter((message) => message.startsWith(begin))).not.toEqual([]);
  expect(lines).toContainEqual(
    expect.objectContaining({
      version: manifest.version,
      node: process.version,
      api: member.url,
      internal: member.internalUrl,
    }),
  );
  const { said } = await cluster.ends({ SECRETS_KEY: '' });
  expect(linesOf(said)).toEqual([
    { level: 'fatal', time: expect.any(String), message: expect.stringContaining('SECRETS_KEY: missing') },
  ]);
});

test('a warning of Node and an uncaught error are lines of JSON', async () => {
  const code =
    "setTimeout(() => process.emitWarning('careful'), 50); setTimeout(() => { throw new Error('oops') }, 100)";
  const { code: exit, said } = await cluster.ends({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
  });
  expect(exit).toBe(1);
  const lines = linesOf(said);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', err: expect.objectContaining({ message: 'careful' }) }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'oops' }) }),
  );
});

test('secrets are read from files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spp-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env: Record<string, string> = {};
  for (const name of ['DATABASE_URL', 'TOKEN_SIGNING_KEYS', 'SECRETS_KEY', 'INTERNAL_TOKEN']) {
    env[name] = '';
    env[`${name}_FILE`] = join(folder, name);
    writeFileSync(join(folder, name), `${cluster.env[name]}\n`);
  }
  const member = await cluster.start(env);
  const seller = await cluster.seller(member, 'Free');
  const answer = await fetch(`${service.api}/sellers/me`, {
    headers: { authorization: `Bearer ${seller.token}` },
  });
  expect(answer.status).toBe(200);
});

test('each missing secret is named, and none is generated', async () => {
  const { code, said } = await cluster.ends({ TOKEN_SIGNING_KEYS: '', SECRETS_KEY: '', CLOCK: 'manual' });
  expect(code).toBe(1);
  for (const name of ['TOKEN_SIGNING_KEYS: missing', 'SECRETS_KEY: missing', 'CLOCK: manual is refused'])
    expect(said).toContain(name);
  expect(said).not.toContain('    at ');
});

test('the error names an unreachable database without its password', async () => {
  const { code, said } = await cluster.ends({ DATABASE_URL: 'postgres://spp:hunter2@127.0.0.1:1/spp' });
  expect(code).toBe(1);
  expect(said).toContain('DATABASE_URL');
  expect(said).not.toContain('hunter2');
  expect(said).not.toContain('    at ');
});

test('both ports answer health requests, without a token and without a rate limit', async () => {
  for (const base of [service.url, service.internalUrl])
    for (const path of ['/health/live', '/health/ready']) {
      const response = await fetch(`${base}${path}`);
      expect([path, response.status, await response.json()]).toEqual([path, 200, { status: 'ok' }]);
    }
});

test('the client’s address is that of the connection, or the one that a trusted proxy names', async () => {
  const limited = { RATE_LIMITS: 'public=2/3600' };
  const plain = await cluster.start(limited);
  const behind = await cluster.start({ ...limited, TRUSTED_PROXIES: '127.0.0.0/8' });
  const statuses = async (at: Member): Promise<number[]> => {
    const seen: number[] = [];
    for (const name of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.3'])
      seen.push(
        (await fetch(`${at.url}/.well-known/jwks.json`, { headers: { 'x-forwarded-for': name } })).status,
      );
    return seen;
  };
  expect(await statuses(plain)).toEqual([200, 200, 429, 429]);
  expect(await statuses(behind)).toEqual([200, 200, 200, 200]);
});

test('at the most detailed level, each line of the log is a JSON object, and none holds a token', async () => {
  const seller = await cluster.seller(service, 'Free');
  const session = await cluster.session(seller.sub);
  const bearer = { authorization: `Bearer ${seller.token}` };
  await get('/api/v1/sellers/me', bearer);
  await get(`/api/v1/sellers/me?token=${session}`, bearer);
  await get('/api/v1/sellers/me', { authorization: `Bearer ${session}` });
  await get('/metrics', { authorization: `Bearer ${INTERNAL_TOKEN}` });
  await fetch(`${service.api}/auth/exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: bearer.authorization },
    body: JSON.stringify({ marketplace_token: `${session}x` }),
  });
  await expect
    .poll(() => service.output(), { timeout: 10_000 })
    .toContain('"route":"auth.exchange","method":"POST","status":401');
  const entries = linesOf(service.output());
  expect(entries.filter(({ message }) => message === 'request')[0]).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    request_id: expect.any(String),
    status: expect.any(Number),
    ms: expect.any(Number),
  });
  expect(entries).toContainEqual(
    expect.objectContaining({
      ...{ route: 'sellers.profile.get', status: 200, address: '127.0.0.1', user_agent: 'node' },
      ...{ seller: expect.stringMatching(/^slr_/), member: expect.stringMatching(/^mbr_/) },
      ...{ session: expect.any(String), bytes: expect.any(Number) },
    }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({ route: 'auth.exchange', status: 401, code: 'token_invalid' }),
  );
  const signatures = [seller.token, session].map((token) => token.split('.')[2] ?? 'none');
  for (const secret of [...signatures, INTERNAL_TOKEN, 'postgres://', String(cluster.env['SECRETS_KEY'])])
    expect(service.output()).not.toContain(secret);
});

test('the files and packages of the image are enough to run', () => {
  const image = readFileSync('deploy/Dockerfile', 'utf8');
  const copied = [...image.matchAll(/^COPY (\w+) \1$/gm)].map(([, name = '']) => name);
  const removed = /rm -r ((?:node_modules\/\S+ ?)+)/.exec(image)?.[1]?.trim().split(' ') ?? [];
  expect([copied, removed]).toMatchObject([['bin', 'db', 'src'], { length: 3 }]);
  const omitsOptional = /npm ci .*--omit=optional/.test(image);
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { dev?: boolean; optional?: boolean }>>;
  };
  const installed = Object.keys(packages).filter((path) => {
    const { dev, optional } = packages[path] ?? {};
    const inAnother = path.lastIndexOf('node_modules/') > 0;
    return !(path === '' || inAnother || dev || (omitsOptional && optional)) && existsSync(path);
  });
  const folder = mkdtempSync(join(tmpdir(), 'spp-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kept = ['package.json', ...copied, ...installed].filter(
    (path) => !removed.some((gone) => path.startsWith(gone)),
  );
  for (const [parent, paths] of Map.groupBy(kept, dirname)) {
    mkdirSync(join(folder, parent), { recursive: true });
    const copy = (how: string) => spawnSync('cp', [how, ...paths, join(folder, parent)]).status;
    // Links cost no space; another file system needs copies.
    if (copy('-Rl') !== 0) expect(copy('-R')).toBe(0);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/spp.mjs', 'migrate'], {
    cwd: folder,
    env: { ...cluster.env, DATABASE_URL: url },
    encoding: 'utf8',
  });
  expect([status, stdout + stderr]).toEqual([0, '']);
});
