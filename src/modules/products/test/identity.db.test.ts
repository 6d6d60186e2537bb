import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();

interface Verdict {
  readonly usable: boolean;
  readonly identity: Record<string, unknown> | null;
  readonly product_id: string | null;
  readonly identity_resolution: { readonly candidates: { readonly reason: string }[] };
  readonly messages: { readonly code: string; readonly expected?: string; readonly column?: string }[];
}
const check = (json: object, who = seller) => who.call<Verdict>('POST', '/products/identity/check', { json });
const code = { strategy: 'global_id', value: '9300675024235' };

test('a valid code is usable and returned in its canonical form', async () => {
  const { status, body } = await check({ identity: { ...code, value: '9300675-024235' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ usable: true, product_id: null, identity: { gtin14: '09300675024235' } });
});

test('200 with the correct digit for a wrong check digit', async () => {
  const { status, body } = await check({ identity: { ...code, value: '9300675024234' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ usable: false, identity: null });
  expect(body.messages).toMatchObject([
    { code: 'gtin_check_digit', column: 'identity.value', expected: '5' },
  ]);
});

test('candidates are products of the same seller only', async () => {
  const product = await create(seller, { identity: code });
  const mine = await check({ identity: code });
  expect(mine.body.messages).toMatchObject([{ code: 'identity_conflict' }]);
  expect(mine.body.identity_resolution.candidates).toMatchObject([
    { product_id: product.product_id, reason: 'exact_gtin', chosen: false },
  ]);
  const bySku = await check({ seller_sku: product['seller_sku'], identity: code });
  expect(bySku.body).toMatchObject({ usable: true, product_id: product.product_id, messages: [] });
  const theirs = await check({ identity: code }, other);
  expect(theirs.body).toMatchObject({ usable: true, messages: [], identity_resolution: { candidates: [] } });
  const id = { strategy: 'product_id', value: product.product_id };
  expect((await check({ identity: id }, other)).body.messages).toMatchObject([
    { code: 'identity_not_found' },
  ]);
});

test('a check writes nothing', async () => {
  const before = await seller.call<{ data: Body[] }>('GET', '/products');
  await check({ seller_sku: 'CHECK-1', identity: { strategy: 'exempt', reason: 'vintage' } });
  const after = await seller.call<{ data: Body[] }>('GET', '/products');
  expect(after.text).toBe(before.text);
});

test('422 for an unknown strategy and for no identity', async () => {
  expect((await check({ identity: { strategy: 'ean' } })).status).toBe(422);
  expect((await check({})).status).toBe(422);
});
