import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller({ plan: 'Small' });

interface Result {
  readonly index: number;
  readonly status: number;
  readonly outcome: string;
  readonly product: Body | null;
  readonly error: Record<string, unknown> | null;
}
interface Bulk {
  readonly counts: Record<string, number>;
  readonly results: Result[];
}
const bulk = (items: readonly object[], who = seller) =>
  who.call<Bulk>('POST', '/products/bulk', { json: { items } });

test('each item gets the result of a single request, in the order of the items', async () => {
  const [a, b, c] = [await create(seller), await create(seller), await create(seller)];
  const foreign = await create(other);
  const answer = await bulk([
    { product: mug({ seller_sku: 'BULK-NEW' }) },
    { operation: 'update', product_id: a.product_id, product: { price_minor: 100 } },
    { operation: 'update', seller_sku: b['seller_sku'], product: { title: 'Renamed' } },
    { operation: 'archive', seller_sku: c['seller_sku'] },
    { operation: 'update', seller_sku: 'UNKNOWN', product: { price_minor: 1 } },
    { operation: 'update', product_id: foreign.product_id, product: { price_minor: 1 } },
    { operation: 'create', product: mug({ seller_sku: 'BULK-OLD', price_minor: 0 }) },
    { operation: 'upsert', product: { seller_sku: a['seller_sku'], price_minor: 200 } },
    { operation: 'create', product: mug({ seller_sku: b['seller_sku'] }) },
    { product: mug({ identity: { strategy: 'shrug' } }) },
    {
      product: mug({ seller_sku: 'BULK-PART', identity: { strategy: 'mpn_brand', mpn: 'Q1', brand: 'Qed' } }),
    },
    { product: mug({ identity: { strategy: 'mpn_brand', mpn: 'q-1', brand: 'QED' } }) },
  ]);
  expect(answer.status).toBe(200);
  expect(answer.body.counts).toEqual({ items: 12, created: 2, updated: 3, unchanged: 0, failed: 7 });
  expect(
    answer.body.results.map(({ index, status, outcome, error }) => [index, status, outcome, error?.['code']]),
  ).toEqual([
    [0, 201, 'created', undefined],
    [1, 200, 'updated', undefined],
    [2, 200, 'updated', undefined],
    [3, 200, 'updated', undefined],
    [4, 404, 'failed', 'not_found'],
    [5, 404, 'failed', 'not_found'],
    [6, 422, 'failed', 'validation_error'],
    [7, 409, 'failed', 'duplicate_item'],
    [8, 409, 'failed', 'duplicate_item'],
    [9, 422, 'failed', 'validation_error'],
    [10, 201, 'created', undefined],
    [11, 409, 'failed', 'mpn_brand_conflict'],
  ]);
  expect(answer.body.results[3]?.product).toMatchObject({ status: 'archived' });
  const loc = ['body', 'items', 6, 'product', 'price_minor'];
  expect(answer.body.results[6]?.error).toMatchObject({ detail: [{ loc, type: 'price_below_minimum' }] });
  const long = await bulk([{ seller_sku: 'S'.repeat(65), product: mug({ seller_sku: undefined }) }]);
  expect(long.body.results[0]?.error).toMatchObject({
    detail: [{ loc: ['body', 'items', 0, 'seller_sku'] }],
  });
  const read = await seller.call<Body>('GET', `/products/${b.product_id}`);
  expect(read.body).toEqual(answer.body.results[2]?.product);
});

test('422 for an item and a product with two SKUs; neither product changes', async () => {
  const [one, two] = [await create(seller), await create(seller)];
  const answer = await bulk([
    {
      operation: 'update',
      seller_sku: one['seller_sku'],
      product: { seller_sku: two['seller_sku'], price_minor: 7 },
    },
    {
      operation: 'update',
      seller_sku: one['seller_sku'],
      product: { seller_sku: one['seller_sku'], price_minor: 8 },
    },
  ]);
  expect(answer.body.results.map(({ status }) => status)).toEqual([422, 200]);
  const after = await seller.call<{ price_minor: number }>('GET', `/products/${two.product_id}`);
  expect(after.body.price_minor).toBe(two['price_minor']);
});

test('409 sku_exists for the SKU of a product that the request does not change', async () => {
  const taken = await create(seller);
  const answer = await bulk([{ operation: 'create', product: mug({ seller_sku: taken['seller_sku'] }) }]);
  expect(answer.body.results[0]).toMatchObject({ status: 409, error: { code: 'sku_exists' } });
});

test('200 items are written in one transaction; the same request again changes nothing', async () => {
  const items = Array.from({ length: 200 }, () => ({ product: mug({ quantity_on_hand: 3 }) }));
  const first = await bulk(items);
  expect(first.body.counts).toMatchObject({ created: 200, failed: 0 });
  const again = await bulk(items);
  expect(again.body.counts).toMatchObject({ unchanged: 200 });
  const ids = again.body.results.map(({ product }) => product?.product_id);
  const events = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all({ text: 'select 1 as one from outbox where object_id = any($1)', values: [ids] }),
  );
  expect(events).toHaveLength(400);
});

test('422 for no items, too many items and an unknown operation', async () => {
  expect((await bulk([])).status).toBe(422);
  expect((await bulk(Array.from({ length: 201 }, () => ({ product: mug() })))).status).toBe(422);
  expect((await bulk([{ operation: 'delete', product: mug() }])).status).toBe(422);
  expect((await bulk([{ operation: 'archive', seller_sku: 'a\0b' }])).status).toBe(422);
});

test('items beyond the plan limit are rejected; an archived product makes room for a later item', async () => {
  const full = await app.seller({ plan: 'Small' });
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: "insert into usage_counter (seller_id, resource, used) values ($1, 'products', 4998)",
      values: [full.seller_id],
    }),
  );
  const first = await create(full);
  const answer = await bulk(
    [
      { product: mug() },
      { product: mug() },
      { operation: 'archive', product_id: first.product_id },
      { product: mug() },
    ],
    full,
  );
  expect(answer.body.results.map(({ status }) => status)).toEqual([201, 402, 200, 201]);
  expect(answer.body.results[1]?.error).toEqual({
    error: 'tier_limit_exceeded',
    tier: 'Small',
    message: 'Products that are not archived: the Small plan allows 5,000, the Big plan 500,000.',
    upgrade_url: '/settings/plan',
    current_usage: 5000,
    limit: 5000,
  });
});

test('concurrent bulk requests never exceed the plan: the later one gets 503 and a retry succeeds', async () => {
  const full = await app.seller({ plan: 'Small' });
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: "insert into usage_counter (seller_id, resource, used) values ($1, 'products', 4990)",
      values: [full.seller_id],
    }),
  );
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      bulk(
        Array.from({ length: 4 }, () => ({ product: mug() })),
        full,
      ),
    ),
  );
  const created = answers.reduce((sum, { status, body }) => {
    expect([200, 503]).toContain(status);
    return sum + (status === 200 ? (body.counts['created'] ?? 0) : 0);
  }, 0);
  const { body: now } = await full.call<{ data: Body[] }>('GET', '/products?limit=200');
  expect(now.data).toHaveLength(created);
  expect(created).toBeGreaterThanOrEqual(8);
  expect(created).toBeLessThanOrEqual(10);
});

test('402 feature_not_available on Free precedes errors of the body', async () => {
  const free = await app.seller({ plan: 'Free' });
  const answer = await free.call('POST', '/products/bulk', { json: { nonsense: true } });
  expect(answer).toMatchObject({
    status: 402,
    body: { error: 'feature_not_available', feature_name: 'bulk_operations', tier: 'Free' },
  });
});

test('a repeated key returns the stored answer and writes nothing', async () => {
  const options = {
    json: { items: [{ product: mug() }] },
    headers: { 'idempotency-key': 'bulk-1' },
  };
  const first = await seller.call<Bulk>('POST', '/products/bulk', options);
  const again = await seller.call<Bulk>('POST', '/products/bulk', options);
  expect(again.text).toBe(first.text);
  expect(again.body.counts).toMatchObject({ created: 1 });
});

test('concurrent bulk requests for the same products neither deadlock nor lose changes', async () => {
  const products = await Promise.all(Array.from({ length: 10 }, () => create(seller)));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => {
      const order = n % 2 === 0 ? products : [...products].reverse();
      return bulk(
        order.map(({ product_id }) => ({
          operation: 'update',
          product_id,
          product: { attributes: { [`a${n}`]: 'x' } },
        })),
      );
    }),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.counts).toMatchObject({ updated: 10 });
  }
  const read = await seller.call<Body>('GET', `/products/${products[0]?.product_id}`);
  expect(Object.keys(read.body['attributes'] as object)).toHaveLength(8);
});
