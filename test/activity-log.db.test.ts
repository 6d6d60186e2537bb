/** The entries of each write route in the activity log. Source: docs/design/activity-log.md#what-is-written. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../src/kernel/digest.ts';
import { type AnyRoute, isSellerAccess } from '../src/kernel/route.ts';
import { routePath } from '../src/kernel/route-path.ts';
import { PROFILE_INPUT_EXAMPLE } from '../src/modules/shipping/schemas/profile-examples.ts';
import { MODULES } from '../src/modules.ts';
import { account_flags, type CallOptions, type TestSeller } from './support/app.ts';
import { areaSendings } from './support/area-requests.ts';
import { asOwner, entriesOf, logOf } from './support/audit.ts';
import { csv, feed, goods } from './support/feeds.ts';
import { apply, orderEvent, orderObjects, placeOrder, post, stocked, TRACKING } from './support/orders.ts';
import { create, mug } from './support/products.ts';
import { moneyObjects } from './support/settlements.ts';
import { shippingObjects } from './support/shipping.ts';
import { previewed } from './support/store-imports.ts';
import { connectStore, newShop, startStores } from './support/store-platform.ts';
import { invite, joinTeam, someEmail } from './support/team.ts';
import { webhookObjects } from './support/webhooks.ts';

const app = await startStores();
const ROUTES = MODULES.flatMap((module) =>
  module.routes
    .filter(({ method, access }) => method !== 'GET' && isSellerAccess(access))
    .map((route) => ({ route, path: routePath(module, route).slice('/api/v1'.length) })),
);

let seller: TestSeller;
let ids: Record<string, string>;
beforeAll(async () => {
  seller = await app.seller({ plan: 'Big', account_flags, address: true });
  ids = {
    ...(await webhookObjects(seller)),
    ...(await shippingObjects(seller)),
    ...(await orderObjects(app, seller)),
    ...(await moneyObjects(app, seller)),
  };
});

/** A request that succeeds: ids of its path, and what is sent instead of the example. */
interface Sending extends CallOptions {
  /** Default: the seller's owner. */
  readonly by?: Pick<TestSeller, 'call'>;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: string;
}
type Prepare = () => Promise<Sending>;

const product: Prepare = async () => ({ ids: { product_id: (await create(seller)).product_id } });
const made = async (path: string, json: object): Promise<Record<string, string>> => {
  const { status, body, text } = await seller.call<Record<string, string>>('POST', path, {
    json,
    headers: { 'idempotency-key': randomUUID() },
  });
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return body;
};
const NO_PACKAGES: object = {};
const PACKED = { packages: [{ weight_g: 500, length_mm: 100, width_mm: 100, height_mm: 50 }] };
const OWN = { carrier: 'own', service: 'standard' };

async function placed(): Promise<Record<string, string>> {
  const { sku } = await stocked(seller, 10);
  return { order_id: await placeOrder(app, seller, [{ sku, quantity: 2 }]) };
}
async function accepted(): Promise<Record<string, string>> {
  const { order_id = '' } = await placed();
  const { lines } = (await post(seller, `${order_id}/accept`)).body;
  return { order_id, line: lines[0]?.order_line_id ?? '' };
}
async function draft(packages = NO_PACKAGES): Promise<Record<string, string>> {
  const { order_id = '', ...rest } = await accepted();
  const { shipment_id = '' } = await made(`/orders/${order_id}/shipments`, packages);
  return { ...rest, order_id, shipment_id };
}
async function labelled(): Promise<Record<string, string>> {
  const parcel = await draft(PACKED);
  await made(`/orders/${parcel['order_id']}/shipments/${parcel['shipment_id']}/label`, OWN);
  return parcel;
}
async function sent(): Promise<Record<string, string>> {
  const parcel = await draft();
  await made(`/orders/${parcel['order_id']}/shipments/${parcel['shipment_id']}/dispatch`, TRACKING);
  return parcel;
}
async function returned(...steps: readonly string[]): Promise<Record<string, string>> {
  const parcel = await sent();
  const { order_id = '', shipment_id = '' } = parcel;
  const lines = [{ order_line_no: 1, quantity: 1, reason: 'damaged' }];
  await apply(
    app,
    orderEvent(app, seller, 'shipment.delivered', shipment_id, {}),
    orderEvent(app, seller, 'return.requested', order_id, { return_id: 'rtn_1', lines }),
  );
  for (const step of steps) await made(`/orders/${order_id}/returns/rtn_1/${step}`, {});
  return { ...parcel, return_id: 'rtn_1' };
}
async function asked(): Promise<Record<string, string>> {
  const { order_id = '' } = await accepted();
  const lines = [{ order_line_no: 1, quantity: 1 }];
  await apply(
    app,
    orderEvent(app, seller, 'order.cancel_requested', order_id, { request_id: 'crq_1', lines }),
  );
  return { order_id, request_id: 'crq_1' };
}
const member: Prepare = async () => ({
  ids: { member_id: await invite(seller, { email: someEmail(), roles: ['viewer'] }) },
});
const leaver: Prepare = async () => ({ by: await joinTeam(app, seller, ['viewer']) });
const PAPER = Buffer.from(
  '%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n2 0 obj << /Type /Page >> endobj\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n',
  'latin1',
);
/** The papers that a sole trader is asked for, and how one is handed in. */
const papers = async () => {
  const asked = orderEvent(app, seller, 'kyc.required', seller.seller_id, {
    required: true,
    entity_type: 'sole_trader',
  });
  await app.events(asked);
  return (await seller.call<{ items: { item_id: string; code: string }[] }>('GET', '/kyc')).body.items;
};
const paper = ({ item_id, code }: { item_id: string; code: string }): Sending => ({
  ids: { item_id },
  query: code === 'identity_document' ? '?type=passport' : '',
  body: PAPER,
  headers: { 'content-type': 'application/pdf' },
});
async function handIn(item: { item_id: string; code: string }): Promise<string> {
  const { query = '', headers = {}, body = '' } = paper(item);
  const path = `/kyc/items/${item.item_id}/documents${query}`;
  const answer = await seller.call<{ attachment_id: string }>('POST', path, { headers, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.attachment_id;
}

const channel: Prepare = async () => ({
  ids: { channel_id: (await connectStore(app, seller)).channel_id },
});
const rule: Prepare = async () => ({
  json: { name: 'Vases', profile_id: ids['profile_id'], sku_prefixes: [`V${randomUUID()}`.slice(0, 20)] },
});
const endpoint = { url: 'https://hooks.example.test/', event_types: ['product.*'] };
async function run(query: string): Promise<Sending> {
  const { body, text } = await feed(seller, csv([goods(`RUN-${randomUUID()}`)]), { query });
  if (body.run_id === undefined) throw new Error(text);
  return { ids: { run_id: body.run_id } };
}

/** The preparation for routes whose example does not succeed. */
const PREPARED: Readonly<Record<string, Prepare>> = {
  'products.named.update': async () => ({
    json: { seller_sku: (await create(seller))['seller_sku'], price_minor: 4321 },
  }),
  'products.replace': async () => ({ ...(await product()), json: mug() }),
  'products.update': product,
  'products.archive': product,
  'products.images.create': async () => ({
    ...(await product()),
    json: { url: 'https://cdn.example.com/marker-image.png' },
  }),
  'products.images.delete': async () => {
    const { product_id } = await create(seller);
    const url = 'https://cdn.example.com/other-image.png';
    const { image_id = '' } = await made(`/products/${product_id}/images`, { url });
    return { ids: { product_id, image_id } };
  },
  'products.images.clear': product,
  'products.inventory.set': async () => ({ ...(await product()), json: { quantity: 7 } }),
  ...{ 'products.reorder_point.set': product, 'forecasting.product_policy.set': product },
  'products.inventory.adjust': async () => ({
    json: {
      product_id: (await create(seller, { quantity_on_hand: 5 })).product_id,
      delta: 1,
      reason: 'Found again',
    },
  }),
  'products.feed_runs.commit': () => run('dry_run=true'),
  'products.feed_runs.revert': () => run(''),
  'products.feed_runs.cancel': async () => {
    const sending = await run('');
    await asOwner(app, "update feed_run set status = 'received' where run_id = $1", [
      sending.ids?.['run_id'],
    ]);
    return sending;
  },
  'orders.accept': async () => ({ ids: await placed(), json: {} }),
  'orders.reject': async () => ({ ids: await placed() }),
  'orders.cancel': async () => ({ ids: await accepted() }),
  'orders.cancel_requests.accept': async () => ({ ids: await asked() }),
  'orders.cancel_requests.deny': async () => ({ ids: await asked() }),
  'orders.shipments.create': async () => ({ ids: await accepted(), json: {} }),
  'orders.shipments.dispatch': async () => ({ ids: await draft(), json: TRACKING }),
  'orders.tracking.update': async () => ({ ids: await sent() }),
  'orders.labels.create': async () => ({ ids: await draft(PACKED), json: OWN }),
  'orders.labels.delete': async () => ({ ids: await labelled() }),
  'orders.returns.accept': async () => ({ ids: await returned() }),
  'orders.returns.refuse': async () => ({ ids: await returned() }),
  'orders.returns.receive': async () => ({ ids: await returned('accept'), json: {} }),
  'orders.returns.inspect': async () => ({ ids: await returned('accept', 'receive') }),
  'orders.refunds.create': async () => {
    const own = await sent();
    const { order_id = '', shipment_id = '', line = '' } = own;
    await apply(app, orderEvent(app, seller, 'shipment.delivered', shipment_id, {}));
    const lines = [{ order_line_id: line, quantity: 1, amount_minor: 100 }];
    return { ids: { order_id }, json: { lines, reason: 'damaged' } };
  },
  'shipping.label_sheets.create': async () => {
    const { order_id, shipment_id } = await labelled();
    return { json: { shipments: [{ order_id, shipment_id }] } };
  },
  'shipping.manifests.create': async () => {
    const { order_id, shipment_id } = await labelled();
    await made(`/orders/${order_id}/shipments/${shipment_id}/dispatch`, {});
    return { json: { carrier: 'own' } };
  },
  'shipping.profiles.delete': async () => ({
    ids: {
      profile_id:
        (await made('/shipping/profiles', { ...PROFILE_INPUT_EXAMPLE, name: 'Spare', is_default: false }))[
          'profile_id'
        ] ?? '',
    },
  }),
  'shipping.profiles.create': async () => ({
    json: { ...PROFILE_INPUT_EXAMPLE, name: 'Another', is_default: false },
  }),
  'shipping.rules.create': rule,
  'auth.session.revoke': leaver,
  'sellers.membership.delete': leaver,
  'sellers.members.update': member,
  'sellers.members.delete': member,
  'channels.create': async () => ({ json: { platform: 'shopify', shop: newShop() } }),
  'channels.update': channel,
  'channels.reauthorise': channel,
  'channels.disconnect': channel,
  'channels.imports.create': async () => ({ ids: { channel_id: await previewed(app, seller) } }),
  ...areaSendings(app, () => seller),
  'kyc.documents.create': async () => {
    const [item] = await papers();
    return item === undefined ? {} : paper(item);
  },
  'kyc.documents.delete': async () => {
    const [item] = await papers();
    return item === undefined ? {} : { ids: { attachment_id: await handIn(item) } };
  },
  'kyc.submissions.create': async () => {
    for (const item of await papers()) await handIn(item);
    return { json: { declaration: true } };
  },
  'seller_agreement.acceptances.create': async () => {
    const terms = { version: 'v1', text_sha256: sha256Hex('Terms') };
    const effective_on = new Date(app.app.services.now() + 86_400_000).toISOString().slice(0, 10);
    const published = {
      ...terms,
      title: 'Terms of sale',
      text: 'Terms',
      url: 'https://marketplace.example/terms',
    };
    await apply(app, orderEvent(app, seller, 'agreement.published', 'v1', { ...published, effective_on }));
    return { json: { ...terms, statement: 'I accept these terms for Test Goods.' } };
  },
  'webhooks.endpoints.delete': async () => ({
    ids: { endpoint_id: (await made('/webhooks/endpoints', endpoint))['endpoint_id'] ?? '' },
  }),
};

/** All bodies that were sent. */
const bodies: unknown[] = [];

async function succeed({ route, path }: (typeof ROUTES)[number]) {
  const { ids: own, query = '', by = seller, ...sending } = (await PREPARED[route.id]?.()) ?? {};
  const options = { ...exampleOf(route), ...sending };
  bodies.push(options.json ?? (typeof options.body === 'string' ? options.body : ''));
  const requestId = `req-${randomUUID()}`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own?.[name] ?? ids[name] ?? 'none');
  const headers = { 'x-request-id': requestId, 'idempotency-key': randomUUID(), ...options.headers };
  const call = () => by.call(route.method, filled + query, { ...options, headers });
  const { status, text } = await call();
  return { status, text, call, requestId, entries: await entriesOf(app, requestId) };
}

function exampleOf({ body }: AnyRoute): CallOptions {
  if (body === undefined) return {};
  if (body.kind === 'json') return { json: body.example };
  return { body: body.example ?? '', headers: { 'content-type': body.contentTypes[0] ?? '' } };
}

/** These are always refused in this test. */
const REFUSED: Readonly<Record<string, string>> = {
  'billing.checkout.create': 'checkout_disabled',
  'payouts.onboarding_links.create': 'payout_onboarding_unavailable',
  'payouts.dashboard_links.create': 'payout_onboarding_unavailable',
};

test.each(ROUTES.map((one) => [one.route.id, one] as const))('%s leaves one entry', async (id, one) => {
  const { status, text, entries, call, requestId } = await succeed(one);
  const code = REFUSED[id] ?? null;
  expect(code === null && status >= 300 ? text : '').toBe('');
  const entry = {
    seller_id: seller.seller_id,
    actor_kind: 'member',
    action: id,
    result: code === null ? 'done' : 'refused',
    status,
    code,
    aal: 'aal2',
    ip_prefix: '127.0.0.0/24',
    user_agent_family: 'node',
  };
  expect(entries).toEqual([expect.objectContaining(entry)]);
  const { access } = one.route;
  if (code !== null || access.idempotency === 'none') return;
  const replay = await call();
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([status, 'true']);
  expect(await entriesOf(app, requestId)).toContainEqual(
    expect.objectContaining({ ...entry, result: 'replayed' }),
  );
  expect(await entriesOf(app, requestId)).toHaveLength(2);
});

test('no value of a body is in the log', async () => {
  const textsOf = (value: unknown): string[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [String(value)];
  const log = await asOwner<{ text: string }>(app, 'select e::text as text from audit_entry e');
  const whole = log.map(({ text }) => text).join('\n');
  // Ids, roles, and words for a field or an action are not values of a body.
  const values = new Set(
    bodies.flatMap(textsOf).filter((text) => text.length > 5 && !/^[a-z]+(_\w+)?$/.test(text)),
  );
  expect(values.size).toBeGreaterThan(30);
  expect([...values].filter((text) => whole.includes(text))).toEqual([]);
});

test('sign-in and registration are entries; a suspended seller is refused with one', async () => {
  const other = await app.seller();
  const requestId = `req-${randomUUID()}`;
  const headers = { 'x-request-id': requestId };
  const exchange = async () =>
    app.call('POST', '/api/v1/auth/exchange', {
      json: { marketplace_token: await other.session() },
      headers,
    });
  expect((await exchange()).status).toBe(200);
  await app.events(
    orderEvent(app, other, 'seller.standing_changed', other.seller_id, { status: 'suspended' }),
  );
  expect((await exchange()).status).toBe(403);
  const about = { seller_id: other.seller_id, action: 'auth.exchange', aal: 'aal2', roles: ['owner'] };
  expect(await entriesOf(app, requestId)).toEqual([
    expect.objectContaining({ ...about, result: 'done', status: 200 }),
    expect.objectContaining({ ...about, result: 'refused', status: 403, code: 'seller_suspended' }),
  ]);
  const actions = async () => (await logOf(app, other)).map(({ action, actor_kind }) => [action, actor_kind]);
  expect(await actions()).toEqual([
    ['auth.register', 'member'],
    ['auth.exchange', 'member'],
    ['auth.exchange', 'member'],
    ['marketplace.seller.standing_changed', 'marketplace'],
    ['auth.exchange', 'member'],
  ]);
});

test('what the handler notes is the target, whatever the path names', async () => {
  const handed = (await logOf(app, seller)).find(({ action }) => action === 'kyc.documents.create');
  expect(handed).toMatchObject({
    target_type: 'attachment',
    target_id: expect.stringMatching(/^att_/),
  });
});

test('an event of the marketplace is one entry, even if it is sent often', async () => {
  const other = await app.seller();
  const event = orderEvent(app, other, 'seller.standing_changed', other.seller_id, { plan: 'Big' });
  await app.events(event, event);
  await app.events(event);
  const late = { ...event, id: randomUUID(), time: '2020-01-01T00:00:00Z' };
  expect((await app.events(late))[0]?.status).toBe('stale');
  const log = (await logOf(app, other)).filter(({ actor_kind }) => actor_kind === 'marketplace');
  expect(log.map(({ result, code, target_id }) => [result, code, target_id])).toEqual([
    ['done', null, other.seller_id],
    ['refused', 'stale', other.seller_id],
  ]);
});

test('a request that is rolled back leaves no entry', async () => {
  const requestId = `req-${randomUUID()}`;
  const other = await app.seller({ plan: 'Big' });
  const fault = `add constraint test_fault check (seller_id <> '${other.seller_id}') not valid`;
  await asOwner(app, `alter table outbox ${fault}`);
  const answer = await other.call('POST', '/products', {
    json: mug(),
    headers: { 'x-request-id': requestId },
  });
  await asOwner(app, 'alter table outbox drop constraint test_fault');
  expect(answer.status).toBe(500);
  expect(await entriesOf(app, requestId)).toEqual([]);
});
