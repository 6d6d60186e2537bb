/** Figures of sales read each order of their days once, and no other order. */
import { expect, test } from 'vitest';
import { fillLedger } from '../../../../bench/lab/ledger.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { orderSums, sumsOfOrders } from '../../account/index.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-31T02:00:00Z' });
const DAYS = { start: '2026-07-02', end: '2026-07-31' };
/** In ten days of a hundred, each with three lines. */
const ORDERS = 1_000;
const LINES = 3;
/** Legs of an order, and those of its statement. */
const [LEGS, SHOWN] = [15, 8];

test('coverage and components read the lines of their orders once', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const size = { orders: ORDERS, linesEach: LINES, from: '2026-03-29', to: '2026-07-06' };
  await runOn(app.database.adminUrl, async (client) => {
    await fillLedger(client, seller_id, size);
    await client.query('analyze');
  });
  const { body } = await seller.call<Record<string, unknown>>('GET', '/profitability/coverage');
  const few = 50;
  expect(body).toMatchObject({
    gross_minor: few * LINES * 2_000,
    covered_bps: 0,
    facts_through_on: '2026-07-30',
  });
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'snapshot', (db) => rowsRead(db, work));
  const found = await read(async (db) => {
    const of = { db, seller_id, currency: 'AUD' };
    for await (const order of orderSums(of, DAYS, { bucket: 'gross' })) expect(order).toHaveLength(LINES);
  });
  // The lines of the days, the first line of each order, its legs, its lines, and itself.
  expect(found).toBeLessThanOrEqual(few * (SHOWN + SHOWN + LEGS + LINES + 1));
  const ids = Array.from({ length: few }, (_, n) => `ord_${String(ORDERS - n).padStart(26, '0')}`);
  const shown = await read(async (db) => {
    const sums = await sumsOfOrders({ db, seller_id, currency: 'AUD' }, ids);
    expect([sums.size, sums.get(ids[0] ?? '')?.length]).toEqual([few, SHOWN]);
  });
  expect(shown).toBeLessThanOrEqual(few * (LEGS + SHOWN + 1));
});
