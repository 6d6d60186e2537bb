/** Products that are archived are expected to sell nothing. Source: docs/forecasting.md. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { placeOrder, stocked } from '../../../../test/support/orders.ts';
import { night } from '../../../../test/support/quality.ts';
import { moveTo } from '../../../../test/support/tickets.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-09-28T00:00:00Z' });

test('an archived product has no forecast, and counts in no sum', async () => {
  let seller = await app.seller({ plan: 'Big' });
  const [kept, gone] = [await stocked(seller, 9), await stocked(seller, 9)];
  for (const { sku } of [kept, gone]) await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  [seller = seller] = await moveTo(app, '2026-09-29T00:00:00Z', seller);
  const path = `/forecasting/products/${gone.product_id}`;
  const listed = async () => {
    const list = await seller.call<{ data: { product_id: string }[] }>('GET', '/forecasting/products');
    return list.body.data.map(({ product_id }) => product_id).sort();
  };
  const shown = async () => {
    await night(app, seller);
    const { body } = await seller.call<{ products: object }>('GET', '/forecasting/summary');
    return [body.products, await listed(), (await seller.call('GET', path)).status];
  };
  const both = [kept.product_id, gone.product_id].sort();
  expect(await shown()).toEqual([{ forecast: 0, insufficient_history: 2 }, both, 200]);
  expect((await seller.call('DELETE', `/products/${gone.product_id}`)).status).toBeLessThan(300);
  // The sums are those of the night; no list has a product that has no forecast.
  expect(await listed()).toEqual([kept.product_id]);
  [seller = seller] = await moveTo(app, '2026-09-30T00:00:00Z', seller);
  expect(await shown()).toEqual([{ forecast: 0, insufficient_history: 1 }, [kept.product_id], 404]);
  expect((await seller.call('GET', `${path}/history`)).status).toBe(404);
  expect((await seller.call('PUT', `${path}/policy`, { json: { pack_size: 6 } })).status).toBe(404);
});
