import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();

interface Result {
  readonly index: number;
  readonly seller_sku: string;
  readonly status: number;
  readonly outcome: string;
  readonly inventory: { readonly quantity_on_hand: number | null; readonly version: number } | null;
  readonly warnings: readonly { readonly code: string }[];
  readonly error: { readonly code: string } | null;
}
interface Results {
  readonly counts: Readonly<Record<string, number>>;
  readonly results: readonly Result[];
}

const set = (seller: TestSeller, items: readonly object[], headers: Record<string, string> = {}) =>
  seller.call<Results>('POST', '/products/inventory/set', { json: { items }, headers });

test('200 on the Free plan: each item has its result, and a rejected item stops no other', async () => {
  const seller = await app.seller();
  const stranger = await app.seller();
  await create(stranger, { seller_sku: 'THEIRS', quantity_on_hand: 1 });
  await create(seller, { seller_sku: 'A', quantity_on_hand: 1 });
  await create(seller, { seller_sku: 'B', quantity_on_hand: 2 });
  await create(seller, { seller_sku: 'C', quantity_on_hand: 3 });
  const { status, body } = await set(seller, [
    { seller_sku: 'A', quantity: 10, reorder_point: 4 },
    { seller_sku: 'B', quantity: 2 },
    { seller_sku: 'A', quantity: 11 },
    { seller_sku: 'C', quantity: 5, expected_quantity: 9 },
    { seller_sku: 'C', quantity: -5 },
    { seller_sku: 'THEIRS', quantity: 5 },
  ]);
  expect(status).toBe(200);
  expect(body.counts).toEqual({ items: 6, updated: 1, unchanged: 1, failed: 4 });
  expect(body.results.map(({ status: item, outcome, error }) => [item, outcome, error?.code])).toEqual([
    [200, 'updated', undefined],
    [200, 'unchanged', undefined],
    [409, 'failed', 'duplicate_item'],
    [409, 'failed', 'quantity_changed'],
    [409, 'failed', 'duplicate_item'],
    [404, 'failed', 'not_found'],
  ]);
  expect(body.results[0]).toMatchObject({
    index: 0,
    seller_sku: 'A',
    inventory: { quantity_on_hand: 10, reorder_point: 4, version: 2 },
  });
  const theirs = await stranger.call('GET', '/products/inventory?sku=THEIRS');
  expect(theirs.body).toMatchObject({ data: [{ quantity_on_hand: 1 }] });
});

test('the rules and events are those of a single product', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, { seller_sku: 'A', quantity_on_hand: 9, reorder_point: 3 });
  const { body } = await set(seller, [{ seller_sku: 'A', quantity: 2_000_000_000 }]);
  expect(body.results[0]).toMatchObject({
    status: 422,
    error: {
      code: 'validation_error',
      detail: [{ loc: ['body', 'items', 0, 'quantity'], type: 'number_range' }],
    },
  });
  expect((await set(seller, [{ seller_sku: 'A', quantity: 3 }])).body.counts).toMatchObject({ updated: 1 });
  const types = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string }>({
      text: 'select type from outbox where seller_id = $1 and object_id = $2 order by outbox_id',
      values: [seller.seller_id, product_id],
    }),
  );
  expect(types.map(({ type }) => type)).toEqual([
    'product.created',
    'inventory.updated',
    'inventory.updated',
    'inventory.low_stock',
  ]);
  const history = await seller.call<{ data: { action: string }[] }>('GET', `/products/${product_id}/history`);
  expect(history.body.data[0]?.action).toBe('stock_set');
});

test('the same key is answered once; with other items it is 409', async () => {
  const seller = await app.seller();
  await create(seller, { seller_sku: 'A', quantity_on_hand: 1 });
  const key = { 'idempotency-key': 'stock-1' };
  const first = await set(seller, [{ seller_sku: 'A', quantity: 5 }], key);
  const again = await set(seller, [{ seller_sku: 'A', quantity: 5 }], key);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await set(seller, [{ seller_sku: 'A', quantity: 6 }], key)).status).toBe(409);
});

test('422 for no items and for more than 200', async () => {
  const seller = await app.seller();
  const many = Array.from({ length: 201 }, (_, index) => ({ seller_sku: `S-${index}`, quantity: 1 }));
  for (const items of [[], many]) {
    const { status, body } = await set(seller, items);
    expect([status, body]).toMatchObject([422, { detail: [{ loc: ['body', 'items'] }] }]);
  }
});

test('of many requests for the same products in another order, none fails', async () => {
  const seller = await app.seller();
  for (const sku of ['A', 'B', 'C']) await create(seller, { seller_sku: sku, quantity_on_hand: 1 });
  const orders = [
    ['A', 'B', 'C'],
    ['C', 'B', 'A'],
    ['B', 'C', 'A'],
  ];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      set(
        seller,
        (orders[n % 3] ?? []).map((seller_sku) => ({ seller_sku, quantity: 10 + n })),
      ),
    ),
  );
  expect(answers.map(({ status, body }) => [status, body.counts['failed']])).toEqual(
    answers.map(() => [200, 0]),
  );
});
