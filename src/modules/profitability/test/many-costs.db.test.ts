/** The cost in force is found by an index, however many costs the seller has entered. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { pricedProducts } from '../../pricing/store/products.ts';
import { goodsOfOrders } from '../store/order-costs.ts';
import { listCosts } from '../store/unit-costs.ts';

const app = await startTestApp();
const COSTS = 5_000;
const DAY = '2026-07-01';

test('a price, an order and a list read the costs of their products only', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { product_id, sku } = await stocked(seller, 9);
  const order = await placeOrder(app, seller, [{ sku, price: 2_000 }]);
  await apply(app, orderEvent(app, seller, 'order.delivered', order, {}));
  const put = await seller.call('PUT', `/profitability/unit-costs/${product_id}`, {
    json: { amount_minor: 700, effective_from: DAY },
  });
  expect(put.status).toBe(201);
  await asOwner(
    app,
    `insert into unit_cost (seller_id, cost_id, product_id, component, currency, effective_from, amount_micros,
            entered_at, entered_by)
     select seller_id, 'ucs_' || n, 'prd_' || n, component, currency, effective_from, amount_micros,
            entered_at, entered_by
       from unit_cost, generate_series(1, $2::int) n
      where seller_id = $1`,
    [seller_id, COSTS],
  );
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'read', (db) => rowsRead(db, work));
  const at = { seller_id, currency: 'AUD' };
  expect(await read((db) => pricedProducts({ db, seller_id }, DAY, [product_id]))).toBeLessThan(20);
  expect(await read((db) => goodsOfOrders({ db, ...at }, [order]))).toBeLessThan(50);
  // The costs of a page, their products, and the costs in force.
  const PAGE = 10;
  let after: readonly string[] | undefined;
  for (let page = 0; page < 3; page += 1) {
    const from = after;
    const rows = await read(async (db) => {
      const listed = await listCosts({ db, seller_id }, { day: DAY }, from, PAGE);
      expect(listed).toHaveLength(PAGE);
      after = [listed.at(-1)?.entered_at ?? '', listed.at(-1)?.cost_id ?? ''];
    });
    expect(rows).toBeLessThan(10 * PAGE);
  }
  for (const filter of [{ product_id }, { sku }])
    expect(
      await read(async (db) => {
        expect(await listCosts({ db, seller_id }, { ...filter, day: DAY }, undefined, 10)).toHaveLength(1);
      }),
    ).toBeLessThan(50);
});
