/** A new shop completes its onboarding by ordinary calls only. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { ABR_GUID, startAbrServer } from '../../../../test/support/abr-server.ts';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { DONE } from '../../../kernel/waiting.ts';

const register = await startAbrServer();
afterAll(() => register.stop());
const app = await startTestApp({ ABR_BASE_URL: register.url, ABR_GUID });
const DIGEST = 'a'.repeat(64);

interface Step {
  readonly key: string;
  readonly status: string;
  readonly waiting_on: string;
  readonly action: { readonly href: string | null } | null;
  readonly blocked_by: readonly string[];
  readonly done_at: string | null;
}
interface Onboarding {
  readonly ready_to_sell: boolean;
  readonly ready_for_payout: boolean;
  readonly missing: readonly string[];
  readonly next: string | null;
  readonly progress: { readonly done: number; readonly of: number; readonly percent: number };
  readonly steps: readonly Step[];
  readonly source_contract: string;
  readonly cache_status: string;
}
type Caller = Pick<TestSeller, 'call'>;
const read = async (seller: Caller) => (await seller.call<Onboarding>('GET', '/onboarding')).body;
const stepOf = async (seller: Caller, key: string) =>
  (await seller.call<Step>('GET', `/onboarding/steps/${key}`)).body;

/** Calls with the marketplace's session, as a seller that is not verified must. */
const withSession = (seller: TestSeller): Caller => ({
  call: async (method, path, options = {}) =>
    app.call(method, `/api/v1${path}`, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${await seller.session()}` },
    }),
});
const standing = (seller: TestSeller, data: object) =>
  apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));
let hours = 0;
/** Decisions follow each other, and every change of the product. */
function decide(seller: TestSeller, product: { readonly product_id: string }, decision: string) {
  hours += 1;
  const reasons = decision === 'approved' ? [] : [{ code: 'image_quality' }];
  const time = new Date(app.app.services.now() + hours * 3_600_000).toISOString();
  const data = { decision, reasons };
  return apply(app, orderEvent(app, seller, 'product.curation_decided', product.product_id, data, { time }));
}

test('a new shop goes from 0 to 100 percent by ordinary calls', async () => {
  const seller = await app.seller();
  await standing(seller, { verified: false, api_access: false });
  const before = withSession(seller);
  const version = `v-${randomUUID()}`;
  await apply(
    app,
    orderEvent(app, seller, 'agreement.published', version, {
      ...{ version, title: 'Terms', text_sha256: DIGEST, url: 'https://marketplace.example' },
      effective_on: '2026-01-01',
    }),
  );
  const first = await read(before);
  expect(first).toMatchObject({
    ...{ ready_to_sell: false, ready_for_payout: false, next: 'agreement' },
    ...{ source_contract: 'onboarding.progress.v1', cache_status: 'live' },
    progress: { done: 0, of: 7, percent: 0 },
    missing: [
      'account',
      'agreement',
      'business_details',
      'business_number',
      'dispatch',
      'first_product',
      'first_visible_product',
    ],
  });
  expect(first.steps.filter(({ status }) => status === 'not_applicable').map(({ key }) => key)).toEqual([
    'identity',
    'payout_account',
    'store_connection',
  ]);
  expect(await stepOf(before, 'account')).toMatchObject({
    ...{ status: 'in_progress', waiting_on: 'marketplace', action: { kind: 'contact_marketplace' } },
  });
  expect(await stepOf(before, 'first_product')).toMatchObject({ status: 'blocked', blocked_by: ['account'] });

  const percents: number[] = [];
  const noted = async (calling: Promise<{ readonly status: number; readonly text: string }>, by: Caller) => {
    const { status, text } = await calling;
    if (status >= 300) throw new Error(`${status} ${text}`);
    percents.push((await read(by)).progress.done);
  };
  const address = { line1: '1 George Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' };
  const statement = 'I accept these terms for Test Goods.';
  await noted(
    before.call('POST', '/seller-agreement/acceptances', {
      json: { version, text_sha256: DIGEST, statement },
    }),
    before,
  );
  const business = {
    ...{ legal_name: 'Australian Taxation Office', entity_type: 'government', abn: '51824753556' },
    registered_address: address,
  };
  await noted(before.call('PATCH', '/sellers/me/business', { json: business }), before);
  await noted(before.call('POST', '/sellers/me/business/verification'), before);
  await noted(before.call('PATCH', '/sellers/me', { json: { dispatch_address: address } }), before);
  await standing(seller, { verified: true, api_access: true });
  const product = await create(seller);
  expect(await stepOf(seller, 'first_visible_product')).toMatchObject({
    ...{ status: 'todo', waiting_on: 'marketplace', blocked_by: [] },
  });
  await decide(seller, product, 'approved');
  const all = await read(seller);
  expect(percents).toEqual([1, 2, 3, 4]);
  expect(all).toMatchObject({
    ...{ ready_to_sell: true, ready_for_payout: true, missing: [], next: null },
    progress: { done: 7, of: 7, percent: 100 },
  });
  expect(all.steps.find(({ key }) => key === 'business_number')?.done_at).not.toBeNull();

  // A product that goes off sale reopens two steps.
  await seller.call('PATCH', `/products/${product.product_id}`, { json: { status: 'inactive' } });
  const reopened = await read(seller);
  expect(reopened.missing).toEqual(['first_product', 'first_visible_product']);
  expect(reopened.progress.percent).toBe(71);
  expect(reopened.steps.find(({ key }) => key === 'first_visible_product')).toMatchObject({
    ...{ status: 'blocked', blocked_by: ['first_product'], waiting_on: 'seller' },
    action: { href: '/api/v1/products' },
  });
});

test.each([
  ['an error among its issues', 'issues = \'[{"severity": "error"}]\'', ['blocked', 'todo']],
  ['a live version without a title', 'approved = \'{"title": null}\'', ['todo', 'done']],
  ['a live version without an identity', 'approved = \'{"identity": null}\'', ['todo', 'done']],
])('an active product with %s is not visible', async (_what, change, statuses) => {
  const seller = await app.seller();
  const product = await create(seller);
  await decide(seller, product, 'approved');
  const both = async () => [
    (await stepOf(seller, 'first_visible_product')).status,
    (await stepOf(seller, 'first_product')).status,
  ];
  expect(await both()).toEqual(['done', 'done']);
  await asOwner(app, `update product set ${change} where product_id = $1`, [product.product_id]);
  expect(await both()).toEqual(statuses);
});

test('an endpoint counts once a delivery has succeeded', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const receiver = await startReceiver();
  const json = { url: receiver.url, event_types: ['*'] };
  const { body } = await seller.call<{ endpoint_id: string }>('POST', '/webhooks/endpoints', { json });
  expect((await stepOf(seller, 'webhook_endpoint')).status).toBe('in_progress');
  await seller.call('POST', `/webhooks/endpoints/${body.endpoint_id}/test`);
  const step = await eventually(
    () => stepOf(seller, 'webhook_endpoint'),
    ({ status }) => status === 'done',
  );
  expect(step).toMatchObject(DONE);
});

test('a step follows the decisions of the marketplace; a step of another name is 404', async () => {
  const seller = await app.seller();
  const product = await create(seller);
  for (const [decision, status] of [
    ['approved', 'done'],
    ['suspended', 'todo'],
    ['approved', 'done'],
    ['rejected', 'todo'],
  ] as const) {
    await decide(seller, product, decision);
    expect([decision, (await stepOf(seller, 'first_visible_product')).status]).toEqual([decision, status]);
  }
  expect(await seller.call('GET', '/onboarding/steps/nothing')).toMatchObject({
    status: 404,
    body: { detail: 'Your account has no onboarding step nothing.' },
  });
  const other = await app.seller();
  expect((await stepOf(other, 'first_product')).status).toBe('todo');
});
