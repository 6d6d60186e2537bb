/** The state of the buyer's payment, from the capture to the money that goes back. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { apply, orderEvent, placeOrder, post, readOrder, stocked } from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller();
const { sku } = await stocked(seller, 100);

const shop = async () => {
  const id = await placeOrder(app, seller, [
    { sku, quantity: 2, price: 1_000 },
    { kind: 'shipping', price: 500 },
  ]);
  const tell = (type: string, data: object) => apply(app, orderEvent(app, seller, type, id, data));
  return {
    id,
    tell,
    capture: () => tell('order.payment_captured', { charge_id: id, captured_minor: 2_500 }),
    cancel: (quantity?: number) =>
      tell('order.cancelled', quantity === undefined ? {} : { lines: [{ order_line_no: 1, quantity }] }),
    refund: (refund_id: string, order_line_no: number, amount_minor: number) =>
      tell('refund.created', { refund_id, lines: [{ order_line_no, amount_minor }] }),
    status: async () => (await readOrder(seller, id)).payment_status,
  };
};

test('refunds give the payment back in part and as a whole; a failed one does not', async () => {
  const { id, tell, capture, refund, status } = await shop();
  expect(await status()).toBe('pending');
  await capture();
  await post(seller, `${id}/accept`);
  await tell('order.delivered', {});
  expect(await status()).toBe('captured');
  const line = (await readOrder(seller, id)).lines[0]?.order_line_id;
  const asked = { lines: [{ order_line_id: line, quantity: 1, amount_minor: 100 }], reason: 'other' };
  const requested = await post(seller, `${id}/refunds`, asked);
  expect([requested.status, await status()]).toEqual([201, 'captured']);
  await refund('rf_1', 1, 1_900);
  expect(await status()).toBe('partially_refunded');
  await tell('refund.failed', { refund_id: 'rf_1' });
  expect(await status()).toBe('captured');
  await refund('rf_2', 1, 2_000);
  await refund('rf_3', 2, 500);
  expect(await status()).toBe('refunded');
  await tell('refund.confirmed', { refund_id: 'rf_3' });
  expect(await status()).toBe('refunded');
  const { body } = await seller.call<{ data: object[] }>('GET', `/orders/${id}/history`);
  expect(JSON.stringify(body.data)).toContain('partially_refunded');
});

test('an order that ends before the capture is voided; a late capture is money that goes back', async () => {
  const { cancel, capture, status } = await shop();
  await cancel(1);
  expect(await status()).toBe('pending');
  await cancel();
  expect(await status()).toBe('voided');
  await capture();
  expect(await status()).toBe('refunded');
  const rejected = await shop();
  await post(seller, `${rejected.id}/reject`, { reason: 'out_of_stock' });
  expect(await rejected.status()).toBe('voided');
});

test('units that end after the capture give their part back, and a refund of them is the same money', async () => {
  const { cancel, capture, refund, status } = await shop();
  await capture();
  await cancel(1);
  expect(await status()).toBe('partially_refunded');
  await refund('rf_1', 1, 1_000);
  expect(await status()).toBe('partially_refunded');
  await cancel();
  expect(await status()).toBe('refunded');
});
