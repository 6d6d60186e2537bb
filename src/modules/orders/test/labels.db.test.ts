import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { giveAddress, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  eventTypesOf,
  placeOrder,
  post,
  readOrder,
  type Shipment,
  stocked,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small', address: true });
const other = await app.seller();
const { sku } = await stocked(seller, 1_000);
const PACKAGE = { weight_g: 1_200, length_mm: 300, width_mm: 200, height_mm: 150 };

interface Labelled extends Shipment {
  readonly label: { readonly label_id: string; readonly price_minor: number; readonly status: string } | null;
  readonly code?: string;
  readonly detail?: readonly { readonly loc: readonly unknown[]; readonly type: string }[];
}

async function packed(
  packages: readonly object[] | undefined = [PACKAGE],
): Promise<{ id: string; path: string }> {
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, packages.length > 0 ? { packages } : {});
  return { id, path: `${id}/shipments/${body.shipment_id}` };
}
const label = (path: string, json: object) => post<Labelled>(seller, `${path}/label`, json);
const OWN = { carrier: 'own', service: 'standard' };
const fetchLabel = (path: string, query = '') =>
  fetch(`${app.url}/api/v1/orders/${path}/label${query}`, {
    headers: { authorization: `Bearer ${seller.token}` },
  });

test('a label of the built-in carrier is priced, printed in every format, and gives the parcel its tracking number', async () => {
  const { id, path } = await packed();
  const made = await label(path, OWN);
  expect(made).toMatchObject({
    status: 201,
    body: { status: 'draft', carrier: 'own', order_status: 'accepted', label: { status: 'purchased' } },
  });
  expect(made.body.label?.price_minor).toBeGreaterThan(0);
  const number = made.body.tracking_number ?? '';
  for (const [query, type, starts] of [
    ['', 'application/pdf', '%PDF'],
    ['?format=pdf&size=a4', 'application/pdf', '%PDF'],
    ['?format=png', 'image/png', '\u0089PNG'],
    ['?format=zpl', 'application/zpl', '^XA'],
  ] as const) {
    const answer = await fetchLabel(path, query);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.toString('latin1').startsWith(starts)).toBe(true);
    if (type === 'application/zpl') expect(bytes.toString()).toContain(number);
  }
  const again = Buffer.from(await (await fetchLabel(path)).arrayBuffer());
  expect(again.equals(Buffer.from(await (await fetchLabel(path)).arrayBuffer()))).toBe(true);
  expect((await seller.call('GET', `/orders/${path}/label?package=2`)).status).toBe(404);
  expect((await other.call('GET', `/orders/${path}/label`)).status).toBe(404);
  expect((await label(path, OWN)).body).toMatchObject({ code: 'label_exists' });

  const sent = await post<Shipment>(seller, `${path}/dispatch`);
  expect(sent.body).toMatchObject({ status: 'dispatched', tracking_number: number, order_status: 'shipped' });
  const gone = await seller.call('DELETE', `/orders/${path}/label`);
  expect([gone.status, gone.body]).toMatchObject([409, { code: 'already_dispatched' }]);
  expect((await readOrder(seller, id)).status).toBe('shipped');
});

test('without an address to send from there is no label; each of three addresses will do', async () => {
  const bare = await app.seller({ plan: 'Small' });
  const { sku: own } = await stocked(bare, 10);
  const id = await placeOrder(app, bare, [{ sku: own }]);
  await post(bare, `${id}/accept`);
  const { body } = await post<Shipment>(bare, `${id}/shipments`, { packages: [PACKAGE] });
  const path = `${id}/shipments/${body.shipment_id}/label`;
  const refused = await post<Labelled>(bare, path, OWN);
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'sender_address_missing', detail: expect.stringContaining('PATCH /api/v1/sellers/me') },
  ]);
  expect((await readOrder(bare, id)).version).toBe(body['order_version']);
  const at = (line1: string) => ({
    ...{ line1, city: 'Perth', state: 'WA', postcode: '6000', country: 'AU' },
  });
  for (const [route, json, street] of [
    ['/sellers/me/business', { registered_address: at('1 Register Street') }, '1 Register Street'],
    ['/sellers/me', { return_address: at('2 Return Street') }, '2 Return Street'],
    ['/sellers/me', { dispatch_address: at('3 Dispatch Street') }, '3 Dispatch Street'],
  ] as const) {
    expect((await bare.call('PATCH', route, { json })).status).toBe(200);
    expect((await post<Labelled>(bare, path, OWN)).status).toBe(201);
    const printed = await bare.call('GET', `/orders/${path}?format=zpl`);
    expect(printed.text).toContain(street);
    await bare.call('DELETE', `/orders/${path}`);
  }
});

test('an address that fits on no label is refused before the label is made, and its quote stays free', async () => {
  const lines = { line1: '1200 Old Princes Highway '.repeat(30), line2: 'ring twice '.repeat(60) };
  const ship_to = {
    ...{ name: 'Mia', ...lines, city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
  };
  const id = await placeOrder(app, seller, [{ sku }], { ship_to });
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
  const { price: _, ...choice } = await quote('2000');
  const path = `${id}/shipments/${body.shipment_id}`;
  const before = await readOrder(seller, id);
  for (const query of ['', '?dry_run=true']) {
    const refused = await post<Labelled>(seller, `${path}/label${query}`, choice);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'address_too_long', address: 'to', detail: expect.stringContaining('delivery address') },
    ]);
  }
  expect(await readOrder(seller, id)).toEqual(before);
  const good = await packed();
  expect((await label(good.path, choice)).status).toBe(201);
});

test('an own address that fits on no label is refused with the route that sets it', async () => {
  const long: TestSeller = await app.seller({ plan: 'Small' });
  const wide = 'W'.repeat(120);
  await giveAddress(long, { name: wide, company: wide, line1: wide, line2: wide, city: 'W'.repeat(80) });
  const { sku: own } = await stocked(long, 10);
  const id = await placeOrder(app, long, [{ sku: own }]);
  await post(long, `${id}/accept`);
  const { body } = await post<Shipment>(long, `${id}/shipments`, { packages: [PACKAGE] });
  const refused = await post<Labelled>(long, `${id}/shipments/${body.shipment_id}/label`, OWN);
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'address_too_long', address: 'from', detail: expect.stringContaining('/sellers/me') },
  ]);
});

test('a label can be voided before the dispatch, and then the parcel has none', async () => {
  const { path } = await packed();
  const missing = await seller.call('DELETE', `/orders/${path}/label`);
  expect([missing.status, missing.body]).toMatchObject([409, { code: 'label_missing' }]);
  await label(path, OWN);
  expect((await seller.call('DELETE', `/orders/${path}/label?dry_run=true`)).status).toBe(204);
  expect((await fetchLabel(path)).status).toBe(200);
  expect((await seller.call('DELETE', `/orders/${path}/label`)).status).toBe(204);
  const voided = await seller.call('GET', `/orders/${path}/label`);
  const [, , shipment = ''] = path.split('/');
  expect(voided).toMatchObject({
    ...{ status: 404, body: { detail: `Your account has no label of shipment ${shipment}.` } },
  });
  const sent = await post<Labelled>(seller, `${path}/dispatch`);
  expect([sent.status, sent.body.detail]).toMatchObject([422, [{ type: 'tracking_missing' }]]);
  const shipmentId = path.split('/').at(-1) ?? '';
  expect(await eventTypesOf(app, seller, shipmentId)).toEqual([
    'shipment.created',
    'shipment.label_created',
    'shipment.label_voided',
  ]);
  expect((await label(path, OWN)).status).toBe(201);
});

async function quote(postcode: string, packages: readonly object[] = [PACKAGE]) {
  const { body } = await seller.call<{
    quote_id: string;
    options: { option_id: string; price_minor: number }[];
  }>('POST', '/shipping/quotes', {
    json: { from_postcode: '3000', to: { state: 'NSW', postcode, country: 'AU' }, packages },
    headers: { 'idempotency-key': randomUUID() },
  });
  const [option] = body.options;
  return { quote_id: body.quote_id, option_id: option?.option_id ?? '', price: option?.price_minor };
}

test('a label uses up its quote, at the quote’s price, for the quote’s packages', async () => {
  const { price, ...choice } = await quote('2000');
  const { path } = await packed();
  expect((await label(`${path}`, { ...choice, option_id: 'none' })).body.detail).toMatchObject([
    { loc: ['body', 'option_id'], type: 'quote_option_unknown' },
  ]);
  const dry = await post<Labelled>(seller, `${path}/label?dry_run=true`, choice);
  expect([dry.status, dry.body.label?.price_minor]).toEqual([201, price]);
  const made = await label(path, choice);
  expect([made.status, made.body.label?.price_minor]).toEqual([201, price]);
  const second = await packed();
  const used = await label(second.path, choice);
  expect([used.status, used.body.code]).toEqual([409, 'quote_used']);
  const { price: _, ...elsewhere } = await quote('2010');
  const mismatch = await label(second.path, elsewhere);
  expect([mismatch.status, mismatch.body.code]).toEqual([409, 'quote_mismatch']);
});

test('each reason against a label has its own error', async () => {
  const { path } = await packed();
  for (const [json, field, type] of [
    [{}, 'carrier', 'missing'],
    [{ carrier: 'unknown', service: 'x' }, 'carrier', 'carrier_unknown'],
    [{ carrier: 'own', service: 'teleport' }, 'service', 'service_unknown'],
    [{ quote_id: 'qte_none', option_id: 'x' }, 'quote_id', 'quote_not_found'],
  ] as const) {
    const answer = await label(path, json);
    expect([answer.status, answer.body.detail]).toMatchObject([422, [{ loc: ['body', field], type }]]);
  }
  const unconnected = await label(path, { carrier: 'sendle', service: 'standard' });
  expect([unconnected.status, unconnected.body.code]).toEqual([409, 'carrier_not_connected']);
  const bare = await packed([]);
  expect((await label(bare.path, OWN)).body.code).toBe('packages_missing');
  const missing = await seller.call('POST', `/orders/${path}/label`, { json: OWN });
  expect(missing.status).toBe(422);
});

test('the parcels of several packages have a label each', async () => {
  const { path } = await packed([PACKAGE, { ...PACKAGE, weight_g: 400 }]);
  await label(path, OWN);
  const [first, second] = await Promise.all(
    [1, 2].map(async (number) => (await fetchLabel(path, `?format=zpl&package=${number}`)).text()),
  );
  expect(first).not.toBe(second);
  expect(await (await fetchLabel(path, '?format=zpl')).text()).toBe(`${first}${second}`);
  expect(Buffer.from(await (await fetchLabel(path)).arrayBuffer()).toString('latin1')).toContain('/Count 2');
  for (const text of [first, second]) {
    const number = /SPX\d{16}/.exec(text ?? '')?.[0] ?? '';
    const page = `/shipping/tracking/${number}`;
    expect(await seller.call('GET', page)).toMatchObject({
      status: 200,
      body: { tracking_number: number, packages: 2 },
    });
    expect((await other.call('GET', page)).status).toBe(404);
  }
  await seller.call('DELETE', `/orders/${path}/label`);
  const voided = /SPX\d{16}/.exec(second ?? '')?.[0] ?? '';
  expect((await seller.call('GET', `/shipping/tracking/${voided}`)).status).toBe(404);
});

test('a manifest lists every package under the number that its label shows', async () => {
  const { path } = await packed([PACKAGE, { ...PACKAGE, weight_g: 400 }, { ...PACKAGE, weight_g: 50 }]);
  await label(path, OWN);
  const printed = await Promise.all(
    [1, 2, 3].map(async (number) =>
      /SPX\d{16}/.exec(await (await fetchLabel(path, `?format=zpl&package=${number}`)).text())?.at(0),
    ),
  );
  const two = await packed([PACKAGE, PACKAGE]);
  const own = { carrier: 'own', tracking_number: 'SPX1000000000000008' };
  await post(seller, `${two.path}/dispatch`, own);
  await post(seller, `${path}/dispatch`);
  const { body } = await seller.call<{ parcels: number; weight_g: number; lines: object[] }>(
    'POST',
    '/shipping/manifests',
    { json: { carrier: 'own' } },
  );
  const shipment_id = path.split('/').at(-1);
  expect(body.lines.filter((line) => (line as { shipment_id: string }).shipment_id === shipment_id)).toEqual(
    [1_200, 400, 50].map((weight_g, index) =>
      expect.objectContaining({ package: index + 1, packages: 3, tracking_number: printed[index], weight_g }),
    ),
  );
  // A parcel with the seller's own number is listed under that number.
  expect(
    body.lines.filter((line) => (line as typeof own).tracking_number === own.tracking_number),
  ).toMatchObject([
    { package: 1, packages: 2 },
    { package: 2, packages: 2 },
  ]);
  expect(body.parcels).toBe(body.lines.length);
});

test.each([
  ['po_box_refused', { line1: 'PO Box 12', state: 'NSW', postcode: '2000' }, 'post office box'],
  ['postcode_outside_state', { line1: '1 George Street', state: 'NSW', postcode: '3000' }, '"3000"'],
  ['postcode_invalid', { line1: '1 George Street', state: 'NSW', postcode: '20000' }, '"20000"'],
  ['state_unknown', { line1: '1 George Street', state: 'Bavaria', postcode: '2000' }, '"Bavaria"'],
  ['state_unknown', { line1: '1 George Street' }, 'it has none'],
  ['country_not_served', { line1: '1 Queen Street', postcode: '1010', country: 'NZ' }, '"NZ"'],
  ['street_missing', { state: 'NSW', postcode: '2000' }, 'no street'],
])('the built-in carrier refuses the address: %s', async (carrier_code, address, why) => {
  const ship_to = { name: 'Mia Chen', city: 'Sydney', country: 'AU', ...address };
  const id = await placeOrder(app, seller, [{ sku }], { ship_to });
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
  const refused = await label(`${id}/shipments/${body.shipment_id}`, OWN);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'carrier_refused', carrier_code, detail: expect.stringContaining(why) },
  });
});

test.each([
  { state: 'nsw', country: 'au' },
  { state: ' New  South Wales ', country: 'Australia' },
  { postcode: 2000 },
  { postcode: ' 2000 ', country: null },
])('another spelling of an address has a label: %j', async (spelling) => {
  const ship_to = { name: 'Mia', line1: '1 George Street', state: 'NSW', postcode: '2000', ...spelling };
  const id = await placeOrder(app, seller, [{ sku }], { ship_to });
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
  expect((await label(`${id}/shipments/${body.shipment_id}`, OWN)).status).toBe(201);
});
