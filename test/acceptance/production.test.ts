/** Production mode from outside: what it asks for, what it leaves out, and what it says. */
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';

const { url } = await testDatabase();
const cluster = await prepareCluster(url);
const service = await cluster.start({ LOG_LEVEL: 'debug' });
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.url}${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test.each(['/docs', '/redoc', '/openapi.json'])('%s is not there', async (path) => {
  expect(await get(path)).toMatchObject({ status: 404, body: { code: 'route_not_found' } });
});

test('nor is the sign-in of development, or a clock that moves by hand', async () => {
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

test('each missing secret is named, and none is made up', async () => {
  const { code, said } = await cluster.ends({ TOKEN_SIGNING_KEYS: '', SECRETS_KEY: '', CLOCK: 'manual' });
  expect(code).toBe(1);
  for (const name of ['TOKEN_SIGNING_KEYS: missing', 'SECRETS_KEY: missing', 'CLOCK: manual is refused'])
    expect(said).toContain(name);
  expect(said).not.toContain('    at ');
});

test('a database that is not there is named without its password', async () => {
  const { code, said } = await cluster.ends({ DATABASE_URL: 'postgres://spp:hunter2@127.0.0.1:1/spp' });
  expect(code).toBe(1);
  expect(said).toContain('DATABASE_URL');
  expect(said).not.toContain('hunter2');
  expect(said).not.toContain('    at ');
});

test('health is answered on both ports, without a token and whatever the limits', async () => {
  for (const base of [service.url, service.internalUrl])
    for (const path of ['/health/live', '/health/ready']) {
      const response = await fetch(`${base}${path}`);
      expect([path, response.status, await response.json()]).toEqual([path, 200, { status: 'ok' }]);
    }
});

test('who calls is who connects, or whom a trusted proxy names', async () => {
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

test('the logs are one JSON object a line and hold no token, at the most talkative level', async () => {
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
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(5);
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.filter(({ message }) => message === 'request')[0]).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    request_id: expect.any(String),
    status: expect.any(Number),
    ms: expect.any(Number),
  });
  const signatures = [seller.token, session].map((token) => token.split('.')[2] ?? 'none');
  for (const secret of [...signatures, INTERNAL_TOKEN, 'postgres://', String(cluster.env['SECRETS_KEY'])])
    expect(service.output()).not.toContain(secret);
});
