/** Pseudonyms of buyers, and what is left of a buyer who is erased. Source: docs/design/buyers.md. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../test/support/app.ts';
import { asOwner } from '../../../test/support/audit.ts';
import { callInternal } from '../../../test/support/internal.ts';
import {
  apply,
  orderEvent,
  placement,
  placeOrder,
  post,
  type Shipment,
  stocked,
} from '../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const DAY_MS = 86_400_000;
const PACKAGE = { weight_g: 1_200, length_mm: 300, width_mm: 200, height_mm: 150 };

interface Bought {
  readonly order_id: string;
  readonly version: number;
  readonly buyer: { readonly buyer_id: string | null; readonly alias: string | null };
  readonly ship_to: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}
const read = async (seller: TestSeller, id: string): Promise<Bought> =>
  (await (await seller.renew()).call<Bought>('GET', `/orders/${id}`)).body;
const moveTo = (ms: number) =>
  callInternal(app, 'POST', '/internal/v1/clock', { body: { now: new Date(ms).toISOString() } });
const buy = async (seller: TestSeller, buyer: object, more: object = {}): Promise<string> => {
  const { sku } = await stocked(seller, 10);
  return placeOrder(app, seller, [{ sku }], { buyer, ...more });
};
const erase = (seller: TestSeller, customer_ref: string, more: object = {}) =>
  app.events(
    orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, {
      request_id: randomUUID(),
      customer_ref,
      ...more,
    }),
  );

test('the orders of a person have one buyer at a seller, and another one at another seller', async () => {
  const [one, other] = [await app.seller(), await app.seller()];
  const ids = [
    await buy(one, { alias: 'mia', customer_ref: 'cus_1' }),
    await buy(one, { alias: 'mia2', customer_ref: 'cus_1' }),
    await buy(one, { alias: 'mia' }),
    await buy(one, { alias: 'mia' }),
    await buy(other, { alias: 'mia', customer_ref: 'cus_1' }),
  ];
  const [first, second, third, fourth] = await Promise.all(ids.slice(0, 4).map((id) => read(one, id)));
  const theirs = await read(other, ids[4] ?? '');
  expect(first?.buyer).toEqual({
    ...{ buyer_id: expect.stringMatching(/^byr_[0-9a-z]{26}$/), alias: 'mia', customer_ref: 'cus_1' },
  });
  expect(second?.buyer.buyer_id).toBe(first?.buyer.buyer_id);
  expect(third?.buyer.buyer_id).not.toBe(first?.buyer.buyer_id);
  expect(fourth?.buyer.buyer_id).toBe(third?.buyer.buyer_id);
  expect(theirs.buyer.buyer_id).not.toBe(first?.buyer.buyer_id);
  const listed = (seller: TestSeller) =>
    seller.call<{ data: Bought[] }>('GET', `/orders?buyer_id=${first?.buyer.buyer_id}`);
  expect((await listed(one)).body.data.map(({ order_id }) => order_id).sort()).toEqual(
    ids.slice(0, 2).sort(),
  );
  expect((await listed(other)).body.data).toEqual([]);
});

test('orders of the release before get their buyers, one for a person, without contact data', async () => {
  const seller = await app.seller();
  const named = [
    { alias: 'mia', customer_ref: 'cus_8' },
    { alias: 'mia', customer_ref: 'cus_8' },
    { alias: 'x' },
    { alias: 'y' },
  ];
  const ids: string[] = [];
  for (const buyer of named) ids.push(await buy(seller, buyer));
  const set = (id: string | undefined, alias: string) =>
    asOwner(app, 'update sales_order set buyer_id = null, buyer_alias = $2 where order_id = $1', [id, alias]);
  await asOwner(app, 'delete from buyer where seller_id = $1', [seller.seller_id]);
  for (const [index, alias] of ['mia', 'mia', 'mia.com', '0412 345 679'].entries())
    await set(ids[index], alias);
  await moveTo(app.app.services.now() + DAY_MS + 1);
  const [first, second, third, fourth] = await Promise.all(ids.map((id) => read(seller, id)));
  expect(first?.buyer).toMatchObject({ buyer_id: expect.stringMatching(/^byr_[0-9a-z]{26}$/), alias: 'mia' });
  expect(second?.buyer).toEqual(first?.buyer);
  for (const order of [third, fourth])
    expect(order?.buyer.alias).toBe(`buyer_${order?.buyer.buyer_id?.slice(-4)}`);
});

test('orders that come at once make one buyer', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 10);
  const buyer = { customer_ref: 'cus_2' };
  const events = Array.from({ length: 6 }, () => placement(app, seller, [{ sku }], { buyer }));
  await Promise.all(events.map((event) => apply(app, event)));
  const found = await Promise.all(events.map(({ subject }) => read(seller, subject)));
  expect(new Set(found.map((order) => order.buyer.buyer_id)).size).toBe(1);
});

test.each(['mia@example.com', '0412 345 678', '+61 (2) 9999-1234'])(
  'the alias %s is replaced and stored nowhere',
  async (alias) => {
    const seller = await app.seller();
    const order = await read(seller, await buy(seller, { alias }));
    expect(order.buyer.alias).toBe(`buyer_${order.buyer.buyer_id?.slice(-4)}`);
    expect((await read(seller, await buy(seller, { alias }))).buyer).toEqual(order.buyer);
    for (const table of ['sales_order', 'buyer', 'outbox', 'order_event']) {
      const rows = await asOwner<{ row: string }>(
        app,
        `select to_jsonb(t)::text as row from ${table} t where seller_id = $1`,
        [seller.seller_id],
      );
      expect(JSON.stringify(rows)).not.toContain(alias);
    }
  },
);

const SECRETS = ['Mia Chen', 'George Street', 'buyer_mia', 'cus_mia', 'Sydney 2', 'Doorbell broken'];
/** Four digits alone may stand in an id. */
const POSTCODE = /(?:postcode|NSW)\W{1,10}2481/;
const secretsIn = (all: string): string[] => [
  ...SECRETS.filter((secret) => all.includes(secret)),
  ...(POSTCODE.exec(all) ?? []),
];
const buyer = { alias: 'buyer_mia', customer_ref: 'cus_mia' };
const ship_to = {
  ...{ name: 'Mia Chen', line1: '1 George Street', city: 'Sydney 2', state: 'NSW', postcode: '2481' },
  ...{ country: 'AU', phone: '0412345678', delivery_note: 'Doorbell broken' },
};

/** A delivered order with a label, and one that is on its way. */
async function twoOrders(seller: TestSeller) {
  const delivered = await buy(seller, buyer, { ship_to });
  const moving = await buy(seller, buyer, { ship_to });
  const labels: string[] = [];
  const parcels: string[] = [];
  for (const id of [delivered, moving]) {
    await post(seller, `${id}/accept`);
    const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
    const path = `${id}/shipments/${body.shipment_id}`;
    const made = await post<{ label: { label_id: string } }>(seller, `${path}/label`, {
      ...{ carrier: 'own', service: 'standard' },
    });
    labels.push(made.body.label.label_id);
    parcels.push(body.shipment_id);
    await post(seller, `${path}/dispatch`);
  }
  await apply(app, orderEvent(app, seller, 'shipment.delivered', parcels[0] ?? '', {}));
  await apply(
    app,
    orderEvent(app, seller, 'return.requested', delivered, {
      return_id: 'rtn_1',
      lines: [{ order_line_no: 1, quantity: 1, reason: 'Doorbell broken' }],
    }),
  );
  return { delivered, moving, labels, parcels };
}

/** Everything that the seller reads about orders and events, and everything that is stored of them. */
async function everything(seller: TestSeller): Promise<string> {
  const paths = ['/orders', '/orders/returns', '/orders/export?format=csv', '/shipping/tracking'];
  const events = '/webhooks/events?limit=200';
  const answers = await Promise.all([...paths, events].map((path) => seller.call('GET', path)));
  const rows = await Promise.all(
    ['sales_order', 'outbox', 'order_event', 'order_label', 'buyer', 'order_label_purchase'].map((table) =>
      asOwner(app, `select to_jsonb(t)::text as row from ${table} t where seller_id = $1`, [
        seller.seller_id,
      ]),
    ),
  );
  return JSON.stringify([answers.map(({ text }) => text), rows]);
}

test('an erasure leaves nothing of a buyer; an order on its way keeps its address until it has arrived', async () => {
  let seller = await app.seller({ plan: 'Small', address: true });
  const { delivered, moving, labels, parcels } = await twoOrders(seller);
  expect(secretsIn(await everything(seller))).toHaveLength(SECRETS.length + 1);
  const before = await read(seller, delivered);
  const other = await buy(seller, { alias: 'tom', customer_ref: 'cus_tom' }, { ship_to: { name: 'Tom' } });
  const [result] = await erase(seller, 'cus_mia');
  expect(result).toMatchObject({ status: 'applied', warnings: ['orders_open'] });

  const after = await read(seller, delivered);
  expect(after).toMatchObject({
    ...{ version: before.version, total_minor: before['total_minor'], status: before['status'] },
    buyer: { buyer_id: null, alias: null, customer_ref: null },
    ship_to: { state: 'NSW', country: 'AU' },
  });
  const kept = await read(seller, moving);
  expect([kept.buyer.alias, kept.ship_to['name']]).toEqual([null, 'Mia Chen']);
  const print = (id: string | undefined) => seller.call('GET', `/shipping/labels/${id}`);
  expect((await print(labels[0])).body).toMatchObject({ code: 'buyer_erased' });
  const ofOrder = await seller.call('GET', `/orders/${delivered}/shipments/${parcels[0]}/label`);
  expect([ofOrder.status, ofOrder.body]).toMatchObject([410, { code: 'buyer_erased' }]);
  expect((await print(labels[1])).status).toBe(200);
  const sheet = (order_id: string, shipment_id = '') =>
    seller.call('POST', '/shipping/label-sheets', { json: { shipments: [{ order_id, shipment_id }] } });
  expect((await sheet(delivered, parcels[0])).body).toMatchObject({ code: 'label_missing' });

  await apply(app, orderEvent(app, seller, 'shipment.delivered', parcels[1] ?? '', {}));
  await moveTo(app.app.services.now() + 2 * 3_600_000);
  seller = await seller.renew();
  const all = await everything(seller);
  expect(secretsIn(all)).toEqual([]);
  expect((await read(seller, other)).buyer.alias).toBe('tom');
  const events = await seller.call<{ data: { type: string; data: { object: object } }[] }>(
    'GET',
    '/webhooks/events?types=buyer.erased',
  );
  const { buyer_id } = before.buyer;
  expect(events.body.data.map(({ data }) => data.object)).toEqual([
    {
      ...{ buyer_id, order_ids: [delivered], more: false, status: 'partly_done', open_order_ids: [moving] },
    },
    { buyer_id, order_ids: [moving], more: false, status: 'done', open_order_ids: [] },
  ]);
  // A later change of an erased order brings nothing back.
  const note = { json: { lines: [], detail: 'Dear Mia Chen' }, headers: { 'idempotency-key': randomUUID() } };
  await seller.call('POST', `/orders/${delivered}/returns/rtn_1/accept`, {
    ...note,
    json: { detail: 'Mia Chen' },
  });
  expect(secretsIn(all)).toEqual([]);
  expect((await everything(seller)).includes('Mia Chen')).toBe(false);
});

test('an order that never arrives is erased 90 days after the first request', async () => {
  const seller = await app.seller();
  const id = await buy(seller, buyer, { ship_to });
  await erase(seller, 'cus_mia');
  await post(seller, `${id}/accept`);
  await moveTo(app.app.services.now() + 89 * DAY_MS);
  // A repeated request finds what the person has bought since.
  const again = await seller.renew();
  const later = await buy(again, buyer, { ship_to });
  await post(again, `${later}/accept`);
  for (let round = 0; round < 2; round += 1) await erase(again, 'cus_mia');
  expect((await read(seller, id)).ship_to['name']).toBe('Mia Chen');
  await moveTo(app.app.services.now() + 2 * DAY_MS);
  expect((await read(seller, id)).ship_to).toEqual({ state: 'NSW', country: 'AU' });
  expect((await read(seller, later)).ship_to['name']).toBe('Mia Chen');
});

test('late events of a time before the erasure have no buyer, later ones a new pseudonym', async () => {
  let [seller, bystander] = [await app.seller(), await app.seller()];
  const first = (await read(seller, await buy(seller, buyer, { ship_to }))).buyer.buyer_id;
  const theirs = (await read(bystander, await buy(bystander, buyer, { ship_to }))).buyer.buyer_id;
  const requested_at = new Date(app.app.services.now()).toISOString();
  const late = { placed_at: new Date(Date.parse(requested_at) - 60_000).toISOString() };
  await moveTo(Date.parse(requested_at) + 60_000);
  expect(await erase(seller, 'cus_mia', { requested_at })).toMatchObject([{ status: 'applied' }]);
  const { sku } = await stocked(seller, 5);
  const event = placement(app, seller, [{ sku }], { buyer, ship_to, ...late });
  await apply(app, event);
  const found = await read(seller, event.subject);
  expect(found.buyer).toEqual({ buyer_id: null, alias: null, customer_ref: null });
  expect(found.ship_to['name']).toBe('Mia Chen');
  expect(await app.events({ ...event, id: randomUUID() })).toMatchObject([{ status: 'stale' }]);
  await app.events(orderEvent(app, seller, 'order.cancelled', event.subject, {}));
  await moveTo(app.app.services.now() + 2 * 3_600_000);
  [seller, bystander] = [await seller.renew(), await bystander.renew()];
  expect((await read(seller, event.subject)).ship_to).toEqual({ state: 'NSW', country: 'AU' });
  expect(await app.events({ ...event, id: randomUUID() })).toMatchObject([{ status: 'stale' }]);

  const again = (await read(seller, await buy(seller, buyer, { ship_to }))).buyer;
  expect([again.alias, again.buyer_id === first]).toEqual(['buyer_mia', false]);
  const listed = await bystander.call<{ data: Bought[] }>('GET', `/orders?buyer_id=${theirs}`);
  expect(listed.body.data.map((order) => order.ship_to['name'])).toEqual(['Mia Chen']);
});

test('an unknown reference is remembered; an unknown seller is refused', async () => {
  const seller = await app.seller();
  expect(await erase(seller, 'cus_none')).toMatchObject([{ status: 'applied', warnings: ['buyer_unknown'] }]);
  const unknown = { ...seller, seller_id: 'slr_none' };
  expect(await erase(unknown, 'cus_none')).toMatchObject([{ status: 'rejected', code: 'seller_not_found' }]);
  const digests = await asOwner<{ ref_digest: string }>(
    app,
    'select ref_digest from buyer_erasure where seller_id = $1',
    [seller.seller_id],
  );
  expect(digests.map(({ ref_digest }) => ref_digest)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});
