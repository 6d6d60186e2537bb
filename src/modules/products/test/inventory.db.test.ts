import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();

interface Stock {
  readonly product_id: string;
  readonly quantity_on_hand: number | null;
  readonly quantity_available: number | null;
  readonly quantity_reserved: number;
  readonly reorder_point: number | null;
  readonly version: number;
}

const put = (id: string, json: object, headers: Record<string, string> = {}) =>
  seller.call<Stock & Record<string, unknown>>('PUT', `/products/${id}/inventory`, { json, headers });
const adjust = (json: object) =>
  seller.call<{ data: Stock[] }>('POST', '/products/inventory/adjust', { json });

/** Reserves units in the system's scope, as the intake of orders does. */
const reserve = (id: string, units: number) =>
  app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: 'update inventory set quantity_reserved = $3, version = version + 1 where seller_id = $1 and product_id = $2',
      values: [seller.seller_id, id, units],
    }),
  );

/** The types of the events of one object, in order. */
const eventsOf = async (id: string): Promise<string[]> => {
  const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string }>({
      text: 'select type from outbox where seller_id = $1 and object_id = $2 order by outbox_id',
      values: [seller.seller_id, id],
    }),
  );
  return rows.map(({ type }) => type);
};

test('200 sets the units on hand; null means unknown', async () => {
  const { product_id: id } = await create(seller);
  const set = await put(id, { quantity: 12, reorder_point: 3 });
  expect(set.status).toBe(200);
  expect(set.headers.get('etag')).toBe('"s1"');
  expect(set.body).toMatchObject({
    product_id: id,
    quantity_on_hand: 12,
    quantity_available: 12,
    quantity_reserved: 0,
    reorder_point: 3,
    low_stock: false,
    version: 1,
    warnings: [],
  });
  const read = await seller.call<Stock>('GET', `/products/${id}/inventory`);
  const { warnings: _warnings, ...stock } = set.body;
  expect(read.body).toEqual(stock);
  const unknown = await put(id, { quantity: null });
  expect(unknown.body).toMatchObject({ quantity_on_hand: null, quantity_available: null, reorder_point: 3 });
});

test('the same quantity again changes nothing', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 5 });
  expect((await put(id, { quantity: 5 })).body.version).toBe(1);
  expect(await eventsOf(id)).toEqual(['product.created', 'inventory.updated']);
});

test('409 quantity_changed has the current quantity', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 5 });
  const answer = await put(id, { quantity: 9, expected_quantity: 4 });
  expect(answer).toMatchObject({
    status: 409,
    body: { code: 'quantity_changed', current_quantity: 5, expected_quantity: 4 },
  });
  expect((await put(id, { quantity: 9, expected_quantity: 5 })).status).toBe(200);
  const unknown = await create(seller);
  expect((await put(unknown.product_id, { quantity: 1, expected_quantity: null })).status).toBe(200);
  expect((await put(unknown.product_id, { quantity: 2, expected_quantity: null })).status).toBe(409);
});

test('of many requests with the same expected_quantity, one succeeds', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 10 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => put(id, { quantity: 100 + n, expected_quantity: 10 })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
});

test('412 for another version of the stock', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 1 });
  expect((await put(id, { quantity: 2 }, { 'if-match': '"s1"' })).status).toBe(200);
  expect((await put(id, { quantity: 3 }, { 'if-match': '"s1"' })).status).toBe(412);
});

test('a quantity below the reserved units is stored with a warning, and no unit is available', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 5 });
  await reserve(id, 4);
  const answer = await put(id, { quantity: 2 });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    quantity_on_hand: 2,
    quantity_reserved: 4,
    quantity_available: 0,
    warnings: [{ code: 'stock_below_reserved', expected: 'at least 4' }],
  });
  const product = await seller.call<Body>('GET', `/products/${id}`);
  expect(product.body).toMatchObject({ quantity_available: 0, quantity_reserved: 4, quantity_on_hand: 2 });
});

test.each([
  [{ quantity: -1 }, 'stock_negative'],
  [{ quantity: 1_000_000_001 }, 'number_range'],
  [{ quantity: 1, reorder_point: -3 }, 'stock_negative'],
  [{ quantity: 1.5 }, 'integer_type'],
  [{ quantity: '7' }, 'integer_type'],
  [{}, 'missing'],
])('422 for %j', async (json, type) => {
  const { product_id: id } = await create(seller);
  const answer = await put(id, json);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ detail: [{ type }] });
});

test('adjustments of one product add up, by id and by SKU; a single one needs no list', async () => {
  const a = await create(seller, { quantity_on_hand: 5 });
  const b = await create(seller, { quantity_on_hand: 1 });
  const answer = await adjust({
    adjustments: [
      { product_id: a.product_id, delta: -2, reason: 'broken' },
      { seller_sku: b['seller_sku'], delta: 4 },
      { seller_sku: a['seller_sku'], delta: 10, reason: 'delivery' },
    ],
  });
  expect(answer.status).toBe(200);
  expect(answer.body.data.map((stock) => [stock.product_id, stock.quantity_on_hand])).toEqual([
    [a.product_id, 13],
    [b.product_id, 5],
  ]);
  const single = await adjust({ seller_sku: a['seller_sku'], delta: -1 });
  expect(single.body.data[0]?.quantity_on_hand).toBe(12);
  const history = await seller.call<{ data: { action: string; changes: object[] }[] }>(
    'GET',
    `/products/${a.product_id}/history`,
  );
  expect(history.body.data[1]).toMatchObject({
    action: 'stock_adjusted',
    version: 1,
    changes: [
      { field: 'quantity_on_hand', before: 5, after: 13 },
      { field: 'reason', after: 'broken; delivery' },
    ],
  });
  expect((await seller.call<Body>('GET', `/products/${a.product_id}`)).body['version']).toBe(1);
});

test('one rejected adjustment rejects all', async () => {
  const a = await create(seller, { quantity_on_hand: 5 });
  const b = await create(seller, { quantity_on_hand: 1 });
  const c = await create(seller);
  const first = { product_id: a.product_id, delta: -1 };
  const foreign = await create(other);
  const cases = [
    [
      { product_id: b.product_id, delta: -2 },
      409,
      { code: 'insufficient_stock', index: 1, quantity_on_hand: 1 },
    ],
    [{ product_id: c.product_id, delta: 2 }, 409, { code: 'quantity_unknown', index: 1 }],
    [{ seller_sku: 'UNKNOWN', delta: 2 }, 404, { code: 'not_found', index: 1 }],
    [{ product_id: foreign.product_id, delta: 2 }, 404, { code: 'not_found', index: 1 }],
    [
      { product_id: b.product_id, seller_sku: a['seller_sku'], delta: 1 },
      404,
      { code: 'not_found', index: 1 },
    ],
    [{ delta: 2 }, 404, { code: 'not_found', index: 1 }],
  ] as const;
  for (const [second, status, body] of cases) {
    expect(await adjust({ adjustments: [first, second] })).toMatchObject({ status, body });
  }
  expect((await adjust({ adjustments: [] })).status).toBe(422);
  expect((await adjust({})).status).toBe(422);
  expect((await adjust({ adjustments: [{ ...first, delta: 2 ** 30 }] })).status).toBe(422);
  const stock = await seller.call<Stock>('GET', `/products/${a.product_id}/inventory`);
  expect(stock.body).toMatchObject({ quantity_on_hand: 5, version: 1 });
});

test('concurrent adjustments of the same products neither deadlock nor lose units', async () => {
  const products = await Promise.all(
    Array.from({ length: 4 }, () => create(seller, { quantity_on_hand: 100 })),
  );
  const ids = products.map(({ product_id }) => product_id);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const order = n % 2 === 0 ? ids : [...ids].reverse();
      return adjust({ adjustments: order.map((product_id) => ({ product_id, delta: -1 })) });
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  for (const id of ids) {
    const stock = await seller.call<Stock>('GET', `/products/${id}/inventory`);
    expect(stock.body.quantity_on_hand).toBe(80);
  }
});

test('concurrent adjustments never make stock negative', async () => {
  const { product_id } = await create(seller, { quantity_on_hand: 7 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => adjust({ product_id, delta: -1 })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  const stock = await seller.call<Stock>('GET', `/products/${product_id}/inventory`);
  expect(stock.body.quantity_on_hand).toBe(0);
});

test('the list filters by SKU, low stock and last change, over pages', async () => {
  const shop = await app.seller({ plan: 'Small' });
  const low = await create(shop, { quantity_on_hand: 2, reorder_point: 3 });
  const full = await create(shop, { quantity_on_hand: 9, reorder_point: 3 });
  const unknown = await create(shop, { reorder_point: 3 });
  const archived = await create(shop, { quantity_on_hand: 1, reorder_point: 5 });
  await shop.call('DELETE', `/products/${archived.product_id}`);
  const ids = async (query: string) =>
    (await shop.call<{ data: Stock[] }>('GET', `/products/inventory?${query}`)).body.data.map(
      ({ product_id }) => product_id,
    );
  expect(await ids('')).toEqual([unknown.product_id, full.product_id, low.product_id]);
  expect(await ids('low_stock=true')).toEqual([low.product_id]);
  expect(await ids('low_stock=false')).toEqual([unknown.product_id, full.product_id]);
  expect(await ids(`sku=${full['seller_sku']}`)).toEqual([full.product_id]);
  const page = await shop.call<{ page: { next_cursor: string } }>('GET', '/products/inventory?limit=1');
  expect(await ids(`limit=1&cursor=${page.body.page.next_cursor}`)).toEqual([full.product_id]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const since = new Date(app.app.services.now()).toISOString();
  await shop.call('POST', '/products/inventory/adjust', { json: { product_id: low.product_id, delta: 1 } });
  expect(await ids(`updated_since=${since}`)).toEqual([low.product_id]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await shop.call('POST', '/products/inventory/adjust', { json: { product_id: full.product_id, delta: 1 } });
  const changed = `updated_since=${since}&limit=1`;
  const last = await shop.call<{ page: { next_cursor: string } }>('GET', `/products/inventory?${changed}`);
  expect(await ids(changed)).toEqual([full.product_id]);
  expect(await ids(`${changed}&cursor=${last.body.page.next_cursor}`)).toEqual([low.product_id]);
});

test('reorder points are set and removed; suggestions have their formula and the missing facts', async () => {
  const shop = await app.seller({ plan: 'Small' });
  const low = await create(shop, { quantity_on_hand: 2 });
  await create(shop, { quantity_on_hand: 50, reorder_point: 10 });
  await create(shop, { reorder_point: 10 });
  const path = `/products/${low.product_id}/reorder-point`;
  expect((await shop.call<Stock>('PUT', path, { json: { reorder_point: 5 } })).body).toMatchObject({
    reorder_point: 5,
    quantity_on_hand: 2,
    low_stock: true,
  });
  const answer = await shop.call('GET', '/products/reorder-suggestions');
  expect(answer.body).toMatchObject({
    data: [
      {
        product_id: low.product_id,
        quantity_available: 2,
        reorder_point: 5,
        suggested_quantity: 8,
        sales_per_day: null,
        days_of_cover: null,
      },
    ],
    page: { has_more: false },
    formula: 'suggested_quantity = max(1, 2 × reorder_point − quantity_available)',
    missing_components: ['sales_history', 'lead_time'],
  });
  expect((await shop.call('PUT', path, { json: { reorder_point: -1 } })).status).toBe(422);
  await shop.call('PUT', path, { json: { reorder_point: null } });
  expect((await shop.call<{ data: [] }>('GET', '/products/reorder-suggestions')).body.data).toEqual([]);
});

test('low stock makes one event, and out of stock replaces it', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 9, reorder_point: 3 });
  await put(id, { quantity: 3 });
  await put(id, { quantity: 2 });
  await put(id, { quantity: 0 });
  await put(id, { quantity: 9 });
  expect(await eventsOf(id)).toEqual([
    'product.created',
    'inventory.updated',
    'inventory.updated',
    'inventory.low_stock',
    'inventory.updated',
    'inventory.updated',
    'inventory.out_of_stock',
    'inventory.updated',
  ]);
});

test('an adjustment above the largest stock names its place in the body', async () => {
  const one = await create(seller, { quantity_on_hand: 1 });
  const much = { product_id: one.product_id, delta: 1_000_000_000 };
  const list = { adjustments: [{ product_id: one.product_id, delta: 1 }, much] };
  expect((await adjust(much)).body).toMatchObject({ detail: [{ loc: ['body', 'delta'] }] });
  expect((await adjust(list)).body).toMatchObject({ detail: [{ loc: ['body', 'adjustments', 1, 'delta'] }] });
});
