/**
 * Stock of orders: placement reserves it, acceptance needs it, dispatch consumes it, and no unit is sold
 * twice.
 */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  apply,
  eventTypesOf,
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

test('fifty orders at once on the last ten units sell exactly ten', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const events = Array.from({ length: 50 }, () => placement(app, seller, [{ sku }]));
  const results = await Promise.all(events.map((event) => app.events(event)));
  expect(results.flat().every(({ status }) => status === 'applied')).toBe(true);
  expect(await stockOf(seller, product_id)).toEqual([10, 10]);
  const accepted = await Promise.all(events.map(({ subject }) => post(seller, `${subject}/accept`)));
  expect(accepted.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = accepted.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(40);
  expect(new Set(refused.map(({ body }) => body['code']))).toEqual(new Set(['insufficient_stock']));
  const sold = events.filter((_, index) => accepted[index]?.status === 200);
  await Promise.all(sold.map(({ subject }) => shipAll(seller, subject)));
  expect(await stockOf(seller, product_id)).toEqual([0, 0]);
});

test('an order beyond the stock is recorded and flagged; units with stock can be accepted', async () => {
  const { sku, product_id } = await stocked(seller, 2);
  const id = await placeOrder(app, seller, [{ sku, quantity: 5 }]);
  const order = await readOrder(seller, id);
  expect(order).toMatchObject({ status: 'awaiting_acceptance', attention: ['oversold'] });
  expect(order.lines[0]).toMatchObject({ quantity_reserved: 2 });
  expect(await eventTypesOf(app, seller, product_id)).toContain('inventory.oversold');
  const whole = await post(seller, `${id}/accept`);
  expect([whole.status, whole.body]).toMatchObject([
    409,
    { code: 'insufficient_stock', lines: [{ requested: 5, in_stock: 2 }] },
  ]);
  const lines = [{ order_line_id: order.lines[0]?.order_line_id, quantity: 2 }];
  expect((await post(seller, `${id}/accept`, { lines })).status).toBe(200);
  const none = await readOrder(seller, id);
  expect(none.allowed_actions.find(({ action }) => action === 'accept')).toMatchObject({
    allowed: false,
    reason: 'insufficient_stock',
  });
  await seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: 4 } });
  const rest = await post(seller, `${id}/accept`);
  expect(rest.body).toMatchObject({ status: 'accepted', attention: ['payment_pending'] });
  expect(await stockOf(seller, product_id)).toEqual([6, 5]);
});

test.each([5, 3, 1])(
  'of %i cancelled units what took nothing from the stock puts nothing back',
  async (units) => {
    const now = app.app.services.now();
    const iso = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
    const place = async () => {
      const { sku, product_id } = await stocked(seller, 2);
      const id = await placeOrder(app, seller, [{ sku, quantity: 5 }]);
      const lines = [{ order_line_no: 1, quantity: units }];
      return {
        product_id,
        cancelled: orderEvent(app, seller, 'order.cancelled', id, { lines }, { time: iso(-2) }),
        delivered: orderEvent(app, seller, 'order.delivered', id, { delivered_at: iso(-1) }),
      };
    };
    const late = await place();
    await apply(app, late.delivered, late.cancelled);
    const early = await place();
    // Nothing is delivered when all units were cancelled in time.
    await app.events(early.cancelled, early.delivered);
    const left = 2 - Math.min(2, 5 - units);
    expect(await stockOf(seller, late.product_id)).toEqual([left, 0]);
    expect(await stockOf(seller, early.product_id)).toEqual([left, 0]);
  },
);

test('a product with unknown stock delays no order', async () => {
  const { sku, product_id } = await stocked(seller, null);
  const id = await placeOrder(app, seller, [{ sku, quantity: 7 }]);
  expect(await readOrder(seller, id)).toMatchObject({ attention: [] });
  await post(seller, `${id}/accept`);
  expect(await stockOf(seller, product_id)).toEqual([null, 7]);
  await shipAll(seller, id);
  expect(await stockOf(seller, product_id)).toEqual([null, 0]);
});

test('sales of more units than any stock can hold are recorded, and the rest is oversold', async () => {
  const { sku, product_id } = await stocked(seller, null);
  const lines = Array.from({ length: 500 }, () => ({ sku, quantity: 1_000_000 }));
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await placeOrder(app, seller, lines));
  const orders = await Promise.all(ids.map((id) => readOrder(seller, id)));
  expect(orders.map(({ attention }) => attention.includes('oversold'))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(await stockOf(seller, product_id)).toEqual([null, 1_000_000_000]);
  const [first = '', , third = '', ...later] = ids;
  const refused = await post(seller, `${third}/accept`);
  expect([refused.status, refused.body['code']]).toEqual([409, 'insufficient_stock']);
  // Newest first: the allocation job might work on an older order at the same time.
  for (const id of [...later, first])
    expect((await post(seller, `${id}/reject`, { reason: 'out_of_stock' })).body).toMatchObject({
      status: 'rejected',
    });
  expect((await post(seller, `${third}/accept`)).body).toMatchObject({
    status: 'accepted',
    attention: ['payment_pending'],
  });
  expect(await stockOf(seller, product_id)).toEqual([null, 1_000_000_000]);
});

test('two lines of one product share its stock', async () => {
  const { sku, product_id } = await stocked(seller, 3);
  const id = await placeOrder(app, seller, [
    { sku, quantity: 2 },
    { sku, quantity: 2 },
  ]);
  const order = await readOrder(seller, id);
  expect(order.lines.map(({ quantity_reserved }) => quantity_reserved)).toEqual([2, 1]);
  expect(await stockOf(seller, product_id)).toEqual([3, 3]);
});

test('the history of the product names the order that moved its stock', async () => {
  const { sku, product_id } = await stocked(seller, 3);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const { body } = await seller.call<{
    data: { action: string; actor: { kind: string }; changes: object[] }[];
  }>('GET', `/products/${product_id}/history?limit=1`);
  expect(body.data[0]).toMatchObject({
    action: 'stock_reserved',
    actor: { kind: 'marketplace' },
    changes: [
      { field: 'quantity_reserved', before: 0, after: 2 },
      { field: 'reason', before: null, after: id },
    ],
  });
});

test('concurrent adjustments and dispatches lose no unit', async () => {
  const { sku, product_id } = await stocked(seller, 100);
  const ids = await Promise.all(
    Array.from({ length: 10 }, () => placeOrder(app, seller, [{ sku, quantity: 2 }])),
  );
  await Promise.all(ids.map((id) => post(seller, `${id}/accept`)));
  const answers = await Promise.all([
    ...ids.map(async (id) => (await shipAll(seller, id)).status),
    ...Array.from({ length: 20 }, () =>
      seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: 3 } }),
    ),
    ...Array.from({ length: 10 }, (_, reorder_point) =>
      seller.call('PUT', `/products/${product_id}/reorder-point`, { json: { reorder_point } }),
    ),
  ]);
  expect(answers.map((one) => (typeof one === 'string' ? one : one.status)).filter((s) => s !== 200)).toEqual(
    ids.map(() => 'dispatched'),
  );
  expect(await stockOf(seller, product_id)).toEqual([100 + 60 - 20, 0]);
});
