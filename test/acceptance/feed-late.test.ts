/**
 * A feed run whose process is killed or frozen, or whose connection breaks at the commit, never overwrites what the
 * seller has sent since.
 */
import { createServer, connect as dial, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods, goodsFile, isOver, type Run } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const ROWS = 5_000;
/** Longer than the lease of a job, and than the longest transaction of a run of 15 s on PostgreSQL 17. */
const FROZEN_MS = 32_000;

async function prepare() {
  const database = await testDatabase();
  const cluster = await prepareCluster(database.url);
  const start = (env: Record<string, string> = {}): Promise<Member> =>
    cluster.start({ MAX_SYNC_SECONDS: '60', RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ...env });
  return { database, cluster, start };
}
type Place = Awaited<ReturnType<typeof prepare>>;
/** Two tests wait for the end of a lease. They do so at the same time, each with a database of its own. */
const [here, there] = [await prepare(), await prepare()];
const { database, cluster, start } = here;

interface Answer<Body> {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: Body;
}

async function call<Body>(
  url: string,
  token: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, replayed, body: (await response.json()) as Body };
}

const send = (at: Member, token: string, key: string, body: string, more: object = {}) =>
  call<Run & { error: unknown }>(`${at.api}/products/feed-runs`, token, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': key, ...more },
    body,
  });
const cut = (): 'cut' => 'cut';
const runAt = async (at: Member, token: string, runId: string): Promise<Run> =>
  (await call<Run>(`${at.api}/products/feed-runs/${runId}`, token)).body;
const ended = (at: Member, token: string, runId: string): Promise<Run> =>
  eventually(() => runAt(at, token, runId), isOver, 90_000);

/** The id of the seller's newest run once its rows are being written. */
async function applying(at: Member, token: string): Promise<string> {
  const newest = async () =>
    (await call<{ data: Run[] }>(`${at.api}/products/feed-runs?limit=1`, token)).body.data[0];
  const run = await eventually(newest, (found) => found?.status === 'applying');
  return run?.run_id ?? '';
}

/** How many products of a seller have each title. */
async function titles(
  at: Member,
  token: string,
  { database }: Place = here,
): Promise<Record<string, number>> {
  const me = await call<{ seller_id: string }>(`${at.api}/sellers/me`, token);
  const { rows } = await runOn(database.adminUrl, (client) =>
    client.query('select title, count(*)::int as products from product where seller_id = $1 group by 1', [
      me.body.seller_id,
    ]),
  );
  return Object.fromEntries(rows.map(({ title, products }) => [title, products]));
}

const WRONG = goodsFile(ROWS, 'F', () => ({ title: 'Wrong' }));
const CORRECTED = goodsFile(ROWS, 'F', () => ({ title: 'Corrected' }));
const ABANDONED = { status: 'failed', counts: { rows: 0 }, error: { code: 'abandoned' } };

test('a synchronous run of a killed process is abandoned; the corrected file stands', async () => {
  const killed = await start();
  const { token } = await cluster.seller(killed);
  const sent = send(killed, token, 'killed', WRONG).catch(cut);
  const runId = await applying(killed, token);
  await killed.end('SIGKILL');
  const died = performance.now();
  expect(await sent).toBe('cut');

  const next = await start();
  expect((await send(next, token, 'corrected', CORRECTED)).status).toBe(201);
  expect(await ended(next, token, runId)).toMatchObject(ABANDONED);
  expect(performance.now() - died).toBeLessThan(60_000);
  expect(await titles(next, token)).toEqual({ Corrected: ROWS });
  // The key is free: the same request is a new run.
  const again = await send(next, token, 'killed', WRONG);
  expect(again).toMatchObject({ status: 201, replayed: false });
  expect(again.body.run_id).not.toBe(runId);
  await next.end('SIGTERM');
});

const { rows: versions } = await runOn(database.adminUrl, (client) =>
  client.query('show server_version_num'),
);
const limitsTransactions = Number(versions[0]?.server_version_num) >= 170_000;
const only17 = limitsTransactions ? '' : ' (skipped: PostgreSQL before 17 has no limit for a transaction)';
const testFrozen = limitsTransactions ? test.concurrent : test.concurrent.skip;

testFrozen(
  `a process that was frozen in a synchronous run does not commit it when it wakes up${only17}`,
  async () => {
    const [frozen, other] = [await start({ MAX_SYNC_SECONDS: '15' }), await start()];
    const { token } = await cluster.seller(frozen);
    const sent = send(frozen, token, 'frozen', WRONG).catch(cut);
    const runId = await applying(frozen, token);
    process.kill(frozen.pid, 'SIGSTOP');
    const stoppedAt = performance.now();

    expect((await send(other, token, 'corrected', CORRECTED)).status).toBe(201);
    expect(await ended(other, token, runId)).toMatchObject(ABANDONED);
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS - (performance.now() - stoppedAt)));
    process.kill(frozen.pid, 'SIGCONT');

    expect(await sent).toMatchObject({ status: 503, body: { error: 'feed_unavailable', code: 'abandoned' } });
    expect(await titles(other, token)).toEqual({ Corrected: ROWS });
    await Promise.all([frozen.end('SIGTERM'), other.end('SIGTERM')]);
  },
);

test.concurrent('an accepted run of a killed worker resumes within 60 s and reports what was changed since', async () => {
  const { cluster, start } = there;
  const killed = await start();
  const { token } = await cluster.seller(killed);
  const own = csv(['F-1', 'F-2', 'F-3'].map((sku) => goods(sku)));
  expect((await send(killed, token, 'own', own)).status).toBe(201);
  const products = await call<{ data: { product_id: string; seller_sku: string }[] }>(
    `${killed.api}/products`,
    token,
  );
  const first = products.body.data.find(({ seller_sku }) => seller_sku === 'F-1')?.product_id;
  const accepted = await send(killed, token, 'accepted', WRONG, { prefer: 'respond-async' });
  expect(accepted.status).toBe(202);
  const runId = await applying(killed, token);
  await killed.end('SIGKILL');
  const died = performance.now();

  const api = await start({ ROLE: 'api' });
  const patch = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'By hand' }),
  };
  expect((await call(`${api.api}/products/${first}`, token, patch)).status).toBe(200);
  const file = csv([goods('F-2', { title: 'By file' })]);
  expect((await send(api, token, 'file', file)).status).toBe(201);
  const next = await start();
  expect(await ended(next, token, runId)).toMatchObject({
    status: 'succeeded_with_errors',
    counts: { rows: ROWS, created: ROWS - 3, updated: 1, rejected: 2 },
  });
  expect(performance.now() - died).toBeLessThan(60_000);
  expect(await titles(next, token, there)).toEqual({ 'By hand': 1, 'By file': 1, Wrong: ROWS - 2 });
  const path = `${next.api}/products/feed-runs/${runId}/row-results?code=version_conflict`;
  const { body } = await call<{ data: { seller_sku: string; outcome: string }[] }>(path, token);
  expect(body.data.map(({ seller_sku, outcome }) => [seller_sku, outcome])).toEqual([
    ['F-1', 'rejected'],
    ['F-2', 'rejected'],
  ]);
  await Promise.all([api.end('SIGTERM'), next.end('SIGTERM')]);
});

/**
 * Starts a proxy of PostgreSQL. It breaks the connection that sent a text when the server confirms its commit.
 *
 * @param awayMs how long it then refuses all connections
 */
async function startProxy(
  text: string,
  awayMs = 0,
): Promise<{ url: string; broken: () => number; end: () => void }> {
  let back = 0;
  const target = new URL(database.url);
  const sockets = new Set<Socket>();
  let broken = 0;
  const server = createServer((client) => {
    if (performance.now() < back) {
      client.destroy();
      return;
    }
    const upstream = dial(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    let sent = false;
    client.on('data', (bytes) => {
      sent ||= bytes.includes(text);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (sent && broken === 0 && bytes.includes('COMMIT\0')) {
        broken += 1;
        client.destroy();
        if (awayMs === 0) return;
        back = performance.now() + awayMs;
        for (const socket of sockets) socket.destroy();
      } else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const url = new URL(database.url);
  const address = server.address();
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return { url: url.href, broken: () => broken, end };
}

test('a run whose connection breaks after its commit gets its 201', async ({ onTestFinished }) => {
  const proxy = await startProxy('rows_total = ');
  onTestFinished(proxy.end);
  const member = await start({ DATABASE_URL: proxy.url });
  const { token } = await cluster.seller(member);
  const answer = await send(member, token, 'committed', WRONG);
  expect(proxy.broken()).toBe(1);
  expect(answer).toMatchObject({ status: 201, body: { status: 'succeeded', counts: { created: ROWS } } });
  const again = await send(member, token, 'committed', WRONG);
  expect(again).toEqual({ ...answer, replayed: true });
  await member.end('SIGTERM');
});

test('a file whose connection breaks after it was accepted gets its 202', async ({ onTestFinished }) => {
  const proxy = await startProxy('insert into feed_run ');
  onTestFinished(proxy.end);
  const member = await start({ DATABASE_URL: proxy.url });
  const { token } = await cluster.seller(member);
  const file = csv([goods('F-1')]);
  const answer = await send(member, token, 'accepted', file, { prefer: 'respond-async' });
  expect(proxy.broken()).toBe(1);
  expect(answer).toMatchObject({ status: 202, body: { status: 'received' } });
  expect(await ended(member, token, answer.body.run_id)).toMatchObject({ counts: { created: 1 } });
  const again = await send(member, token, 'accepted', file, { prefer: 'respond-async' });
  expect(again).toEqual({ ...answer, replayed: true });
  await member.end('SIGTERM');
});

test('a file whose connection breaks while it is stored, for long, gets a 503 and is never applied', async ({
  onTestFinished,
}) => {
  const proxy = await startProxy('insert into feed_run ', 14_000);
  onTestFinished(proxy.end);
  const member = await start({ DATABASE_URL: proxy.url, MAX_SYNC_SECONDS: '5' });
  const { token } = await cluster.seller(member);
  const file = csv([goods('F-1')]);
  const answer = await send(member, token, 'unknown', file, { prefer: 'respond-async' });
  expect([proxy.broken(), answer.status, answer.body.error]).toEqual([1, 503, 'feed_unavailable']);
  const newest = () =>
    call<{ data?: Run[] }>(`${member.api}/products/feed-runs?limit=1`, token).then(
      ({ body }) => body.data?.[0],
    );
  const run = await eventually(newest, (found) => found !== undefined && isOver(found), 60_000);
  expect(run).toMatchObject(ABANDONED);
  expect(await titles(member, token)).toEqual({});
  const again = await send(member, token, 'unknown', file, { prefer: 'respond-async' });
  expect(again).toMatchObject({ status: 202, replayed: false });
  expect(await ended(member, token, again.body.run_id)).toMatchObject({ counts: { created: 1 } });
  await member.end('SIGTERM');
});

test('a file whose connection breaks while it is accepted, for long, gets its 202 and is applied once', async ({
  onTestFinished,
}) => {
  const proxy = await startProxy('set async = true', 12_000);
  onTestFinished(proxy.end);
  const member = await start({ DATABASE_URL: proxy.url });
  const { token } = await cluster.seller(member);
  const file = csv([goods('F-1')]);
  const answer = await send(member, token, 'asked', file, { prefer: 'respond-async' });
  expect([proxy.broken(), answer.status]).toEqual([1, 202]);
  const { run_id } = answer.body;
  expect(await ended(member, token, run_id)).toMatchObject({ counts: { created: 1 } });
  const again = await send(member, token, 'asked', file, { prefer: 'respond-async' });
  expect(again).toMatchObject({ status: 202, replayed: true, body: { run_id } });
  await member.end('SIGTERM');
});

test('a revert whose connection breaks after its commit gets its 201', async ({ onTestFinished }) => {
  const proxy = await startProxy('delete from product_past_review');
  onTestFinished(proxy.end);
  const member = await start({ DATABASE_URL: proxy.url });
  const { token } = await cluster.seller(member);
  const { body } = await send(member, token, 'wrong', csv([goods('F-1')]));
  const revert = { method: 'POST', headers: { 'idempotency-key': 'revert' } };
  const path = `${member.api}/products/feed-runs/${body.run_id}/revert`;
  const answer = await call<Run>(path, token, revert);
  expect([proxy.broken(), answer.status, answer.body.counts.deactivated]).toEqual([1, 201, 1]);
  expect(await titles(member, token)).toEqual({});
  await member.end('SIGTERM');
});
