import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();
const RANDOM = 'prd_00000000000000000000000000';

test('PATCH changes given fields, clears nulls, merges attributes and keeps other fields', async () => {
  const { product_id: id } = await create(seller, {
    description: 'Thrown by hand',
    attributes: { colour: 'Blue', size: 'L' },
    quantity_on_hand: 4,
  });
  const answer = await seller.call<Body>('PATCH', `/products/${id}`, {
    json: { price_minor: 2299, description: null, attributes: { colour: null, glaze: 'matt' } },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toBe('"2-1"');
  expect(answer.body).toMatchObject({
    price_minor: 2299,
    description: null,
    attributes: { size: 'L', glaze: 'matt' },
    quantity_on_hand: 4,
    version: 2,
  });
});

test('PATCH without a change keeps version, entity tag and history', async () => {
  const product = await create(seller);
  const answer = await seller.call<Body>('PATCH', `/products/${product.product_id}`, {
    json: { price_minor: product['price_minor'], title: product['title'] },
  });
  expect(answer.body).toMatchObject({ version: 1, updated_at: product['updated_at'] });
  const history = await seller.call<{ data: unknown[] }>('GET', `/products/${product.product_id}/history`);
  expect(history.body.data).toHaveLength(1);
});

test('PATCH accepts the body of GET, including identity and images', async () => {
  const { product_id: id } = await create(seller, {
    identity: { strategy: 'global_id', value: '930-0675-02423-5' },
    images: [{ url: 'https://cdn.example.com/a.jpg', alt: 'A' }],
    variation: { parent_sku: 'MUG', theme: 'Size/Colour', values: { Size: 'L', Colour: 'Blue' } },
  });
  const { body } = await seller.call<Body>('GET', `/products/${id}`);
  expect(Object.keys((body['variation'] as { values: object }).values)).toEqual(['Size', 'Colour']);
  const { identity, images, variation, attributes } = body;
  const answer = await seller.call<Body>('PATCH', `/products/${id}`, {
    json: { identity, images, variation, attributes },
  });
  expect(answer.status).toBe(200);
  expect(answer.body['version']).toBe(1);
});

test('PUT clears missing fields and keeps stock and status', async () => {
  const product = await create(seller, {
    brand: 'Acme',
    attributes: { colour: 'Blue' },
    images: [{ url: 'https://cdn.example.com/a.jpg' }],
    quantity_on_hand: 4,
    status: 'inactive',
  });
  const { seller_sku } = product;
  const answer = await seller.call<Body>('PUT', `/products/${product.product_id}`, {
    json: mug({ seller_sku, title: 'Another mug' }),
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    title: 'Another mug',
    brand: null,
    attributes: {},
    images: [],
    quantity_on_hand: 4,
    status: 'inactive',
  });
});

test('PUT finds the product by SKU, by global id, or by MPN and brand', async () => {
  const code = { strategy: 'global_id', value: '9312345678907' };
  const part = { strategy: 'mpn_brand', mpn: 'ZX-81', brand: 'Sinclair' };
  const coded = await create(seller, { identity: code });
  const branded = await create(seller, { identity: part });
  const by = (json: object) => seller.call<Body>('PUT', '/products', { json });
  const first = await by({ seller_sku: coded['seller_sku'], price_minor: 100 });
  expect(first).toMatchObject({ status: 200, body: { product_id: coded.product_id, price_minor: 100 } });
  const second = await by({ identity: { strategy: 'global_id', value: '09312345678907' }, price_minor: 200 });
  expect(second).toMatchObject({ status: 200, body: { product_id: coded.product_id, price_minor: 200 } });
  const third = await by({ identity: { ...part, mpn: 'zx81' }, price_minor: 300 });
  expect(third).toMatchObject({ status: 200, body: { product_id: branded.product_id, price_minor: 300 } });
  const own = await by({ identity: { strategy: 'product_id', value: branded.product_id }, price_minor: 400 });
  expect(own).toMatchObject({ status: 200, body: { identity: { strategy: 'mpn_brand' }, price_minor: 400 } });
  expect((await by({ seller_sku: 'UNKNOWN', price_minor: 1 })).status).toBe(404);
  expect((await by({ seller_sku: 'UNKNOWN', identity: code, price_minor: 1 })).status).toBe(404);
  await create(seller, { identity: code });
  expect(await by({ identity: code, price_minor: 1 })).toMatchObject({
    status: 409,
    body: { code: 'identity_ambiguous' },
  });
});

test.each<[string, object, string, string]>([
  ['nothing', { price_minor: 1 }, 'body.seller_sku', 'missing'],
  [
    'an exemption, which many products share',
    { identity: { strategy: 'exempt', reason: 'handmade' } },
    'body.seller_sku',
    'missing',
  ],
  ['a blank SKU', { seller_sku: ' ', price_minor: 1 }, 'body.seller_sku', 'missing'],
  [
    'an MPN without a brand',
    { identity: { strategy: 'mpn_brand', mpn: 'X' } },
    'body.identity.brand',
    'brand_missing',
  ],
  [
    'a code with a wrong check digit',
    { identity: { strategy: 'global_id', value: '9312345678908' } },
    'body.identity.value',
    'gtin_check_digit',
  ],
])('422 for PUT by a body with %s', async (_what, json, loc, type) => {
  const { status, body } = await seller.call<{ detail: { loc: string[]; type: string }[] }>(
    'PUT',
    '/products',
    { json },
  );
  expect(status).toBe(422);
  expect(body.detail.map((problem) => [problem.loc.join('.'), problem.type])).toContainEqual([loc, type]);
});

test.each(['', ' ', '\u200b'])('422 for the SKU %j; the product keeps its SKU', async (seller_sku) => {
  const product = await create(seller);
  const path = `/products/${product.product_id}`;
  const refused = {
    status: 422,
    body: { detail: [{ loc: ['body', 'seller_sku'], type: 'sku_required' }] },
  };
  expect(await seller.call('PATCH', path, { json: { seller_sku, price_minor: 1 } })).toMatchObject(refused);
  expect(await seller.call('PUT', path, { json: mug({ seller_sku }) })).toMatchObject(refused);
  const { body } = await seller.call<Body>('GET', path);
  expect(body).toEqual({ ...product, warnings: undefined, identity_resolution: undefined });
});

test('412 when If-Match has another version; the current version is accepted', async () => {
  const { product_id: id } = await create(seller);
  const patch = (tag: string, price_minor: number) =>
    seller.call('PATCH', `/products/${id}`, { json: { price_minor }, headers: { 'if-match': tag } });
  expect((await patch('"1-0"', 100)).status).toBe(200);
  expect(await patch('"1-0"', 200)).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  expect((await patch('*', 300)).status).toBe(200);
  const gone = await seller.call('DELETE', `/products/${id}`, { headers: { 'if-match': '"1-0"' } });
  expect(gone.status).toBe(412);
});

test('304 for a known version; a change of stock makes a new entity tag', async () => {
  const { product_id: id } = await create(seller);
  const get = (tag: string) => seller.call('GET', `/products/${id}`, { headers: { 'if-none-match': tag } });
  expect((await get('"1-0"')).status).toBe(304);
  await seller.call('PUT', `/products/${id}/inventory`, { json: { quantity: 3 } });
  const fresh = await get('"1-0"');
  expect(fresh.status).toBe(200);
  expect(fresh.headers.get('etag')).toBe('"1-1"');
});

test('409 sku_exists for the SKU of another product', async () => {
  const [a, b] = [await create(seller), await create(seller)];
  const answer = await seller.call('PATCH', `/products/${a.product_id}`, {
    json: { seller_sku: b['seller_sku'] },
  });
  expect(answer).toMatchObject({ status: 409, body: { code: 'sku_exists' } });
});

test('422 when an active product would lose a required field', async () => {
  const { product_id: id } = await create(seller);
  for (const [json, loc] of [
    [{ title: null }, 'title'],
    [{ price_minor: null }, 'price_minor'],
    [{ identity: null }, 'identity'],
  ] as const) {
    const answer = await seller.call('PATCH', `/products/${id}`, { json });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', loc] }] });
  }
  const draft = await seller.call('PATCH', `/products/${id}`, {
    json: { status: 'draft', price_minor: null },
  });
  expect(draft.status).toBe(200);
});

test('DELETE archives and may be repeated; the list omits the product and PATCH restores it', async () => {
  const { product_id: id } = await create(seller);
  const first = await seller.call<Body>('DELETE', `/products/${id}`);
  expect(first).toMatchObject({ status: 200, body: { status: 'archived', visible: false, version: 2 } });
  expect(await seller.call<Body>('DELETE', `/products/${id}`)).toMatchObject({ body: { version: 2 } });
  const ids = async (query: string) =>
    (await seller.call<{ data: Body[] }>('GET', `/products?${query}`)).body.data.map((p) => p.product_id);
  expect(await ids('limit=200')).not.toContain(id);
  expect(await ids('status=archived')).toContain(id);
  expect((await seller.call('PATCH', `/products/${id}`, { json: { status: 'active' } })).status).toBe(200);
  expect(await ids('limit=200')).toContain(id);
});

test('two concurrent writers keep each other’s changes', async () => {
  const { product_id: id } = await create(seller);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      seller.call('PATCH', `/products/${id}`, { json: { attributes: { [`a${n}`]: String(n) } } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const { body } = await seller.call<Body>('GET', `/products/${id}`);
  expect(Object.keys(body['attributes'] as object)).toHaveLength(12);
  expect(body['version']).toBe(13);
});

test.each([
  ['GET', '', undefined],
  ['PUT', '', mug()],
  ['PATCH', '', { price_minor: 1 }],
  ['DELETE', '', undefined],
  ['GET', '/history', undefined],
  ['GET', '/inventory', undefined],
  ['PUT', '/inventory', { quantity: 1 }],
  ['PUT', '/reorder-point', { reorder_point: 1 }],
])('404 for %s …%s with another seller’s id equals that for a random id', async (method, path, json) => {
  const { product_id: id } = await create(seller);
  const ask = (target: string) =>
    other.call(method, `/products/${target}${path}`, {
      ...(json === undefined ? {} : { json }),
      headers: { 'x-request-id': 'same' },
    });
  const foreign = await ask(id);
  expect(foreign.status).toBe(404);
  for (const target of [RANDOM, 'x', '%00', `${id}%27`, 'slr_1', '..%2f..'])
    expect((await ask(target)).body).toEqual({
      ...foreign.body,
      detail: expect.stringContaining('Your account has no product'),
    });
  const { body } = await seller.call<Body>('GET', `/products/${id}`);
  expect(body['version']).toBe(1);
});

test('404 for a body that names another seller’s product', async () => {
  const { product_id: id } = await create(seller);
  const answer = await other.call('PUT', '/products', {
    json: { identity: { strategy: 'product_id', value: id }, price_minor: 1 },
  });
  expect(answer.status).toBe(404);
  const linked = await other.call('POST', '/products', {
    json: mug({ identity: { strategy: 'product_id', value: id } }),
  });
  expect(linked.body).toMatchObject({ detail: [{ type: 'identity_not_found' }] });
});

test('403 for a token without catalogue:write', async () => {
  const { product_id: id } = await create(seller);
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: "update team_member set roles = '{viewer}' where seller_id = $1",
      values: [other.seller_id],
    }),
  );
  const viewer = await other.renew();
  expect((await viewer.call('GET', '/products')).status).toBe(200);
  const refused = await viewer.call('POST', '/products', { json: mug() });
  expect(refused).toMatchObject({ status: 403, body: { permission: 'catalogue:write' } });
  expect(id).toBeDefined();
});
