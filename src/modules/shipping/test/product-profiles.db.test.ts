/** A product may name its shipping profile; else the rules choose. The deadline of its orders follows the profile. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { feed } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { placeOrder, readOrder } from '../../../../test/support/orders.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';
import { PROFILE_INPUT_EXAMPLE } from '../schemas/profile-examples.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const UNKNOWN = 'spf_00000000000000000000000000';

let serial = 0;
async function profile(seller: TestSeller, handling_days: number, more: object = {}): Promise<string> {
  serial += 1;
  const json = {
    ...PROFILE_INPUT_EXAMPLE,
    name: `Profile ${serial}`,
    is_default: false,
    handling_days,
    ...more,
  };
  const { body, text } = await seller.call<Body>('POST', '/shipping/profiles', { json });
  if (typeof body['profile_id'] !== 'string') throw new Error(text);
  return body['profile_id'];
}
async function simulated(seller: TestSeller, profileId: string) {
  const to = { state: 'NSW', postcode: '2000', country: 'AU' };
  const json = { baskets: [{ to, lines: [{ quantity: 1, weight_g: 1, price_minor: 1 }] }] };
  const { body } = await seller.call<{ dispatch_by: string; skus_affected: Record<string, unknown> }>(
    'POST',
    `/shipping/profiles/${profileId}/simulate`,
    { json },
  );
  return body;
}
async function dueOf(seller: TestSeller, products: readonly Body[], data: object = {}) {
  const lines = products.map(({ seller_sku }) => ({ sku: String(seller_sku) }));
  const { deadlines } = await readOrder(seller, await placeOrder(app, seller, lines, data));
  return { by: deadlines['dispatch_by'], rule: deadlines['dispatch_rule'] };
}
const shop = () => app.seller({ plan: 'Small' });
const change = (seller: TestSeller, { product_id }: Body, json: object) =>
  seller.call<Body>('PATCH', `/products/${product_id}`, { json });

test('orders follow the profile that the product names, before rules, default profile and setting', async () => {
  const seller = await shop();
  await seller.call('PATCH', '/sellers/me/settings', { json: { default_handling_days: 8 } });
  const own = await profile(seller, 5, { is_default: false });
  const usual = await profile(seller, 1, { is_default: true });
  const ruled = await profile(seller, 3);
  await seller.call('POST', '/shipping/rules', {
    json: { name: 'All', profile_id: ruled, sku_prefixes: ['RULED-'] },
  });
  const product = await create(seller, { seller_sku: 'RULED-1', quantity: 9, shipping_profile_id: own });
  const other = await create(seller, { seller_sku: 'RULED-2', quantity: 9 });
  const plain = await create(seller, { quantity: 9 });
  expect([product, other].map(({ shipping_profile_id }) => shipping_profile_id)).toEqual([own, null]);
  for (const [products, profile_id] of [
    [[product], own],
    [[other], ruled],
    [[plain], usual],
    [[plain, other], ruled],
    // The product that leaves last decides.
    [[plain, product, other], own],
  ] as const) {
    const { by, rule } = await dueOf(seller, products);
    expect(rule).toMatchObject({ source: 'profile', profile_id });
    expect(by).toBe((await simulated(seller, profile_id)).dispatch_by);
  }
  expect((await simulated(seller, own)).skus_affected).toMatchObject({
    total: 1,
    by_product: 1,
    by_default: 0,
  });
  expect((await simulated(seller, usual)).skus_affected).toMatchObject({
    total: 1,
    by_product: 0,
    by_default: 1,
  });
  expect((await simulated(seller, ruled)).skus_affected).toMatchObject({ total: 1, by_product: 0 });
  expect((await change(seller, product, { shipping_profile_id: null })).status).toBe(200);
  expect((await dueOf(seller, [product])).rule).toMatchObject({ profile_id: ruled });
});

test('create, PATCH, PUT and bulk set it; PUT clears it, a feed keeps it; events and history show it', async () => {
  const seller = await shop();
  const [first, second] = [await profile(seller, 1), await profile(seller, 2)];
  const made = await create(seller, { shipping_profile_id: first });
  const { product_id, seller_sku } = made;
  const shown = async () =>
    (await seller.call<Body>('GET', `/products/${product_id}`)).body['shipping_profile_id'];
  expect((await change(seller, made, { shipping_profile_id: second })).body).toMatchObject({
    ...{ shipping_profile_id: second, version: 2 },
  });
  expect((await change(seller, made, { title: 'Another' })).body['shipping_profile_id']).toBe(second);
  const product = { shipping_profile_id: first };
  await seller.call('POST', '/products/bulk', {
    json: { items: [{ operation: 'update', product_id, product }] },
  });
  expect(await shown()).toBe(first);
  const sent = await feed(seller, `seller_sku,title,price\n${seller_sku},Fed,12.00\n`);
  expect(sent.status).toBe(201);
  expect(await shown()).toBe(first);
  const put = (more: object) =>
    seller.call<Body>('PUT', `/products/${product_id}`, { json: mug({ seller_sku, ...more }) });
  expect((await put({ shipping_profile_id: second })).body['shipping_profile_id']).toBe(second);
  expect((await put({})).body['shipping_profile_id']).toBeNull();
  const { body } = await seller.call<{ data: { data: { object: Body } }[] }>(
    'GET',
    '/webhooks/events?types=product.*',
  );
  const told = body.data.map(({ data }) => data.object['shipping_profile_id']);
  expect(told).toContain(second);
  const history = await seller.call<{ data: { changes: object[] }[] }>(
    'GET',
    `/products/${product_id}/history`,
  );
  expect(history.body.data.flatMap(({ changes }) => changes)).toContainEqual({
    ...{ field: 'shipping_profile_id', before: first, after: second },
  });
});

test('a profile that is unknown or another seller’s is 422 with the field', async () => {
  const [seller, other] = [await shop(), await shop()];
  const foreign = await profile(other, 1);
  const made = await create(seller);
  const refusal = {
    status: 422,
    body: { detail: [{ loc: ['body', 'shipping_profile_id'], type: 'shipping_profile_unknown' }] },
  };
  for (const shipping_profile_id of [foreign, UNKNOWN, 'spf_ ;--', '']) {
    const json = mug({ shipping_profile_id });
    expect(await seller.call('POST', '/products', { json }), shipping_profile_id).toMatchObject(refusal);
    expect(await change(seller, made, { shipping_profile_id })).toMatchObject(refusal);
    expect(await seller.call('PUT', `/products/${made.product_id}`, { json })).toMatchObject(refusal);
    const items = [{ product: json }, { product: mug() }];
    const bulk = await seller.call<Body>('POST', '/products/bulk', { json: { items } });
    expect(bulk.body['results']).toMatchObject([{ status: 422 }, { status: 201 }]);
  }
  for (const shipping_profile_id of [7, 'a\nb', 'x'.repeat(65)])
    expect(await change(seller, made, { shipping_profile_id })).toMatchObject({
      ...{ status: 422, body: { detail: [{ loc: ['body', 'shipping_profile_id'] }] } },
    });
});

test('a profile that products name is not deleted: 409 profile_in_use says which; archived products count', async () => {
  const seller = await shop();
  await profile(seller, 1, { is_default: true });
  const id = await profile(seller, 2);
  const products = [await create(seller, { shipping_profile_id: id }), await create(seller)] as const;
  const [named, later] = products;
  await seller.call('DELETE', `/products/${named.product_id}`);
  const remove = () => seller.call<Body>('DELETE', `/shipping/profiles/${id}`);
  expect(await remove()).toMatchObject({
    status: 409,
    body: { code: 'profile_in_use', rule_ids: [], products: 1, product_ids: [named.product_id] },
  });
  const listed = async (query: string) => {
    const { body } = await seller.call<{ data: Body[] }>('GET', `/products?shipping_profile_id=${query}`);
    return body.data.map(({ product_id }) => product_id);
  };
  const onSale = await create(seller, { shipping_profile_id: id });
  expect(await listed(id)).toEqual([onSale.product_id]);
  expect(await listed(`${id}&status=archived`)).toEqual([named.product_id]);
  expect(await listed(UNKNOWN)).toEqual([]);
  for (const product of [named, onSale])
    expect((await change(seller, product, { shipping_profile_id: null })).status).toBe(200);
  // Both at once: either the product names the profile, or the profile is gone.
  const [removed, changed] = await Promise.all([
    remove(),
    change(seller, later, { shipping_profile_id: id }),
  ]);
  expect([
    [204, 422],
    [409, 200],
  ]).toContainEqual([removed.status, changed.status]);
});

test('an order that is told late follows the profile that the product named when it was placed', async () => {
  const seller = await shop();
  const [first, second] = [await profile(seller, 4), await profile(seller, 6)];
  const product = await create(seller, { quantity: 9, shipping_profile_id: second });
  const start = app.app.services.now();
  const move = (minutes: number) =>
    callInternal(app, 'POST', '/internal/v1/clock', {
      body: { now: new Date(start + minutes * 60_000).toISOString() },
    });
  await move(1);
  await change(seller, product, { shipping_profile_id: null });
  await move(2);
  expect((await seller.call('DELETE', `/shipping/profiles/${second}`)).status).toBe(204);
  const told = async (minutes: number) => {
    const placed_at = new Date(start + minutes * 60_000).toISOString();
    return (await dueOf(seller, [product], { placed_at })).rule?.['profile_id'];
  };
  expect([await told(0), await told(1), await told(2)]).toEqual([second, first, first]);
});

test('an order of an earlier time follows the category of a product that names a profile by now', async () => {
  const seller = await shop();
  await profile(seller, 1, { is_default: true });
  const ruled = await profile(seller, 3);
  const own = await profile(seller, 5);
  const json = { name: 'Bulky', profile_id: ruled, categories: ['Bulky'] };
  await seller.call('POST', '/shipping/rules', { json });
  const product = await create(seller, { quantity: 9, category: 'Bulky' });
  const placed = app.app.services.now();
  const later = new Date(placed + 60_000).toISOString();
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: later } });
  await change(seller, product, { shipping_profile_id: own });
  const of = async (placed_at: string) => (await dueOf(seller, [product], { placed_at })).rule;
  expect(await of(new Date(placed).toISOString())).toMatchObject({ profile_id: ruled });
  expect(await of(later)).toMatchObject({ profile_id: own });
});
