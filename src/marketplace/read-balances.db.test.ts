/** Compares the balances that the marketplace reads with those of the worked example. */
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../../test/support/app.ts';
import { GOLDEN_JOURNALS, postFor } from '../../test/support/golden-ledger.ts';
import { callInternal } from '../../test/support/internal.ts';

// Without workers: settlements must not close again what the journals of the example have closed.
const app = await startTestApp({
  ROLE: 'api',
  CLOCK: 'manual',
  CLOCK_START: '2026-08-31T13:59:59.999Z',
  LOG_LEVEL: 'silent',
});
let sellerId: string;
beforeAll(async () => {
  sellerId = (await app.seller()).seller_id;
  await postFor(app, sellerId, GOLDEN_JOURNALS);
});

async function balances(query = '') {
  const { status, body } = await callInternal(app, 'GET', `/internal/v1/ledger/balances${query}`);
  const data = (body?.['data'] ?? []) as { account: string; currency: string; balance_minor: number }[];
  return { status, body, of: Object.fromEntries(data.map((row) => [row.account, row.balance_minor])), data };
}

test('balances of now match the example, and sum to zero', async () => {
  const { status, of, data } = await balances();
  expect(status).toBe(200);
  expect(of).toMatchObject({
    loyalty_fund: -2_036,
    platform_fee_income: -15_819,
    seller_order_fee_income: -300,
    seller_payable: 0,
    seller_settled: 0,
    seller_in_transit: 0,
    manual_adjustments: 1_255,
  });
  expect(data.reduce((sum, { balance_minor }) => sum + balance_minor, 0)).toBe(0);
});

test('balances of a past instant and of the end of a day, of all sellers and of one', async () => {
  const day = await balances('?as_of=2026-07-16');
  expect(day.of).toMatchObject({ seller_payable: -3_872, seller_settled: 0, seller_in_transit: -94_959 });
  const before = await balances(`?as_of=2026-07-16T01:59:59Z&seller_id=${sellerId}`);
  expect(before.of).toMatchObject({ seller_settled: -94_959 });
  expect(before.of['seller_in_transit']).toBeUndefined();
  expect((await balances('?seller_id=slr_none')).data).toEqual([]);
});

test.each(['?as_of=tomorrow', '?as_of=2026-09-02', '?account=rounding'])('%s is refused', async (query) => {
  expect((await balances(query)).status).toBe(422);
});

test('without the marketplace’s token it is 401', async () => {
  const { status } = await callInternal(app, 'GET', '/internal/v1/ledger/balances', { token: null });
  expect(status).toBe(401);
});
