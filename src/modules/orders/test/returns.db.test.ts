/** Returns with inspection, refunds, disputes. */
import { expect, test, vi } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  apply,
  eventTypesOf,
  type Order,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
  stockOf,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });

async function delivered(quantity = 3) {
  const { sku, product_id } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [
    { sku, quantity, price: 2_000 },
    { kind: 'shipping', price: 500 },
  ]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', shipment_id, {}));
  const [line, shipping] = (await readOrder(seller, id)).lines;
  return { id, product_id, line: line?.order_line_id ?? '', shipping: shipping?.order_line_id ?? '' };
}
const requestReturn = (id: string, quantity: number, return_id = 'rtn_ext_1') =>
  orderEvent(app, seller, 'return.requested', id, {
    return_id,
    lines: [{ order_line_no: 1, quantity, reason: 'damaged' }],
    respond_by: new Date(app.app.services.now() + 86_400_000).toISOString(),
  });
const back = (id: string, action: string, json: object = {}) =>
  post<Record<string, unknown>>(seller, `${id}/returns/rtn_ext_1/${action}`, json);

test('a return is accepted, received in part and inspected, and compliant units are restocked', async () => {
  const { id, product_id, line } = await delivered();
  await apply(app, requestReturn(id, 2));
  expect(await readOrder(seller, id)).toMatchObject({
    attention: ['return_requested'],
    returns: [{ return_id: 'rtn_ext_1', status: 'requested' }],
  });
  const early = await back(id, 'receive');
  expect([early.status, early.body]).toMatchObject([
    409,
    { code: 'invalid_transition', from: 'requested', allowed: ['accept', 'refuse'] },
  ]);
  expect((await back(id, 'accept')).body).toMatchObject({ status: 'accepted', order_status: 'delivered' });
  const much = await back(id, 'receive', { lines: [{ order_line_id: line, quantity: 3 }] });
  expect([much.status, much.body['code']]).toEqual([409, 'quantity_exceeds_open']);
  const received = await back(id, 'receive', { lines: [{ order_line_id: line, quantity: 1 }] });
  expect(received.body).toMatchObject({ status: 'received', lines: [{ quantity: 2, received: 1 }] });
  expect((await readOrder(seller, id)).lines[0]?.quantities).toMatchObject({ delivered: 3, returned: 1 });
  expect(await stockOf(seller, product_id)).toEqual([7, 0]);
  const dry = await back(id, 'inspect?dry_run=true');
  expect(dry.body).toMatchObject({ status: 'inspected' });
  expect(await stockOf(seller, product_id)).toEqual([7, 0]);
  const inspected = await back(id, 'inspect', { compliant: true, restock: true, note: 'As new' });
  expect(inspected.body).toMatchObject({
    status: 'inspected',
    lines: [{ compliant: true, restocked: 1, note: 'As new' }],
  });
  expect(await stockOf(seller, product_id)).toEqual([8, 0]);
  const [{ return_id } = { return_id: '' }] = (await readOrder(seller, id)).returns;
  expect(await eventTypesOf(app, seller, return_id)).toEqual([
    'return.requested',
    'return.accepted',
    'return.received',
    'return.inspected',
  ]);
});

test('If-Match compares the version of the return', async () => {
  const { id } = await delivered();
  await apply(app, requestReturn(id, 2));
  const step = (action: string, tag: string | null) =>
    post(seller, `${id}/returns/rtn_ext_1/${action}`, {}, { 'if-match': tag ?? '' });
  const accepted = await step('accept', '"1"');
  const tag = accepted.headers.get('etag');
  expect([accepted.status, tag]).toEqual([200, '"2"']);
  expect((await step('receive', '"1"')).status).toBe(412);
  expect((await step('receive', tag)).status).toBe(200);
});

test('damaged units are not restocked, and a refused return ends', async () => {
  const first = await delivered();
  await apply(app, requestReturn(first.id, 1));
  await back(first.id, 'accept');
  await back(first.id, 'receive');
  await back(first.id, 'inspect', { lines: [{ order_line_id: first.line, compliant: false }] });
  expect(await stockOf(seller, first.product_id)).toEqual([7, 0]);
  const second = await delivered();
  await apply(app, requestReturn(second.id, 1));
  const refused = await back(second.id, 'refuse', { reason: 'not_eligible', detail: 'Made to order.' });
  expect(refused.body).toMatchObject({
    status: 'refused',
    reason: 'damaged',
    refusal_reason: 'not_eligible',
    detail: 'Made to order.',
  });
  expect((await readOrder(seller, second.id)).attention).toEqual([]);
  expect((await back(second.id, 'accept')).status).toBe(409);
  expect((await back(second.id, 'refuse', { reason: 'x' })).status).toBe(422);
});

test('no more units are returned than were delivered', async () => {
  const { id } = await delivered(2);
  await apply(app, requestReturn(id, 1));
  expect(await app.events(requestReturn(id, 2, 'rtn_other'))).toMatchObject([
    { status: 'rejected', code: 'invalid_transition' },
  ]);
  await apply(app, requestReturn(id, 1, 'rtn_other'));
});

test('units in a return stay delivered, whatever later tracking says', async () => {
  const { id } = await delivered(2);
  await apply(app, requestReturn(id, 1));
  await back(id, 'accept');
  const [parcel] = (await readOrder(seller, id)).shipments;
  const lost = { status: 'lost', at: new Date(app.app.services.now() + 60_000).toISOString() };
  const event = orderEvent(app, seller, 'shipment.tracking_updated', parcel?.shipment_id ?? '', lost);
  expect(await app.events(event)).toMatchObject([{ status: 'rejected', code: 'invalid_transition' }]);
  expect((await back(id, 'receive')).status).toBe(200);
});

test('a late cancellation does not touch units in a return', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}), requestReturn(id, 1));
  await back(id, 'accept');
  const time = new Date(app.app.services.now() - 3_600_000).toISOString();
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, { by: 'buyer' }, { time }));
  expect((await back(id, 'receive')).status).toBe(200);
  expect((await readOrder(seller, id)).lines[0]?.quantities).toMatchObject({
    cancelled: 1,
    delivered: 1,
    returned: 1,
  });
});

interface RefundBody {
  readonly refund_id: string;
  readonly status: string;
  readonly code?: string;
  readonly remaining_minor?: number;
}
const refund = (id: string, ...lines: object[]) =>
  post<RefundBody>(seller, `${id}/refunds`, { lines, reason: 'damaged' });

test('a refund is requested up to the amount of the line, and follows the marketplace’s events', async () => {
  const { id, line, shipping } = await delivered();
  const made = await refund(
    id,
    { order_line_id: line, quantity: 1, amount_minor: 2_000 },
    { order_line_id: shipping, amount_minor: 500 },
  );
  expect(made).toMatchObject({ status: 201, body: { status: 'requested', amount_minor: 2_500 } });
  expect(await readOrder(seller, id)).toMatchObject({ refund_status: 'requested', refunded_minor: 0 });
  const much = await refund(id, { order_line_id: line, amount_minor: 4_001 });
  expect([much.status, much.body]).toMatchObject([
    409,
    { code: 'refund_exceeds_line', remaining_minor: 4_000 },
  ]);
  const { refund_id } = made.body;
  const event = (type: string, data: object) =>
    orderEvent(app, seller, type, id, { refund_id: 'rf_1', ...data });
  await apply(
    app,
    event('refund.created', {
      seller_refund_id: refund_id,
      lines: [
        { order_line_no: 1, quantity: 1, amount_minor: 2_000 },
        { order_line_no: 2, amount_minor: 500 },
      ],
    }),
    event('refund.confirmed', { provider_transaction_id: 'txn_1' }),
  );
  expect(await readOrder(seller, id)).toMatchObject({
    refund_status: 'partially_refunded',
    refunded_minor: 2_500,
    refunds: [{ refund_id, external_refund_id: 'rf_1', status: 'succeeded', requested_by: 'seller' }],
  });
  expect(await eventTypesOf(app, seller, refund_id)).toEqual([
    'refund.requested',
    'refund.created',
    'refund.succeeded',
  ]);
  const beyond = event('refund.created', {
    refund_id: 'rf_2',
    lines: [{ order_line_no: 1, amount_minor: 4_001 }],
  });
  expect(await app.events(beyond)).toMatchObject([{ status: 'rejected', code: 'refund_exceeds_line' }]);
  await apply(
    app,
    event('refund.created', { refund_id: 'rf_3', lines: [{ order_line_no: 1, amount_minor: 4_000 }] }),
  );
  expect((await readOrder(seller, id)).refund_status).toBe('refunded');
});

test('a refund with the id of a request answers it, and stays requested by the seller', async () => {
  const { id, line } = await delivered();
  const { refund_id } = (await refund(id, { order_line_id: line, amount_minor: 1_000 })).body;
  const made = { refund_id, lines: [{ order_line_no: 1, amount_minor: 1_000 }] };
  await apply(app, orderEvent(app, seller, 'refund.created', id, made));
  expect((await readOrder(seller, id)).refunds).toMatchObject([
    { refund_id, status: 'processing', requested_by: 'seller', reason: 'damaged', version: 2 },
  ]);
});

test('a declined request fails, and its amount can be requested again', async () => {
  const { id, line } = await delivered();
  const paid = { charge_id: `ch_${id}`, captured_minor: 6_000, provider_fee_minor: 68 };
  await apply(app, orderEvent(app, seller, 'order.payment_captured', id, paid));
  const whole = { order_line_id: line, amount_minor: 6_000 };
  const { refund_id } = (await refund(id, whole)).body;
  expect((await refund(id, whole)).status).toBe(409);
  const declined = () =>
    orderEvent(app, seller, 'refund.failed', id, { refund_id, failure_code: 'declined' }, { time });
  const time = new Date(app.app.services.now()).toISOString();
  expect(await app.events(orderEvent(app, seller, 'refund.confirmed', id, { refund_id }))).toMatchObject([
    { status: 'rejected', code: 'refund_not_found' },
  ]);
  await apply(app, declined());
  expect(await app.events(declined())).toMatchObject([{ status: 'stale' }]);
  expect(await readOrder(seller, id)).toMatchObject({
    refund_status: 'none',
    refunds: [{ refund_id, status: 'failed', failure_code: 'declined', reason: 'damaged' }],
  });
  expect(await eventTypesOf(app, seller, refund_id)).toEqual(['refund.requested', 'refund.failed']);
  // No refund was made, so the ledger has no entry.
  const booked = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ refunds: number }>({
      text: "select count(*) filter (where account = 'buyer_refunds_payable')::int as refunds from ledger_entry where order_id = $1 having count(*) > 0",
      values: [id],
    }),
  );
  expect(booked).toEqual([{ refunds: 0 }]);
  expect((await refund(id, whole)).status).toBe(201);
});

test('a refund that was made and failed ends the same in either order of its events', async () => {
  const ends = new Set<string>();
  for (const other of [undefined, 'rf_of_request'])
    for (const first of [0, 1]) {
      const { id, line } = await delivered();
      const { refund_id } = (await refund(id, { order_line_id: line, amount_minor: 1_000 })).body;
      const news = (type: string, minute: number, data: object) => {
        const time = new Date(app.app.services.now() + minute * 60_000).toISOString();
        return orderEvent(app, seller, type, id, data, { time });
      };
      const lines = [{ order_line_no: 1, quantity: 1, amount_minor: 900 }];
      const named = other === undefined ? { refund_id } : { refund_id: other, seller_refund_id: refund_id };
      const events = [
        news('refund.created', 1, { ...named, lines }),
        news('refund.failed', 2, { refund_id, failure_code: 'account_closed' }),
      ];
      await apply(app, ...(first === 0 ? events : events.reverse()));
      const { refunds, refund_status } = await readOrder(seller, id);
      const shown = refunds.map(({ status, ...one }) => {
        const { amount_minor, failure_code, reason } = one as Record<string, unknown>;
        return { status, amount_minor, failure_code, reason };
      });
      ends.add(JSON.stringify([refund_status, shown]));
    }
  expect([...ends]).toEqual([
    JSON.stringify([
      'none',
      [{ status: 'failed', amount_minor: 900, failure_code: 'account_closed', reason: 'damaged' }],
    ]),
  ]);
});

test('a failed refund cannot succeed once another refund has used its amount', async () => {
  const { id } = await delivered();
  const news = (type: string, refund_id: string, hours: number, data: object = {}) => {
    const time = new Date(app.app.services.now() + hours * 3_600_000).toISOString();
    return orderEvent(app, seller, type, id, { refund_id, ...data }, { time });
  };
  const lines = { lines: [{ order_line_no: 1, amount_minor: 6_000 }] };
  await apply(
    app,
    news('refund.created', 'rf_a', 0, lines),
    news('refund.failed', 'rf_a', 1),
    news('refund.created', 'rf_b', 2, lines),
  );
  expect(await app.events(news('refund.confirmed', 'rf_a', 3))).toMatchObject([
    { status: 'rejected', code: 'refund_exceeds_line' },
  ]);
  expect((await readOrder(seller, id))['refunded_minor']).toBe(6_000);
});

test('only what the marketplace refunds of a request counts', async () => {
  const { id, line, shipping } = await delivered();
  const made = await refund(
    id,
    { order_line_id: line, quantity: 1, amount_minor: 2_000 },
    { order_line_id: shipping, amount_minor: 500 },
  );
  const { refund_id } = made.body;
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor: 1_500 }];
  const data = { refund_id: 'rf_part', seller_refund_id: refund_id, lines };
  await apply(app, orderEvent(app, seller, 'refund.created', id, data));
  const order = await readOrder(seller, id);
  expect(order.refunds).toMatchObject([
    { amount_minor: 1_500, lines: [{ order_line_id: line, amount_minor: 1_500 }] },
  ]);
  expect(order.lines.map(({ refundable_minor }) => refundable_minor)).toEqual([4_500, 500]);
});

test('no more is refunded than the buyer paid', async () => {
  const { id, line } = await delivered();
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', id, { charge_id: 'ch_1', captured_minor: 1_000 }),
  );
  const much = await refund(id, { order_line_id: line, amount_minor: 1_001 });
  expect([much.status, much.body]).toMatchObject([
    409,
    { code: 'refund_exceeds_paid', remaining_minor: 1_000 },
  ]);
  expect((await refund(id, { order_line_id: line, amount_minor: 1_000 })).status).toBe(201);
  const { allowed_actions } = await readOrder(seller, id);
  expect(allowed_actions.find(({ action }) => action === 'request_refund')).toMatchObject({
    allowed: false,
    reason: 'refund_exceeds_paid',
  });
});

test('the facts of payments and disputes are kept for the ledger', async () => {
  const { id } = await delivered();
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', id, {
      charge_id: 'ch_2',
      captured_minor: 6_500,
      charge_total_minor: 10_000,
      charge_provider_fee_minor: 205,
      share_of: [{ order_id: id, gross_minor: 6_500 }],
    }),
    orderEvent(app, seller, 'dispute.opened', id, {
      dispute_id: 'dp_1',
      amount_minor: 6_500,
      provider_fee_minor: 2_500,
    }),
    orderEvent(app, seller, 'dispute.won', id, { dispute_id: 'dp_1', returned_fee_minor: 2_500 }),
  );
  const order: Order = await readOrder(seller, id);
  expect(order).toMatchObject({
    payment_status: 'captured',
    captured_minor: 6_500,
    disputes: [{ status: 'won', provider_fee_minor: 2_500, returned_fee_minor: 2_500 }],
  });
  const kept = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.one({
      text: 'select charge_id, charge_total_minor, charge_provider_fee_minor, share_of from sales_order where order_id = $1',
      values: [id],
    }),
  );
  expect(kept).toEqual({
    charge_id: 'ch_2',
    charge_total_minor: 10_000n,
    charge_provider_fee_minor: 205n,
    share_of: [{ order_id: id, gross_minor: 6_500 }],
  });
});

test('notifications of disputes name the order by its number, and the deadline in Sydney time', async () => {
  const { id } = await delivered();
  const { order_number } = await readOrder(seller, id);
  const dispute = { dispute_id: 'dp_2', amount_minor: 6_500, provider_fee_minor: 2_500 };
  await apply(app, orderEvent(app, seller, 'dispute.opened', id, dispute));
  const { disputes } = await readOrder(seller, id);
  expect(disputes).toMatchObject([{ order_id: id, order_number }]);
  await vi.waitFor(async () => {
    const notes = await seller.call('GET', '/notifications?limit=200');
    expect(notes.body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ title: `The buyer of order ${order_number} disputes 65.00 AUD` }),
        expect.objectContaining({
          title: expect.stringMatching(
            `^New order ${order_number} of .* by \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d Sydney time$`,
          ),
        }),
      ]),
    });
  }, 10_000);
});
