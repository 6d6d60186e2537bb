/** What an acceptance that is due stops, and which reminders come before, on a manual clock. */
import { beforeAll, expect, test } from 'vitest';
import {
  accept,
  agreementOn,
  type Caller,
  DAY_MS,
  iso,
  outcome,
  stateOf,
} from '../../../../test/support/agreement.ts';
import { giveAddress, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { csv, eventually, feed, goods } from '../../../../test/support/feeds.ts';
import { eventTypesOf, placeOrder, post, shipAll, stocked } from '../../../../test/support/orders.ts';
import { mug } from '../../../../test/support/products.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const { moveTo, now, publish } = agreementOn(app);
const createProduct = (seller: Caller) =>
  seller.call<{ code?: string; version?: string; href?: string; since?: string }>('POST', '/products', {
    json: mug(),
  });

let seller: TestSeller;
let fresh: TestSeller;
let version: string;
let due: number;

beforeAll(async () => {
  seller = await app.seller({ plan: 'Small' });
  await giveAddress(seller);
  const by = iso(now() + 20 * DAY_MS).slice(0, 10);
  version = await publish({ reacceptance_by: by });
  due = Date.parse((await stateOf(seller)).due_at ?? '');
  expect(iso(due)).toMatch(/T14:00:00/);
});

test('until the due date all routes work', async () => {
  await moveTo(due - 1);
  seller = await seller.renew();
  expect((await stateOf(seller)).status).toBe('due_soon');
  expect((await createProduct(seller)).status).toBe(201);
});

test('from midnight in Sydney the catalogue cannot grow', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const draft = await seller.call<{ product_id: string }>('POST', '/products', {
    json: { ...mug(), status: 'draft' },
  });
  const preview = await feed(seller, csv([goods('P-1')]), { query: 'dry_run=true' });
  const stockPreview = await feed(seller, csv([{ seller_sku: sku, quantity: 7 }]), {
    query: 'dry_run=true&mode=inventory',
  });
  const order = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const token = seller;
  await moveTo(due);
  expect((await stateOf(token)).status).toBe('overdue');
  const refused = await createProduct(token);
  expect(refused.body).toMatchObject({
    ...{ code: 'agreement_required', version, href: '/api/v1/seller-agreement', since: iso(due) },
  });
  const change = (id: string, json: object) =>
    token.call<{ code?: string }>('PATCH', `/products/${id}`, { json });
  const commit = (id: string) => token.call<{ code?: string }>('POST', `/products/feed-runs/${id}/commit`);
  const growing = [
    refused,
    // The refusal comes before the checks of the body and of the plan.
    await token.call<{ code?: string }>('POST', '/products', { json: { nonsense: 1 } }),
    await token.call<{ code?: string }>('POST', '/products/bulk', { json: { items: [] } }),
    await token.call<{ code?: string }>('POST', '/products/import-profiles', { body: 'x' }),
    await feed<{ code?: string }>(token, csv([goods('F-1')])),
    await commit(preview.body.run_id),
    await change(draft.body.product_id, { status: 'active' }),
  ];
  expect(growing.map(outcome)).toEqual(growing.map(() => [403, 'agreement_required']));
  const { data } = (await token.call<{ data: unknown[] }>('GET', '/products?status=active')).body;
  const working = [
    await change(product_id, { price_minor: 1_900, status: 'active' }),
    await change(draft.body.product_id, { title: 'Better' }),
    await commit(stockPreview.body.run_id),
    await token.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 20 } }),
    await feed(token, csv([{ seller_sku: sku, quantity: 9 }]), { query: 'mode=inventory' }),
    await post(token, `${order}/accept`),
    await token.call('GET', '/payments/payouts'),
    await token.call('GET', '/products/export'),
    await token.call('DELETE', `/products/${draft.body.product_id}`),
  ];
  expect(working.map(({ status }) => status)).toEqual([200, 200, 201, 200, 201, 200, 200, 200, 200]);
  expect((await shipAll(token, order)).status).toBe('dispatched');
  expect((await token.call<{ data: unknown[] }>('GET', '/products?status=active')).body.data).toHaveLength(
    data.length,
  );
});

test('the terms are checked before the limit of the plan', async () => {
  const { body } = await seller.call<{ data: { product_id: string }[] }>('GET', '/products?status=archived');
  const [archived] = body.data;
  const use = (products: string) =>
    asOwner(
      app,
      `update usage_counter set used = ${products} where resource = 'products' and seller_id = $1`,
      [seller.seller_id],
    );
  await use('used + 1000000');
  const refused = await seller.call<{ code?: string }>('PATCH', `/products/${archived?.product_id}`, {
    json: { status: 'active' },
  });
  await use('used - 1000000');
  expect(outcome(refused)).toEqual([403, 'agreement_required']);
});

test('an acceptance counts at the next request, also for earlier tokens', async () => {
  expect((await accept(seller, version)).status).toBe(201);
  expect((await createProduct(seller)).status).toBe(201);
  expect(await stateOf(seller)).toMatchObject({ status: 'current', accepted: { version } });
});

test('a seller gets events for the version, two reminders, and the overdue acceptance', async () => {
  expect(await eventTypesOf(app, seller, version)).toEqual([
    'agreement.version_published',
    'agreement.acceptance_due',
    'agreement.acceptance_due',
    'agreement.overdue',
  ]);
  // The second reminder has updated the notification of the first one.
  const { call } = await seller.renew();
  const told = await eventually(
    async () =>
      (
        await call<{ data: { severity: string; type: string }[] }>('GET', '/notifications?limit=200')
      ).body.data.filter(({ type }) => /^agreement\.(acceptance_due|overdue)/.test(type)),
    (list) => list.some(({ type }) => type === 'agreement.overdue'),
  );
  expect(told.map(({ severity }) => severity)).toEqual(['critical', 'critical']);
});

test('a new seller has 14 days, in which products can be created', async () => {
  fresh = await app.seller();
  const registered = now();
  expect(Date.parse((await stateOf(fresh)).due_at ?? '')).toBe(registered + 14 * DAY_MS);
  expect((await createProduct(fresh)).status).toBe(201);
  await moveTo(registered + 14 * DAY_MS - 1);
  fresh = await fresh.renew();
  expect((await createProduct(fresh)).status).toBe(201);
  await moveTo(registered + 14 * DAY_MS);
  expect(outcome(await createProduct(fresh))).toEqual([403, 'agreement_required']);
  expect(await eventTypesOf(app, fresh, version)).toEqual([
    'agreement.version_published',
    // The first reminder is due with the registration.
    'agreement.acceptance_due',
    'agreement.acceptance_due',
    'agreement.overdue',
  ]);
  // The seller that has accepted gets no more events.
  const types = await eventTypesOf(app, seller, version);
  expect(types.filter((type) => type === 'agreement.overdue').length).toBeLessThan(2);
});
