/** Files of settlements and of the activity of a quarter: each cell is tested, and compared with the API. */

import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { centsOf, sumOf, tableOf } from '../../../../test/support/csv-tables.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { bookkeeper, type Posting } from '../../../../test/support/settlements.ts';
import { sql } from '../../../../test/support/sql.ts';
import { type Minor, sumMinor } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import { issueInvoices } from '../../invoices/actions/issue-invoices.ts';

/** The day must not end between two requests of a test, and no nightly job may close its books. */
const CLOCK = { CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z', ROLE: 'api' };
const app = await startTestApp(CLOCK);
const { services } = app.app;

const csv = (seller: TestSeller, path: string) => seller.call('GET', `/financials/${path}`);
const EXPORT = 'settlements/export/csv';

/** Has the marketplace place an order; ids of its lines by their number. */
async function place(
  seller: TestSeller,
  order_id: string,
  lines: readonly object[],
): Promise<readonly string[]> {
  const data = {
    order_number: order_id,
    currency: 'AUD',
    placed_at: new Date(services.now()).toISOString(),
    buyer: { alias: 'buyer_1', customer_ref: 'cus_1' },
    ship_to: {
      name: 'A',
      line1: '1 A Street',
      city: 'Sydney',
      state: 'NSW',
      postcode: '2000',
      country: 'AU',
    },
    loyalty: true,
    seller_discount_minor: 0,
    lines,
  };
  const [result] = await app.events(orderEvent(app, seller, 'order.placed', order_id, data));
  if (result?.status !== 'applied') throw new Error(JSON.stringify(result));
  const order = await seller.call<{ lines: { order_line_id: string }[] }>('GET', `/orders/${order_id}`);
  return order.body.lines.map(({ order_line_id }) => order_line_id);
}
const item = (seller_sku: string, quantity = 1) => ({
  ...{ kind: 'item', seller_sku, title: seller_sku, quantity, unit_price_minor: 1_000 },
});
const SHIPPING = { kind: 'shipping', unit_price_minor: 995 };

const JULY = ['2026-07-16', '2026-07-31'] as const;
const AUGUST = ['2026-08-01', '2026-08-15'] as const;

async function close(seller: TestSeller, [start, end]: readonly [string, string], pay = true) {
  const settlement_id = await bookkeeper(app, seller.seller_id).close(start, end, { pay });
  const settlement = {
    settlement_id,
    currency: 'AUD',
    period_start: start,
    period_end: end,
    closed_at: `${end}T16:00:00.000Z`,
  };
  const invoices = await services.withSeller(seller.seller_id, 'write', (db) =>
    issueInvoices(acting(services, { db, seller_id: seller.seller_id }), settlement),
  );
  return { settlement_id, invoices };
}

const PAYOUT =
  'insert into payout (seller_id, payout_id, settlement_id, attempt, amount_minor, currency, status, provider, method, created_at, ' +
  "bank_reference_status, version, updated_at) values ($1, $2, $3, 1, $4, 'AUD', 'paid', 'manual', 'bank_account', $5, 'pending', 1, $5)";
const REFERENCE = 'update settlement set payment_reference = $2 where settlement_id = $1';

/** The file of docs/design/money.md#golden-example, without random ids. */
const GOLDEN =
  `row_no,row_type,posted_on,available_on,order_id,order_line_no,sku,quantity,group,type,description,amount,running_balance,currency,related_id,invoice_id,payment_reference,order_number
1,opening_balance,2026-08-01,,,,,,balance,balance_carried_in,Opening balance,-507.35,-507.35,AUD,,,,
2,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,4,gross,sale,Sale SAMOVAR,759.96,252.61,AUD,,,,ord_1010
3,transaction,2026-07-28,2026-08-04,ord_1010,2,,1,gross,sale,Sale shipping,20.00,272.61,AUD,,,,ord_1010
4,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,,fees,platform_fee,Platform fee 10.00%,-76.00,196.61,AUD,,inv_202608A_1,,ord_1010
5,transaction,2026-07-28,2026-08-04,ord_1010,2,,,fees,platform_fee,Platform fee 10.00%,-2.00,194.61,AUD,,inv_202608A_1,,ord_1010
6,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,,fees,loyalty_program_fund,Loyalty program fund,-15.20,179.41,AUD,,inv_202608A_1,,ord_1010
7,transaction,2026-07-28,2026-08-04,ord_1010,,,,fees,seller_order_fee,Seller order fee,-0.30,179.11,AUD,,inv_202608A_1,,ord_1010
8,transaction,2026-07-28,2026-08-04,ord_1010,,,,fees,payment_processing,Payment processing,-13.95,165.16,AUD,,inv_202608A_1,,ord_1010
9,transaction,2026-08-04,2026-08-04,ord_1009,,,,adjustments,manual_adjustment,Carrier damage goodwill,12.00,177.16,AUD,adj_1,,,
10,transaction,2026-08-05,2026-08-05,ord_1006,1,POT-L,,fees,platform_fee_credit,Platform fee credit,12.90,190.06,AUD,dp_1,inv_202608A_2,,ord_1006
11,transaction,2026-08-05,2026-08-05,ord_1006,2,,,fees,platform_fee_credit,Platform fee credit,1.20,191.26,AUD,dp_1,inv_202608A_2,,ord_1006
12,transaction,2026-08-06,2026-08-06,ord_1003,,,,adjustments,settlement_correction,Correction to stl_202607A,0.55,191.81,AUD,adj_2,,,
13,transaction,2026-08-10,2026-08-10,ord_1007,1,SET-6,,adjustments,chargeback_reversal,Chargeback won dp_2,89.90,281.71,AUD,dp_2,,,ord_1007
14,transaction,2026-08-10,2026-08-10,ord_1007,,,,fees,dispute_fee_credit,Dispute fee returned dp_2,25.00,306.71,AUD,dp_2,inv_202608A_2,,ord_1007
15,payout,2026-08-15,,,,,,payout,payout,Paid to bank account,-306.71,0.00,AUD,po_3,,MKT STL 202608A,
16,closing_balance,2026-08-15,,,,,,balance,balance_carried_out,Closing balance,0.00,0.00,AUD,,,,
`.replaceAll('\n', '\r\n');

/** The third settlement of the example, after one that owes 507.35. */
async function golden(): Promise<{ seller: TestSeller; settlement_id: string; invoices: readonly string[] }> {
  const seller = await app.seller();
  const books = bookkeeper(app, seller.seller_id);
  const [pot = '', potShipping = ''] = await place(seller, 'ord_1006', [item('POT-L', 2), SHIPPING]);
  const [set = ''] = await place(seller, 'ord_1007', [item('SET-6')]);
  const [samovar = '', shipping = ''] = await place(seller, 'ord_1010', [item('SAMOVAR', 4), SHIPPING]);
  const fee = (
    amount: number,
    type: Posting['type'],
    order_id: string,
    order_line_id: string | null,
    description: string,
    more: Partial<Posting> = {},
  ): Posting => ({
    ...{ amount, type, order_id, order_line_id, description },
    ...more,
  });
  await books.post('2026-07-20', [
    fee(-1_290, 'platform_fee', 'ord_1006', pot, 'Platform fee 10.00%'),
    fee(-120, 'platform_fee', 'ord_1006', potShipping, 'Platform fee 10.00%'),
    fee(-2_500, 'dispute_fee', 'ord_1007', null, 'Dispute fee dp_2', { related_id: 'dp_2' }),
    { amount: -46_825, type: 'manual_adjustment', related_id: 'adj_0' },
  ]);
  await close(seller, JULY, false);
  const rate = 'Platform fee 10.00%';
  await books.post(
    '2026-07-28',
    [
      fee(75_996, 'sale', 'ord_1010', samovar, 'Sale SAMOVAR', { quantity: 4 }),
      fee(2_000, 'sale', 'ord_1010', shipping, 'Sale shipping', { quantity: 1 }),
      fee(-7_600, 'platform_fee', 'ord_1010', samovar, rate),
      fee(-200, 'platform_fee', 'ord_1010', shipping, rate),
      fee(-1_520, 'loyalty_program_fund', 'ord_1010', samovar, 'Loyalty program fund'),
      fee(-30, 'seller_order_fee', 'ord_1010', null, 'Seller order fee'),
      fee(-1_395, 'payment_processing', 'ord_1010', null, 'Payment processing'),
    ],
    { not_before: '2026-08-04' },
  );
  await books.post('2026-08-04', [
    fee(1_200, 'manual_adjustment', 'ord_1009', null, 'Carrier damage goodwill', { related_id: 'adj_1' }),
  ]);
  const lost = { related_id: 'dp_1' };
  await books.post('2026-08-05', [
    fee(1_290, 'platform_fee_credit', 'ord_1006', pot, 'Platform fee credit', lost),
    fee(120, 'platform_fee_credit', 'ord_1006', potShipping, 'Platform fee credit', lost),
  ]);
  await books.post('2026-08-06', [
    fee(55, 'settlement_correction', 'ord_1003', null, 'Correction to stl_202607A', { related_id: 'adj_2' }),
  ]);
  const won = { related_id: 'dp_2' };
  await books.post('2026-08-10', [
    fee(8_990, 'chargeback_reversal', 'ord_1007', set, 'Chargeback won dp_2', won),
    fee(2_500, 'dispute_fee_credit', 'ord_1007', null, 'Dispute fee returned dp_2', won),
  ]);
  const closed = await close(seller, AUGUST);
  await books.inside(async (db) => {
    await db.run(
      sql(PAYOUT, [seller.seller_id, 'pay_3', closed.settlement_id, 30_671, '2026-08-17T01:00:00Z']),
    );
    await db.run(sql(REFERENCE, [closed.settlement_id, 'MKT STL 202608A']));
  });
  return { seller, ...closed };
}

describe('a settlement as a file', () => {
  test('equals the example in every cell except the ids', async () => {
    const { seller, settlement_id, invoices } = await golden();
    const answer = await csv(seller, `settlements/${settlement_id}/export/csv`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="settlement-AUD-2026-08-01-2026-08-15.csv"',
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-row-count')).toBe('16');
    expect(answer.text.split('\r\n', 1)).toEqual([
      'settlement_id,period_start,period_end,row_no,row_type,posted_on,available_on,order_id,order_line_no,sku,quantity,group,type,description,amount,running_balance,currency,transaction_id,related_id,invoice_id,payment_reference,order_number',
    ]);
    const names = new Map([
      [invoices[0] ?? '', 'inv_202608A_1'],
      [invoices[1] ?? '', 'inv_202608A_2'],
      ['pay_3', 'po_3'],
    ]);
    const rows = tableOf(answer.text);
    const shown = rows.map(
      ({ settlement_id: _id, period_start: _start, period_end: _end, transaction_id: _line, ...cells }) =>
        Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, names.get(cell) ?? cell])),
    );
    expect(shown).toEqual(tableOf(GOLDEN));
    expect(
      new Set(rows.map((row) => `${row['settlement_id']} ${row['period_start']} ${row['period_end']}`)),
    ).toEqual(new Set([`${settlement_id} ${AUGUST.join(' ')}`]));
    const transactions = rows.flatMap(({ transaction_id = '' }) =>
      transaction_id === '' ? [] : [transaction_id],
    );
    expect(new Set(transactions).size).toBe(13);
    // The same lines as over the API, in the same order.
    type Entry = Readonly<Record<'amount_minor' | 'running_balance_minor', number>> & {
      transaction_id: string;
    };
    const entries = await seller.call<{ data: Entry[] }>(
      'GET',
      `/financials/settlements/${settlement_id}/entries`,
    );
    expect(
      rows
        .filter(({ row_type }) => row_type === 'transaction')
        .map((row) => [row['transaction_id'], centsOf(row['amount']), centsOf(row['running_balance'])]),
    ).toEqual(
      entries.body.data.map((entry) => [
        entry.transaction_id,
        BigInt(entry.amount_minor),
        BigInt(entry.running_balance_minor),
      ]),
    );
    // Both settlements in one file, the first period first.
    const both = tableOf((await csv(seller, EXPORT)).text);
    expect(both.filter((row) => row['settlement_id'] === settlement_id)).toEqual(rows);
    expect(both[0]?.['period_start']).toBe(JULY[0]);
    // The proof names the orders by the same numbers; one that only the ledger knows has none.
    const proof = await seller.call<{ data: { order_number: string | null }[] }>(
      'GET',
      `/financials/settlements/${settlement_id}/proof`,
    );
    const numbers = proof.body.data.map(({ order_number }) => order_number);
    expect(numbers).toEqual([null, 'ord_1006', 'ord_1007', null, 'ord_1010']);
  });

  test('sums to zero in every layout, and a header counts its rows', async () => {
    const { seller, settlement_id } = await golden();
    const zero: Minor = centsOf('0');
    for (const query of [
      '',
      '?layout=detail',
      '?layout=journal',
      '?layout=clearing',
      '?shape=xero-statement',
      '?shape=qbo-3col',
    ]) {
      const answer = await csv(seller, `${EXPORT}${query}`);
      const table = tableOf(answer.text);
      const column = ['amount', 'Amount', '*Amount'].find((name) => name in (table[0] ?? {})) ?? '';
      expect(sumOf(table, column), query).toBe(zero);
      expect(answer.headers.get('x-row-count'), query).toBe(String(table.length));
    }
    const detail = tableOf((await csv(seller, `${EXPORT}?to=2026-07-31`)).text);
    expect(detail.at(-1)).toMatchObject({
      row_type: 'closing_balance',
      amount: '507.35',
      running_balance: '0.00',
    });
    expect(detail.some(({ row_type }) => row_type === 'payout')).toBe(false);
    const four = tableOf((await csv(seller, `settlements/${settlement_id}/export/csv?shape=qbo-4col`)).text);
    expect(sumMinor(four.map(({ Credit = '' }) => centsOf(Credit || '0')))).toBe(
      sumMinor(four.map(({ Debit = '' }) => centsOf(Debit || '0'))),
    );
  });

  test('begins with a byte order mark on request', async () => {
    const seller = await app.seller();
    const first = async (query: string) => {
      const headers = { authorization: `Bearer ${seller.token}` };
      const answer = await fetch(`${app.url}/api/v1/financials/${EXPORT}${query}`, { headers });
      return Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 5);
    };
    expect(await first('?bom=1')).toBe('\u00ef\u00bb\u00bfse');
    expect(await first('')).toBe('settl');
  });

  test('has few rows by type, as a clearing account, and in the layouts of other programs', async () => {
    const { seller, settlement_id } = await golden();
    const of = async (query: string) =>
      (await csv(seller, `settlements/${settlement_id}/export/csv?${query}`)).text.replaceAll(
        settlement_id,
        'STL',
      );
    expect(await of('layout=journal')).toBe(
      [
        'settlement_id,period_end,group,type,amount,count,currency',
        ...[
          'balance,balance_carried_in,-507.35,1',
          'gross,sale,779.96,2',
          'fees,platform_fee,-78.00,2',
          'fees,platform_fee_credit,14.10,2',
          'fees,loyalty_program_fund,-15.20,1',
          'fees,seller_order_fee,-0.30,1',
          'fees,payment_processing,-13.95,1',
          'fees,dispute_fee_credit,25.00,1',
          'adjustments,chargeback_reversal,89.90,1',
          'adjustments,manual_adjustment,12.00,1',
          'adjustments,settlement_correction,0.55,1',
          'payout,payout,-306.71,1',
          'balance,balance_carried_out,0.00,1',
        ].map((cells) => `STL,2026-08-15,${cells},AUD`),
        '',
      ].join('\r\n'),
    );
    const lines = [
      ['2026-08-01', '-507.35', 'Opening balance'],
      ['2026-08-15', '779.96', 'Sales'],
      ['2026-08-15', '-63.90', 'Platform fee'],
      ['2026-08-15', '-15.20', 'Loyalty program fund'],
      ['2026-08-15', '-0.30', 'Seller order fee'],
      ['2026-08-15', '11.05', 'Payment processing'],
      ['2026-08-15', '102.45', 'Adjustments'],
      ['2026-08-15', '-306.71', 'Paid to bank account'],
    ] as const;
    const au = (date: string) => date.split('-').reverse().join('/');
    const payee = 'Example Marketplace Pty Ltd';
    const file = (header: string, rows: readonly string[]) => [header, ...rows, ''].join('\r\n');
    expect(await of('layout=clearing')).toBe(
      file(
        'Date,Amount,Payee,Description,Reference',
        lines.map(([date, amount, text]) => `${date},${amount},${payee},${text},STL`),
      ),
    );
    expect(await of('shape=xero-statement')).toBe(
      file(
        '*Date,*Amount,Payee,Description,Reference,Cheque Number',
        lines.map(([date, amount, text]) => `${au(date)},${amount},${payee},${text},STL,`),
      ),
    );
    expect(await of('shape=qbo-3col')).toBe(
      file(
        'Date,Description,Amount',
        lines.map(([date, amount, text]) => `${au(date)},${text} STL,${amount}`),
      ),
    );
    expect(await of('shape=qbo-4col')).toBe(
      file(
        'Date,Description,Credit,Debit',
        lines.map(
          ([date, amount, text]) =>
            `${au(date)},${text} STL,${amount.startsWith('-') ? `,${amount.slice(1)}` : `${amount},`}`,
        ),
      ),
    );
  });

  test('guards texts that a spreadsheet would run, and no amount', async () => {
    const seller = await app.seller();
    const [line = ''] = await place(seller, 'ord_1', [item('-1+2')]);
    await bookkeeper(app, seller.seller_id).post('2026-08-03', [
      {
        amount: -500,
        type: 'refund',
        order_id: 'ord_1',
        order_line_id: line,
        related_id: '@r',
        description: '=HYPERLINK("x","y")',
      },
    ]);
    const { settlement_id } = await close(seller, AUGUST);
    const { text } = await csv(seller, `settlements/${settlement_id}/export/csv`);
    expect(text).toContain('"\'=HYPERLINK(""x"",""y"")"');
    expect(text).toContain(",'-1+2,");
    expect(text).toContain(",'@r,");
    expect(text).toContain(',-5.00,-5.00,AUD,');
  });

  test('has only a header without settlements; another seller’s is 404; layout and shape together are refused', async () => {
    const { settlement_id } = await golden();
    const stranger = await app.seller();
    const empty = await csv(stranger, EXPORT);
    expect([empty.status, empty.headers.get('x-row-count'), empty.text.split('\r\n').length]).toEqual([
      200,
      '0',
      2,
    ]);
    for (const id of [settlement_id, 'stl_0', 'x'])
      expect((await csv(stranger, `settlements/${id}/export/csv`)).status).toBe(404);
    expect((await csv(stranger, `${EXPORT}?layout=journal&shape=qbo-3col`)).status).toBe(422);
    expect((await csv(stranger, `${EXPORT}?shape=clearing`)).status).toBe(422);
  });

  test('of the open period has the lines so far, if the request includes it', async () => {
    const { seller } = await golden();
    await bookkeeper(app, seller.seller_id).post('2026-08-20', [
      { amount: 1_000, type: 'sale', order_id: 'ord_9' },
      { amount: -100, type: 'platform_fee', order_id: 'ord_9' },
    ]);
    const without = tableOf((await csv(seller, EXPORT)).text);
    const whole = tableOf((await csv(seller, `${EXPORT}?include_open=true`)).text);
    const open = whole.slice(without.length);
    expect(whole.slice(0, without.length)).toEqual(without);
    expect(open.map(({ row_type, amount, running_balance }) => [row_type, amount, running_balance])).toEqual([
      ['opening_balance', '0.00', '0.00'],
      ['transaction', '10.00', '10.00'],
      ['transaction', '-1.00', '9.00'],
      ['closing_balance', '-9.00', '0.00'],
    ]);
    const path = `settlements/${open[0]?.['settlement_id']}/export/csv`;
    const refused = await seller.call<Record<string, unknown>>('GET', `/financials/${path}`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'settlement_open']);
    const proof = `/financials/settlements/${open[0]?.['settlement_id']}/proof`;
    const { body: unproved } = await seller.call<Record<string, unknown>>('GET', proof);
    expect(refused.body['closes_at']).toBe(unproved['closes_at']);
    expect(tableOf((await csv(seller, `${path}?include_open=true`)).text)).toEqual(open);
  });
});
