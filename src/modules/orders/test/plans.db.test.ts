/** Orders are read by their indexes, also for a seller that is newer than the planner's statistics. */
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { placeOrder, stocked } from '../../../../test/support/orders.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Db } from '../../../kernel/context.ts';
import { listOrders } from '../store/list-orders.ts';
import { loadOrder } from '../store/load-orders.ts';
import { shortOrders } from '../store/short-orders.ts';

// Without a worker, so that nothing is allocated during the test.
const app = await startTestApp({ CLOCK: 'manual', ROLE: 'api' });
const ORDERS = 1_500;
const EVERY = 10;

/** The columns that differ between copies of a row; `n` is the copy's number, `$3` the prefix. */
const KEYS = {
  sales_order:
    "'order_id', r.order_id || n, 'order_number', r.order_number || n, 'external_order_id', $3::text || n",
  order_line: "'order_id', r.order_id || n, 'order_line_id', r.order_line_id || $3::text || n",
} as const;
const COLUMNS =
  "select string_agg(attname, ', ') as list from pg_attribute where attrelid = $1::regclass and attnum > 0 " +
  "and attgenerated = '' and not attisdropped";

/** Copies of one order. */
async function again(client: pg.Client, orderId: string, times: number, name: string): Promise<void> {
  for (const [table, keys] of Object.entries(KEYS)) {
    const [columns] = (await client.query<{ list: string }>(COLUMNS, [table])).rows;
    const copies =
      `select (jsonb_populate_record(r, jsonb_build_object(${keys}))).* ` +
      `from ${table} r, generate_series(1, $2::int) n where r.order_id = $1`;
    const list = columns?.list ?? '';
    await client.query(`insert into ${table} (${list}) select ${list} from (${copies}) c`, [
      orderId,
      times,
      name,
    ]);
  }
}

interface Shop {
  readonly seller: TestSeller;
  readonly ordinary: string;
  readonly rare: string;
}

/** Many orders of one product, and some oversold orders of another, whose stock has come in since. */
async function shop(): Promise<Shop> {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 1_000);
  const { sku: rare, product_id } = await stocked(seller, 0);
  const ordinary = await placeOrder(app, seller, [{ sku }]);
  const short = await placeOrder(app, seller, [{ sku: rare }]);
  await runOn(app.database.adminUrl, async (client) => {
    await again(client, ordinary, ORDERS, 'a');
    await again(client, short, ORDERS / EVERY, 'b');
    // The rare row comes after all others.
    await client.query(
      "update sales_order set recorded_at = recorded_at - interval '1 day' where starts_with(order_id, $1)",
      [short],
    );
    await client.query("update order_line set status = 'accepted' where starts_with(order_id, $1)", [short]);
    await client.query('update inventory set quantity_on_hand = 5 where product_id = $1', [product_id]);
  });
  return { seller, ordinary, rare };
}

let young: Shop;
beforeAll(async () => {
  await shop();
  await runOn(app.database.adminUrl, (client) => client.query('analyze'));
  young = await shop();
});

const FETCHED =
  'select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables ' +
  "where relname in ('sales_order', 'order_line', 'inventory')";

const WORK: Readonly<Record<string, (db: Db, shop: Shop) => Promise<number>>> = {
  'orders of an SKU': async (db, { seller, rare }) =>
    (await listOrders({ db, seller_id: seller.seller_id }, { sku: rare }, undefined, 20)).length,
  'orders with a line of a status': async (db, { seller }) =>
    (await listOrders({ db, seller_id: seller.seller_id }, { line_status: 'accepted' }, undefined, 20))
      .length,
  'one order': async (db, { seller, ordinary }) =>
    (await loadOrder({ db, seller_id: seller.seller_id }, ordinary)) === undefined ? 0 : 1,
  'orders that units have come in for': async (db, { seller }) =>
    (await shortOrders(db, seller.seller_id)).length,
};

/** Rows that each read may touch: each line once, its order or stock, and the rows of the page. */
const ROWS_MAX = 4 * ORDERS;
test.each(Object.entries(WORK))('%s', async (_what, work) => {
  const { seller } = young;
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const read = async () => (await db.one<{ rows: number | null }>(sql(FETCHED)))?.rows ?? 0;
    // Often enough for PostgreSQL to choose a generic plan.
    for (let time = 0; time < 8; time += 1) {
      const before = await read();
      expect(await work(db, young)).toBeGreaterThan(0);
      expect((await read()) - before).toBeLessThan(ROWS_MAX);
    }
  });
});
