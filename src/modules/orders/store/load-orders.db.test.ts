/** A read asks only the tables in which an order may have rows, and misses no row. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { placeOrder, shipAll, stocked } from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { part } from '../../../platform/db/statement.ts';
import { loadOrder, loadStocked, readStocked } from './load-orders.ts';
import { CHILDREN, ORDER } from './tables.ts';

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
      const found = await loadStocked({ db, seller_id }, id);
      expect(found?.order).toEqual(await loadOrder({ db, seller_id }, id));
      expect(found?.order.shipments).toHaveLength(id === packed ? 1 : 0);
    }
    const page = await readStocked({ db, seller_id }, part`sales_order o where o.seller_id = ${seller_id}`);
    expect(page.map(({ order: { shipments } }) => shipments.length).sort()).toEqual([0, 1]);
  });
});

test('rows that are read as JSON have the values of their columns, which are as declared', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 5);
  const order_id = await placeOrder(app, seller, [{ sku }]);
  await withSeller(seller.seller_id, 'read', async (db) => {
    const at = { db, seller_id: seller.seller_id };
    const order = await loadOrder(at, order_id);
    expect(order?.head).toEqual(await ORDER.find(at, { order_id }));
    expect(order?.lines).toEqual(await db.all(CHILDREN.lines.select(at.seller_id, part`true`)));
    // The driver compares PostgreSQL's description of each table with the declared columns.
    for (const table of Object.values(CHILDREN)) await db.all<object>(table.select(at.seller_id, part`true`));
  });
});

test('parts are read although a writer of an older release did not name them', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku }]);
  await seller.call('POST', `/orders/${id}/accept`);
  await shipAll(seller, id);
  // The older release writes a new version and does not name the parts.
  await runOn(app.database.adminUrl, (client) =>
    client.query("update sales_order set version = version + 1, parts = '{}' where order_id = $1", [id]),
  );
  const found = await withSeller(seller_id, 'read', (db) => loadStocked({ db, seller_id }, id));
  expect(found?.order.shipments).toHaveLength(1);
});

test('an order is read with the available stock of its missing units', async () => {
  const seller = await app.seller();
  const { sku, product_id } = await stocked(seller, 0);
  const id = await placeOrder(app, seller, [{ sku }]);
  const found = await withSeller(seller.seller_id, 'read', (db) =>
    loadStocked({ db, seller_id: seller.seller_id }, id),
  );
  expect([...(found?.available ?? [])]).toEqual([[product_id, 0]]);
});
