/** New stock goes to oversold orders at once, however it came in. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { applied, csv, eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  allotted,
  apply,
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

// The clock stands still, so the hourly job never runs.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const seller = await app.seller({ plan: 'Small' });

const heldOf = ({ lines }: Order): number =>
  lines.reduce((sum, { quantity_reserved }) => sum + quantity_reserved, 0);
const holds = (id: string, units: number): Promise<Order> =>
  eventually(
    () => readOrder(seller, id),
    (order) => heldOf(order) === units,
  );

interface Short {
  readonly id: string;
  readonly sku: string;
  readonly product_id: string;
}
/** An order of three units, of which two have no stock. */
async function short(): Promise<Short> {
  const { sku, product_id } = await stocked(seller, 1);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  expect(await readOrder(seller, id)).toMatchObject({ attention: ['oversold'] });
  return { id, sku, product_id };
}

const WAYS: Readonly<Record<string, (short: Short) => Promise<unknown>>> = {
  'an adjustment': ({ product_id }) =>
    seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: 2 } }),
  'a stock that is set': ({ product_id }) =>
    seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 3 } }),
  'a stock that is not counted any more': ({ product_id }) =>
    seller.call('PATCH', `/products/${product_id}`, { json: { quantity_on_hand: null } }),
  'a feed': ({ sku }) =>
    applied(seller, csv([{ seller_sku: sku, quantity: 3 }]), { query: 'mode=inventory' }),
};

test.each(Object.entries(WAYS))('%s', async (_, bring) => {
  const one = await short();
  await bring(one);
  const order = await holds(one.id, 3);
  expect(order).toMatchObject({ status: 'awaiting_acceptance', attention: [] });
  expect(await eventTypesOf(app, seller, one.id)).toEqual(['order.created', 'order.stock_allocated']);
  const { body } = await seller.call('GET', `/orders/${one.id}/history?limit=1`);
  expect(body).toMatchObject({ data: [{ action: 'stock_allocated', actor: { kind: 'system' } }] });
});

test('another order’s rejection, a cancellation, and a return', async () => {
  const { sku, product_id } = await stocked(seller, 3);
  const [rejected = '', cancelled = '', returned = ''] = [
    await placeOrder(app, seller, [{ sku }]),
    await placeOrder(app, seller, [{ sku }]),
    await placeOrder(app, seller, [{ sku }]),
  ];
  const waiting = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  await post(seller, `${rejected}/reject`, { reason: 'other' });
  await holds(waiting, 1);
  await apply(app, orderEvent(app, seller, 'order.cancelled', cancelled, { by: 'buyer' }));
  await holds(waiting, 2);
  await post(seller, `${returned}/accept`);
  await shipAll(seller, returned);
  const back = { return_id: `rtn_${randomUUID()}`, lines: [{ order_line_no: 1, quantity: 1 }] };
  await apply(
    app,
    orderEvent(app, seller, 'order.delivered', returned, {}),
    orderEvent(app, seller, 'return.requested', returned, back),
  );
  const path = `${returned}/returns/${(await readOrder(seller, returned)).returns[0]?.return_id}`;
  for (const step of ['accept', 'receive']) await post(seller, `${path}/${step}`);
  await post(seller, `${path}/inspect`, { compliant: true });
  expect(await holds(waiting, 3)).toMatchObject({ attention: [] });
  expect(await stockOf(seller, product_id)).toEqual([3, 3]);
});

test('the oldest order is served first, and the rest goes to the next one', async () => {
  const { sku, product_id } = await stocked(seller, 0);
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const body = { now: new Date(app.app.services.now() + 1_000).toISOString() };
    await callInternal(app, 'POST', '/internal/v1/clock', { body });
    ids.push(await placeOrder(app, seller, [{ sku, quantity: 2 }]));
  }
  await seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 3 } });
  await holds(ids[1] ?? '', 1);
  expect((await Promise.all(ids.map((id) => readOrder(seller, id)))).map(heldOf)).toEqual([2, 1, 0]);
});

test('during concurrent placements and restocking no order misses available units', async () => {
  const { sku, product_id } = await stocked(seller, 0);
  const events = Array.from({ length: 24 }, () => placement(app, seller, [{ sku }]));
  await Promise.all([
    ...events.map((event) => apply(app, event)),
    ...events.map(() =>
      seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: 1 } }),
    ),
  ]);
  expect(
    await eventually(
      () => stockOf(seller, product_id),
      ([, reserved]) => reserved === events.length,
    ),
  ).toEqual([24, 24]);
  const orders = await Promise.all(events.map(({ subject }) => readOrder(seller, subject)));
  expect(orders.map(heldOf)).toEqual(events.map(() => 1));
});

test('without oversold orders no job is planned', async () => {
  const { sku, product_id } = await stocked(seller, 1);
  await placeOrder(app, seller, [{ sku }]);
  const jobs = () =>
    app.app.services.withSystem('jobs', 'read', (db) =>
      db.all({ text: "select from job where kind = 'products.stock_came_in'", values: [] }),
    );
  const quiet = await app.seller();
  const own = await stocked(quiet, 1);
  await placeOrder(app, quiet, [{ sku: own.sku }]);
  await allotted(app, seller);
  const json = { product_id: own.product_id, delta: 2 };
  expect((await quiet.call('POST', '/products/inventory/adjust', { json })).status).toBe(200);
  expect(await jobs()).toEqual([]);
  expect(await stockOf(seller, product_id)).toEqual([1, 1]);
});
