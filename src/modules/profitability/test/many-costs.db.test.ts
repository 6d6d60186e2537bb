/** The cost in force is found by an index, however many costs, purchases and products the seller has. */
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

/**
 * Copies of the product and its cost, and received lines of purchases: fifteen are newer than the costs. At first
 * the statistics know none of them.
 */
async function manyCosts(seller_id: string, product_id: string): Promise<void> {
  for (const text of [
    `insert into product
     select (jsonb_populate_record(p, jsonb_build_object('product_id', 'prd_' || n, 'seller_sku', 'SKU-' || n,
              'external_key', null))).*
       from product p, generate_series(1, $3::int) n
      where seller_id = $1
        and product_id = $2`,
    `insert into unit_cost (seller_id, cost_id, product_id, component, currency, effective_from, amount_micros,
            entered_at, entered_by)
     select seller_id, 'ucs_' || n, 'prd_' || n, component, currency, effective_from, amount_micros,
            entered_at, entered_by
       from unit_cost, generate_series(1, $3::int) n
      where seller_id = $1
        and product_id = $2`,
    `insert into purchase_order (seller_id, purchase_order_id, number, supplier_id, supplier_name, status, origin,
            currency, goods_minor, submitted_at, version, created_at, updated_at)
     select seller_id, 'po_' || n, n, 'sup_1', 'Supplier', 'received', 'manual', 'AUD', 700, now(), 1, now(), now()
       from unit_cost, generate_series(1, $3::int) n
      where seller_id = $1
        and product_id = $2`,
    `insert into purchase_line (seller_id, purchase_line_id, purchase_order_id, line_no, supplier_item_id,
            supplier_sku, title, product_id, pack_size, ordered_price_minor, pack_price_minor, ordered, unconfirmed,
            confirmed, received, cancelled, shipped, rejected_at_receipt, cost_from, cost_micros, cost_missing,
            cost_recorded_at)
     select seller_id, 'pol_' || n, 'po_' || n, 1, 'sit_1', 'S', 'Mug', 'prd_' || n, 1, 700, 700, 1, 0,
            0, 1, 0, 0, 0, effective_from, amount_micros, '{}', entered_at + ($3 - 15 - n) * interval '-1 s'
       from unit_cost, generate_series(1, $3::int) n
      where seller_id = $1
        and product_id = $2`,
  ])
    await asOwner(app, text, [seller_id, product_id, COSTS]);
}

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
  const freight = await seller.call('PUT', '/profitability/order-costs', {
    json: { amount_minor: 500, effective_from: DAY },
  });
  expect(freight.status).toBe(201);
  await manyCosts(seller_id, product_id);
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'read', (db) => rowsRead(db, work));
  const at = { seller_id, currency: 'AUD' };
  expect(await read((db) => pricedProducts({ db, seller_id }, DAY, [product_id]))).toBeLessThan(20);
  expect(await read((db) => goodsOfOrders({ db, ...at }, [order]))).toBeLessThan(50);
  // The costs of a page, their products, and the costs in force.
  const PAGE = 10;
  const list = (filter: Partial<Parameters<typeof listCosts>[1]>, from: readonly string[] | undefined) =>
    app.app.services.withSeller(seller_id, 'read', async (one) => {
      let listed: Awaited<ReturnType<typeof listCosts>> = [];
      const rows = await rowsRead(one, async (db) => {
        listed = await listCosts({ db, seller_id }, { ...filter, day: DAY }, from, PAGE);
      });
      expect(rows, JSON.stringify({ filter, from })).toBeLessThan(10 * PAGE);
      return listed;
    });
  for (const statistics of ['', 'analyze']) {
    await asOwner(app, statistics);
    // Purchases, both, costs, and purchases that are older than all costs.
    const bought: number[] = [];
    let after: readonly string[] | undefined;
    for (let page = 0; page < 4; page += 1) {
      if (page === 3) after = [new Date(Date.parse(after?.[0] ?? '') - 60_000).toISOString(), ''];
      const listed = await list({}, after);
      expect(listed).toHaveLength(PAGE);
      bought.push(listed.filter(({ purchase_line_id }) => purchase_line_id !== null).length);
      after = [listed.at(-1)?.entered_at ?? '', listed.at(-1)?.cost_id ?? ''];
    }
    expect(bought).toEqual([10, 5, 0, 10]);
    for (const filter of [{ product_id }, { sku }, { component: 'external_freight' }])
      expect(await list(filter, undefined), JSON.stringify(filter)).toHaveLength(1);
  }
});
