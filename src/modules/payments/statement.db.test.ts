import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { centsOf, sumOf, tableOf } from '../../../test/support/csv-tables.ts';
import { moneyObjects } from '../../../test/support/settlements.ts';

const app = await startTestApp();

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
