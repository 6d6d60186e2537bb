/** The marketplace's events about orders, and how the service answers them. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  apply,
  changeEvents,
  eventTypesOf,
  type Order,
  orderEvent,
  placement,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
  stockOf,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();
const one = async (event: Record<string, unknown>) => (await app.events(event))[0];

test('an order keeps the marketplace’s id when it has the service’s form; otherwise it has both ids', async () => {
  const { sku } = await stocked(seller, 10);
  const event = { ...placement(app, seller, [{ sku }]), subject: 'M/2026-17' };
  await apply(app, event);
  const { body } = await seller.call<{ data: Order[] }>('GET', '/orders?reference=M/2026-17');
  const [order] = body.data;
  expect(order).toMatchObject({ external_order_id: 'M/2026-17' });
  expect(order?.order_id).toMatch(/^ord_[0-9a-z]{26}$/);
  await apply(app, orderEvent(app, seller, 'order.delivered', 'M/2026-17', {}));
  expect(await readOrder(seller, order?.order_id ?? '')).toMatchObject({ status: 'delivered' });
});

test('an id that is too long for a URL becomes the external id, and events still find the order', async () => {
  const { sku } = await stocked(seller, 10);
  const subject = `ord_${'x'.repeat(400)}`;
  await apply(app, { ...placement(app, seller, [{ sku }]), subject });
  const { body } = await seller.call<{ data: Order[] }>('GET', `/orders?sku=${sku}`);
  const id = body.data[0]?.order_id ?? '';
  expect(await readOrder(seller, id)).toMatchObject({ order_id: id, external_order_id: subject });
  await apply(app, orderEvent(app, seller, 'order.delivered', subject, {}));
  expect(await readOrder(seller, id)).toMatchObject({ status: 'delivered' });
});

test('a repeated sale is a duplicate or stale; a different sale under its id is refused', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const event = placement(app, seller, [{ sku, quantity: 2 }]);
  expect(await one(event)).toMatchObject({ status: 'applied' });
  expect(await one(event)).toMatchObject({ status: 'duplicate' });
  expect(await one({ ...event, id: `${String(event['id'])}-again` })).toMatchObject({ status: 'stale' });
  const data = { ...(event['data'] as object), order_number: 'another' };
  expect(await one({ ...event, id: `${String(event['id'])}-else`, data })).toMatchObject({
    status: 'rejected',
    code: 'invalid_transition',
  });
  expect(await stockOf(seller, product_id)).toEqual([10, 2]);
});

test('one sale that is sent many times at once makes one order', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const event = placement(app, seller, [{ sku, quantity: 2 }]);
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) => one({ ...event, id: `${String(event['id'])}-${n}` })),
  );
  expect(results.filter((result) => result?.status === 'applied')).toHaveLength(1);
  expect(results.filter((result) => result?.status === 'stale')).toHaveLength(7);
  expect(await stockOf(seller, product_id)).toEqual([10, 2]);
});

test('an unknown SKU is recorded with a warning when it has a title, and refused without one', async () => {
  const event = placement(app, seller, [{ sku: 'UNKNOWN-SKU', title: 'Old mug', quantity: 2 }]);
  expect(await one(event)).toMatchObject({ status: 'applied', warnings: ['sku_not_found'] });
  const order = await readOrder(seller, event.subject);
  expect(order).toMatchObject({
    attention: ['unknown_sku'],
    lines: [{ product_id: null, title: 'Old mug' }],
  });
  expect((await post(seller, `${event.subject}/accept`)).status).toBe(200);
  expect((await shipAll(seller, event.subject)).order_status).toBe('shipped');
  expect(await one(placement(app, seller, [{ sku: 'UNKNOWN-SKU' }]))).toMatchObject({
    status: 'rejected',
    code: 'sku_not_found',
  });
});

test('the seller and the object of an event must exist', async () => {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku }]);
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor: 1 }];
  for (const [event, code] of [
    [{ ...placement(app, seller, [{ sku }]), sellerid: 'slr_nobody' }, 'seller_not_found'],
    [orderEvent(app, other, 'order.delivered', id, {}), 'order_not_found'],
    [orderEvent(app, seller, 'order.delivered', 'ord_none', {}), 'order_not_found'],
    [orderEvent(app, seller, 'shipment.delivered', 'shp_none', {}), 'shipment_not_found'],
    [orderEvent(app, seller, 'refund.confirmed', id, { refund_id: 'rf_none' }), 'refund_not_found'],
    [orderEvent(app, seller, 'dispute.won', id, { dispute_id: 'dp_none' }), 'dispute_not_found'],
    [
      orderEvent(app, seller, 'refund.created', id, {
        refund_id: 'r',
        lines: [{ ...lines[0], order_line_no: 9 }],
      }),
      'line_not_found',
    ],
    [orderEvent(app, seller, 'return.requested', id, { return_id: 'rtn_1', lines }), 'invalid_transition'],
    [
      orderEvent(app, seller, 'order.cancel_requested', id, {
        request_id: 'crq_1',
        lines: [{ order_line_no: 1, quantity: 2 }],
      }),
      'invalid_transition',
    ],
    [
      orderEvent(app, seller, 'order.cancelled', id, { lines: [{ order_line_no: 1, quantity: 2 }] }),
      'invalid_transition',
    ],
    [placement(app, seller, []), 'data_invalid'],
    [
      orderEvent(app, seller, 'order.payment_captured', id, { charge_id: '', captured_minor: 1 }),
      'data_invalid',
    ],
    [orderEvent(app, seller, 'order.cancel_requested', id, { request_id: '' }), 'data_invalid'],
    [orderEvent(app, seller, 'refund.created', id, { refund_id: '', lines }), 'data_invalid'],
    [orderEvent(app, seller, 'return.requested', id, { return_id: '', lines }), 'data_invalid'],
    [orderEvent(app, seller, 'dispute.opened', id, { dispute_id: '', amount_minor: 1 }), 'data_invalid'],
    [placement(app, seller, [{ kind: 'shipping' }]), 'data_invalid'],
    [placement(app, seller, [{ sku, price: 100 }], { seller_discount_minor: 101 }), 'data_invalid'],
  ] as const)
    expect(await one(event), code).toMatchObject({ status: 'rejected', code });
});

test('an instant more than ten years ahead is refused', async () => {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  const ahead = (years: number) => new Date(app.app.services.now() + years * 366 * 86_400_000).toISOString();
  const never = '2999-12-31T00:00:00Z';
  for (const [event, field] of [
    [
      orderEvent(app, seller, 'shipment.tracking_updated', shipment_id, { status: 'lost', at: never }),
      'data/at',
    ],
    [
      orderEvent(app, seller, 'shipment.delivered', shipment_id, { delivered_at: ahead(10.1) }),
      'data/delivered_at',
    ],
    [orderEvent(app, seller, 'order.delivered', id, { delivered_at: never }), 'data/delivered_at'],
    [orderEvent(app, seller, 'order.delivered', id, {}, { time: never }), 'time'],
    [placement(app, seller, [{ sku }], { placed_at: never }), 'data/placed_at'],
  ] as const)
    expect(await one(event), field).toMatchObject({
      status: 'rejected',
      code: 'data_invalid',
      detail: expect.stringContaining(field),
    });
  await apply(app, orderEvent(app, seller, 'order.delivered', id, { delivered_at: ahead(9.9) }));
  expect(await readOrder(seller, id)).toMatchObject({ status: 'delivered' });
});

test('the discount is split over the items only, by largest remainder', async () => {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(
    app,
    seller,
    [
      { sku, quantity: 1, price: 2_500 },
      { kind: 'shipping', price: 995 },
      { sku, quantity: 2, price: 2_500 },
    ],
    { seller_discount_minor: 500 },
  );
  const order = await readOrder(seller, id);
  expect(order.lines.map(({ discount_minor, net_minor }) => [discount_minor, net_minor])).toEqual([
    [167, 2_333],
    [0, 995],
    [333, 4_667],
  ]);
  expect(order).toMatchObject({ items_minor: 7_500, shipping_minor: 995, total_minor: 7_995 });
});

test('a delivery that was recorded elsewhere implies acceptance and dispatch', async () => {
  const { sku, product_id } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await apply(
    app,
    orderEvent(app, seller, 'order.delivered', id, { delivered_at: '2026-06-30T14:30:00+10:00' }),
  );
  expect(await readOrder(seller, id)).toMatchObject({
    accepted_at: '2026-06-30T04:30:00.000Z',
    delivered_at: '2026-06-30T04:30:00.000Z',
    shipments: [{ status: 'delivered', origin: 'marketplace', carrier: null }],
    lines: [{ quantities: { ordered: 2, awaiting: 0, delivered: 2 } }],
  });
  expect(await stockOf(seller, product_id)).toEqual([3, 0]);
});

test('each parcel of a delivered order has a shipment.delivered event, packed or not', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const [line] = (await readOrder(seller, id)).lines;
  await post(seller, `${id}/accept`, { lines: [{ order_line_id: line?.order_line_id, quantity: 1 }] });
  await post(seller, `${id}/shipments`);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const { shipments } = await readOrder(seller, id);
  const told = await Promise.all(shipments.map(({ shipment_id }) => eventTypesOf(app, seller, shipment_id)));
  expect(told).toEqual([['shipment.created', 'shipment.delivered'], ['shipment.delivered']]);
  const ids = [id, ...shipments.map(({ shipment_id }) => shipment_id)];
  expect((await changeEvents(app, seller, ids)).slice(-3)).toEqual([
    ['shipment.delivered', 'delivered'],
    ['shipment.delivered', 'delivered'],
    ['order.delivered', 'delivered'],
  ]);
});

test('a notification of a parcel without a number names its order', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const { shipments, order_number } = await readOrder(seller, id);
  const [parcel] = shipments;
  const at = new Date(app.app.services.now() + 60_000).toISOString();
  const lost = { status: 'lost', at };
  await apply(app, orderEvent(app, seller, 'shipment.tracking_updated', String(parcel?.shipment_id), lost));
  const titles = async () =>
    (
      await seller.call<{ data: readonly { title: string }[] }>('GET', '/notifications?limit=200')
    ).body.data.map(({ title }) => title);
  await expect.poll(titles, { timeout: 10_000 }).toContain(`Parcel – of order ${order_number} is lost`);
});

test('a repeated event is stale and changes nothing; different content under its id is refused', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const lines = [{ order_line_no: 1, quantity: 1 }];
  const more = [{ order_line_no: 1, quantity: 2 }];
  const time = new Date(app.app.services.now()).toISOString();
  const news: readonly (readonly [type: string, data: object, other?: object])[] = [
    [
      'order.payment_captured',
      { charge_id: 'ch_1', captured_minor: 4_000 },
      { charge_id: 'ch_1', captured_minor: 1 },
    ],
    ['order.cancel_requested', { request_id: 'crq_2', lines }, { request_id: 'crq_2', lines: more }],
    ['order.delivered', { delivered_at: time }],
    ['return.requested', { return_id: 'rtn_2', lines }, { return_id: 'rtn_2', lines: more }],
    [
      'refund.created',
      { refund_id: 'rf_2', lines: [{ order_line_no: 1, amount_minor: 5 }] },
      { refund_id: 'rf_2', lines: [{ order_line_no: 1, amount_minor: 6 }] },
    ],
    ['refund.confirmed', { refund_id: 'rf_2' }],
    ['dispute.opened', { dispute_id: 'dp_2', amount_minor: 9 }, { dispute_id: 'dp_2', amount_minor: 8 }],
    ['dispute.won', { dispute_id: 'dp_2' }],
  ];
  for (const [type, data, different] of news) {
    const event = (content: object) => orderEvent(app, seller, type, id, content, { time });
    expect(await one(event(data)), type).toMatchObject({ status: 'applied' });
    const { version } = await readOrder(seller, id);
    expect(await one(event(data)), type).toMatchObject({ status: 'stale' });
    if (different !== undefined)
      expect(await one(event(different)), type).toMatchObject({
        status: 'rejected',
        code: 'invalid_transition',
      });
    expect((await readOrder(seller, id)).version, type).toBe(version);
  }
});

test('a repeated tracking update is stale, makes no event and is shown once', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  const time = new Date(app.app.services.now() + 1_000).toISOString();
  for (const [type, data] of [
    ['shipment.tracking_updated', { status: 'in_transit', location: 'Sydney NSW' }],
    ['shipment.delivered', {}],
  ] as const) {
    const event = () => orderEvent(app, seller, type, shipment_id, data, { time });
    expect(await one(event()), type).toMatchObject({ status: 'applied' });
    const before = await readOrder(seller, id);
    expect(await one(event()), type).toMatchObject({ status: 'stale' });
    expect(await readOrder(seller, id), type).toEqual(before);
  }
  expect(await eventTypesOf(app, seller, shipment_id)).toEqual([
    'shipment.created',
    'shipment.in_transit',
    'shipment.delivered',
  ]);
});

test('a cancelled order cannot be cancelled again', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, { by: 'buyer' }));
  expect(await one(orderEvent(app, seller, 'order.cancelled', id, { by: 'buyer' }))).toMatchObject({
    status: 'stale',
  });
  expect((await readOrder(seller, id)).version).toBe(2);
});

test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-06-30T23:59:60Z', '2026-02-30T00:00:00Z'])(
  'an instant like %s is named as what is wrong',
  async (delivered_at) => {
    const { sku } = await stocked(seller, 5);
    const id = await placeOrder(app, seller, [{ sku }]);
    expect(await one(orderEvent(app, seller, 'order.delivered', id, { delivered_at }))).toMatchObject({
      status: 'rejected',
      code: 'data_invalid',
    });
  },
);

test('the marketplace gets the seller’s cancellations, not its own', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  const units = { lines: [{ order_line_no: 1, quantity: 1 }] };
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, { ...units, by: 'marketplace' }));
  await post(seller, `${id}/cancel`, { reason: 'out_of_stock' });
  await app.app.services.jobs.runDue();
  const told = async () => {
    const answer = await callInternal(app, 'GET', '/internal/v1/outbox?after=0&limit=1000');
    const data = (answer.body?.['data'] ?? []) as { type: string; object_id: string }[];
    return data.filter(({ object_id }) => object_id === id).map(({ type }) => type);
  };
  await expect.poll(told, { timeout: 10_000 }).toEqual(['order.accepted', 'order.cancelled_by_seller']);
});

test('every type is published with its schema and an example', async () => {
  const answer = await callInternal(app, 'GET', '/internal/v1/event-types');
  const types = ((answer.body?.['data'] ?? []) as { type: string }[]).map(({ type }) =>
    type.replace('marketplace.', ''),
  );
  expect(types).toEqual(
    expect.arrayContaining([
      'order.placed',
      'order.payment_captured',
      'order.cancel_requested',
      'order.cancelled',
      'order.delivered',
      'shipment.tracking_updated',
      'shipment.delivered',
      'return.requested',
      'refund.created',
      'refund.confirmed',
      'refund.failed',
      'dispute.opened',
      'dispute.lost',
      'dispute.won',
    ]),
  );
});
