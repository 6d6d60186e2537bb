/** Files that are too long for other programs. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { sumOf, tableOf } from '../../../../test/support/csv-tables.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { sql } from '../../../../test/support/sql.ts';

// The test writes the settlements itself, without journals, so they must not be audited.
const app = await startTestApp({ ROLE: 'api', CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z' });
const EXPORT = 'settlements/export/csv';
const csv = (seller: TestSeller, path: string) => seller.call('GET', `/financials/${path}`);

test('a bank statement with too many lines for an importer is split into parts that each sum to zero', async () => {
  const seller = await app.seller();
  const MANY =
    'insert into settlement (seller_id, settlement_id, currency, period_start, period_end, status, opening_balance_minor, ' +
    'gross_amount_minor, fees_minor, adjustments_minor, net_amount_minor, reserve_change_minor, payable_amount_minor, ' +
    'payout_amount_minor, closing_balance_minor, by_type, order_count, line_count, lines_sha256, calculation_version, ' +
    "ledger_position, created_at, closed_at, closed_by, version) select $1, 'stl_' || n, 'AUD', '2000-01-01'::date + n, " +
    '\'2000-01-01\'::date + n, \'paid\', 0, 10, 4, 0, 6, 0, 6, 6, 0, \'{"sale":{"lines":1,"amount_minor":10},' +
    '"platform_fee":{"lines":1,"amount_minor":-3},"seller_order_fee":{"lines":1,"amount_minor":-1}}\', 0, 0, \'\', 1, 0, ' +
    "'2026-01-01', '2026-01-01', 'test', 1 from generate_series(1, 251) n";
  await bookkeeper(app, seller.seller_id).inside((db) => db.run(sql(MANY, [seller.seller_id])));
  const parts = [];
  for (const part of ['', '&part=2']) {
    const answer = await csv(seller, `${EXPORT}?shape=xero-statement${part}`);
    const header = (name: string) => answer.headers.get(name);
    expect([answer.status, header('x-part-count')]).toEqual([200, '2']);
    expect(header('content-disposition')).toContain(`-part-${header('x-part')}-of-2.csv`);
    const table = tableOf(answer.text);
    expect([header('x-row-count'), sumOf(table, '*Amount')]).toEqual([String(table.length), 0n]);
    parts.push(table);
  }
  expect(parts.map(({ length }) => length)).toEqual([1_000, 4]);
  expect(new Set(parts.flat().map((row) => row['Reference'])).size).toBe(251);
  for (const wrong of ['shape=qbo-3col&part=3', 'layout=detail&part=2', 'layout=clearing&part=0'])
    expect((await csv(seller, `${EXPORT}?${wrong}`)).status, wrong).toBe(422);
  const whole = await csv(seller, `${EXPORT}?shape=xero-statement&from=2000-01-03`);
  expect([whole.headers.get('x-row-count'), whole.headers.get('x-part-count')]).toEqual(['1000', '1']);
  expect(whole.headers.get('content-disposition')).not.toContain('part');
  expect((await csv(seller, `${EXPORT}?layout=journal`)).headers.get('x-row-count')).toBe('1506');
});
