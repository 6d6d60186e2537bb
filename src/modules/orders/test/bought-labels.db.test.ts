/** Labels that are bought over the network from a carrier that may be slow, silent or broken. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  CARRIER_ENV,
  type Answer as CarrierAnswer,
  FAULTS,
  startCarrierServer,
} from '../../../../test/support/carrier-server.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  eventTypesOf,
  placeOrder,
  post,
  readOrder,
  type Shipment,
  stocked,
  TRACKING,
} from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const POOL = 2;
const carrier = await startCarrierServer();
afterAll(() => carrier.stop());
const app = await startTestApp({
  ...CARRIER_ENV,
  CARRIER_API_BASE_URL: carrier.url,
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T23:00:00.000Z',
  DB_POOL_SIZE: String(POOL),
  LOG_LEVEL: 'silent',
});
let seller: TestSeller = await app.seller({ plan: 'Small', address: true });
const { sku } = await stocked(seller, 1_000);

const silence = FAULTS['silence'] as CarrierAnswer;
const broken = FAULTS['status 500'] as CarrierAnswer;
/** Labels that the worker has yet to void. */
const LEFT =
  "select label_id from order_label_purchase where status = 'dropped' union all " +
  "select job_id from job where kind = 'orders.void_label' and due_at <= $1";
beforeEach(async () => {
  carrier.next = [];
  carrier.deliver = (answer) => answer;
  const values = [new Date(app.app.services.now()).toISOString()];
  await eventually(
    () => app.app.services.withSystem('jobs', 'read', (db) => db.all({ text: LEFT, values })),
    (left) => left.length === 0,
  );
  carrier.asked.length = 0;
  carrier.shipments.clear();
});

const PACKAGE = { weight_g: 1_200, length_mm: 300, width_mm: 200, height_mm: 150 };
const ASK = {
  from_postcode: '3000',
  to: { state: 'NSW', postcode: '2000', country: 'AU' },
  packages: [PACKAGE],
};
const POST = { carrier: 'australia_post', service: 'parcel_post' };
const OWN = { carrier: 'own', service: 'standard' };

interface Labelled extends Shipment {
  readonly label: { readonly label_id: string; readonly price_minor: number } | null;
  readonly code?: string;
}
interface Packed {
  readonly id: string;
  readonly path: string;
}
async function packed(more: object = {}): Promise<Packed> {
  const id = await placeOrder(app, seller, [{ sku }], more);
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
  return { id, path: `${id}/shipments/${body.shipment_id}` };
}
const buy = ({ path }: Packed, json: object = POST, key: string = randomUUID()) =>
  post<Labelled>(seller, `${path}/label`, json, { 'idempotency-key': key });
const labelsOf = async ({ id }: Packed) =>
  (await readOrder(seller, id)).shipments.map(({ label }) => (label as Labelled['label'])?.label_id ?? null);
/** References under which the carrier has made shipments. */
const named = () => carrier.asked.flatMap(({ body }) => nameIn(body));
const nameIn = (body: unknown): string[] =>
  (body as { shipments?: { shipment_reference: string }[] } | undefined)?.shipments?.map(
    ({ shipment_reference }) => shipment_reference,
  ) ?? [];

async function move(ms: number): Promise<void> {
  const body = { now: new Date(app.app.services.now() + ms).toISOString() };
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body });
  if (answer.status !== 200) throw new Error(answer.text);
  seller = await seller.renew();
}
/** Ends the leases, as if the process had died during its call. */
const forget = () =>
  runOn(app.database.adminUrl, (client) =>
    client.query("update order_label_purchase set lease_until = '2020-01-01Z' where status = 'open'"),
  );
/** The carrier makes the label, and answers when the test lets it. */
function slowly(): () => void {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  carrier.deliver = async (answer) => {
    await gate;
    return answer;
  };
  return release;
}
const asked = (count: number) =>
  eventually(
    async () => carrier.asked.length,
    (length) => length >= count,
  );

test('a slow carrier holds no connection and no lock on the order', async () => {
  const parcels = [];
  for (let n = 0; n < 2 * POOL; n += 1) parcels.push(await packed());
  const release = slowly();
  const buying = parcels.map((parcel) => buy(parcel));
  await asked(parcels.length);
  const [first, ...others] = parcels as [Packed, ...Packed[]];
  expect((await readOrder(seller, first.id)).version).toBe(3);
  const cancelled = await post(seller, `${first.id}/cancel`, { reason: 'out_of_stock' });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
  release();
  const [late, ...made] = await Promise.all(buying);
  expect(made.map(({ status }) => status)).toEqual(others.map(() => 201));
  // The parcel was dispatched before its label came, so the label is voided.
  expect([late?.status, late?.body.code]).toEqual([409, 'invalid_transition']);
  await eventually(
    async () => carrier.shipments.size,
    (size) => size === others.length,
  );
  expect(await labelsOf(first)).toEqual([null]);
});

const actAndBeSilent = (): void => {
  carrier.deliver = () => silence;
};
const breakAtOnce = (): void => {
  carrier.next = [broken, broken, broken];
};

test.each([
  ['does what it is asked and is silent', actAndBeSilent, 1],
  ['breaks before it does anything', breakAtOnce, 0],
])(
  'a carrier that %s is a 503, the order is unchanged, and a retry buys one label',
  async (_, fail, made) => {
    const parcel = await packed();
    const quote = await seller.call<{ quote_id: string }>('POST', '/shipping/quotes', { json: ASK });
    const { quote_id } = quote.body;
    const choice = { quote_id, option_id: 'australia_post.parcel_post' };
    const before = await readOrder(seller, parcel.id);
    const key = randomUUID();
    carrier.asked.length = 0;
    fail();
    const failed = await buy(parcel, choice, key);
    expect([failed.status, failed.body.code, failed.headers.get('retry-after')]).toEqual([
      503,
      'carrier_unavailable',
      '30',
    ]);
    expect(await readOrder(seller, parcel.id)).toEqual(before);
    expect(carrier.shipments.size).toBe(made);
    expect((await seller.call('GET', `/shipping/quotes/${quote_id}`)).body).toMatchObject({ status: 'open' });
    carrier.deliver = (answer) => answer;
    const again = await buy(parcel, choice, key);
    expect(again.status).toBe(201);
    expect(again.body.label?.label_id).toBe(named()[0]);
    expect(new Set(named()).size).toBe(1);
    expect(carrier.shipments.size).toBe(1);
    const asks = carrier.asked.length;
    const replayed = await buy(parcel, choice, key);
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(replayed.body).toEqual(again.body);
    expect(carrier.asked).toHaveLength(asks);
  },
);

test('a refusal is a 409 with the carrier’s message and changes nothing', async () => {
  const ship_to = { name: 'Mia', line1: '1 St', city: 'Nowhere', state: 'NSW', postcode: '2000' };
  const parcel = await packed({ ship_to: { ...ship_to, country: 'AU' } });
  const before = await readOrder(seller, parcel.id);
  const key = randomUUID();
  for (const attempt of [key, key, randomUUID()])
    expect(await buy(parcel, POST, attempt)).toMatchObject({
      status: 409,
      body: { code: 'carrier_refused', carrier_code: '44003' },
    });
  expect(new Set(named()).size).toBe(3);
  expect(await readOrder(seller, parcel.id)).toEqual(before);
  expect((await buy(parcel, OWN)).status).toBe(201);
});

test('a label without an answer is voided when a different one is bought', async () => {
  const parcel = await packed();
  carrier.deliver = () => silence;
  expect((await buy(parcel)).status).toBe(503);
  expect(carrier.shipments.size).toBe(1);
  carrier.deliver = (answer) => answer;
  const express = await buy(parcel, { ...POST, service: 'express_post' });
  expect(express).toMatchObject({ status: 201, body: { service: 'express_post' } });
  const left = await eventually(
    async () => [...carrier.shipments.values()],
    (all) => all.length === 1,
  );
  expect(left[0]?.shipment_reference).toBe(express.body.label?.label_id);
});

test('a quote that was released and used for another label stays used', async () => {
  const [first, second] = [await packed(), await packed()];
  const { body } = await seller.call<{ quote_id: string }>('POST', '/shipping/quotes', { json: ASK });
  const choice = { quote_id: body.quote_id, option_id: 'australia_post.parcel_post' };
  carrier.next = [broken, broken, broken];
  expect((await buy(first, choice)).status).toBe(503);
  expect((await buy(second, choice)).status).toBe(201);
  expect((await buy(first, OWN)).status).toBe(201);
  const quote = await seller.call('GET', `/shipping/quotes/${body.quote_id}`);
  expect(quote.body).toMatchObject({ status: 'used' });
  const third = await packed();
  expect((await buy(third, choice)).body.code).toBe('quote_used');
});

test('of concurrent requests one buys; the others get 409 label_in_progress', async () => {
  const parcel = await packed();
  const key = randomUUID();
  const release = slowly();
  const winner = buy(parcel, POST, key);
  await asked(1);
  const same = await buy(parcel, POST, key);
  expect([same.status, same.body.code]).toEqual([409, 'idempotency_in_progress']);
  const others = await Promise.all([buy(parcel), buy(parcel, OWN), buy(parcel)]);
  expect(others.map(({ body }) => body.code)).toEqual(Array(3).fill('label_in_progress'));
  expect(others[0]?.headers.get('retry-after')).toBe('2');
  release();
  expect((await winner).status).toBe(201);
  expect((await buy(parcel)).body.code).toBe('label_exists');
  expect([new Set(named()).size, carrier.shipments.size]).toEqual([1, 1]);
});

test('after a crash, a retry with the key continues the purchase, and the carrier makes one label', async () => {
  const parcel = await packed();
  const key = randomUUID();
  const release = slowly();
  const lost = buy(parcel, POST, key);
  await asked(1);
  await forget();
  carrier.deliver = (answer) => answer;
  const again = await buy(parcel, POST, key);
  expect(again.status).toBe(201);
  // If the first process lives after all, it finds its label.
  release();
  expect((await lost).body).toEqual(again.body);
  expect([new Set(named()).size, carrier.shipments.size]).toEqual([1, 1]);
  expect(await labelsOf(parcel)).toEqual([again.body.label?.label_id]);
});

test('after a crash, the worker continues the purchase as its author, and a retry finds the label', async () => {
  const parcel = await packed();
  const key = randomUUID();
  const release = slowly();
  const lost = buy(parcel, POST, key);
  await asked(1);
  await forget();
  carrier.deliver = (answer) => answer;
  await move(60_000);
  const [label] = await labelsOf(parcel);
  expect(label).toBe(named()[0]);
  const { body } = await seller.call<{ data: object[] }>('GET', `/orders/${parcel.id}/history?limit=1`);
  expect(body.data).toMatchObject([
    { action: 'label_created', actor: { kind: 'member' }, idempotency_key: key },
  ]);
  const again = await buy(parcel, POST, key);
  expect([again.status, again.body.label?.label_id]).toEqual([201, label]);
  release();
  await lost;
  expect([new Set(named()).size, carrier.shipments.size]).toEqual([1, 1]);
});

test('a purchase without a retry within the hour is voided once the carrier answers', async () => {
  const parcel = await packed();
  carrier.deliver = () => silence;
  expect((await buy(parcel)).status).toBe(503);
  carrier.deliver = (answer) => answer;
  await move(3_500_000);
  expect(carrier.shipments.size).toBe(1);
  await move(200_000);
  expect(carrier.shipments.size).toBe(0);
  expect(await labelsOf(parcel)).toEqual([null]);
  expect((await buy(parcel)).status).toBe(201);
});

test('a label is void at once; a carrier that is down is called later, and may refuse', async () => {
  const [first, second] = [await packed(), await packed()];
  await buy(first);
  carrier.next = [broken, broken, broken];
  expect((await seller.call('DELETE', `/orders/${first.path}/label`)).status).toBe(204);
  expect(await labelsOf(first)).toEqual([null]);
  await eventually(
    async () => carrier.next.length,
    (left) => left === 0,
  );
  expect(carrier.shipments.size).toBe(1);
  await move(60_000);
  expect(carrier.shipments.size).toBe(0);

  await buy(second);
  for (const id of carrier.shipments.keys()) carrier.manifested.add(id);
  expect((await seller.call('DELETE', `/orders/${second.path}/label`)).status).toBe(204);
  const history = await eventually(
    async () => {
      const path = `/orders/${second.id}/history?limit=1`;
      return (await seller.call<{ data: { action: string }[] }>('GET', path)).body.data;
    },
    ([last]) => last?.action === 'label_void_refused',
  );
  expect(history).toMatchObject([{ facts: { carrier: 'australia_post', carrier_code: '44020' } }]);
});

test('a label is voided when the parcel has another tracking number', async () => {
  const [own, other] = [await packed(), await packed()];
  const bought = await buy(own);
  await buy(other);
  const { carrier: code, tracking_number } = bought.body;
  const kept = await post<Labelled>(seller, `${own.path}/dispatch`, { carrier: code, tracking_number });
  expect(kept.body.label).not.toBeNull();
  const sent = await post<Labelled>(seller, `${other.path}/dispatch`, TRACKING);
  expect(sent.body).toMatchObject({ status: 'dispatched', ...TRACKING, label: null });
  const left = await eventually(
    async () => [...carrier.shipments.values()],
    (all) => all.length === 1,
  );
  expect(left[0]?.shipment_reference).toBe(bought.body.label?.label_id);
  const types = await eventTypesOf(app, seller, sent.body.shipment_id);
  expect(types).toEqual(['shipment.created', 'shipment.label_created', 'shipment.label_voided']);
});

test('a dry run requests the price only, and changes nothing', async () => {
  const parcel = await packed();
  const before = await readOrder(seller, parcel.id);
  const tried = await post<Labelled>(seller, `${parcel.path}/label?dry_run=true`, POST);
  expect(tried).toMatchObject({ status: 201, body: { label: { price_minor: 970 } } });
  expect(tried.headers.get('dry-run')).toBe('true');
  expect(carrier.asked.map(({ path }) => path)).toEqual(['/shipping/v1/prices/items']);
  expect(await readOrder(seller, parcel.id)).toEqual(before);
  expect((await buy(parcel)).status).toBe(201);
});
