import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { applied, goodsFile } from '../../../../test/support/feeds.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });

interface Problem {
  readonly loc: (string | number)[];
  readonly type: string;
  readonly msg: string;
}
const problems = (body: unknown): [string, string][] =>
  (body as { detail: Problem[] }).detail.map(({ loc, type }) => [loc.join('.'), type]);

test('201 returns the whole product with Location and a strong ETag', async () => {
  const sent = mug({ quantity_on_hand: 5, reorder_point: 2, attributes: { colour: 'Blue' } });
  const answer = await seller.call<Body>('POST', '/products', { json: sent });
  expect(answer.status).toBe(201);
  const { product_id } = answer.body;
  expect(answer.headers.get('location')).toBe(`/api/v1/products/${product_id}`);
  expect(answer.headers.get('etag')).toBe('"1-1"');
  expect(answer.body).toMatchObject({
    seller_sku: sent['seller_sku'],
    price_minor: 2499,
    currency: 'AUD',
    currency_exponent: 2,
    quantity_on_hand: 5,
    quantity_available: 5,
    quantity_reserved: 0,
    reorder_point: 2,
    identity: { strategy: 'exempt', reason: 'handmade', source: 'seller' },
    status: 'active',
    curation: { state: 'pending', reasons: [] },
    visible: false,
    source: { origin: 'api', run_id: null, row: null },
    version: 1,
    warnings: [],
  });
  const read = await seller.call<Body>('GET', `/products/${product_id}`);
  const { warnings: _w, identity_resolution: _i, ...product } = answer.body;
  expect(read.body).toEqual(product);
});

test('201 for a draft with only a SKU; its quantity is unknown', async () => {
  const answer = await seller.call<Body>('POST', '/products', {
    json: { seller_sku: 'DRAFT-1', status: 'draft' },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    quantity_available: null,
    quantity_on_hand: null,
    curation: { state: 'not_submitted' },
  });
});

test.each([
  ['no identity', { identity: undefined }, [['body.identity', 'identity_required']]],
  ['no title', { title: undefined }, [['body.title', 'required_missing']]],
  ['no SKU', { seller_sku: undefined }, [['body.seller_sku', 'missing']]],
  ['an unknown key', { tittle: 'x' }, [['body.tittle', 'extra_forbidden']]],
  ['a price of zero', { price_minor: 0 }, [['body.price_minor', 'price_below_minimum']]],
  ['a fraction of a cent', { price_minor: 1.5 }, [['body.price_minor', 'integer_type']]],
  ['a price as text', { price_minor: '24.99' }, [['body.price_minor', 'integer_type']]],
  ['a price that is too high', { price_minor: 1e18 }, [['body.price_minor', 'number_range']]],
  ['another currency', { currency: 'USD' }, [['body.currency', 'currency_mismatch']]],
  ['an unknown strategy', { identity: { strategy: 'barcode' } }, [['body.identity.strategy', 'enum']]],
  ['a negative quantity', { quantity_on_hand: -1 }, [['body.quantity_on_hand', 'stock_negative']]],
  ['a negative quantity under its short name', { quantity: -1 }, [['body.quantity', 'stock_negative']]],
  ['two different quantities', { quantity_on_hand: 1, quantity: 2 }, [['body.quantity', 'contradiction']]],
  ['an image without an http URL', { images: [{ url: 'javascript:x' }] }, [['body.images', 'url_invalid']]],
  ['a NUL', { title: 'a\u0000b' }, [['body.title', 'text_invalid']]],
  ['a control character', { title: 'a\u0007b' }, [['body.title', 'control_chars']]],
  ['half of a surrogate pair', { title: 'a\ud800b' }, [['body.title', 'text_invalid']]],
  [
    'a placeholder code',
    { identity: { strategy: 'global_id', value: '000000000000' } },
    [['body.identity.value', 'gtin_placeholder']],
  ],
  [
    'a generic brand',
    { identity: { strategy: 'MPN_BRAND', mpn: 'X-1', brand: 'Generic' } },
    [['body.identity.brand', 'brand_generic']],
  ],
  ['no MPN', { identity: { strategy: 'mpn_brand', brand: 'Acme' } }, [['body.identity.mpn', 'mpn_missing']]],
  [
    'an unknown product id',
    { identity: { strategy: 'product_id', value: 'prd_nothing' } },
    [['body.identity.value', 'identity_not_found']],
  ],
])('422 for %s', async (_name, more, expected) => {
  const answer = await seller.call('POST', '/products', { json: mug(more) });
  expect(answer.status).toBe(422);
  expect(problems(answer.body)).toEqual(expected);
});

test('422 for a wrong check digit says the correct digit', async () => {
  const answer = await seller.call<{ detail: Problem[] }>('POST', '/products', {
    json: mug({ identity: { strategy: 'global_id', value: '9300675024234' } }),
  });
  expect(answer.status).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({
    loc: ['body', 'identity', 'value'],
    type: 'gtin_check_digit',
  });
  expect(answer.body.detail[0]?.msg).toMatch(/Expected: \d\./);
});

test('409 sku_exists; another seller may use the same SKU', async () => {
  const { seller_sku } = await create(seller);
  const again = await seller.call('POST', '/products', { json: mug({ seller_sku }) });
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'sku_exists' });
  const other = await app.seller();
  await create(other, { seller_sku });
});

test('409 mpn_brand_conflict for other spellings of the pair', async () => {
  await create(seller, { identity: { strategy: 'mpn_brand', mpn: 'AB-12/3', brand: 'Bosch' } });
  const answer = await seller.call('POST', '/products', {
    json: mug({ identity: { strategy: 'mpn_brand', mpn: 'ab 123', brand: 'BOSCH®' } }),
  });
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({ code: 'mpn_brand_conflict' });
});

test('two products may share a GTIN; the second gets a warning', async () => {
  const identity = { strategy: 'global_id', value: '9300675024235' };
  const first = await create(seller, { identity });
  const answer = await seller.call<Body>('POST', '/products', {
    json: mug({ identity }),
  });
  expect(answer.status).toBe(201);
  expect(answer.body['warnings']).toMatchObject([{ code: 'identity_conflict' }]);
  expect(answer.body['identity_resolution']).toMatchObject({
    candidates: [{ product_id: first.product_id, reason: 'exact_gtin', chosen: false }],
  });
});

test('the same key replays the answer and creates one product', async () => {
  const options = { json: mug(), headers: { 'idempotency-key': 'one' } };
  const first = await seller.call<Body>('POST', '/products', options);
  const again = await seller.call<Body>('POST', '/products', options);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.text).toBe(first.text);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
});

test('of concurrent requests for one SKU, one gets 201 and the others 409', async () => {
  const json = mug();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => seller.call('POST', '/products', { json })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  for (const { status, body } of answers)
    if (status === 409) expect(body).toMatchObject({ code: 'sku_exists' });
});

test('402 at the plan limit with the specified body; concurrent requests never exceed the limit', async () => {
  const free = await app.seller({ plan: 'Free' });
  const items = Array.from({ length: 97 }, () => mug());
  for (const json of items) await free.call('POST', '/products', { json });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => free.call('POST', '/products', { json: mug() })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 402);
  expect(refused?.body).toEqual({
    error: 'tier_limit_exceeded',
    tier: 'Free',
    message: 'Products that are not archived: the Free plan allows 100, the Small plan 5,000.',
    upgrade_url: '/settings/plan',
    current_usage: 100,
    limit: 100,
  });
  const list = await free.call<{ data: Body[] }>('GET', '/products?limit=200');
  expect(list.body.data).toHaveLength(100);
  const [first] = list.body.data;
  await free.call('DELETE', `/products/${first?.product_id}`);
  expect((await free.call('POST', '/products', { json: mug() })).status).toBe(201);
  const restored = await free.call('PATCH', `/products/${first?.product_id}`, { json: { status: 'active' } });
  expect(restored.status).toBe(402);
  expect(restored.body).toMatchObject({ error: 'tier_limit_exceeded', current_usage: 100, limit: 100 });
});

test('at the plan limit, 422 precedes 402 and 402 precedes 409', async () => {
  const free = await app.seller({ plan: 'Free' });
  await applied(free, goodsFile(100, 'A'));
  const wrong = [{ seller_sku: '' }, { seller_sku: 'NEW' }, mug({ title: 'x'.repeat(5_000) })];
  for (const json of wrong) expect((await free.call('POST', '/products', { json })).status).toBe(422);
  const twin = await free.call('POST', '/products', { json: mug({ seller_sku: 'A-1' }) });
  expect(twin).toMatchObject({ status: 402, body: { error: 'tier_limit_exceeded', current_usage: 100 } });
  const archived = await free.call('POST', '/products', { json: mug({ status: 'archived' }) });
  expect(archived.status).toBe(201);
});
