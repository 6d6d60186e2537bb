/** A read asks only the tables in which an order may have rows, and never misses one. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { placeOrder, shipAll, stocked } from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { part } from '../../../platform/db/statement.ts';
import { loadOrder, loadStocked, readStocked } from './load-orders.ts';

const app = await startTestApp();
const { withSeller } = app.app.services;

test('orders with and without parts read the same in two statements as in one', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { sku } = await stocked(seller, 5);
  const plain = await placeOrder(app, seller, [{ sku }]);
  const packed = await placeOrder(app, seller, [{ sku }]);
  await seller.call('POST', `/orders/${packed}/accept`);
  await shipAll(seller, packed);

  await withSeller(seller_id, 'read', async (db) => {
    for (const id of [plain, packed]) {
      const found = await loadStocked(db, seller_id, id);
      expect(found?.order).toEqual(await loadOrder(db, seller_id, id));
      expect(found?.order.shipments).toHaveLength(id === packed ? 1 : 0);
    }
    const page = await readStocked(db, seller_id, part`sales_order o where o.seller_id = ${seller_id}`);
    expect(page.map(({ order: { shipments } }) => shipments.length).sort()).toEqual([0, 1]);
  });
});

test('parts that a writer did not name are read all the same', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await seller.call('POST', `/orders/${id}/accept`);
  await shipAll(seller, id);
  // As the release before writes it: a new version, and no word of its parts.
  await runOn(app.database.adminUrl, (client) =>
    client.query("update sales_order set version = version + 1, parts = '{}' where order_id = $1", [id]),
  );
  const found = await withSeller(seller_id, 'read', (db) => loadStocked(db, seller_id, id));
  expect(found?.order.shipments).toHaveLength(1);
});

test('the stock of what an order lacks comes with it', async () => {
  const seller = await app.seller();
  const { sku, product_id } = await stocked(seller, 0);
  const id = await placeOrder(app, seller, [{ sku }]);
  const found = await withSeller(seller.seller_id, 'read', (db) => loadStocked(db, seller.seller_id, id));
  expect([...(found?.available ?? [])]).toEqual([[product_id, 0]]);
});
