/** The comparison of the ledger with the provider's report: to the cent, with a reason code for every difference. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { postFor } from '../../../../test/support/golden-ledger.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { type Reported, reportTo } from '../../../../test/support/provider-reports.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { minor } from '../../../kernel/money.ts';
import { move } from '../../ledger/domain/journal.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

/** The provider's list, complete until now. */
const report = (seller: TestSeller, ...transactions: Reported[]): Promise<void> =>
  reportTo(app, seller, '2026-07-20T00:00:00Z', transactions);
const reconciliation = async (seller: TestSeller) =>
  (await seller.call<{ reconciliation: Record<string, unknown> }>('GET', '/financials/balances')).body
    .reconciliation;

/** An order whose payment was captured. */
async function captured(seller: TestSeller, payment: object, time = '2026-07-19T00:00:00Z'): Promise<string> {
  const id = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
  await apply(app, orderEvent(app, seller, 'order.payment_captured', id, payment, { time }));
  return id;
}
const single = (charge: string) => ({ charge_id: charge, captured_minor: 3_333, provider_fee_minor: 68 });
const newCharge = () => `ch_${randomUUID()}`;

describe('an account', () => {
  test('whose charge the provider reports with the same amount is matched', async () => {
    const seller = await app.seller();
    const charge = newCharge();
    await captured(seller, single(charge));
    expect(await reconciliation(seller)).toMatchObject({ status: 'not_started' });
    await report(seller, { amount: 3_333, fee: 68, source: charge });
    expect(await reconciliation(seller)).toEqual({
      status: 'matched',
      scope: 'account',
      provider: 'stripe',
      provider_data_through: '2026-07-20T00:00:00.000Z',
      last_checked_at: expect.any(String),
      expected_minor: 3_265,
      reported_minor: 3_265,
      in_flight_minor: 0,
      difference_minor: 0,
      unmatched_count: 0,
      reason_codes: [],
      residue: null,
    });
  });

  test('with its part of a shared charge is matched', async () => {
    const seller = await app.seller();
    const other = await app.seller();
    const charge = newCharge();
    const ids = ['ord_a', 'ord_b'].map((name) => `${name}${randomUUID().replaceAll('-', '')}`);
    const places = await Promise.all(
      [seller, other].map((one) => placeOrder(app, one, [{ sku: 'A', title: 'A', price: 3_333 }])),
    );
    const share_of = [...places, ids[0]].map((order_id) => ({ order_id, gross_minor: 3_333 }));
    const shared = {
      charge_id: charge,
      captured_minor: 3_333,
      charge_total_minor: 9_999,
      charge_provider_fee_minor: 205,
      share_of,
    };
    await apply(
      app,
      orderEvent(app, seller, 'order.payment_captured', String(places[0]), shared),
      orderEvent(app, other, 'order.payment_captured', String(places[1]), shared),
    );
    await report(seller, { amount: 9_999, fee: 205, source: charge });
    for (const one of [seller, other])
      expect(await reconciliation(one)).toMatchObject({ status: 'matched', difference_minor: 0 });
  });

  test.each([
    ['amount_differs', { amount: 3_334, fee: 68 }, -1],
    ['amount_differs', { amount: 3_300, fee: 68 }, 33],
    ['fee_differs', { amount: 3_333, fee: 70 }, 2],
  ])('whose charge has another amount: %s', async (code, money, difference) => {
    const seller = await app.seller();
    const charge = newCharge();
    await captured(seller, single(charge));
    await report(seller, { ...money, source: charge });
    expect(await reconciliation(seller)).toMatchObject({
      status: 'discrepancy',
      reason_codes: [code],
      difference_minor: difference,
      residue: { label: code, amount_minor: difference },
    });
  });

  test('with an unknown type, a second charge and a charge of no order', async () => {
    const seller = await app.seller();
    const charge = newCharge();
    const of = seller.seller_id;
    await captured(seller, single(charge));
    await report(
      seller,
      { amount: 3_333, fee: 68, source: charge },
      { type: 'topup_magic', amount: 5, seller: of },
      { amount: 700, source: newCharge(), seller: of, created_at: '2026-07-17T00:00:00Z' },
    );
    await report(seller, { amount: 3_333, fee: 68, source: charge });
    expect(await reconciliation(seller)).toMatchObject({
      status: 'discrepancy',
      reason_codes: ['duplicate_at_provider', 'missing_in_ledger', 'unclassified_type'],
      unmatched_count: 2,
      difference_minor: -5 - 700 - 3_265,
      residue: { label: 'unexplained_difference', amount_minor: -5 - 700 - 3_265 },
    });
  });

  test('is awaited at first, and missing after two days', async () => {
    const seller = await app.seller();
    const charge = newCharge();
    await captured(seller, single(charge));
    await captured(seller, single(newCharge()));
    await report(seller, { amount: 3_333, fee: 68, source: charge });
    expect(await reconciliation(seller)).toMatchObject({
      status: 'pending',
      unmatched_count: 1,
      difference_minor: 3_265,
      reason_codes: [],
      residue: { label: 'missing_at_provider', amount_minor: 3_265 },
    });
    const late = await app.seller();
    const known = newCharge();
    await captured(late, single(known));
    await captured(late, single(newCharge()), '2026-07-17T00:00:00Z');
    await report(late, { amount: 3_333, fee: 68, source: known });
    expect(await reconciliation(late)).toMatchObject({
      status: 'discrepancy',
      reason_codes: ['missing_at_provider'],
    });
  });

  test('the same transaction again changes nothing', async () => {
    const seller = await app.seller();
    const charge = newCharge();
    await captured(seller, single(charge));
    const id = `txn_${randomUUID()}`;
    await report(seller, { id, amount: 3_333, fee: 68, source: charge });
    await report(seller, { id, amount: 9_999, source: charge });
    expect(await reconciliation(seller)).toMatchObject({ status: 'matched', reported_minor: 3_265 });
  });
});

test('a payout that arrived is compared with the provider’s transaction', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const provider_payout_id = `po_${randomUUID()}`;
  await runOn(app.database.adminUrl, (client) =>
    client.query(
      `insert into settlement select '${seller_id}', 'stl_1', 'AUD', '2026-07-01', '2026-07-15', 'paid', 0, 500, 0, 0, 500, 0, 500,
         500, 0, '{}', 1, 1, '', 1, 1, null, null, null, null, t, t, 'test', 1 from (select timestamptz '2026-07-16T00:00:00Z' as t) x;
       insert into payout (seller_id, payout_id, settlement_id, attempt, amount_minor, currency, status, provider,
         provider_payout_id, method, created_at, bank_reference_status, version, updated_at)
       select '${seller_id}', 'pay_1', 'stl_1', 1, 500, 'AUD', 'paid', 'stripe', '${provider_payout_id}', 'bank_account', t,
         'pending', 1, t from (select timestamptz '2026-07-16T00:00:00Z' as t) x`,
    ),
  );
  const paid = {
    kind: 'payout_paid' as const,
    key: 'paid',
    currency: 'AUD',
    occurred_at: '2026-07-19T00:00:00Z',
    actor: 'test',
    payout_id: 'pay_1',
    legs: move('seller_in_transit', 'provider_clearing', minor(500)),
  };
  await postFor(app, seller_id, [paid]);
  await report(seller, { type: 'payout', amount: -500, source: provider_payout_id });
  expect(await reconciliation(seller)).toMatchObject({
    status: 'matched',
    expected_minor: -500,
    reported_minor: -500,
  });
  const payout = await seller.call('GET', '/payments/payouts/pay_1');
  expect(payout.body['reconciliation']).toMatchObject({
    status: 'matched',
    scope: 'payout',
    expected_minor: 500,
    reported_minor: 500,
    reason_codes: [],
  });
});
