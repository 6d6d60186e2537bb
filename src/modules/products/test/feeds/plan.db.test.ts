import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  eventually,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  isOver,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';
import { apply, orderEvent } from '../../../../../test/support/orders.ts';
import { mug } from '../../../../../test/support/products.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const FREE_PRODUCTS = 100;
const FREE_RUNS = 20;

const remaining = async (seller: TestSeller): Promise<number> =>
  (await seller.call<{ runs_remaining_today: number }>('GET', '/products/feed-contract')).body
    .runs_remaining_today;

/** Applies as many runs as the Free plan allows in a day. */
async function useQuota(seller: TestSeller): Promise<void> {
  for (let index = 1; index <= FREE_RUNS; index += 1)
    await applied(seller, csv([goods('A', { quantity: index })]));
}

test('429 with the seconds until the next day when the quota of runs is used up; the key stays free', async () => {
  const seller = await app.seller();
  expect(await remaining(seller)).toBe(FREE_RUNS);
  await useQuota(seller);
  expect(await remaining(seller)).toBe(0);
  const answer = await feed<FeedFailure & { resets_at: string }>(seller, csv([goods('B')]), { key: 'later' });
  expect(answer.status).toBe(429);
  expect(answer.body).toMatchObject({
    error: 'feed_quota_reached',
    code: 'feed_quota_reached',
    detail: expect.stringContaining('the Free plan allows 20, the Small plan 200'),
    row_results: [],
  });
  expect(answer.body.detail).toContain(answer.body.resets_at);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(25 * 3_600);
  await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: seller.seller_id,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data: { plan: 'Small' },
  });
  expect((await feed(seller, csv([goods('B')]), { key: 'later' })).status).toBe(201);
});

test('a commit counts towards the quota, its dry run and its revert do not', async () => {
  const seller = await app.seller();
  const preview = await applied(seller, csv([goods('A')]), { query: 'dry_run=true' });
  expect(await remaining(seller)).toBe(FREE_RUNS);
  const run = await seller.call<Run>('POST', `/products/feed-runs/${preview.run_id}/commit`);
  expect(await remaining(seller)).toBe(FREE_RUNS - 1);
  await seller.call('POST', `/products/feed-runs/${run.body.run_id}/revert`);
  expect(await remaining(seller)).toBe(FREE_RUNS - 1);
});

test('stock files, and runs that apply nothing, do not count', async () => {
  const seller = await app.seller();
  await applied(seller, csv([goods('A')]));
  const stock = csv([{ seller_sku: 'A', quantity: 7 }]);
  await applied(seller, stock, { path: '/products/inventory/import' });
  await applied(seller, csv([{ seller_sku: 'A', quantity: 8 }]), { query: 'mode=inventory' });
  await feed(seller, csv([goods('B', { price: 'x' })]));
  await feed(seller, 'seller_sku\n');
  await applied(seller, csv([goods('A', { quantity: 8 })]));
  expect(await remaining(seller)).toBe(FREE_RUNS - 1);
});

test('with the quota used up, stock files and dry runs pass, and a commit is 429', async () => {
  const seller = await app.seller();
  await useQuota(seller);
  await applied(seller, csv([{ seller_sku: 'A', quantity: 99 }]), { path: '/products/inventory/import' });
  const preview = await applied(seller, csv([goods('C')]), { query: 'dry_run=true' });
  const commit = await seller.call<FeedFailure>('POST', `/products/feed-runs/${preview.run_id}/commit`);
  expect([commit.status, commit.body.code]).toEqual([429, 'feed_quota_reached']);
});

test('with the quota used up, files that change nothing are read and answered; others leave a failed run', async () => {
  const seller = await app.seller();
  const same = csv([goods('A', { quantity: FREE_RUNS })]);
  await useQuota(seller);
  const preview = await applied(seller, same, { query: 'dry_run=true' });
  const unchanged = await feed<Run>(seller, same);
  expect([unchanged.status, unchanged.body.counts.unchanged]).toEqual([201, 1]);
  const refused = await feed<FeedFailure>(seller, csv([goods('B', { price: 'x' })]));
  expect([refused.status, refused.body.code]).toEqual([422, 'feed_rejected']);
  const mixed = csv([goods('B'), goods('C', { price: 'x' })]);
  const aborted = await feed<FeedFailure>(seller, mixed, { query: 'on_error=abort' });
  expect([aborted.status, aborted.body.code]).toEqual([422, 'feed_rejected']);
  await applied(seller, csv([{ seller_sku: 'A', quantity: 3 }]), { query: 'mode=inventory' });
  await applied(seller, csv([{ seller_sku: 'A', quantity: FREE_RUNS }]), { query: 'mode=inventory' });
  const commit = await seller.call('POST', `/products/feed-runs/${preview.run_id}/commit`);
  expect(commit.status).toBe(201);

  const answer = await feed<FeedFailure>(seller, mixed, { key: 'too-many' });
  expect([answer.status, answer.body.code, answer.body.row_results]).toEqual([429, 'feed_quota_reached', []]);
  expect(answer.body.run).toMatchObject({ status: 'failed', error: { code: 'feed_quota_reached' } });
  expect([...(await catalogueOf(seller)).keys()]).toEqual(['A']);
  expect(await remaining(seller)).toBe(0);
});

test('an accepted file fails in the worker when the quota is used up and it would change something', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { run_id } = await applied(seller, csv([goods('A')]));
  await runOn(app.database.adminUrl, (client) =>
    client.query(
      `insert into feed_run
       select (jsonb_populate_record(r, jsonb_build_object('run_id', 'frn_' || n, 'replay_key', 'req_' || n, 'idempotency_key', null))).*
         from feed_run r, generate_series(1, 1999) n
        where run_id = $1`,
      [run_id],
    ),
  );
  expect(await remaining(seller)).toBe(0);
  const headers = { prefer: 'respond-async' };
  const same = await feed<Run>(seller, csv([goods('A')]), { headers });
  const more = await feed<Run>(seller, csv([goods('B')]), { headers });
  expect([same.status, more.status]).toEqual([202, 202]);
  const ended = (id: string) =>
    eventually(async () => (await seller.call<Run>('GET', `/products/feed-runs/${id}`)).body, isOver);
  expect(await ended(same.body.run_id)).toMatchObject({ status: 'succeeded', counts: { unchanged: 1 } });
  expect(await ended(more.body.run_id)).toMatchObject({
    status: 'failed',
    error: { code: 'feed_quota_reached' },
    counts: { rows: 0 },
  });
});

test('concurrent runs never exceed the quota', async () => {
  const seller = await app.seller();
  for (let index = 0; index < FREE_RUNS - 3; index += 1)
    await applied(seller, csv([goods('A', { quantity: index })]));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => feed(seller, csv([goods(`Q-${index}`)]))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
});

test('a seller gets one event at 80 per cent and one at all of the plan’s products', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const limits = async () => {
    const { body } = await seller.call<{ data: { type: string; data: { object: object } }[] }>(
      'GET',
      '/webhooks/events?types=plan.*',
    );
    return body.data.map(({ type, data }) => [type, data.object]);
  };
  await applied(seller, goodsFile(FREE_PRODUCTS * 0.8 - 1, 'A'));
  await applied(seller, csv([goods('B-1')]));
  const near = ['plan.limit_near', { limit: 'products', used: 80, allowed: 100 }];
  await expect.poll(limits).toEqual([near]);
  // Neither a change nor a dry run adds a product.
  await applied(seller, csv([goods('B-1', { price: '3' })]));
  await applied(seller, goodsFile(15, 'D'), { query: 'dry_run=true' });
  await applied(seller, goodsFile(FREE_PRODUCTS * 0.2 - 1, 'C'));
  expect((await seller.call('POST', '/products', { json: mug() })).status).toBe(201);
  expect((await seller.call('POST', '/products', { json: mug() })).status).toBe(402);
  const reached = ['plan.limit_reached', { limit: 'products', used: 100, allowed: 100 }];
  await expect.poll(limits).toEqual([near, reached]);
  const { body } = await other.call<{ data: object[] }>('GET', '/webhooks/events?types=plan.*');
  expect(body.data).toEqual([]);
});

test('rows beyond the plan limit are rejected; the others are applied', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS - 2, 'A'));
  const run = await applied(
    seller,
    csv([
      goods('N-1'),
      goods('A-1', { price: '25' }),
      goods('N-2'),
      goods('N-3'),
      goods('N-4', { status: 'archived' }),
    ]),
  );
  const rows = await rowsOf(seller, run.run_id);
  expect(rows.map(({ outcome, messages }) => [outcome, messages.map(({ code }) => code)])).toEqual([
    ['created', []],
    ['updated', []],
    ['created', []],
    ['rejected', ['plan_limit_reached']],
    ['created', []],
  ]);
  expect(rows[3]?.messages).toMatchObject([
    { message: 'No more products are possible: the Free plan allows 100, the Small plan 5,000.' },
  ]);
  const file = await seller.call(
    'GET',
    `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
  );
  await applied(seller, csv([{ seller_sku: 'A-1', status: 'archived' }]));
  expect((await applied(seller, file.text)).counts).toMatchObject({ rows: 1, created: 1 });
});

test('an archived product makes room for a later row, in the preview and in the run', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS, 'A'));
  const file = csv([goods('N-1'), goods('A-1', { status: 'archived' }), goods('N-2')]);
  for (const query of ['dry_run=true', '']) {
    const run = await applied(seller, file, { query });
    expect(run.row_results.map(({ outcome }) => outcome)).toEqual(['rejected', 'deactivated', 'created']);
  }
});

test('concurrent feeds and single creates never exceed the plan limit', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS - 10, 'A'));
  const [runs, posts] = await Promise.all([
    Promise.all(
      Array.from({ length: 4 }, (_, index) => feed<Run & FeedFailure>(seller, goodsFile(6, `F${index}`))),
    ),
    Promise.all(Array.from({ length: 12 }, () => seller.call('POST', '/products', { json: mug() }))),
  ]);
  const created =
    runs.reduce((sum, { body }) => sum + (body.counts?.created ?? body.run?.counts.created ?? 0), 0) +
    posts.filter(({ status }) => status === 201).length;
  expect(created).toBe(10);
  for (const { status } of posts) expect([201, 402]).toContain(status);
  expect(await catalogueOf(seller)).toHaveProperty('size', FREE_PRODUCTS);
});

/** Sends a file whose last bytes arrive after the plan has changed to Free. */
async function sendSlowly(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<[number, FeedFailure]> {
  const seller = await app.seller({ plan: 'Big' });
  const reads = vi.spyOn(app.app.services, 'withSeller');
  const sent = request(`${app.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${seller.token}`,
      'idempotency-key': randomUUID(),
      'content-type': 'text/csv',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  });
  const answered = once(sent, 'response');
  sent.write(body.slice(0, 200));
  const found = await eventually(
    async () => reads.mock.calls.findIndex(([id]) => id === seller.seller_id),
    (index) => index >= 0,
  );
  await reads.mock.results[found]?.value;
  reads.mockRestore();
  const data = { verified: true, api_access: true, plan: 'Free', status: 'active', account_flags: [] };
  await apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));
  sent.end(body.slice(200));
  const [answer] = (await answered) as [IncomingMessage];
  return [answer.statusCode ?? 0, (await json(answer)) as FeedFailure];
}

test('a plan that changes while the file arrives counts', async () => {
  const file = goodsFile(120, 'P');
  const store = csv([
    { Handle: 'tee', Title: `Tee ${'x'.repeat(180)}`, 'Variant SKU': 'T', 'Variant Price': 5 },
  ]);
  const [imported, refused] = await sendSlowly('/products/import-profiles', store);
  expect([imported, refused]).toMatchObject([402, { error: 'feature_not_available' }]);
  const [accepted, body] = await sendSlowly('/products/feed-runs', file, { prefer: 'respond-async' });
  expect([accepted, body]).toMatchObject([402, { error: 'feature_not_available' }]);
  const [status, run] = await sendSlowly('/products/feed-runs', file);
  expect([status, run]).toMatchObject([201, { counts: { created: FREE_PRODUCTS, rejected: 20 } }]);
});
