import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';
import { mug } from '../../../../../test/support/products.ts';

const app = await startTestApp();
const FREE_PRODUCTS = 100;
const FREE_RUNS = 20;

const remaining = async (seller: TestSeller): Promise<number> =>
  (await seller.call<{ runs_remaining_today: number }>('GET', '/products/feed-contract')).body
    .runs_remaining_today;

test('429 with the seconds until the next day when the quota of runs is used up; the key stays free', async () => {
  const seller = await app.seller();
  expect(await remaining(seller)).toBe(FREE_RUNS);
  // Rejected runs count, rejected files do not.
  await feed(seller, csv([goods('A', { price: 'x' })]));
  await feed(seller, 'seller_sku\n');
  for (let index = 1; index < FREE_RUNS; index += 1)
    await applied(seller, csv([goods('A', { quantity: index })]));
  expect(await remaining(seller)).toBe(0);
  const answer = await feed<FeedFailure>(seller, csv([goods('B')]), { key: 'later' });
  expect(answer.status).toBe(429);
  expect(answer.body).toMatchObject({
    error: 'feed_quota_reached',
    code: 'feed_quota_reached',
    retryable: true,
    row_results: [],
  });
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

test('commits and reverts do not count towards the quota', async () => {
  const seller = await app.seller();
  const preview = await applied(seller, csv([goods('A')]), { query: 'dry_run=true' });
  const run = await seller.call<Run>('POST', `/products/feed-runs/${preview.run_id}/commit`);
  await seller.call('POST', `/products/feed-runs/${run.body.run_id}/revert`);
  expect(await remaining(seller)).toBe(FREE_RUNS - 1);
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

test('a seller hears once that 80 per cent and all of the plan’s products are used', async () => {
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
