/** The lists of shipping over all orders: labels, many labels as one file, and parcels in transit. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  apply,
  orderEvent,
  placeOrder,
  post,
  type Shipment,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { writeParcels } from '../../../../test/support/parcels.ts';

// A Monday morning in Sydney.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const PACKAGE = { weight_g: 500, length_mm: 100, width_mm: 100, height_mm: 50 };

interface Label {
  readonly label_id: string;
  readonly order_id: string;
  readonly shipment_id: string;
  readonly status: string;
  readonly tracking_numbers: readonly string[];
  readonly [key: string]: unknown;
}
interface Page<Row> {
  readonly data: readonly Row[];
  readonly page: { readonly next_cursor: string | null };
}
interface Parcel {
  readonly order_id: string;
  readonly shipment_id: string;
}

async function packed(
  seller: TestSeller,
  more: object = {},
  packages: object[] = [PACKAGE],
): Promise<Parcel> {
  const { sku } = await stocked(seller, 10, { ...more });
  const order_id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${order_id}/accept`);
  const { body } = await post<Shipment>(seller, `${order_id}/shipments`, { packages });
  return { order_id, shipment_id: body.shipment_id };
}
const pathOf = ({ order_id, shipment_id }: Parcel) => `${order_id}/shipments/${shipment_id}`;
async function labelled(seller: TestSeller, more: object = {}, packages?: object[]): Promise<Parcel> {
  const parcel = await packed(seller, more, packages);
  const { status, text } = await post(seller, `${pathOf(parcel)}/label`, {
    carrier: 'own',
    service: 'standard',
  });
  if (status !== 201) throw new Error(text);
  return parcel;
}
const labels = async (seller: TestSeller, query = '') =>
  (await seller.call<Page<Label>>('GET', `/shipping/labels${query}`)).body;
const idsOf = async (seller: TestSeller, query = '') =>
  (await labels(seller, query)).data.map(({ shipment_id }) => shipment_id);
const fetchAs = (seller: TestSeller, path: string, init: RequestInit = {}) =>
  fetch(`${app.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${seller.token}`, 'content-type': 'application/json' },
  });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const sheet = (seller: TestSeller, shipments: readonly Parcel[], more: object = {}) =>
  fetchAs(seller, '/shipping/label-sheets', { method: 'POST', body: JSON.stringify({ shipments, ...more }) });
const refusal = async (answer: Response) => [answer.status, await answer.json()];

test('labels are listed newest first, by order, status, carrier and day, page by page', async () => {
  const [seller, other] = [
    await app.seller({ plan: 'Small', address: true }),
    await app.seller({ plan: 'Small', address: true }),
  ];
  const [first, second, third] = [await labelled(seller), await labelled(seller), await labelled(seller)];
  await labelled(other);
  await seller.call('DELETE', `/orders/${pathOf(second)}/label`);
  const all = [third, second, first].map(({ shipment_id }) => shipment_id);
  expect(await idsOf(seller)).toEqual(all);
  expect((await labels(seller)).data[0]).toMatchObject({
    ...third,
    status: 'purchased',
    carrier: 'own',
    service: 'standard',
    tracking_numbers: [expect.any(String)],
    currency: 'AUD',
    created_at: expect.stringMatching(/^2026-06-28T23:/),
    voided_at: null,
  });
  expect(await idsOf(seller, `?order_id=${first.order_id}`)).toEqual([first.shipment_id]);
  expect(await idsOf(seller, '?status=voided')).toEqual([second.shipment_id]);
  expect(await idsOf(seller, '?status=purchased&carrier=own')).toEqual([all[0], all[2]]);
  expect(await idsOf(seller, '?carrier=australia_post')).toEqual([]);
  expect(await idsOf(seller, '?created_from=2026-06-29&created_to=2026-06-29')).toEqual(all);
  expect(await idsOf(seller, '?created_from=2026-06-30')).toEqual([]);
  expect(await idsOf(seller, '?created_to=2026-06-28')).toEqual([]);
  const pages: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, page } = await labels(seller, `?limit=1${cursor}`);
    pages.push(...data.map(({ shipment_id }) => shipment_id));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(pages).toEqual(all);
  for (const query of ['?status=open', '?carrier=x', '?created_from=2026-13-01', '?tracking=1'])
    expect((await seller.call('GET', `/shipping/labels${query}`)).status).toBe(422);
});

test('a label is printed by its id as it is printed below its order, unless it is void', async () => {
  const [seller, other] = [
    await app.seller({ plan: 'Small', address: true }),
    await app.seller({ plan: 'Small', address: true }),
  ];
  const parcel = await labelled(seller, {}, [PACKAGE, PACKAGE]);
  const [{ label_id } = { label_id: '' }] = (await labels(seller)).data;
  for (const query of ['', '?format=pdf&size=a4', '?format=png', '?format=zpl', '?package=2']) {
    const [here, below] = await Promise.all([
      fetchAs(seller, `/shipping/labels/${label_id}${query}`),
      fetchAs(seller, `/orders/${pathOf(parcel)}/label${query}`),
    ]);
    expect([here.status, here.headers.get('content-type')]).toEqual([200, below.headers.get('content-type')]);
    expect(here.headers.get('etag')).toBe(below.headers.get('etag'));
    expect((await bytesOf(here)).equals(await bytesOf(below))).toBe(true);
  }
  expect((await fetchAs(seller, `/shipping/labels/${label_id}?package=3`)).status).toBe(404);
  const headers = { 'x-request-id': 'same' };
  const foreign = await other.call('GET', `/shipping/labels/${label_id}`, { headers });
  const unknown = 'lbl_00000000000000000000000000';
  const random = await other.call('GET', `/shipping/labels/${unknown}`, { headers });
  expect([foreign.status, foreign.text]).toEqual([404, random.text.replace(unknown, label_id)]);
  await seller.call('DELETE', `/orders/${pathOf(parcel)}/label`);
  expect(await refusal(await fetchAs(seller, `/shipping/labels/${label_id}`))).toMatchObject([
    409,
    { code: 'label_voided' },
  ]);
});

test('many labels are one PDF, in the given order or by SKU; each package has a page', async () => {
  const seller = await app.seller({ plan: 'Small', address: true });
  const [b, a, c] = [
    await labelled(seller, { seller_sku: 'B' }),
    await labelled(seller, { seller_sku: 'A' }),
    await labelled(seller, { seller_sku: 'C' }, [PACKAGE, PACKAGE]),
  ];
  const made = await sheet(seller, [b, a, c]);
  expect([made.status, made.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const given = await bytesOf(made);
  expect(given.toString('latin1')).toMatch(/\/Count 4\b/);
  expect((await bytesOf(await sheet(seller, [b, a, c], { order: 'given', size: 'a6' }))).equals(given)).toBe(
    true,
  );
  const bySku = await bytesOf(await sheet(seller, [b, a, c], { order: 'sku' }));
  expect(bySku.equals(given)).toBe(false);
  expect(bySku.equals(await bytesOf(await sheet(seller, [a, b, c])))).toBe(true);
  const [{ label_id } = { label_id: '' }] = (await labels(seller, `?order_id=${c.order_id}`)).data;
  const alone = await bytesOf(await fetchAs(seller, `/shipping/labels/${label_id}?size=a4`));
  expect((await bytesOf(await sheet(seller, [c], { size: 'a4' }))).equals(alone)).toBe(true);
});

test('a sheet names the parcels without a label and those that the seller does not have, and prints nothing', async () => {
  const [seller, other] = [
    await app.seller({ plan: 'Small', address: true }),
    await app.seller({ plan: 'Small', address: true }),
  ];
  const [good, bare, foreign] = [await labelled(seller), await packed(seller), await labelled(other)];
  expect(await refusal(await sheet(seller, [good, bare]))).toMatchObject([
    409,
    { code: 'label_missing', shipment_ids: [bare.shipment_id] },
  ]);
  const voided = await labelled(seller);
  await seller.call('DELETE', `/orders/${pathOf(voided)}/label`);
  expect(await refusal(await sheet(seller, [voided]))).toMatchObject([
    409,
    { shipment_ids: [voided.shipment_id] },
  ]);
  const random = { order_id: 'ord_x', shipment_id: 'shp_00000000000000000000000000' };
  const unknown = [foreign, { ...good, order_id: bare.order_id }, random];
  expect(await refusal(await sheet(seller, [good, ...unknown]))).toMatchObject([
    422,
    {
      detail: [1, 2, 3].map((index) => ({
        loc: ['body', 'shipments', index, 'shipment_id'],
        type: 'shipment_unknown',
      })),
    },
  ]);
  const many = Array.from({ length: 51 }, (_, index) => ({ ...random, shipment_id: `shp_${index}` }));
  for (const [shipments, type] of [
    [many, 'too_long'],
    [[good, good], 'duplicate_items'],
    [[], 'too_short'],
  ] as const)
    expect(await refusal(await sheet(seller, shipments))).toMatchObject([422, { detail: [{ type }] }]);
  const heavy = await Promise.all(
    Array.from({ length: 3 }, () =>
      labelled(
        seller,
        {},
        Array.from({ length: 20 }, () => PACKAGE),
      ),
    ),
  );
  expect(await refusal(await sheet(seller, heavy))).toMatchObject([
    422,
    { detail: [{ loc: ['body', 'shipments'], type: 'too_many_labels' }] },
  ]);
});

test('fifty labels are one file', async () => {
  const seller = await app.seller({ plan: 'Small', address: true });
  const heavy = [
    await labelled(
      seller,
      {},
      Array.from({ length: 20 }, () => PACKAGE),
    ),
    await labelled(
      seller,
      {},
      Array.from({ length: 20 }, () => PACKAGE),
    ),
    await labelled(
      seller,
      {},
      Array.from({ length: 10 }, () => PACKAGE),
    ),
  ];
  const file = await bytesOf(await sheet(seller, heavy));
  expect(file.toString('latin1')).toMatch(/\/Count 50\b/);
});

interface Open {
  readonly shipment_id: string;
  readonly status: string;
  readonly late: boolean;
  readonly [key: string]: unknown;
}

test('parcels are listed until they are delivered or lost, and late ones are marked', async () => {
  let seller = await app.seller({ plan: 'Small', address: true });
  const other = await app.seller({ plan: 'Small', address: true });
  await labelled(other);
  const read = async (query = '') =>
    (await seller.call<Page<Open>>('GET', `/shipping/tracking${query}`)).body.data;
  const ids = async (query = '') => (await read(query)).map(({ shipment_id }) => shipment_id);
  const [waiting, sent] = [await labelled(seller), await labelled(seller)];
  await packed(seller);
  await post(seller, `${pathOf(sent)}/dispatch`);
  const { sku } = await stocked(seller, 5);
  const arriving = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${arriving}/accept`);
  const done = await shipAll(seller, arriving);
  expect(await ids()).toEqual([done.shipment_id, sent.shipment_id, waiting.shipment_id]);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', done.shipment_id, {}));
  const open = await read();
  expect(open).toMatchObject([
    { ...sent, status: 'dispatched', carrier: 'own', carrier_name: 'Own delivery', late: false },
    {
      ...waiting,
      status: 'draft',
      dispatched_at: null,
      dispatch_by: '2026-07-01T14:00:00.000Z',
      late: false,
    },
  ]);
  expect(open[0]?.['tracking_url']).toBeNull();
  const page = await seller.call<object>('GET', `/shipping/tracking/${String(open[0]?.['tracking_number'])}`);
  const alike = ['carrier', 'service_name', 'status', 'order_number', 'packages', 'destination'];
  expect(page.body).toMatchObject(Object.fromEntries(alike.map((name) => [name, open[0]?.[name]])));
  expect(await ids('?status=draft')).toEqual([waiting.shipment_id]);
  expect(await ids('?late=true')).toEqual([]);
  // Past the deadline of both orders: the one that was handed over in time is not late.
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-01T14:00:01Z' } });
  seller = await seller.renew();
  expect(await ids('?late=true')).toEqual([waiting.shipment_id]);
  expect(await ids('?late=false')).toEqual([sent.shipment_id]);
  expect((await read('?late=true'))[0]?.late).toBe(true);
  await post(seller, `${pathOf(waiting)}/dispatch`);
  expect(await ids('?late=true&status=dispatched')).toEqual([waiting.shipment_id]);
  for (const query of ['?status=delivered', '?late=maybe', '?carrier=own'])
    expect((await seller.call('GET', `/shipping/tracking${query}`)).status).toBe(422);
  await writeParcels(app, seller.seller_id, [
    ...(['lost', 'returned_to_sender', 'delivered', 'cancelled', 'failed'] as const).map((status, index) => ({
      shipment_id: `shp_0000000000000000000000000${index}`,
      ...{ carrier: 'own', service: 'standard', tracking_number: `SPX${index}`, status },
      ...{ dispatched_at: '2026-06-28T00:00:00Z', ship_to: {}, packages: [PACKAGE] },
    })),
  ]);
  expect((await read()).map(({ status }) => status)).toEqual(['dispatched', 'dispatched', 'failed']);
  expect((await read('?status=failed'))[0]).toMatchObject({ late: false, dispatch_by: null });
});
