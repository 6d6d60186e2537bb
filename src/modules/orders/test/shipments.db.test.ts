import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  type Shipment,
  shipAll,
  stocked,
  stockOf,
  TRACKING,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const { sku, product_id } = await stocked(seller, 1_000);

interface Refusal {
  readonly code: string;
  readonly detail: readonly { readonly loc: readonly unknown[]; readonly type: string }[];
}

async function accepted(quantity: number): Promise<{ id: string; line: string }> {
  const id = await placeOrder(app, seller, [{ sku, quantity }]);
  const { body } = await post(seller, `${id}/accept`);
  return { id, line: body.lines[0]?.order_line_id ?? '' };
}
const pack = (id: string, json: object = {}) => post<Shipment>(seller, `${id}/shipments`, json);

test('units are packed once', async () => {
  const { id, line } = await accepted(3);
  const first = await pack(id, { lines: [{ order_line_id: line, quantity: 2 }] });
  expect(first).toMatchObject({
    status: 201,
    body: { status: 'draft', lines: [{ order_line_id: line, quantity: 2 }], order_status: 'accepted' },
  });
  const much = await pack(id, { lines: [{ order_line_id: line, quantity: 2 }] });
  expect([much.status, much.body]).toMatchObject([409, { code: 'quantity_exceeds_open', open: 1 }]);
  await pack(id);
  expect((await pack(id)).body).toMatchObject({ code: 'quantity_exceeds_open' });
  expect((await readOrder(seller, id)).lines[0]?.quantity_packed).toBe(3);
});

test('a tracking number must have its carrier’s form', async () => {
  const { id } = await accepted(1);
  const { body } = await pack(id);
  const dispatch = (json: object) =>
    post<Refusal>(seller, `${id}/shipments/${body.shipment_id}/dispatch`, json);
  for (const [json, field, type] of [
    [{ carrier: 'unknown', tracking_number: '1' }, 'carrier', 'carrier_unknown'],
    [{ ...TRACKING, tracking_number: '12' }, 'tracking_number', 'tracking_invalid'],
    [{ carrier: TRACKING.carrier }, 'tracking_number', 'missing'],
    [{}, 'tracking_number', 'tracking_missing'],
    [{ ...TRACKING, dispatched_at: '2099-01-01T00:00:00Z' }, 'dispatched_at', 'instant_in_future'],
    [{ ...TRACKING, dispatched_at: '2020-01-01T00:00:00Z' }, 'dispatched_at', 'before_acceptance'],
  ] as const) {
    const answer = await dispatch(json);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc: ['body', field], type }]);
  }
  const spaced = { ...TRACKING, tracking_number: '2jd0 2060 3601 0009 31508' };
  const sent = await post<Shipment>(seller, `${id}/shipments/${body.shipment_id}/dispatch`, spaced);
  expect(sent.body).toMatchObject({ status: 'dispatched', tracking_number: TRACKING.tracking_number });
  const again = await dispatch(TRACKING);
  expect([again.status, again.body.code]).toEqual([409, 'already_dispatched']);
  const unknown = await post<Refusal>(seller, `${id}/shipments/shp_none/dispatch`, TRACKING);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
});

test('a wrong number is corrected while the parcel is on its way', async () => {
  const { id } = await accepted(1);
  const shipment = await shipAll(seller, id);
  const path = `/orders/${id}/shipments/${shipment.shipment_id}/tracking`;
  const number = '3JD020603601000931508';
  const patch = (json: object, headers: Record<string, string> = {}) =>
    seller.call<Shipment>('PATCH', path, { json, headers });
  expect((await patch({ tracking_number: number }, { 'if-match': '"99"' })).status).toBe(412);
  const changed = await patch({ tracking_number: number, reason: 'Mistyped' }, { 'if-match': '"2"' });
  expect(changed).toMatchObject({ status: 200, body: { tracking_number: number, version: 3 } });
  expect(await eventTypesOf(app, seller, shipment.shipment_id)).toEqual([
    'shipment.created',
    'shipment.tracking_changed',
  ]);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', shipment.shipment_id, {}));
  expect(await patch({ tracking_number: TRACKING.tracking_number })).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', from: 'delivered' },
  });
});

test('a parcel whose units are cancelled is cancelled', async () => {
  const { id, line } = await accepted(3);
  const [before] = await stockOf(seller, product_id);
  const { body } = await pack(id, { lines: [{ order_line_id: line, quantity: 2 }] });
  const lines = [{ order_line_id: line, quantity: 2 }];
  const cancelled = await post(seller, `${id}/cancel`, { reason: 'other', lines });
  expect(cancelled.body.shipments).toMatchObject([{ status: 'cancelled' }]);
  expect(cancelled.body.lines[0]).toMatchObject({ quantity_packed: 0, quantity_reserved: 1 });
  const sent = await post(seller, `${id}/shipments/${body.shipment_id}/dispatch`, TRACKING);
  expect([sent.status, sent.body]).toMatchObject([409, { code: 'invalid_transition', from: 'cancelled' }]);
  expect((await stockOf(seller, product_id))[0]).toBe(before);
});

test('a lost parcel is flagged, and its units count as shipped', async () => {
  const { id } = await accepted(2);
  const shipment = await shipAll(seller, id);
  const tell = (status: string) =>
    apply(app, orderEvent(app, seller, 'shipment.tracking_updated', shipment.shipment_id, { status }));
  await tell('failed');
  expect(await readOrder(seller, id)).toMatchObject({
    status: 'shipped',
    attention: ['delivery_failed', 'payment_pending'],
  });
  await tell('lost');
  const order = await readOrder(seller, id);
  expect(order).toMatchObject({ status: 'shipped', attention: ['lost'] });
  expect(order.lines[0]).toMatchObject({
    status: 'lost',
    quantities: { shipped: 2, lost: 2, in_transit: 0 },
  });
  expect(order.deadlines['closes_at']).not.toBeNull();
});
