import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { centsOf, sumOf, tableOf } from '../../../../test/support/csv-tables.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { moneyObjects } from '../../../../test/support/settlements.ts';

/** The day must not end between two requests of a test, and no nightly job may close its books. */
const CLOCK = { CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z' };
const app = await startTestApp(CLOCK);

test('the statement of a payout is its settlement line by line, with this attempt, and the seller’s own', async () => {
  const [seller, stranger] = [await app.seller(), await app.seller()];
  const { payout_id, settlement_id } = await moneyObjects(app, seller);
  const path = `/payments/payouts/${payout_id}/statement.csv`;
  const answer = await seller.call('GET', path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="payout-${payout_id}.csv"`);
  const rows = tableOf(answer.text);
  expect(answer.headers.get('x-row-count')).toBe(String(rows.length));
  expect(sumOf(rows, 'amount')).toBe(centsOf('0'));
  expect(rows.at(-2)).toMatchObject({ row_type: 'payout', related_id: payout_id, amount: '-90.00' });
  expect(answer.text).toBe(
    (await seller.call('GET', `/financials/settlements/${settlement_id}/export/csv`)).text,
  );
  for (const id of [payout_id, 'pay_0'])
    expect((await stranger.call('GET', `/payments/payouts/${id}/statement.csv`)).status).toBe(404);
});

test('payouts as a file are those of the list, guarded as texts, and sum to the totals', async () => {
  const [seller, stranger] = [await app.seller(), await app.seller()];
  const { payout_id = '', settlement_id } = await moneyObjects(app, seller);
  const say = (type: string, data: object) =>
    app.events(orderEvent(app, seller, type, payout_id, data, { time: '2026-05-19T00:00:00Z' }));
  const reference = '=cmd|1';
  await say('payout.updated', { status: 'paid', bank_reference: reference, payment_reference: '-12.30' });
  const path = '/payments/payouts';
  const answer = await seller.call('GET', `${path}/export/csv`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="payouts-[-\d]{10}\.csv"$/,
  );
  const rows = tableOf(answer.text);
  expect(answer.headers.get('x-row-count')).toBe('1');
  expect(rows).toEqual([
    {
      payout_id,
      settlement_id,
      ...{ attempt: '1', status: 'paid', amount: '90.00', currency: 'AUD', provider: 'manual' },
      ...{
        created_on: expect.any(String),
        sent_on: expect.any(String),
        paid_on: '2026-05-19',
        returned_on: '',
      },
      ...{ failure_code: '', payment_reference: "'-12.30", bank_reference: `'${reference}` },
      ...{ provider_payout_id: '', retry_of: '' },
    },
  ]);
  const list = await seller.call<{ data: { payout_id: string; amount_minor: number }[] }>('GET', path);
  expect(rows.map((row) => [row['payout_id'], centsOf(row['amount'])])).toEqual(
    list.body.data.map((row) => [row.payout_id, BigInt(row.amount_minor)]),
  );
  const totals = await seller.call<{ completed: { amount_minor: number } }>('GET', `${path}/summary`);
  expect(sumOf(rows, 'amount')).toBe(BigInt(totals.body.completed.amount_minor));
  expect(tableOf((await seller.call('GET', `${path}/export/csv?status=failed`)).text)).toEqual([]);
  expect(tableOf((await stranger.call('GET', `${path}/export/csv`)).text)).toEqual([]);
  expect((await seller.call('GET', `${path}/export/csv?status=lost`)).status).toBe(422);
});
