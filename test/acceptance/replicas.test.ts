/** Two API processes and two workers on one database: the rules that hold over all of them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { exchange, type Member, prepareCluster, signingKey } from '../support/cluster.ts';
import { csv, goods } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

/** Long, because the machine may be busy. */
const POLL = { timeout: 20_000, interval: 20 };
/** So long the run of a dead worker takes at most, on a busy machine. */
const TAKEN_OVER_MS = 150_000;
/** Rows of a file that is still being applied when the worker is killed. */
const LONG_RUN = 20_000;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const keys = [signingKey('old')];
const keyed = (...list: unknown[]) => ({ TOKEN_SIGNING_KEYS: JSON.stringify(list) });
const limits = { RATE_LIMITS: 'export=20/3600' };
const [a, b, w1] = await Promise.all([
  cluster.start({ ROLE: 'api', ...limits, ...keyed(...keys) }),
  cluster.start({ ROLE: 'api', ...limits, ...keyed(...keys) }),
  cluster.start({ ROLE: 'worker' }),
]);

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}
async function call(
  at: Member,
  token: string,
  method: string,
  path: string,
  options: { body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${at.api}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : {},
  };
}
const file = (count: number, prefix: string): string =>
  csv(Array.from({ length: count }, (_, index) => goods(`${prefix}-${index}`)));
const feed = (at: Member, token: string, body: string, key: string, headers: Record<string, string> = {}) =>
  call(at, token, 'POST', '/products/feed-runs', { body, headers: { 'idempotency-key': key, ...headers } });
const ask = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);
const statusOf = async (at: Member, token: string, run: unknown): Promise<unknown> =>
  (await call(at, token, 'GET', `/products/feed-runs/${run}`)).body['status'];

/** The run of a worker that was killed, which the other one finishes while the tests go on. */
let orphan = { token: '', run: '' };

test('asynchronous runs are applied by the workers; one of them is killed in the middle of a long one', async () => {
  const begin = async (rows: number) => {
    const { token } = await cluster.seller(a);
    const respondAsync = { prefer: 'respond-async' };
    const { status, body } = await feed(a, token, file(rows, 'async'), randomUUID(), respondAsync);
    expect(status).toBe(202);
    return { token, run: String(body['run_id']) };
  };
  for (const { token, run } of await Promise.all([200, 200].map(begin)))
    await expect.poll(() => statusOf(b, token, run), POLL).toBe('succeeded');
  // The long run begins after the short ones; on a busy machine it could end before them.
  const { token, run } = await begin(LONG_RUN);
  await expect.poll(() => statusOf(b, token, run), POLL).toBe('applying');
  await w1.end('SIGKILL');
  orphan = { token, run };
  // Another worker takes the run over within 60 s (docs/design/architecture.md#jobs), when no lease is longer.
  const longer = "select kind from job where lease_until > clock_timestamp() + interval '60 seconds'";
  expect(await ask(longer)).toEqual([]);
  expect((await call(a, token, 'GET', '/products?limit=1')).body['data']).toEqual([]);
  await cluster.start({ ROLE: 'worker' });
});

test('a token of one process is valid at the other; revoked at one, it is invalid at the other', async () => {
  const { token } = await cluster.seller(a);
  expect((await call(b, token, 'GET', '/sellers/me')).status).toBe(200);
  expect((await call(b, token, 'POST', '/auth/revoke')).status).toBeLessThan(300);
  expect((await call(a, token, 'GET', '/sellers/me')).status).toBe(401);
});

test('two concurrent requests with one key, one at each process, have one effect', async () => {
  const { token } = await cluster.seller(a);
  const key = randomUUID();
  const answers = await Promise.all([a, b, a, b].map((at) => feed(at, token, file(500, 'twice'), key)));
  const done = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 409);
  expect(done.length + refused.length).toBe(4);
  expect(done.length).toBeGreaterThan(0);
  const later = await feed(b, token, file(500, 'twice'), key);
  expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(new Set([...done, later].map(({ body }) => body['run_id'])).size).toBe(1);
  expect(await ask('select count(*)::int as n from feed_run where idempotency_key = $1', [key])).toEqual([
    { n: 1 },
  ]);
});

test('a rate limit counts the requests of both processes', async () => {
  const { token } = await cluster.seller(a);
  const answers: Answer[] = [];
  for (let n = 0; n < 40; n += 1) answers.push(await call(n % 2 ? a : b, token, 'GET', '/products/export'));
  const allowed = answers.filter(({ status }) => status === 200).length;
  // Each process leases a tenth of the window at a time, and may be left with the rest of its last block.
  expect(allowed).toBeLessThanOrEqual(20);
  expect(allowed).toBeGreaterThanOrEqual(18);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
});

test('a run that one process has received can be read and cancelled through the other', async () => {
  const { token } = await cluster.seller(a);
  const run = feed(a, token, file(20_000, 'long'), randomUUID());
  const newest = async () => {
    const { data } = (await call(b, token, 'GET', '/products/feed-runs?limit=1')).body;
    return (data as { run_id: string; status: string }[])[0];
  };
  await expect.poll(async () => (await newest())?.status, POLL).toMatch(/validating|applying/);
  const waiting = await newest();
  const cancelled = await call(b, token, 'POST', `/products/feed-runs/${waiting?.run_id}/cancel`);
  expect(cancelled.status).toBeLessThan(300);
  await run;
  expect(await statusOf(b, token, waiting?.run_id)).toBe('cancelled');
  expect((await call(a, token, 'GET', '/products?limit=1')).body['data']).toEqual([]);
});

test('a signing key is rotated process by process without logging anyone out', async () => {
  const { sub, token: before } = await cluster.seller(a);
  const next = signingKey('new');
  const isGood = async (at: Member, token: string) =>
    expect((await call(at, token, 'GET', '/sellers/me')).status).toBe(200);
  // First every process learns to verify the new key, then the new key signs, then the old key is removed.
  const verifying = await cluster.start({ ROLE: 'api', ...keyed(...keys, next) });
  await isGood(verifying, before);
  await isGood(b, await exchange(verifying, await cluster.session(sub)));
  const signing = await cluster.start({ ROLE: 'api', ...keyed(next, ...keys) });
  const after = await exchange(signing, await cluster.session(sub));
  for (const token of [before, after]) for (const at of [verifying, signing]) await isGood(at, token);
  // The first step is needed, because a process that does not know the new key refuses its tokens.
  expect((await call(b, after, 'GET', '/sellers/me')).status).toBe(401);
});

test('the other worker finishes the run of the killed one, once', async () => {
  const { token, run } = orphan;
  await expect
    .poll(() => statusOf(b, token, run), { timeout: TAKEN_OVER_MS, interval: 500 })
    .toBe('succeeded');
  const rows = `select outcome, count(*)::int as rows, count(distinct row_number)::int as numbers from feed_row
    where run_id = $1 group by outcome`;
  expect(await ask(rows, [run])).toEqual([{ outcome: 'created', rows: LONG_RUN, numbers: LONG_RUN }]);
  const left = "select count(*)::int as n from job where kind = 'feed.finish'";
  expect(await ask(left)).toEqual([{ n: 0 }]);
});
