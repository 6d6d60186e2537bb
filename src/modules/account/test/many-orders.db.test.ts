/** The lines of orders of a seller that is newer than the planner's statistics. */
import { expect, test } from 'vitest';
import { fillLedger } from '../../../../bench/lab/ledger.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { linesOfOrders, listLines, listOrdersWithLines } from '../store/statement-lines.ts';

const app = await startTestApp({ ROLE: 'api' });
const ORDERS = 1_000;
const SOME = 100;
/** Legs of an order with three lines, those of its statement, and what is looked up for each of these. */
const [LEGS, SHOWN, BESIDE] = [15, 8, 3];

test('each line looks up its own order, journal and settlement', async () => {
  const { seller_id } = await app.seller();
  const size = { orders: ORDERS, linesEach: 3, from: '2026-04-01', to: '2026-06-30' };
  await runOn(app.database.adminUrl, (client) => fillLedger(client, seller_id, size));
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'read', (db) => rowsRead(db, work));
  const ids = Array.from({ length: SOME }, (_, n) => `ord_${String(n + 1).padStart(26, '0')}`);
  const ofOrders = await read(async (db) => {
    const lines = await linesOfOrders({ db, seller_id }, ids);
    expect(lines).toHaveLength(SOME * SHOWN);
    expect(lines[0]).toMatchObject({
      order_id: ids[0],
      order_number: '1',
      type: 'sale',
      settlement_id: null,
    });
    expect(lines[0]?.seller_sku).toMatch(/^SKU-/);
  });
  expect(ofOrders).toBeLessThanOrEqual(SOME * (LEGS + BESIDE * SHOWN));
  const page = await read((db) => listLines({ db, seller_id }, {}, undefined, SOME));
  expect(page).toBeLessThanOrEqual(ORDERS * SHOWN + BESIDE * (SOME + 1));
  // Without statistics, PostgreSQL takes currencies for rare.
  await runOn(app.database.adminUrl, (client) => client.query('analyze ledger_entry'));
  const orders = (filter: object, currency = 'AUD') =>
    read(async (db) => {
      const found = await listOrdersWithLines({ db, seller_id, currency }, filter, undefined, SOME);
      expect(found.length > 0).toBe(currency === 'AUD');
    });
  // Each line of the page looks up the first one of its order, past the legs that are not shown.
  const ofLine = 1 + LEGS - SHOWN;
  expect(await orders({})).toBeLessThanOrEqual((SOME + 1) * SHOWN * ofLine);
  expect(await orders({ from: '2026-05-01', to: '2026-05-31' })).toBeLessThanOrEqual(
    (SOME + 1) * SHOWN * ofLine,
  );
  expect(await orders({ order_id: ids[0] })).toBeLessThanOrEqual(LEGS + SHOWN * ofLine);
  expect(await orders({}, 'NZD')).toBe(0);
});
