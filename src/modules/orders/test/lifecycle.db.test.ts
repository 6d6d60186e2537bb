import { expect, test } from 'vitest';
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
  TRACKING,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();
const PARCEL = { weight_g: 500, length_mm: 200, width_mm: 150, height_mm: 100 };

test('a placed order waits, reserves stock and lists its allowed actions', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [
    { sku, quantity: 3, price: 2_499 },
    { kind: 'shipping', price: 995 },
  ]);
  const answer = await seller.call<Order>('GET', `/orders/${id}`);
  expect(answer.headers.get('etag')).toMatch(/^"1~[\w-]{16}"$/);
  const order = answer.body;
  expect(order).toMatchObject({
    order_id: id,
    status: 'awaiting_acceptance',
    payment_status: 'pending',
    refund_status: 'none',
    attention: [],
    items_minor: 7_497,
    shipping_minor: 995,
    total_minor: 8_492,
    currency: 'AUD',
    currency_exponent: 2,
    version: 1,
  });
  expect(order.lines.map(({ quantities }) => quantities['awaiting'])).toEqual([3, 0]);
  expect(await stockOf(seller, product_id)).toEqual([10, 3]);
  const allowed = order.allowed_actions.filter((one) => one.allowed).map(({ action }) => action);
  expect(allowed).toEqual(['accept', 'reject']);
  expect(order.allowed_actions.find(({ action }) => action === 'dispatch')).toMatchObject({
    allowed: false,
    reason: 'no_draft_shipment',
  });
  const window = Date.parse(order.deadlines['accept_by'] ?? '') - Date.parse(String(order['created_at']));
  expect(window).toBe(24 * 3_600_000);
  expect((await other.call('GET', `/orders/${id}`)).status).toBe(404);
});

test('from placement to delivery, with stock and events at each step', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku, quantity: 4 }]);
  const accepted = await post(seller, `${id}/accept`);
  expect(accepted.status).toBe(200);
  expect(accepted.body).toMatchObject({ status: 'accepted', version: 2 });
  expect(accepted.body.deadlines['dispatch_by']).not.toBeNull();
  expect(await stockOf(seller, product_id)).toEqual([10, 4]);

  const [line] = accepted.body.lines;
  const lines = [{ order_line_id: line?.order_line_id, quantity: 1 }];
  const first = await shipAll(seller, id, { lines, packages: [PARCEL] });
  expect(first).toMatchObject({ status: 'dispatched', order_status: 'partially_shipped' });
  expect(await stockOf(seller, product_id)).toEqual([9, 3]);
  const second = await shipAll(seller, id);
  expect(second.order_status).toBe('shipped');
  expect(await stockOf(seller, product_id)).toEqual([6, 0]);

  await apply(
    app,
    orderEvent(app, seller, 'shipment.tracking_updated', first.shipment_id, {
      status: 'in_transit',
      at: new Date(app.app.services.now()).toISOString(),
    }),
    orderEvent(app, seller, 'shipment.delivered', first.shipment_id, {}),
  );
  expect((await readOrder(seller, id)).status).toBe('shipped');
  await apply(app, orderEvent(app, seller, 'shipment.delivered', second.shipment_id, {}));
  const order = await readOrder(seller, id);
  expect(order.status).toBe('delivered');
  expect(order.lines[0]?.quantities).toMatchObject({ ordered: 4, shipped: 4, delivered: 4, in_transit: 0 });
  const closes = Date.parse(order.deadlines['closes_at'] ?? '') - Date.parse(String(order['delivered_at']));
  expect(closes).toBe(30 * 86_400_000);
  expect(await eventTypesOf(app, seller, id)).toEqual([
    'order.created',
    'order.accepted',
    'order.shipped',
    'order.shipped',
    'order.delivered',
  ]);
  expect(await eventTypesOf(app, seller, first.shipment_id)).toEqual([
    'shipment.created',
    'shipment.in_transit',
    'shipment.delivered',
  ]);
});

test('some units are accepted, some rejected, some cancelled: every unit is in one bucket', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku, quantity: 6 }]);
  const [line] = (await readOrder(seller, id)).lines;
  const units = (quantity: number) => ({ lines: [{ order_line_id: line?.order_line_id, quantity }] });
  const part = await post(seller, `${id}/accept`, units(3));
  expect(part.body).toMatchObject({ status: 'awaiting_acceptance' });
  expect((await post(seller, `${id}/accept`, units(4))).body).toMatchObject({
    code: 'quantity_exceeds_open',
    requested: 4,
    open: 3,
  });
  const reason = { reason: 'out_of_stock', detail: 'Broke.' };
  const rejected = await post(seller, `${id}/reject`, { ...units(2), ...reason });
  expect(rejected.status).toBe(200);
  expect(await stockOf(seller, product_id)).toEqual([10, 4]);
  await post(seller, `${id}/accept`);
  const cancelled = await post(seller, `${id}/cancel`, { ...units(1), ...reason });
  expect(cancelled.body.lines[0]?.quantities).toMatchObject({
    ordered: 6,
    awaiting: 0,
    accepted_open: 3,
    rejected: 2,
    cancelled: 1,
    shipped: 0,
  });
  expect(await stockOf(seller, product_id)).toEqual([10, 3]);
  const rest = await post(seller, `${id}/cancel`, reason);
  expect(rest.body.status).toBe('cancelled');
  expect(await stockOf(seller, product_id)).toEqual([10, 0]);
});

test('a whole rejection releases the stock and ends the order', async () => {
  const { sku, product_id } = await stocked(seller, 2);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const rejected = await post(seller, `${id}/reject`, { reason: 'pricing_error' });
  expect(rejected.body).toMatchObject({ status: 'rejected' });
  expect(await stockOf(seller, product_id)).toEqual([2, 0]);
  const again = await post(seller, `${id}/accept`);
  expect([again.status, again.body]).toMatchObject([
    409,
    { code: 'invalid_transition', from: 'rejected', allowed: [] },
  ]);
  const cancel = await post(seller, `${id}/cancel`, { reason: 'other' });
  expect([cancel.status, cancel.body['code']]).toEqual([409, 'invalid_transition']);
});

test('a refusal lists the allowed actions, and each of them works', async () => {
  const { sku } = await stocked(seller, 3);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const refusal = async (path: string, json: object = {}) => {
    const { status, body } = await post<Record<string, unknown>>(seller, `${id}/${path}`, json);
    return [status, body['code'], body['from'], body['allowed']];
  };
  const awaiting = [409, 'invalid_transition', 'awaiting_acceptance', ['accept', 'reject']];
  expect(await refusal('cancel', { reason: 'other' })).toEqual(awaiting);
  expect(await refusal('shipments')).toEqual(awaiting);
  await post(seller, `${id}/accept`);
  const accepted = ['cancel', 'create_shipment', 'request_refund'];
  expect(await refusal('accept')).toEqual([409, 'invalid_transition', 'accepted', accepted]);
  const { shipment_id } = await shipAll(seller, id);
  const sent = `shipments/${shipment_id}`;
  expect(await refusal(`${sent}/dispatch`)).toEqual([
    409,
    'already_dispatched',
    'dispatched',
    ['change_tracking'],
  ]);
  expect(await refusal('cancel', { reason: 'other' })).toEqual([
    409,
    'invalid_transition',
    'shipped',
    ['change_tracking', 'request_refund'],
  ]);
  const bulk = await seller.call<{ results: { error: object }[] }>('POST', '/orders/bulk/accept', {
    json: { items: [{ order_id: id }] },
  });
  expect(bulk.body.results[0]?.error).toMatchObject({ allowed: ['change_tracking', 'request_refund'] });
});

test('events of rejections, cancellations and refused returns have the reason and the units', async () => {
  const { sku } = await stocked(seller, 9);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const order_line_id = (await readOrder(seller, id)).lines[0]?.order_line_id;
  const lines = [{ order_line_id, quantity: 1 }];
  await post(seller, `${id}/reject`, { reason: 'pricing_error', detail: 'A digit too few.', lines });
  await post(seller, `${id}/accept`);
  await post(seller, `${id}/cancel`, { reason: 'out_of_stock', lines });
  const back = { return_id: 'rtn_why', lines: [{ order_line_no: 1, quantity: 1 }] };
  await apply(
    app,
    orderEvent(app, seller, 'order.delivered', id, {}),
    orderEvent(app, seller, 'return.requested', id, back),
  );
  await post(seller, `${id}/returns/rtn_why/refuse`, { reason: 'not_eligible' });
  const told = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string; change: object }>({
      text: "select type, data -> 'change' as change from outbox where object_id = any($1)",
      values: [[id, 'rtn_why']],
    }),
  );
  const change = (type: string) => told.find((one) => one.type === type)?.change;
  expect(change('order.rejected')).toEqual({
    action: 'rejected',
    reason: 'pricing_error',
    detail: 'A digit too few.',
    facts: { lines },
  });
  const cancelled = { reason: 'out_of_stock', facts: { by: 'seller', lines } };
  for (const type of ['order.cancelled', 'order.cancelled_by_seller'])
    expect(change(type)).toMatchObject(cancelled);
  expect(change('return.refused')).toMatchObject({ reason: 'not_eligible' });
});

test('a dry run answers as the action would, and writes nothing', async () => {
  const { sku, product_id } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const before = await readOrder(seller, id);
  const dry = await post(seller, `${id}/accept?dry_run=true`);
  expect([dry.status, dry.headers.get('dry-run')]).toEqual([200, 'true']);
  expect(dry.body).toMatchObject({ status: 'accepted', version: 2 });
  expect(await readOrder(seller, id)).toEqual(before);
  expect(await eventTypesOf(app, seller, id)).toEqual(['order.created']);
  const refused = await post(seller, `${id}/cancel?dry_run=true`, { reason: 'other' });
  expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_transition']);
  await post(seller, `${id}/accept`);
  const packed = await post(seller, `${id}/shipments?dry_run=true`);
  expect(packed.status).toBe(201);
  expect((await readOrder(seller, id)).shipments).toEqual([]);
  expect(await stockOf(seller, product_id)).toEqual([5, 2]);
});

test('a dry run leaves its key free, and works with a used key', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const key = { 'idempotency-key': `rehearsed-${id}` };
  const dry = await post(seller, `${id}/accept?dry_run=true`, {}, key);
  const real = await post(seller, `${id}/accept`, {}, key);
  expect([dry.status, real.status, real.body.lines]).toEqual([200, 200, dry.body.lines]);
  const again = await post(seller, `${id}/accept`, {}, key);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect((await post(seller, `${id}/accept?dry_run=true`, {}, key)).body['code']).toBe('invalid_transition');
  const items = { items: [{ order_id: id, ...TRACKING }] };
  await post(seller, 'bulk/dispatch?dry_run=true', items, key);
  const sent = await post(seller, 'bulk/dispatch', items, key);
  expect([sent.status, sent.body]).toMatchObject([200, { counts: { succeeded: 1 } }]);
});

test('a different version is refused: 412 for If-Match, 409 for the body', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  expect((await post(seller, `${id}/accept`, {}, { 'if-match': '"7"' })).status).toBe(412);
  const conflict = await post(seller, `${id}/accept`, { version: 7 });
  expect([conflict.status, conflict.body]).toMatchObject([
    409,
    { code: 'version_conflict', version: 7, current_version: 1 },
  ]);
  const accepted = await post(seller, `${id}/accept`, { version: 1 }, { 'if-match': '"1"' });
  const tag = accepted.headers.get('etag') ?? '';
  const read = await seller.call('GET', `/orders/${id}`, { headers: { 'if-none-match': tag } });
  expect([accepted.status, read.status]).toEqual([200, 304]);
  expect((await post(seller, `${id}/shipments`, {}, { 'if-match': tag })).status).toBe(201);
  expect((await post(seller, `${id}/shipments`, {}, { 'if-match': tag })).status).toBe(412);
});

test('a repeated key runs the action once and repeats the answer', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  const key = { 'idempotency-key': `key-${id}` };
  const first = await post(seller, `${id}/shipments`, {}, key);
  const again = await post(seller, `${id}/shipments`, {}, key);
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(again.text).toBe(first.text);
  expect((await readOrder(seller, id)).shipments).toHaveLength(1);
  const missing = await seller.call<{ detail: object[] }>('POST', `/orders/${id}/shipments`, { json: {} });
  expect([missing.status, missing.body.detail]).toMatchObject([
    422,
    [{ loc: ['header', 'idempotency-key'] }],
  ]);
});

test('a 422 says what is wrong with the lines of a body', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [
    { sku, quantity: 2 },
    { kind: 'shipping', price: 500 },
  ]);
  const [line, shipping] = (await readOrder(seller, id)).lines;
  const accept = (...ids: (string | undefined)[]) =>
    post<{ detail: { loc: unknown[]; type: string }[] }>(seller, `${id}/accept`, {
      lines: ids.map((order_line_id) => ({ order_line_id, quantity: 1 })),
    });
  const loc = (index: number) => ['body', 'lines', index, 'order_line_id'];
  for (const [answer, index, type] of [
    [await accept('oli_none'), 0, 'line_not_found'],
    [await accept(line?.order_line_id, line?.order_line_id), 1, 'duplicate_line'],
    [await accept(shipping?.order_line_id), 0, 'not_an_item'],
  ] as const) {
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc: loc(index), type }]);
  }
});

test('the history has actor, reason, message and changes of each action', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await post(seller, `${id}/accept`);
  await post(seller, `${id}/cancel`, { reason: 'customer_requested', detail: 'By phone.' });
  interface Entry {
    action: string;
    actor: { kind: string; id: string | null };
    reason: string | null;
    detail: string | null;
    idempotency_key: string | null;
    changes: { field: string; before: unknown; after: unknown }[];
  }
  const page = await seller.call<{ data: Entry[]; page: { next_cursor: string } }>(
    'GET',
    `/orders/${id}/history?limit=2`,
  );
  expect(page.body.data.map(({ action }) => action)).toEqual(['cancelled', 'accepted']);
  expect(page.body.data[0]).toMatchObject({
    reason: 'customer_requested',
    detail: 'By phone.',
    actor: { kind: 'member' },
  });
  expect(page.body.data[0]?.idempotency_key).not.toBeNull();
  expect(page.body.data[0]?.changes).toContainEqual({
    field: 'lines.1.cancelled',
    before: 0,
    after: 2,
  });
  const rest = await seller.call<{ data: Entry[] }>(
    'GET',
    `/orders/${id}/history?limit=2&cursor=${page.body.page.next_cursor}`,
  );
  expect(rest.body.data.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['placed', 'marketplace'],
  ]);
  expect((await other.call('GET', `/orders/${id}/history`)).status).toBe(404);
});
