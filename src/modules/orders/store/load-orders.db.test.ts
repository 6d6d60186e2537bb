/** A read asks only the tables in which an order may have rows, and misses no row. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { placeOrder, shipAll, stocked } from '../../../../test/support/orders.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { part } from '../../../platform/db/statement.ts';
import { listOrders } from './list-orders.ts';
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

test('a page of the orders of a common product, or with a common line status, reads few of them', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const orders = 21_000;
  const fill = [
    `insert into sales_order (seller_id, order_id, order_number, status, payment_status, refund_status, currency,
       loyalty, items_minor, shipping_minor, seller_discount_minor, total_minor, ship_to, awaiting, accepted_open,
       placed_at, recorded_at, accept_by, placed_facts, search_text, version, updated_at)
     select $1, 'ord_' || n, n::text, 'delivered', 'captured', 'none', 'AUD', false, 1, 0, 0, 1, '{}', 0, 0, now(),
            now() + n * interval '1 ms', now(), '{}', '', 1, now()
       from generate_series(1, $2::int) n`,
    `insert into order_line (seller_id, order_line_id, order_id, line_no, kind, seller_sku, status, unit_price_minor,
       gross_minor, discount_minor, net_minor, ordered, awaiting, accepted_open, rejected, cancelled, in_transit,
       delivered, lost, returned, reserved)
     select $1, 'oln_' || n, 'ord_' || n, 1, 'item', case when n = 7 then 'RARE' else 'COMMON' end, 'delivered',
            1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0
       from generate_series(1, $2::int) n`,
  ];
  await runOn(app.database.adminUrl, async (client) => {
    for (const text of fill) await client.query(text, [seller_id, orders]);
  });
  await withSeller(seller_id, 'snapshot', async (db) => {
    for (const [filter, newest, found] of [
      [{ sku: 'COMMON' }, 'ord_21000', 51],
      [{ line_status: 'delivered' }, 'ord_21000', 51],
      [{ sku: 'RARE' }, 'ord_7', 1],
    ] as const) {
      let page: readonly { readonly order: { readonly head: { readonly order_id: string } } }[] = [];
      const rows = await rowsRead(db, async (counted) => {
        page = await listOrders({ db: counted, seller_id }, filter, undefined, 50);
      });
      expect([page.length, page[0]?.order.head.order_id]).toEqual([found, newest]);
      // The lines are counted; with their orders they would be twice as many.
      expect([filter, rows, rows < 25_000]).toEqual([filter, rows, true]);
    }
  });
});
