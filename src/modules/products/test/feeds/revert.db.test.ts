import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  type CatalogueProduct,
  catalogueOf,
  codes,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  outcomes,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder, post, shipAll } from '../../../../../test/support/orders.ts';
import { runOn } from '../../../../../test/support/test-server.ts';
import { unpackChanges } from '../../store/stored-changes.ts';

const app = await startTestApp();
const make = () => app.seller({ plan: 'Big' });
const revert = <Body = Run>(seller: TestSeller, runId: string, key?: string) =>
  seller.call<Body>('POST', `/products/feed-runs/${runId}/revert`, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

/** A product without its version and its source. */
const content = ({ version: _v, updated_at: _u, source: _s, ...rest }: CatalogueProduct) => rest;
const contents = async (seller: TestSeller) =>
  new Map([...(await catalogueOf(seller))].map(([sku, product]) => [sku, content(product)]));

const FULL = {
  description: 'Long',
  brand: 'Clay',
  compare_at: '30',
  reorder_point: 3,
  image_urls: 'https://a.example/1.jpg|https://a.example/2.jpg',
  'attributes.colour': 'Blue',
  parent_sku: 'P',
  'variation.Size': 'L',
};

test('a revert restores stock, attributes, images, identity and status, and removes created products', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', FULL), goods('B'), goods('C')]));
  const before = await contents(seller);
  const run = await applied(
    seller,
    csv([
      goods('A', {
        ...FULL,
        title: 'Other',
        description: '',
        price: '1',
        quantity: 99,
        reorder_point: '',
        image_urls: 'https://a.example/3.jpg',
        'attributes.colour': '',
        'attributes.new': 'x',
        identity_strategy: 'mpn_brand',
        exempt_reason: '',
        mpn: 'M-1',
      }),
      goods('B', { status: 'archived', quantity: '' }),
      goods('NEW', { status: 'active' }),
      goods('C', { status: 'active' }),
    ]),
  );
  expect(run.counts).toMatchObject({ created: 1, updated: 1, deactivated: 1 });
  expect(run.links['revert']).toBe(`/api/v1/products/feed-runs/${run.run_id}/revert`);
  const answer = await revert(seller, run.run_id);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ kind: 'revert', status: 'succeeded', reverts_run_id: run.run_id });
  expect(answer.body.counts.rows).toBe(run.counts.rows);
  expect(answer.body.links['revert']).toBeUndefined();
  expect(await contents(seller)).toEqual(before);
});

test('a revert reads evidence in the longer form of an earlier release', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', FULL)]));
  const before = await contents(seller);
  const run = await applied(seller, csv([goods('A', { title: 'Other' }), goods('NEW')]));
  const rows = await rowsOf(seller, run.run_id);
  await runOn(app.database.adminUrl, async (client) => {
    const stored = await client.query('select row_number, changes from feed_row where run_id = $1', [
      run.run_id,
    ]);
    for (const { row_number, changes } of stored.rows)
      await client.query('update feed_row set changes = $1 where run_id = $2 and row_number = $3', [
        JSON.stringify(unpackChanges(changes)),
        run.run_id,
        row_number,
      ]);
  });
  expect(await rowsOf(seller, run.run_id)).toEqual(rows);
  expect((await revert(seller, run.run_id)).body.counts).toMatchObject({ updated: 1, deactivated: 1 });
  expect(await contents(seller)).toEqual(before);
});

test('the evidence of a revert is that of the run with before and after swapped', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A')]));
  const run = await applied(
    seller,
    csv([goods('A', { price: '5' }), goods('NEW'), goods('BAD', { price: 'x' })]),
  );
  const undone = await rowsOf(seller, (await revert(seller, run.run_id)).body.run_id);
  expect(outcomes(undone)).toEqual(['updated', 'deactivated', 'ignored']);
  expect(undone[0]?.changes).toEqual([{ field: 'price_minor', before: 500, after: 2499 }]);
  expect(undone[1]?.changes).toContainEqual({ field: 'title', before: 'Goods NEW', after: null });
});

test.each<[string, (seller: TestSeller, id: string) => Promise<unknown>]>([
  ['its title', (seller, id) => seller.call('PATCH', `/products/${id}`, { json: { title: 'Mine' } })],
  [
    'its stock',
    (seller, id) => seller.call('PUT', `/products/${id}/inventory`, { json: { quantity: 1_000 } }),
  ],
  [
    'everything by another feed',
    (seller) => applied(seller, csv([goods('A', { title: 'Later' }), goods('NEW', { title: 'Later' })])),
  ],
])(
  'a product that has changed since (%s) is skipped and named; the others are reverted',
  async (_what, move) => {
    const seller = await make();
    await applied(seller, csv([goods('A'), goods('B')]));
    const run = await applied(
      seller,
      csv([goods('A', { price: '5', quantity: 6 }), goods('B', { price: '6' })]),
    );
    await move(seller, (await catalogueOf(seller)).get('A')?.product_id ?? '');
    const moved = (await catalogueOf(seller)).get('A');
    const answer = await revert(seller, run.run_id);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      status: 'succeeded',
      counts: { rows: 2, updated: 1, not_attempted: 1 },
    });
    expect(answer.body.row_results[0]).toMatchObject({
      seller_sku: 'A',
      outcome: 'not_attempted',
      changes: [],
      messages: [{ code: 'version_conflict', severity: 'warning' }],
    });
    const after = await catalogueOf(seller);
    expect(after.get('A')).toEqual(moved);
    expect(after.get('B')?.price_minor).toBe(2499);
  },
);

test('a created product whose stock was set since is kept', async () => {
  const seller = await make();
  const run = await applied(seller, csv([goods('A', { quantity: '' }), goods('B', { quantity: '' })]));
  const id = (await catalogueOf(seller)).get('A')?.product_id ?? '';
  await seller.call('PUT', `/products/${id}/inventory`, { json: { quantity: 12 } });
  const answer = await revert(seller, run.run_id);
  expect(outcomes(answer.body.row_results)).toEqual(['not_attempted', 'deactivated']);
  expect([...(await catalogueOf(seller)).keys()]).toEqual(['A']);
});

test.each<[string, string, boolean]>([
  ['of unknown stock, sold and delivered', '', true],
  ['without stock, which an order waits for', '0', false],
  ['whose order was rejected', '5', false],
])('a created product %s is kept', async (_name, quantity, delivered) => {
  const seller = await make();
  const run = await applied(seller, csv([goods('N-1', { quantity }), goods('N-2')]));
  const id = await placeOrder(app, seller, [{ sku: 'N-1', quantity: 2 }]);
  if (delivered) {
    await post(seller, `${id}/accept`);
    const { shipment_id } = await shipAll(seller, id);
    await apply(app, orderEvent(app, seller, 'shipment.delivered', shipment_id, {}));
  } else if (quantity !== '0') await post(seller, `${id}/reject`, { reason: 'other' });
  const { body } = await revert(seller, run.run_id);
  expect([outcomes(body.row_results), codes(body.row_results)[0]]).toEqual([
    ['not_attempted', 'deactivated'],
    ['version_conflict'],
  ]);
  expect([...(await catalogueOf(seller)).keys()]).toEqual(['N-1']);
});

test('a product whose identity belongs to another product now is skipped and named', async () => {
  const seller = await make();
  const pair = { identity_strategy: 'mpn_brand', exempt_reason: '', mpn: 'HC-1', brand: 'Clay' };
  await applied(seller, csv([goods('OLD', pair)]));
  const run = await applied(seller, csv([goods('OLD', { ...pair, mpn: 'HC-2' })]));
  await applied(seller, csv([goods('HEIR', pair)]));
  const answer = await revert(seller, run.run_id);
  expect(answer.status).toBe(201);
  expect(codes(answer.body.row_results)).toEqual([['version_conflict']]);
});

test('stock is reverted by value and keeps the version of the product', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', { quantity: 5 })]));
  const run = await applied(seller, 'seller_sku,quantity,reorder_point\nA,9,4\n', {
    query: 'mode=inventory',
  });
  expect((await revert(seller, run.run_id)).body.counts).toMatchObject({ updated: 1 });
  expect((await catalogueOf(seller)).get('A')).toMatchObject({
    quantity_on_hand: 5,
    reorder_point: null,
    version: 1,
  });
});

test('stock that the seller has set again since is kept, although the number is that of the run', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', { quantity: 5 }), goods('B', { quantity: 5 })]));
  const run = await applied(seller, csv([goods('A', { quantity: 9 }), goods('B', { quantity: 9 })]));
  const path = `/products/${(await catalogueOf(seller)).get('A')?.product_id}/inventory`;
  for (const quantity of [3, 9]) await seller.call('PUT', path, { json: { quantity } });
  const { body } = await revert(seller, run.run_id);
  expect(outcomes(body.row_results)).toEqual(['not_attempted', 'updated']);
  const after = await catalogueOf(seller);
  expect(['A', 'B'].map((sku) => after.get(sku)?.quantity_on_hand)).toEqual([9, 5]);
});

test('a revert below the units that orders have reserved since warns, as every write does', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', { quantity: 2 }), goods('B', { quantity: 2 })]));
  const run = await applied(seller, csv([goods('A', { quantity: 9 }), goods('B', { quantity: 9 })]));
  await placeOrder(app, seller, [{ sku: 'A', quantity: 5 }]);
  const answer = await revert(seller, run.run_id);
  const rows = await rowsOf(seller, answer.body.run_id);
  expect(rows.map(({ messages }) => messages.map(({ code }) => code))).toEqual([
    ['stock_below_reserved'],
    [],
  ]);
});

test('reverts of successive runs, last run first, restore the state before each of them', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', FULL), goods('B', { quantity: 5 })]));
  const files = [
    csv([
      goods('A', { title: 'Two', quantity: 8 }),
      goods('B', { quantity: 6 }),
      goods('N', { quantity: 1 }),
    ]),
    csv([goods('A', { title: 'Three', status: 'archived' }), goods('B', { title: 'B', quantity: 7 })]),
    csv([goods('B', { quantity: 8 }), goods('N', { title: 'Four', quantity: 2 })]),
    csv([goods('A', { title: 'Five' }), goods('N', { quantity: 3 })]),
  ];
  const runs: { readonly runId: string; readonly before: Awaited<ReturnType<typeof contents>> }[] = [];
  for (const file of files) {
    const before = await contents(seller);
    runs.push({ runId: (await applied(seller, file)).run_id, before });
  }
  for (const { runId, before } of runs.toReversed()) {
    const { body } = await revert(seller, runId);
    expect(codes(body.row_results).flat()).toEqual([]);
    expect(await contents(seller)).toEqual(before);
  }
});

test.each<[string, (seller: TestSeller, path: string) => Promise<unknown>]>([
  ['content', (seller, path) => seller.call('PATCH', path, { json: { brand: 'Mine' } })],
  [
    'stock',
    async (seller, path) => {
      for (const quantity of [3, 9]) await seller.call('PUT', `${path}/inventory`, { json: { quantity } });
    },
  ],
])('a change of %s between a run and one that was reverted is kept', async (_name, change) => {
  const seller = await make();
  await applied(seller, csv([goods('A')]));
  const first = await applied(seller, csv([goods('A', { price: '5', quantity: 9 })]));
  await change(seller, `/products/${(await catalogueOf(seller)).get('A')?.product_id}`);
  const second = await applied(seller, csv([goods('A', { title: 'Two', quantity: 10 })]));
  expect((await revert(seller, second.run_id)).body.counts).toMatchObject({ updated: 1 });
  expect((await revert(seller, first.run_id)).body.counts).toMatchObject({ not_attempted: 1 });
  expect((await catalogueOf(seller)).get('A')).toMatchObject({ price_minor: 500, quantity_on_hand: 9 });
});

test('a run is reverted once; previews, rejected runs and reverts cannot be reverted', async () => {
  const seller = await make();
  const run = await applied(seller, csv([goods('A')]));
  const first = await revert(seller, run.run_id);
  const again = await revert<FeedFailure>(seller, run.run_id);
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'run_not_revertible', followed_by: first.body.run_id });
  const preview = await applied(seller, csv([goods('B')]), { query: 'dry_run=true' });
  const refused = await feed<FeedFailure>(seller, csv([goods('B', { price: 'x' })]));
  for (const runId of [preview.run_id, refused.body.run?.run_id ?? '', first.body.run_id])
    expect((await revert<FeedFailure>(seller, runId)).body.code).toBe('run_not_revertible');
});

test('a revert that skipped every row leaves its run revertible, and counts as none', async () => {
  const seller = await make();
  await applied(seller, csv([goods('A', { quantity: 5 })]));
  const first = await applied(seller, csv([goods('A', { quantity: 9 })]));
  const run = await applied(seller, csv([goods('A', { quantity: 10 })]));
  const later = await applied(seller, csv([goods('A', { quantity: 11 })]));
  expect((await revert(seller, run.run_id)).body.counts).toMatchObject({ rows: 1, not_attempted: 1 });
  await revert(seller, later.run_id);
  const undone = await revert(seller, run.run_id);
  expect([undone.status, undone.body.counts]).toMatchObject([201, { updated: 1 }]);
  expect((await revert<FeedFailure>(seller, run.run_id)).body).toMatchObject({
    code: 'run_not_revertible',
    followed_by: undone.body.run_id,
  });
  expect((await revert(seller, first.run_id)).body.counts).toMatchObject({ updated: 1 });
  expect((await catalogueOf(seller)).get('A')?.quantity_on_hand).toBe(5);
});

test('of ten concurrent reverts one succeeds', async () => {
  const seller = await make();
  const run = await applied(seller, goodsFile(300, 'R'));
  const answers = await Promise.all(Array.from({ length: 10 }, () => revert(seller, run.run_id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('a commit can be reverted; the same file then creates the products again', async () => {
  const seller = await make();
  const file = goodsFile(1_200, 'C');
  const preview = await applied(seller, file, { query: 'dry_run=true' });
  const run = (await seller.call<Run>('POST', `/products/feed-runs/${preview.run_id}/commit`)).body;
  expect((await revert(seller, run.run_id)).body.counts).toMatchObject({ rows: 1_200, deactivated: 1_200 });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  expect((await applied(seller, file)).counts.created).toBe(1_200);
});

test('a repeated revert with a key gets the same bytes', async () => {
  const seller = await make();
  const run = await applied(seller, csv([goods('A')]));
  const key = randomUUID();
  const first = await revert(seller, run.run_id, key);
  const again = await revert(seller, run.run_id, key);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    first.text,
    'true',
  ]);
});

test('creates and reverts change the product count', async () => {
  const seller = await app.seller();
  const used = async () =>
    (await seller.call<{ limits: { products: { used: number } } }>('GET', '/billing/entitlements')).body
      .limits.products.used;
  const run = await applied(seller, goodsFile(60, 'U'));
  expect(await used()).toBe(60);
  await revert(seller, run.run_id);
  expect(await used()).toBe(0);
});

test('a revert that restores archived products respects the plan limit', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(60, 'OLD'));
  const archive = await applied(
    seller,
    csv(Array.from({ length: 60 }, (_, i) => ({ seller_sku: `OLD-${i + 1}`, status: 'archived' }))),
  );
  await applied(seller, goodsFile(80, 'NEW'));
  const answer = await revert(seller, archive.run_id);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({ error: 'tier_limit_exceeded', current_usage: 80, limit: 100 });
});
