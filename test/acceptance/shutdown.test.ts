/** The shutdown: work is finished or taken over by another process, and no client waits for long. */
import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { csv, goods } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';

/** Ctrl-C ends everything within this time. */
const END_MS = 10_000;
const POLL = { timeout: 15_000, interval: 20 };

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const holder = new pg.Client(database.adminUrl);
await holder.connect();
afterAll(() => holder.end());

/** Makes the runs of every seller wait at their beginning, as behind a long run. */
const hold = () =>
  holder.query("select pg_advisory_lock(hashtextextended('feeds:' || seller_id, 2)) from seller");
const release = () => holder.query('select pg_advisory_unlock_all()');

const file = csv(Array.from({ length: 50 }, (_, index) => goods(`mug-${index}`)));
async function feed(at: Member, token: string, key: string) {
  const response = await fetch(`${at.api}/products/feed-runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', 'idempotency-key': key },
    body: file,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const waiting = async (): Promise<number> =>
  (await holder.query("select from pg_locks where locktype = 'advisory' and not granted")).rowCount ?? 0;

/** On a connection of its own, as a load balancer asks. */
const probe = (at: Member, path: string) =>
  fetch(`${at.url}${path}`, { headers: { connection: 'close' } }).then(
    ({ status, headers }) => ({ status, retry: headers.get('retry-after') }),
    () => ({ status: 0, retry: null }),
  );

test('a running feed run is finished and answered; meanwhile readiness fails and new requests are refused', async () => {
  const service = await cluster.start();
  const { token } = await cluster.seller(service);
  await hold();
  const answer = feed(service, token, randomUUID());
  await expect.poll(waiting, POLL).toBe(1);
  const ended = service.end('SIGTERM');
  await expect.poll(() => probe(service, '/health/ready'), POLL).toEqual({ status: 503, retry: '1' });
  expect((await probe(service, '/health/live')).status).toBe(200);
  expect(await probe(service, '/.well-known/jwks.json')).toEqual({ status: 503, retry: '1' });
  await release();
  expect(await answer).toMatchObject({ status: 201, body: { status: 'succeeded', counts: { created: 50 } } });
  const { code, ms } = await ended;
  expect(code).toBe(0);
  expect(ms).toBeLessThan(END_MS);
});

test('a run that takes too long is aborted, and its retry at another process succeeds', async () => {
  const service = await cluster.start({ ROLE: 'api' });
  const other = await cluster.start({ ROLE: 'api' });
  const { token } = await cluster.seller(service);
  await hold();
  const key = randomUUID();
  const answer = feed(service, token, key).catch(() => 'cut');
  await expect.poll(waiting, POLL).toBe(1);
  const { code, ms } = await service.end('SIGINT');
  expect(code).toBe(0);
  expect(ms).toBeLessThan(END_MS);
  expect(await answer).toBe('cut');
  await release();
  const retried = await feed(other, token, key);
  expect(retried).toMatchObject({ status: 201, body: { status: 'succeeded', counts: { created: 50 } } });
  const { rows } = await holder.query('select status from feed_run where idempotency_key = $1', [key]);
  expect(rows).toEqual([{ status: 'succeeded' }]);
});

test('with a notice, readiness fails first; other requests are served, and their connections are closed', async () => {
  const service = await cluster.start({ SHUTDOWN_NOTICE_SECONDS: '2' });
  const ended = service.end('SIGTERM');
  await expect.poll(() => probe(service, '/health/ready'), POLL).toMatchObject({ status: 503 });
  const response = await fetch(`${service.url}/.well-known/jwks.json`);
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  const { code, ms } = await ended;
  expect(code).toBe(0);
  expect(ms).toBeGreaterThan(2_000);
});

test('every request on a kept-alive connection is answered, until an answer says that it closes', async () => {
  const service = await cluster.start();
  const agents = Array.from({ length: 32 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
  });
  const ask = (agent: Agent) =>
    new Promise<string>((resolve) => {
      get(`${service.url}/health/ready`, { agent }, (answer) =>
        answer.resume().on('end', () => resolve(`${answer.statusCode} ${answer.headers.connection}`)),
      ).on('error', (error) => resolve(error.message));
    });
  const KEPT = '200 keep-alive';
  expect(new Set(await Promise.all(agents.map(ask)))).toEqual(new Set([KEPT]));
  const ended = service.end('SIGTERM');
  const untilClosed = async (agent: Agent): Promise<string> => {
    for (;;) {
      const answer = await ask(agent);
      if (answer !== KEPT) return answer;
    }
  };
  for (const last of await Promise.all(agents.map(untilClosed))) expect(last).toMatch(/^(200|503) close$/);
  expect((await ended).code).toBe(0);
});

test('idle connections of clients do not delay the shutdown', async () => {
  const service = await cluster.start();
  const agent = new Agent({ keepAlive: true });
  await new Promise((resolve) =>
    get(`${service.url}/health/live`, { agent }, (answer) => answer.resume().on('end', resolve)),
  );
  const { code, ms } = await service.end('SIGINT');
  agent.destroy();
  expect(code).toBe(0);
  expect(ms).toBeLessThan(3_000);
});

test('a request whose client has gone does not count as open', async () => {
  const service = await cluster.start({ MAX_IN_FLIGHT: '2' });
  const { token } = await cluster.seller(service);
  await hold();
  for (let n = 0; n < 3; n += 1) {
    const gone = new AbortController();
    const request = fetch(`${service.api}/products/feed-runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'text/csv',
        'idempotency-key': randomUUID(),
      },
      body: file,
      signal: gone.signal,
    });
    await expect.poll(waiting, POLL).toBeGreaterThan(n === 0 ? 0 : -1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.abort();
    await request.catch(() => undefined);
  }
  await release();
  await expect.poll(() => probe(service, '/.well-known/jwks.json'), POLL).toMatchObject({ status: 200 });
  // The log is written in blocks.
  await expect.poll(() => service.output(), POLL).toContain('"status":499');
});

test.each([100, 400, 700, 1_000])('a signal %d ms after the start ends the service', async (afterMs) => {
  const { code, ms, said } = await cluster.ends({}, afterMs);
  // Null: the signal ended the process before it had anything to clean up.
  expect([0, null]).toContain(code);
  expect(ms).toBeLessThan(END_MS);
  expect(said).not.toContain('    at ');
});
