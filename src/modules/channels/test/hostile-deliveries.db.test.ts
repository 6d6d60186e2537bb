/** Signed bodies that no store would send: each is answered 200 or 4xx, decided, and changes nothing. */
import { request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signBody } from '../../../../demo/store-platform/sign.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  decided,
  logOf,
  ordersOf,
  poster,
  RECEIVER,
  shopWithOrders,
} from '../../../../test/support/store-deliveries.ts';
import { readChannel, SECRET, startStores } from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const post = poster(stores);

const TOPICS = [
  ...['orders/create', 'orders/updated', 'orders/cancelled', 'orders/paid', 'products/create'],
  ...['products/update', 'products/delete', 'inventory_levels/update', 'inventory_levels/disconnect'],
  ...['locations/create', 'locations/update', 'locations/delete', 'customers/redact'],
  ...['customers/data_request', 'unknown/topic', '__proto__', 'constructor'],
];
const ORDER = {
  ...{ id: 5, name: '#1', line_items: [{ variant_id: 7, sku: 'A', quantity: 1 }], currency: 'AUD' },
  ...{ total_price: '1.00', updated_at: '2026-07-01T00:00:00Z', created_at: '2026-07-01T00:00:00Z' },
  ...{ cancelled_at: null, closed_at: null, financial_status: 'paid', fulfillment_status: null, test: false },
};
const PRODUCT = {
  ...{ id: 5, title: 'Mug', body_html: '<p>x</p>', vendor: 'V', product_type: 'T', handle: 'mug' },
  ...{ status: 'active', tags: 'a, b', updated_at: '2026-07-01T00:00:00Z', options: [{ name: 'Size' }] },
  ...{ images: [{ src: 'https://x.example/1.png' }], variant_gids: [{ admin_graphql_api_id: 'gid://x/1' }] },
  variants: [{ id: 7, title: 'S', sku: 'A', price: '1.00', compare_at_price: null, inventory_item_id: 9 }],
};
const LEVEL = { inventory_item_id: 9, location_id: 3, available: 1, updated_at: '2026-07-01T00:00:00Z' };
const OTHERS = { shop_domain: 'x', myshopify_domain: 'x', orders_to_redact: [1], customer: { id: 1 } };
const BODY = { ...ORDER, ...PRODUCT, ...LEVEL, ...OTHERS };

/** Texts of values as they stand in JSON, because not all of them survive `JSON.stringify`. */
const VALUES = [
  ...['1e300', '-1e300', '1e9999', '123456789012345678901234567890', '-5', '0.1', '-0', 'true', 'null'],
  ...['"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '""', `"${'x'.repeat(70_000)}"`, '[]', '{}', '[[[]]]'],
  ...['"9999-12-31T23:59:59-14:00"', '"0000-00-00T00:00:00Z"', '{"__proto__":{"a":1}}', '[null,1,"x",{}]'],
  ...[`${'['.repeat(2_000)}${']'.repeat(2_000)}`, '"NaN"', '{"toString":1,"length":-1}', '[{"id":1e300}]'],
];
const fieldsOf = (topic: string): object =>
  topic.startsWith('orders/')
    ? ORDER
    : topic.startsWith('products/')
      ? PRODUCT
      : topic.startsWith('inventory_levels/')
        ? LEVEL
        : BODY;

/** A body of the topic's shape in which a field has another value. */
const hostile = fc
  .record({
    topic: fc.constantFrom(...TOPICS),
    field: fc.constantFrom(...Object.keys(BODY)),
    inner: fc.boolean(),
    value: fc.constantFrom(...VALUES),
  })
  .map(({ topic, field, inner, value }) => {
    const whole = fieldsOf(topic);
    const mark = '"@"';
    const list = (whole as Readonly<Record<string, unknown>>)[field];
    const deep = inner && Array.isArray(list) && typeof list[0] === 'object';
    const changed = deep
      ? [Object.fromEntries(Object.keys(list[0] as object).map((name) => [name, '@']))]
      : '@';
    return { topic, body: JSON.stringify({ ...whole, [field]: changed }).replaceAll(mark, value) };
  });

/** Decisions that failed. */
const failures = () =>
  runOn(stores.database.adminUrl, async (client) => {
    const { rows } = await client.query<object>(
      "select j.unique_key, j.last_error, d.topic, d.body from job j left join channel_delivery d on j.unique_key like '%' || d.object_key and d.status = 'received' where j.kind = 'channels.deliveries' and j.last_error is not null",
    );
    return rows;
  });

test('each field with each wrong value', async () => {
  const { seller, domain, channel_id } = await shopWithOrders(stores);
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 8, maxLength: 8 }), async (bodies) => {
      const answers = await Promise.all(bodies.map(({ topic, body }) => post(body, { topic, shop: domain })));
      sent += answers.length;
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }),
    { numRuns: 50, endOnFailure: true },
  );
  expect(sent).toBeGreaterThanOrEqual(400);
  const waiting = async () => (await logOf(seller, 'status=received')).length;
  await eventually(
    async () => [await waiting(), await failures()] as const,
    ([left, failed]) => left === 0 || failed.length > 0,
  );
  expect(await failures()).toEqual([]);
  expect(await logOf(seller, 'status=failed')).toEqual([]);
  expect(await readChannel(seller, channel_id)).toMatchObject({ status: 'connected' });
});

test.each([
  '+275760-09-12T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '12345-01-01',
  '1',
])('a product of the instant %s is malformed, and not asked for a day', async (updated_at) => {
  const { seller, domain } = await shopWithOrders(stores);
  await post(JSON.stringify({ ...PRODUCT, updated_at }), { topic: 'products/update', shop: domain });
  const [decision] = await decided(seller, 1);
  expect(decision).toMatchObject({ status: 'malformed', reason: 'instant_invalid' });
});

test('of a title and a SKU as long as a body, 255 characters are kept', async () => {
  const { seller, domain, channel_id } = await shopWithOrders(stores);
  const long = '😀'.repeat(500_000);
  const variants = [{ ...PRODUCT.variants[0], sku: long }];
  const lines = [{ ...ORDER.line_items[0], sku: long }];
  await post(JSON.stringify({ ...PRODUCT, title: long, variants }), {
    topic: 'products/update',
    shop: domain,
  });
  await post(JSON.stringify({ ...ORDER, line_items: lines }), { topic: 'orders/updated', shop: domain });
  const statuses = (await decided(seller, 2)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual(['needs_action', 'recorded']);
  for (const path of [`/channels/${channel_id}/links`, '/channels/issues', '/channels/orders', '/events'])
    expect((await seller.call('GET', path)).text.length, path).toBeLessThan(20_000);
});

test('products with variants of each other, or one variant twice', async () => {
  const { seller, domain } = await shopWithOrders(stores);
  const [variant] = PRODUCT.variants;
  const product = (id: number, ...variants: object[]) => JSON.stringify({ ...PRODUCT, id, variants });
  const sent = [
    product(100, { ...variant, id: 71, inventory_item_id: 91 }),
    product(101, { ...variant, id: 71, inventory_item_id: 92 }),
    product(102, { ...variant, id: 72, inventory_item_id: 91 }),
    product(
      103,
      { ...variant, id: 73, inventory_item_id: 93 },
      { ...variant, id: 73, inventory_item_id: 94 },
    ),
    product(
      104,
      { ...variant, id: 74, inventory_item_id: 95 },
      { ...variant, id: 75, inventory_item_id: 95 },
    ),
  ];
  for (const [index, body] of sent.entries()) {
    expect((await post(body, { topic: 'products/update', shop: domain })).status).toBe(200);
    await decided(seller, index + 1);
  }
  const [first, ...others] = (await decided(seller, sent.length)).toReversed();
  expect(first?.status).not.toBe('malformed');
  expect(others.map(({ status, reason }) => [status, reason])).toEqual(
    others.map(() => ['malformed', 'id_invalid']),
  );
});

test('bodies that are no object, too deep, or not UTF-8', async () => {
  const { seller, domain } = await shopWithOrders(stores);
  const deep = `{"id":1,"line_items":${'['.repeat(500_000)}1e300${']'.repeat(500_000)}}`;
  const bodies = [
    '',
    'null',
    '"x"',
    '1e300',
    '[]',
    '[1]',
    '{',
    '{"id":1,}',
    deep,
    '{"a":1}\u0000',
    '\ufeff{}',
  ];
  for (const body of bodies)
    expect([body.slice(0, 20), (await post(body, { shop: domain })).status][1]).toBe(200);
  const log = await decided(seller, bodies.length);
  expect(new Set(log.map(({ status }) => status))).toEqual(new Set(['malformed', 'foreign']));
  expect(await ordersOf(seller)).toEqual([]);
});

test('headers that are no topic, no instant, and no id', async () => {
  const { seller, domain } = await shopWithOrders(stores);
  const headers = { 'x-shopify-triggered-at': '1e300', 'x-shopify-event-id': 'x'.repeat(5_000) };
  const order = JSON.stringify({ ...ORDER, id: 11 });
  expect((await post(order, { shop: domain, headers })).status).toBe(200);
  const tooLong = await post(order, { topic: 'x'.repeat(300), shop: domain });
  expect([tooLong.status, tooLong.body.detail[0]?.loc]).toEqual([422, ['header', 'x-shopify-topic']]);
  expect((await post(order, { topic: '\u00ff\u00fe', shop: domain })).status).toBe(200);
  expect((await decided(seller, 2)).map(({ status }) => status).sort()).toEqual(['recorded', 'unsupported']);
});

/** Sends a body with headers and pieces of one's own. @returns the status */
const sendRaw = (body: Buffer, headers: Readonly<Record<string, string | string[]>>, piece = body.length) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(stores.url);
    const sent = request(
      {
        hostname,
        port,
        path: RECEIVER,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
    ).on('error', reject);
    const next = (at: number): void => {
      if (at >= body.length) return void sent.end();
      sent.write(body.subarray(at, at + piece), () => setImmediate(next, at + piece));
    };
    next(0);
  });

test('a body in chunks of one byte is stored once; two signatures, or a signature of other bytes, are refused', async () => {
  const { seller, domain } = await shopWithOrders(stores);
  const body = Buffer.from(JSON.stringify({ ...ORDER, id: 12 }));
  const signature = signBody(SECRET, body.toString());
  const headers = {
    ...{ 'x-shopify-topic': 'orders/create', 'x-shopify-shop-domain': domain, 'x-shopify-webhook-id': 'w-1' },
    'transfer-encoding': 'chunked',
  };
  expect(await sendRaw(body, { ...headers, 'x-shopify-hmac-sha256': signature }, 1)).toBe(200);
  expect(await sendRaw(body, { ...headers, 'x-shopify-hmac-sha256': [signature, signature] })).toBe(401);
  expect(await sendRaw(body.subarray(1), { ...headers, 'x-shopify-hmac-sha256': signature })).toBe(401);
  expect(
    await sendRaw(body, {
      ...headers,
      'x-shopify-hmac-sha256': signature,
      'x-shopify-topic': ['orders/create', 'app/uninstalled'],
    }),
  ).toBe(422);
  for (const encoding of ['gzip', 'br', 'identity, gzip'])
    expect(
      await sendRaw(body, { ...headers, 'x-shopify-hmac-sha256': signature, 'content-encoding': encoding }),
    ).toBe(415);
  expect(await decided(seller, 1)).toMatchObject([{ status: 'recorded' }]);
});
