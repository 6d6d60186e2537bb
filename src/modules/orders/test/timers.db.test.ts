/** Deadlines of orders, on the service's clock. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
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
  TRACKING,
} from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const HOUR_MS = 3_600_000;
// A Monday morning in Sydney.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const first = await app.seller({ plan: 'Small' });
const now = () => app.app.services.now();

async function move(hours: number): Promise<void> {
  const body = { now: new Date(now() + hours * HOUR_MS).toISOString() };
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body });
  if (answer.status !== 200) throw new Error(answer.text);
}
/** Tokens last minutes, and the clock moves by days. */
let seller = first;
const wait = async (hours: number): Promise<void> => {
  await move(hours);
  seller = await seller.renew();
};
const iso = (ms: number): string => new Date(ms).toISOString();

test('without an answer the order is rejected when its window closes, with a warning four hours before', async () => {
  const { sku, product_id } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await wait(19.9);
  expect((await readOrder(seller, id)).attention).toEqual([]);
  await wait(0.2);
  expect((await readOrder(seller, id)).attention).toEqual(['acceptance_due']);
  await wait(4);
  const order = await readOrder(seller, id);
  expect(order).toMatchObject({ status: 'rejected', attention: [] });
  expect(await stockOf(seller, product_id)).toEqual([5, 0]);
  expect(await eventTypesOf(app, seller, id)).toEqual([
    'order.created',
    'order.acceptance_due',
    'order.expired',
  ]);
  const late = await post(seller, `${id}/accept`);
  expect([late.status, late.body['code']]).toEqual([409, 'acceptance_window_passed']);
  const actions = Object.fromEntries(order.allowed_actions.map((one) => [one.action, one.reason]));
  expect(actions).toMatchObject({ accept: 'acceptance_window_passed', reject: 'acceptance_window_passed' });
  const { body } = await seller.call<{ data: { action: string; actor: object }[] }>(
    'GET',
    `/orders/${id}/history?limit=1`,
  );
  expect(body.data).toMatchObject([{ action: 'expired', actor: { kind: 'system', id: null } }]);
});

test('accepting an order acknowledges the warning', async () => {
  let own = await app.seller();
  const { sku } = await stocked(own, 5);
  const id = await placeOrder(app, own, [{ sku, quantity: 1 }]);
  const other = await placeOrder(app, own, [{ sku, quantity: 1 }]);
  await wait(20);
  own = await own.renew();
  await post(own, `${id}/accept`);
  const warnings = async () => {
    const { data } = (
      await own.call<{ data: Record<string, unknown>[] }>('GET', '/notifications?type=order.acceptance_due')
    ).body;
    return data.filter(({ object_id }) => object_id === id || object_id === other);
  };
  const list = await eventually(warnings, (found) =>
    found.some((one) => one['acknowledged_by'] === 'system'),
  );
  expect(list).toMatchObject([
    { object_id: other, acknowledged_at: null, acknowledged_by: null },
    { object_id: id, acknowledged_at: iso(now()), href: `/api/v1/orders/${id}` },
  ]);
});

test('an expired order that is delivered was accepted elsewhere, except the units that the seller rejected', async () => {
  const { sku, product_id } = await stocked(seller, 9);
  const [id, refused] = [
    await placeOrder(app, seller, [{ sku, quantity: 3 }]),
    await placeOrder(app, seller, [{ sku, quantity: 3 }]),
  ];
  const captured = { charge_id: 'ch_late', captured_minor: 6_000, provider_fee_minor: 10 };
  await apply(app, orderEvent(app, seller, 'order.payment_captured', id, captured));
  const [line] = (await readOrder(seller, id)).lines;
  const lines = [{ order_line_id: line?.order_line_id, quantity: 1 }];
  await post(seller, `${id}/reject`, { reason: 'out_of_stock', lines });
  await post(seller, `${refused}/reject`, { reason: 'out_of_stock' });
  await wait(80);
  expect((await readOrder(seller, id)).status).toBe('rejected');
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const order = await readOrder(seller, id);
  expect(order.status).toBe('delivered');
  expect(order.lines[0]?.quantities).toMatchObject({ rejected: 1, delivered: 2, awaiting: 0 });
  expect(await stockOf(seller, product_id)).toEqual([7, 0]);
  const { body } = await seller.call<{ data: object[] }>('GET', '/fees/transactions');
  expect(body.data).toMatchObject([{ order_id: id, gross_order_amount_minor: 4_000 }]);
  const [answer] = await app.events(orderEvent(app, seller, 'order.delivered', refused, {}));
  expect(answer).toMatchObject({ status: 'rejected', code: 'invalid_transition' });
});

test('cancelled units of an expired order are not delivered, whichever event arrives first', async () => {
  const { sku, product_id } = await stocked(seller, 50);
  const some = { lines: [{ order_line_no: 1, quantity: 1 }], by: 'buyer' };
  const sets = [
    {
      before: [],
      after: [{ by: 'marketplace' }],
      status: 'cancelled',
      units: { cancelled: 3, delivered: 0 },
    },
    { before: [some], after: [some], status: 'delivered', units: { cancelled: 2, delivered: 1 } },
    { before: [], after: [some, { by: 'buyer' }], status: 'cancelled', units: { cancelled: 3, rejected: 0 } },
  ];
  for (const { before, after, status, units } of sets) {
    const start = now();
    const cancelled = (id: string, data: object, hours: number) =>
      orderEvent(app, seller, 'order.cancelled', id, data, { time: iso(start + hours * HOUR_MS) });
    const orders: string[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
      const captured = { charge_id: `ch_${id}`, captured_minor: 6_000, provider_fee_minor: 10 };
      await apply(app, orderEvent(app, seller, 'order.payment_captured', id, captured));
      for (const data of before) await apply(app, cancelled(id, data, 1));
      orders.push(id);
    }
    await wait(80);
    for (const [turn, id] of orders.entries()) {
      expect((await readOrder(seller, id)).deadlines).toMatchObject({ accept_by: null });
      const arrived = orderEvent(app, seller, 'order.delivered', id, {});
      if (turn > 0) await apply(app, arrived);
      for (const [index, data] of after.entries()) await apply(app, cancelled(id, data, 2 + index));
      if (turn === 0)
        expect(await app.events(arrived)).toMatchObject([
          { status: status === 'delivered' ? 'applied' : 'rejected' },
        ]);
      const order = await readOrder(seller, id);
      expect(order.status).toBe(status);
      expect(order.lines[0]?.quantities).toMatchObject(units);
    }
  }
  expect(await stockOf(seller, product_id)).toEqual([48, 0]);
});

test('the end of the window rejects waiting units, not accepted ones', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const [line] = (await readOrder(seller, id)).lines;
  await post(seller, `${id}/accept`, { lines: [{ order_line_id: line?.order_line_id, quantity: 2 }] });
  await wait(25);
  const order = await readOrder(seller, id);
  expect(order.status).toBe('accepted');
  expect(order.lines[0]?.quantities).toMatchObject({ accepted_open: 2, rejected: 1, awaiting: 0 });
});

test('accepted units that are not dispatched by the end of the second business day are late', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  const accepted = await post(seller, `${id}/accept`);
  const due = accepted.body.deadlines['dispatch_by'] ?? '';
  expect(Date.parse(due)).toBeGreaterThan(now() + 24 * HOUR_MS);
  await wait((Date.parse(due) - now()) / HOUR_MS - 0.1);
  expect((await readOrder(seller, id)).attention).toEqual(['payment_pending']);
  expect((await seller.call('GET', '/orders/queues')).body).toMatchObject({ to_dispatch: 2 });
  await wait(0.2);
  expect((await readOrder(seller, id)).attention).toEqual(['late', 'payment_pending']);
  expect(await eventTypesOf(app, seller, id)).toContain('order.late');
  await shipAll(seller, id);
  expect((await readOrder(seller, id)).attention).toEqual(['payment_pending']);
});

test('a cancel request without an answer is granted', async () => {
  const { sku, product_id } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  await post(seller, `${id}/accept`);
  const request = { request_id: `crq_${id}`, lines: [{ order_line_no: 1, quantity: 2 }], reason: 'changed' };
  await apply(app, orderEvent(app, seller, 'order.cancel_requested', id, request));
  expect(await readOrder(seller, id)).toMatchObject({
    attention: ['cancel_requested', 'payment_pending'],
    deadlines: { respond_by: iso(now() + 24 * HOUR_MS) },
  });
  await wait(24.1);
  const order = await readOrder(seller, id);
  expect(order.cancel_requests).toMatchObject([{ status: 'accepted', automatic: true }]);
  expect(order.lines[0]?.quantities).toMatchObject({ cancelled: 2, accepted_open: 1 });
  expect(await stockOf(seller, product_id)).toEqual([5, 1]);
  const denied = await post(seller, `${id}/cancel-requests/crq_${id}/deny`);
  expect([denied.status, denied.body]).toMatchObject([409, { code: 'already_answered', status: 'accepted' }]);
});

test('a cancel request counts as granted from its deadline on, even before the timer has run', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  const packed = await post<{ shipment_id: string }>(seller, `${id}/shipments`);
  const lines = [{ order_line_no: 1, quantity: 2 }];
  const requests = [`crq_early_${id}`, `crq_late_${id}`];
  for (const request_id of requests)
    await apply(app, orderEvent(app, seller, 'order.cancel_requested', id, { request_id, lines }));
  const denied = await post(seller, `${id}/cancel-requests/${requests[0]}/deny`);
  expect(denied.status).toBe(200);
  // As if the worker were down at the deadline.
  await app.app.services.withSystem('jobs', 'write', (db) =>
    db.run({
      text: "delete from job where kind = 'orders.timers' and payload ->> 'order_id' = $1",
      values: [id],
    }),
  );
  await wait(24);
  expect((await readOrder(seller, id)).cancel_requests).toMatchObject([
    { status: 'denied' },
    { status: 'open', respond_by: iso(now()) },
  ]);
  const late = await post(seller, `${id}/cancel-requests/${requests[1]}/deny`);
  expect([late.status, late.body]).toMatchObject([409, { code: 'already_answered', status: 'accepted' }]);
  const sent = await post(seller, `${id}/shipments/${packed.body.shipment_id}/dispatch`, TRACKING);
  expect([sent.status, sent.body['code']]).toEqual([409, 'invalid_transition']);
  // Dispatch is not listed as allowed either.
  expect(sent.body['allowed']).not.toContain('dispatch');
  const { allowed_actions } = await readOrder(seller, id);
  expect(allowed_actions.find(({ action }) => action === 'dispatch')).toMatchObject({
    allowed: false,
    reason: 'invalid_transition',
  });
  const granted = await post(seller, `${id}/cancel-requests/${requests[1]}/accept`);
  expect([granted.status, granted.body.status]).toEqual([200, 'cancelled']);
});

test('thirty days after delivery the order closes, unless a return or a dispute is open', async () => {
  const { sku } = await stocked(seller, 5);
  const quiet = await placeOrder(app, seller, [{ sku }]);
  const disputed = await placeOrder(app, seller, [{ sku }]);
  await apply(
    app,
    orderEvent(app, seller, 'order.delivered', quiet, {}),
    orderEvent(app, seller, 'order.delivered', disputed, {}),
    orderEvent(app, seller, 'dispute.opened', disputed, { dispute_id: 'dp_t', amount_minor: 500 }),
  );
  await wait(30 * 24 - 1);
  expect((await readOrder(seller, quiet)).status).toBe('delivered');
  await wait(2);
  expect(await readOrder(seller, quiet)).toMatchObject({ status: 'closed', closed_at: iso(now() - HOUR_MS) });
  expect((await readOrder(seller, disputed)).status).toBe('delivered');
  expect((await eventTypesOf(app, seller, quiet)).at(-1)).toBe('order.closed');
  await apply(app, orderEvent(app, seller, 'dispute.won', disputed, { dispute_id: 'dp_t' }));
  await wait(0.1);
  expect((await readOrder(seller, disputed)).status).toBe('closed');
  const back = { return_id: 'rtn_late', lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }] };
  expect(await app.events(orderEvent(app, seller, 'return.requested', quiet, back))).toMatchObject([
    { status: 'rejected', code: 'return_window_passed' },
  ]);
});

test('two days before an open dispute must be answered, the seller is warned once', async () => {
  const { sku } = await stocked(seller, 5);
  const ids = await Promise.all([1, 2, 3].map(() => placeOrder(app, seller, [{ sku }])));
  const [open = '', decided = '', tooLate = ''] = ids;
  const dispute = (id: string, hours: number) =>
    orderEvent(app, seller, 'dispute.opened', id, {
      dispute_id: `dp_${id}`,
      amount_minor: 500,
      respond_by: iso(now() + hours * HOUR_MS),
    });
  await apply(app, dispute(open, 72), dispute(decided, 72), dispute(tooLate, -1));
  const told = async (id: string) => {
    const [{ dispute_id } = { dispute_id: '' }] = (await readOrder(seller, id)).disputes;
    return eventTypesOf(app, seller, dispute_id);
  };
  await wait(23);
  expect(await told(open)).toEqual(['dispute.opened']);
  await apply(app, orderEvent(app, seller, 'dispute.won', decided, { dispute_id: `dp_${decided}` }));
  await wait(2);
  expect(await told(open)).toEqual(['dispute.opened', 'dispute.action_needed']);
  await wait(60);
  expect(await told(open)).toEqual(['dispute.opened', 'dispute.action_needed']);
  expect(await told(decided)).toEqual(['dispute.opened', 'dispute.won']);
  expect(await told(tooLate)).toEqual(['dispute.opened']);
});

test('stock that came in without a job is allocated within the hour', async () => {
  const { sku, product_id } = await stocked(seller, 1);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  expect(await readOrder(seller, id)).toMatchObject({ attention: ['oversold'] });
  await runOn(app.database.adminUrl, (client) =>
    client.query('update inventory set quantity_on_hand = 6 where product_id = $1', [product_id]),
  );
  const seen: Order = await readOrder(seller, id);
  expect(seen.allowed_actions.find(({ action }) => action === 'accept')).toMatchObject({ allowed: true });
  await wait(1.1);
  expect(await readOrder(seller, id)).toMatchObject({ attention: [] });
  expect(await stockOf(seller, product_id)).toEqual([6, 3]);
  expect(await eventTypesOf(app, seller, id)).toEqual(['order.created', 'order.stock_allocated']);
});

test('a deadline that is set again is kept although the job of its instant is just ending', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  await shipAll(seller, id);
  const back = { return_id: 'rtn_back', lines: [{ order_line_no: 1, quantity: 1 }] };
  const jobs = (text: string) =>
    app.app.services.withSystem('jobs', 'write', (db) =>
      db.all<{ job_id: string }>({
        text: `${text} where kind = 'orders.timers' and payload ->> 'order_id' = $1 and due_at = $2 returning job_id`,
        values: [id, due],
      }),
    );
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const due = (await readOrder(seller, id)).deadlines['closes_at'];
  // The job as a worker leaves it that has found the order busy and has not deleted the job yet.
  const [ending] = await jobs("update job set lease_until = '2999-01-01', lease_owner = 'somebody'");
  await apply(app, orderEvent(app, seller, 'return.requested', id, back));
  await post(seller, `${id}/returns/rtn_back/refuse`, { reason: 'other' });
  const left = await jobs('update job set lease_until = null, lease_owner = null');
  expect(left.filter(({ job_id }) => job_id !== ending?.job_id)).toHaveLength(1);
});

test('a tracking number can be corrected within seven days of dispatch', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  const correct = () =>
    seller.call('PATCH', `/orders/${id}/shipments/${shipment_id}/tracking`, {
      json: { tracking_number: '3JD020603601000931508' },
    });
  await wait(7 * 24 - 1);
  expect((await correct()).status).toBe(200);
  await wait(2);
  expect(await correct()).toMatchObject({ status: 409, body: { code: 'tracking_window_passed' } });
});

test('the entity tag of a read changes with the allowed actions; If-Match compares the version', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  const read = (tag: string) =>
    seller.call<Order>('GET', `/orders/${id}`, { headers: { 'if-none-match': tag } });
  const reasonOf = ({ allowed_actions }: Order) =>
    allowed_actions.find(({ action }) => action === 'change_tracking');
  const first = await read('""');
  const tag = first.headers.get('etag') ?? '';
  expect(reasonOf(first.body)).toMatchObject({ allowed: true });
  await wait(7 * 24);
  expect((await read(tag)).status).toBe(304);
  await wait(1);
  const second = await read(tag);
  expect(second.status).toBe(200);
  expect(reasonOf(second.body)).toMatchObject({ allowed: false, reason: 'tracking_window_passed' });
  expect(second.body.version).toBe(first.body.version);

  // Stale updates change no state, but are shown as scans.
  const at = iso(now());
  await apply(
    app,
    orderEvent(app, seller, 'shipment.tracking_updated', shipment_id, { status: 'in_transit', at }),
  );
  const third = await read('""');
  const older = { status: 'out_for_delivery', at: iso(now() - HOUR_MS) };
  const [stale] = await app.events(orderEvent(app, seller, 'shipment.tracking_updated', shipment_id, older));
  expect(stale).toMatchObject({ status: 'stale' });
  const fourth = await read(third.headers.get('etag') ?? '');
  expect([fourth.status, fourth.body.version]).toEqual([200, third.body.version]);
  expect(fourth.body.shipments[0]?.['tracking']).toHaveLength(2);

  const lines = [{ order_line_id: first.body.lines[0]?.order_line_id ?? '', amount_minor: 100 }];
  const refund = { lines, reason: 'late' };
  expect((await post(seller, `${id}/refunds`, refund, { 'if-match': tag })).status).toBe(412);
  const present = third.headers.get('etag') ?? '';
  expect((await post(seller, `${id}/refunds`, refund, { 'if-match': present })).status).toBe(201);
});
