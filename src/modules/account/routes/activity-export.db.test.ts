/** The file of a quarter's activity: each cell is tested, and compared with the answer of the API. */
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { sumOf, tableOf } from '../../../../test/support/csv-tables.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-08-31T13:59:59.999Z',
  LOG_LEVEL: 'silent',
  // The test writes the ledger itself, and no worker may close its periods.
  ROLE: 'api',
});
const csv = (seller: TestSeller, path: string) => seller.call('GET', `/financials/${path}`);

describe('the activity of a quarter as a file', () => {
  const ACTIVITY = 'marketplace-activity/export/csv?quarter=FY2026-27-Q1';

  /** Nine orders of July, and a credit of August. */
  async function quarter(): Promise<TestSeller> {
    const seller = await app.seller();
    const books = bookkeeper(app, seller.seller_id);
    for (let index = 0; index < 9; index += 1)
      await books.post(`2026-07-0${index + 1}`, [
        { amount: index === 0 ? 11_636 : 25_000, type: 'sale', order_id: `ord_${index}` },
        { amount: index === 0 ? -3_789 : -3_000, type: 'platform_fee', order_id: `ord_${index}` },
      ]);
    await books.post('2026-08-10', [
      { amount: 3_910, type: 'platform_fee_credit', order_id: 'ord_1' },
      { amount: -20_000, type: 'refund', order_id: 'ord_1' },
    ]);
    return seller;
  }

  test('has a row for each month of the example; a future month has none', async () => {
    let seller = await quarter();
    const so_far = tableOf((await csv(seller, ACTIVITY)).text);
    expect(so_far.map(({ month }) => month)).toEqual(['2026-07', '2026-08']);
    const later = { body: { now: '2026-10-05T00:00:00.000Z' } };
    expect((await callInternal(app, 'POST', '/internal/v1/clock', later)).status).toBe(200);
    seller = await seller.renew();
    const answer = await csv(seller, ACTIVITY);
    expect(answer.text).toBe(
      [
        'period_label,period_start,period_end,month,delivered_sales,delivered_order_count,recorded_fees,currency',
        'FY2026-27-Q1,2026-07-01,2026-09-30,2026-07,2116.36,9,277.89,AUD',
        'FY2026-27-Q1,2026-07-01,2026-09-30,2026-08,0.00,0,-39.10,AUD',
        'FY2026-27-Q1,2026-07-01,2026-09-30,2026-09,0.00,0,0.00,AUD',
        '',
      ].join('\r\n'),
    );
    expect(answer.headers.get('x-row-count')).toBe('3');
    expect(answer.text.split('\r\n', 1)[0]).not.toMatch(/gst|tax|bas/i);
  });

  test('by order, with the sums of the months', async () => {
    const seller = await quarter();
    const answer = await csv(seller, `${ACTIVITY}&layout=orders`);
    const orders = tableOf(answer.text);
    const months = tableOf((await csv(seller, ACTIVITY)).text);
    expect(orders).toHaveLength(10);
    expect(answer.headers.get('x-row-count')).toBe('10');
    expect(orders.at(-1)).toEqual({
      posted_on: '2026-08-10',
      order_id: 'ord_1',
      order_number: '',
      delivered_sales: '0.00',
      recorded_fees: '-39.10',
      currency: 'AUD',
    });
    const record = await seller.call<{
      delivered_sales_minor: number;
      delivered_order_count: number;
      recorded_fees_minor: number;
    }>('GET', '/financials/taxes/bas-summary?quarter=FY2026-27-Q1');
    expect(sumOf(months, 'delivered_sales')).toBe(BigInt(record.body.delivered_sales_minor));
    expect(sumOf(months, 'recorded_fees')).toBe(BigInt(record.body.recorded_fees_minor));
    expect(months.reduce((sum, row) => sum + Number(row['delivered_order_count']), 0)).toBe(
      record.body.delivered_order_count,
    );
    for (const column of ['delivered_sales', 'recorded_fees'])
      expect(sumOf(orders, column)).toBe(sumOf(months, column));
  });

  test('needs an existing quarter', async () => {
    const seller = await app.seller();
    for (const wrong of ['FY2026-28-Q1', 'FY2026-27-Q5', 'FY2126-27-Q1', '2026'])
      expect((await csv(seller, `marketplace-activity/export/csv?quarter=${wrong}`)).status, wrong).toBe(422);
    expect((await csv(seller, 'marketplace-activity/export/csv')).status).toBe(200);
  });
});
