/** Lines are read by their indexes, also for a seller that is newer than the planner's statistics. */
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { rangePage, rangeTotals, settledPage } from '../../settlements/store/lines.ts';
import { linesOfOrders, listLines, listOrdersWithLines } from '../store/statement-lines.ts';

// The test writes the ledger itself, and no worker may close its periods.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z', ROLE: 'api' });
const ORDERS = 1_500;

interface Books {
  readonly seller: TestSeller;
  readonly settlement_id: string;
}
async function books(): Promise<Books> {
  const seller = await app.seller();
  const own = bookkeeper(app, seller.seller_id);
  const sales = Array.from({ length: ORDERS }, (_, index) => ({
    ...{ amount: 100, type: 'sale' as const },
    order_id: `ord_${index}`,
  }));
  await own.post('2026-08-03', sales);
  return { seller, settlement_id: await own.close('2026-08-01', '2026-08-15') };
}

let young: Books;
beforeAll(async () => {
  await books();
  await runOn(app.database.adminUrl, (client) => client.query('analyze'));
  young = await books();
});

const FETCHED =
  'select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables ' +
  "where relname in ('ledger_entry', 'ledger_journal', 'settlement_line', 'settlement')";
const ALL = Array.from({ length: 50 }, (_, index) => `ord_${index * 7}`);
const START = { row_no: 0, running_balance_minor: 0n };

const WORK: Readonly<Record<string, (at: SellerDb, of: Books) => Promise<readonly unknown[]>>> = {
  'the newest lines': (at) => listLines(at, {}, undefined, 50),
  'the lines of a settlement': (at, { settlement_id }) => listLines(at, { settlement_id }, undefined, 50),
  'a page of the statement': (at, { settlement_id }) => settledPage(at, settlement_id, START, 50),
  'orders by their first line': (at) => listOrdersWithLines({ ...at, currency: 'AUD' }, {}, undefined, 50),
  'the lines of some orders': (at) => linesOfOrders(at, ALL),
};

/** Twice the number of the seller's lines in all tables. */
const ROWS_MAX = 8 * ORDERS;
test.each(Object.entries(WORK))('%s', async (_what, work) => {
  await app.app.services.withSeller(young.seller.seller_id, 'write', async (db) => {
    const read = async () => (await db.one<{ rows: number | null }>(sql(FETCHED)))?.rows ?? 0;
    // Often enough for PostgreSQL to choose a generic plan.
    for (let time = 0; time < 8; time += 1) {
      const before = await read();
      expect((await work({ db, seller_id: young.seller.seller_id }, young)).length).toBeGreaterThanOrEqual(
        50,
      );
      expect((await read()) - before).toBeLessThan(ROWS_MAX);
    }
  });
});

const DAYS = 300;
const READ =
  'select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables ' +
  "where relname in ('ledger_entry', 'ledger_day')";

test('an open period reads only its own days, with any number of earlier days', async () => {
  const seller = await app.seller();
  const own = bookkeeper(app, seller.seller_id);
  const day = (number: number) => addDays('2025-10-01', number);
  for (let number = 0; number < DAYS; number += 1)
    await own.post(day(number), [{ amount: 100, type: 'sale', order_id: `ord_d${number}` }]);
  await runOn(app.database.adminUrl, (client) => client.query('analyze'));
  const range = { currency: 'AUD', closed_through: day(DAYS - 3), through: day(DAYS + 90) };
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const read = async () => (await db.one<{ rows: number | null }>(sql(READ)))?.rows ?? 0;
    const START_OF_RANGE = { ...START, posted_on: '-infinity', position: 0n };
    for (let time = 0; time < 8; time += 1) {
      const before = await read();
      const { line_count } = await rangeTotals({ db, seller_id: seller.seller_id }, range);
      const lines = await rangePage({ db, seller_id: seller.seller_id }, range, START_OF_RANGE, 50);
      expect(lines.length).toBe(line_count);
      expect(line_count).toBeGreaterThan(0);
      expect(line_count).toBeLessThan(40);
      expect((await read()) - before).toBeLessThan(6 * (line_count + 1));
    }
  });
});

test('a page of an open period reads no more than its own lines', async () => {
  const seller = await app.seller();
  const sales = Array.from({ length: ORDERS }, (_, index) => ({
    ...{ amount: 100, type: 'sale' as const },
    order_id: `ord_o${index}`,
  }));
  await bookkeeper(app, seller.seller_id).post('2026-08-20', sales);
  const range = { currency: 'AUD', closed_through: '2026-08-15', through: '2026-09-15' };
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const read = async () => (await db.one<{ rows: number | null }>(sql(READ)))?.rows ?? 0;
    let after = { ...START, posted_on: '-infinity', position: 0n };
    for (let time = 0; time < 8; time += 1) {
      const before = await read();
      const lines = await rangePage({ db, seller_id: seller.seller_id }, range, after, 50);
      expect(lines.length).toBe(51);
      expect((await read()) - before).toBeLessThan(100);
      after = lines[49] ?? after;
      expect(after.row_no).toBe(50 * (time + 1));
    }
  });
});

test('rare lines are found among many, and lines of several types in their order', async () => {
  const { seller_id } = young.seller;
  await bookkeeper(app, seller_id).post('2026-08-20', [
    { amount: -10, type: 'manual_adjustment' },
    { amount: 100, type: 'sale', order_id: 'ord_last' },
  ]);
  await app.app.services.withSeller(seller_id, 'write', async (db) => {
    const read = async () => (await db.one<{ rows: number | null }>(sql(READ)))?.rows ?? 0;
    const typesOf = async (filter: object) =>
      (await listLines({ db, seller_id }, { currency: 'AUD', ...filter }, undefined, 3)).map(
        ({ type }) => type,
      );
    for (let time = 0; time < 8; time += 1) {
      const before = await read();
      expect(await typesOf({ bucket: 'adjustments' })).toEqual(['manual_adjustment']);
      expect(await typesOf({ type: ['refund', 'refund'] })).toEqual([]);
      expect(await typesOf({ type: ['sale'], bucket: 'adjustments' })).toEqual([]);
      const both = ['sale', 'manual_adjustment', 'sale', 'sale'];
      expect(await typesOf({ type: ['manual_adjustment', 'sale', 'sale'] })).toEqual(both);
      expect((await read()) - before).toBeLessThan(30);
    }
  });
});
