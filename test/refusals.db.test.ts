/** The errors that mistaken requests get from the running service. */
import { expect, test } from 'vitest';
import { startTestApp } from './support/app.ts';
import { create } from './support/products.ts';

const app = await startTestApp();
const seller = await app.seller();

interface Problem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

const problems = async (method: string, path: string, json?: unknown, headers = {}): Promise<Problem[]> => {
  const options = json === undefined ? { headers } : { json, headers };
  const { status, body } = await seller.call<{ detail: Problem[] }>(method, path, options);
  expect(status).toBe(422);
  return body.detail;
};
const detailOf = async (method: string, path: string, options = {}): Promise<unknown> => {
  const { status, body } = await seller.call<{ detail: unknown }>(method, path, options);
  return [status, body.detail];
};

const ORDER = 'ord_06fh5m2k9x0008m1q4t7v2w5y8';
const SHIPMENT = 'shp_06fh5m2k9x0008m1q4t7v2w5y8';

test.each([
  ['GET', '/products/nothing', 'Your account has no product nothing.'],
  ['GET', `/orders/${ORDER}`, `Your account has no order ${ORDER}.`],
  [
    'GET',
    `/orders/${ORDER}/shipments/${SHIPMENT}/label`,
    `Your account has no shipment ${SHIPMENT} of order ${ORDER}.`,
  ],
  ['GET', '/products/feed-runs/frn_1', 'Your account has no feed run frn_1.'],
  ['DELETE', '/webhooks/endpoints/whe_1', 'Your account has no webhook endpoint whe_1.'],
  ['GET', '/shipping/profiles/spf_1', 'Your account has no shipping profile spf_1.'],
  ['GET', '/faqs/faq_1', 'Your account has no FAQ faq_1.'],
])('404 %s %s names kind and id', async (method, path, detail) => {
  expect(await detailOf(method, path)).toEqual([404, detail]);
});

test("404 of another seller's product is that of an unknown one", async () => {
  const other = await app.seller();
  const { product_id } = await create(other);
  expect(await detailOf('GET', `/products/${product_id}`)).toEqual([
    404,
    `Your account has no product ${product_id}.`,
  ]);
  const json = { adjustments: [{ seller_sku: 'NO-SUCH', delta: 1 }] };
  expect(await detailOf('POST', '/products/inventory/adjust', { json })).toEqual([
    404,
    'Your account has no product with the seller_sku NO-SUCH.',
  ]);
});

test('an invitation that does not exist is not repeated in the answer', async () => {
  const headers = { authorization: `Bearer ${await seller.session()}` };
  const answer = await app.call('POST', '/api/v1/auth/invitations/inv-secret-text/accept', { headers });
  expect([answer.status, answer.text.includes('inv-secret-text')]).toEqual([404, false]);
});

test.each([
  ['GET', '/product', 404, 'There is no route GET /api/v1/product. Did you mean /api/v1/products?'],
  ['GET', '/orders/x/shipment', 404, expect.stringContaining('/api/v1/orders/{order_id}/shipments?')],
  ['GET', '/nothing/like/this', 404, 'There is no route GET /api/v1/nothing/like/this.'],
  ['GET', '/products/import-profiles', 405, 'GET is not supported here. Allowed: POST.'],
  ['POST', '/products/feed-contract', 405, 'POST is not supported here. Allowed: GET, HEAD.'],
])('%s %s names what exists', async (method, path, status, detail) => {
  expect(await detailOf(method, path)).toEqual([status, detail]);
});

test('415 names the header and its value', async () => {
  const answer = await detailOf('POST', '/products', {
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  expect(answer).toEqual([415, 'Set Content-Type to application/json.']);
});

test('an unknown query parameter gets the name of the closest one', async () => {
  const [page] = await problems('GET', '/orders?page=2');
  expect(page).toMatchObject({
    loc: ['query', 'page'],
    msg: 'Unknown query parameter `page`. Did you mean `cursor`?',
  });
  const [placed] = await problems('GET', '/orders?statuss=pending');
  expect(placed?.msg).toBe('Unknown query parameter `statuss`. Did you mean `status`?');
  const [none] = await problems('GET', '/products/feed-contract?full=true');
  expect(none?.msg).toBe('Unknown query parameter `full`. No query parameters are accepted here.');
});

test('an unknown field gets the name of the closest one, with the units of amounts', async () => {
  const json = {
    seller_sku: 'HINT-1',
    price: 24.99,
    compare_at: 30,
    image_urls: [],
    identity: { strategy: 'exempt', exempt_reason: 'handmade' },
  };
  const found = await problems('POST', '/products', json);
  expect(Object.fromEntries(found.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]))).toEqual({
    price:
      'Unknown field `price`. Did you mean `price_minor`? Amounts are whole numbers of minor units: 2499 means 24.99.',
    compare_at:
      'Unknown field `compare_at`. Did you mean `compare_at_minor`? Amounts are whole numbers of minor units: 2499 means 24.99.',
    image_urls: 'Unknown field `image_urls`. Did you mean `images`?',
    'identity.exempt_reason': 'Unknown field `exempt_reason`. Did you mean `reason`?',
  });
});

test('a field that is ignored is no near miss, and a code of any name is the global_id', async () => {
  const identity = { strategy: 'global_id', gtin: '9341234567893', sources: [] };
  const found = await problems('POST', '/products', { seller_sku: 'HINT-2', identity });
  const said = new Map(found.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]));
  expect(said.get('identity.gtin')).toBe('Unknown field `gtin`. Did you mean `global_id`?');
  expect(said.get('identity.sources')).not.toMatch(/source`\?|gtin14/);
});

test('a PUT of an unknown SKU names it', async () => {
  const answer = await seller.call<{ detail: string }>('PUT', '/products', {
    json: { seller_sku: 'NO-SUCH' },
  });
  expect([answer.status, answer.body.detail]).toEqual([
    404,
    'Your account has no product with the seller_sku NO-SUCH.',
  ]);
});

test('one answer has the findings of schema, module, query and headers', async () => {
  const json = { seller_sku: 'ALL-1', title: 'x'.repeat(201), price: 5, quantity_on_hand: -1, brand: 7 };
  const found = await problems('POST', '/products?foo=1', json, { 'idempotency-key': 'not visible' });
  expect(found.map(({ loc, type }) => [...loc, type].join(' ')).sort()).toEqual([
    'body brand string_type',
    'body price extra_forbidden',
    'body quantity_on_hand stock_negative',
    'body title length_exceeded',
    'header idempotency-key string_pattern_mismatch',
    'query foo extra_forbidden',
  ]);
});

test('401 says what is wrong with the Authorization header', async () => {
  const refusal = async (authorization: string): Promise<unknown> => {
    const { status, headers, body } = await app.call<{ detail: string }>('GET', '/api/v1/products', {
      headers: { authorization },
    });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
    return body.detail;
  };
  const scheme = 'The Authorization header must begin with "Bearer ", followed by the token.';
  expect(await refusal(seller.token)).toBe(scheme);
  expect(await refusal('Basic bWlhOng=')).toBe(scheme);
  expect(await refusal(`Bearer "${seller.token}"`)).toBe(
    'After "Bearer " comes the token alone, without quotes or blanks.',
  );
  expect(await refusal(`Bearer ${await seller.session()}`)).toContain('POST /api/v1/auth/exchange');
  const register = await app.call<{ detail: string }>('POST', '/api/v1/auth/register', {
    headers: { authorization: `Bearer ${seller.token}` },
    json: { business_name: 'Mia', tax_id: '51824753556' },
  });
  expect([register.status, register.body.detail]).toEqual([
    401,
    'This is a service token. Send the access token of the marketplace here.',
  ]);
});
