/** Reorder suggestions. The sales of a day are an average over the days on which the product was in stock. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, approve, orderEvent, placeOrder, post, stocked } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z', LOG_LEVEL: 'silent' });

interface Suggestions {
  readonly data: readonly Record<string, unknown>[];
  readonly missing_components: readonly string[];
}

async function moveTo(seller: TestSeller, now: string): Promise<TestSeller> {
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } })).status).toBe(200);
  return seller.renew();
}

test('units per day leave out cancelled units and time out of stock; unknown figures are null and named', async () => {
  let [seller, other] = [await app.seller(), await app.seller()];
  const { sku, product_id } = await stocked(seller, 20, { reorder_point: 100, seller_sku: 'SAME' });
  await approve(app, seller, product_id);
  await stocked(other, 20, { seller_sku: 'SAME' });
  const order = (quantity: number) => placeOrder(app, seller, [{ sku, quantity }]);
  const answered = async (id: string, action: string, json = {}) =>
    expect(await post(seller, `${id}/${action}`, json)).toMatchObject({ status: 200 });
  const path = `/products/${product_id}`;
  const setStock = (quantity: number) =>
    seller.call('PUT', `${path}/inventory`, { json: { quantity, reorder_point: 100 } });

  seller = await moveTo(seller, '2026-06-05T00:00:00.000Z');
  await answered(await order(4), 'accept');
  seller = await moveTo(seller, '2026-06-10T00:00:00.000Z');
  await setStock(0);
  seller = await moveTo(seller, '2026-06-17T00:00:00.000Z');
  await setStock(24);
  seller = await moveTo(seller, '2026-06-20T00:00:00.000Z');
  await answered(await order(5), 'accept');
  seller = await moveTo(seller, '2026-07-02T00:00:00.000Z');
  const cancelled = await order(4);
  await apply(app, orderEvent(app, seller, 'order.cancelled', cancelled, { by: 'buyer' }));
  await answered(await order(1), 'reject', { reason: 'other' });
  await stocked(seller, 0, { reorder_point: 1, seller_sku: 'NEW' });
  other = await moveTo(other, '2026-07-03T00:00:00.000Z');
  await placeOrder(app, other, [{ sku: 'SAME', quantity: 9 }]);
  seller = await moveTo(seller, '2026-07-10T00:00:00.000Z');
  // An order of today is not part of a whole day.
  await order(1);

  const read = async () => (await seller.call<Suggestions>('GET', '/products/reorder-suggestions')).body;
  // From 10 June to 17 June it was out of stock, so 28 days in stock go back to 5 June: 4 + 5 + 1 units.
  expect(await read()).toMatchObject({
    data: [
      { seller_sku: 'NEW', sales_per_day: null, days_of_cover: null, lead_time_days: null },
      {
        seller_sku: 'SAME',
        quantity_available: 14,
        suggested_quantity: 186,
        sales_per_day: 0.36,
        days_of_cover: 38,
        lead_time_days: null,
      },
    ],
    missing_components: ['sales_history', 'lead_time'],
  });

  const settings = await seller.call('PATCH', '/sellers/me/settings', {
    json: { default_lead_time_days: 14 },
  });
  expect(settings.status).toBe(200);
  const lead = await seller.call<{ version: number }>('PUT', `${path}/reorder-point`, {
    json: { reorder_point: 100, lead_time_days: 3 },
  });
  expect(lead.status).toBe(200);
  expect(await read()).toMatchObject({
    data: [
      { seller_sku: 'NEW', lead_time_days: 14 },
      { seller_sku: 'SAME', lead_time_days: 3 },
    ],
    missing_components: ['sales_history'],
  });
  // The lead time stays when only the reorder point is set; null removes it.
  await seller.call('PUT', `${path}/reorder-point`, { json: { reorder_point: 99 } });
  expect((await read()).data[1]).toMatchObject({ reorder_point: 99, lead_time_days: 3 });
  await seller.call('PUT', `${path}/reorder-point`, { json: { reorder_point: 99, lead_time_days: null } });
  expect((await read()).data[1]).toMatchObject({ lead_time_days: 14 });
  for (const lead_time_days of [-1, 366, 1.5, '3'])
    expect(
      (await seller.call('PUT', `${path}/reorder-point`, { json: { reorder_point: 1, lead_time_days } }))
        .status,
    ).toBe(422);
});
