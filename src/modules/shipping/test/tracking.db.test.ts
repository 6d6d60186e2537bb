import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  apply,
  orderEvent,
  placeOrder,
  post,
  type Shipment,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

const PACKAGE = { weight_g: 500, length_mm: 100, width_mm: 100, height_mm: 50 };

/** A parcel with a label of the service that is handed over now. */
async function sent(seller: TestSeller): Promise<Shipment> {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  const { body } = await post<Shipment>(seller, `${id}/shipments`, { packages: [PACKAGE] });
  const path = `${id}/shipments/${body.shipment_id}`;
  await post(seller, `${path}/label`, { carrier: 'own', service: 'express' });
  const { body: parcel, status } = await post<Shipment>(seller, `${path}/dispatch`);
  expect(status).toBe(200);
  return parcel;
}

interface Tracking {
  readonly status: string;
  readonly milestones: readonly { readonly milestone: string; readonly at: string | null }[];
  readonly events: readonly object[];
}
const track = async (seller: TestSeller, { tracking_number }: Shipment) =>
  (await seller.call<Tracking>('GET', `/shipping/tracking/${tracking_number}`)).body;
const stepsOf = ({ milestones }: Tracking) => milestones.map(({ milestone, at }) => [milestone, at]);

test('the page of a parcel has the time, the place and the detail of each step', async () => {
  const seller = await app.seller({ address: true });
  const parcel = await sent(seller);
  const now = '2026-06-28T01:00:00.000Z';
  expect(await track(seller, parcel)).toMatchObject({ status: 'dispatched', events: [] });
  const tell = (status: string, at: string, more: object = {}) =>
    apply(
      app,
      orderEvent(app, seller, 'shipment.tracking_updated', parcel.shipment_id, { status, at, ...more }),
    );
  await tell('in_transit', '2026-06-28T06:00:00Z', { location: 'Sydney NSW', detail: 'Sorted' });
  await tell('in_transit', '2026-06-28T09:00:00Z', { location: 'Melbourne VIC' });
  await tell('out_for_delivery', '2026-06-28T22:00:00Z');
  const page = await track(seller, parcel);
  expect(page.status).toBe('out_for_delivery');
  expect(stepsOf(page)).toEqual([
    ['label_created', now],
    ['dispatched', now],
    ['in_transit', '2026-06-28T06:00:00.000Z'],
    ['out_for_delivery', '2026-06-28T22:00:00.000Z'],
    ['delivered', null],
  ]);
  expect(page.events).toEqual([
    { status: 'out_for_delivery', at: '2026-06-28T22:00:00.000Z', location: null, detail: null },
    { status: 'in_transit', at: '2026-06-28T09:00:00.000Z', location: 'Melbourne VIC', detail: null },
    { status: 'in_transit', at: '2026-06-28T06:00:00.000Z', location: 'Sydney NSW', detail: 'Sorted' },
  ]);
});

test('a step that a later update has revoked is not shown', async () => {
  const seller = await app.seller({ address: true });
  const parcel = await sent(seller);
  const tell = (status: string, at: string) =>
    apply(app, orderEvent(app, seller, 'shipment.tracking_updated', parcel.shipment_id, { status, at }));
  await tell('out_for_delivery', '2026-06-28T06:00:00Z');
  await tell('returned_to_sender', '2026-06-28T09:00:00Z');
  const page = await track(seller, parcel);
  expect(stepsOf(page).slice(2)).toEqual([
    ['in_transit', null],
    ['out_for_delivery', null],
    ['delivered', null],
  ]);
  expect(page.events).toHaveLength(2);
});

test('a parcel whose carrier was corrected is also on the manifest of the right carrier', async () => {
  const seller = await app.seller({ address: true });
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  const manifest = (carrier: string) =>
    seller.call<{ lines: object[] }>('POST', '/shipping/manifests', { json: { carrier } });
  expect((await manifest('australia_post')).status).toBe(201);
  const json = { carrier: 'sendle', tracking_number: 'S3NDL3', reason: 'Typed in the wrong field' };
  expect(
    (await seller.call('PATCH', `/orders/${id}/shipments/${shipment_id}/tracking`, { json })).status,
  ).toBe(200);
  const right = await manifest('sendle');
  expect([right.status, right.body.lines]).toMatchObject([201, [{ shipment_id, tracking_number: 'S3NDL3' }]]);
  expect((await manifest('sendle')).status).toBe(200);
});

test('a place that is no text is left out, a number is a postcode, and page and manifest still work', async () => {
  const seller = await app.seller({ address: true });
  const { sku } = await stocked(seller, 10);
  const ship_to = {
    name: ['Mia'],
    company: 'Mia Pty Ltd',
    city: { en: 'Sydney' },
    postcode: 2000,
    state: 'NSW',
  };
  const id = await placeOrder(app, seller, [{ sku }], { ship_to });
  await post(seller, `${id}/accept`);
  const parcel = await shipAll(seller, id);
  const page = await seller.call('GET', `/shipping/tracking/${parcel.tracking_number}`);
  expect([page.status, page.body]).toMatchObject([
    200,
    { destination: { city: null, state: 'NSW', postcode: '2000', country: null } },
  ]);
  const manifest = await seller.call('POST', '/shipping/manifests', { json: { carrier: 'australia_post' } });
  expect(manifest.body).toMatchObject({ lines: [{ recipient: 'Mia Pty Ltd', destination: 'NSW 2000' }] });
});
