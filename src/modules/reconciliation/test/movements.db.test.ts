/** The comparison of the ledger with the provider's refunds, disputes and payouts, early, late or repeated. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import {
  LONG_AGO,
  type Reported,
  reconciliationOf,
  reportEvent,
  reportTo,
  type Sold,
  soldAndReported,
} from '../../../../test/support/provider-reports.ts';
import { readFindings } from '../../financials/jobs/audit.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const THROUGH = '2026-07-20T00:00:00Z';

const report = (seller: TestSeller, ...transactions: Reported[]): Promise<void> =>
  reportTo(app, seller, THROUGH, transactions);
const iso = (instant: string): string => new Date(instant).toISOString();
const account = reconciliationOf;

const name = (kind: string): string => `${kind}_${randomUUID()}`;
const sold = (): Promise<Sold> => soldAndReported(app, THROUGH);
const delivered = async (): Promise<Sold> => {
  const one = await sold();
  await one.tell('order.delivered', { delivered_at: '2026-07-14T00:00:00Z' });
  return one;
};
async function refund({ tell }: Sold, ...then: readonly string[]): Promise<string> {
  const refund_id = name('rf');
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor: 1_000 }];
  await tell('refund.created', { refund_id, lines, reason: 'damaged' });
  for (const [index, type] of then.entries())
    await tell(`refund.${type}`, { refund_id }, `2026-07-15T0${index}:00:00Z`);
  return refund_id;
}

describe('a refund', () => {
  test('that was confirmed is matched by its id', async () => {
    const one = await delivered();
    const source = await refund(one, 'confirmed');
    expect(await account(one.seller)).toMatchObject({ status: 'matched' });
    await report(one.seller, { type: 'refund', amount: -1_000, source, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({
      status: 'matched',
      expected_minor: 2_265,
      reported_minor: 2_265,
    });
  });

  test('is also matched by the provider’s id of the transaction', async () => {
    const one = await delivered();
    const [refund_id, id] = [await refund(one), name('txn')];
    await one.tell('refund.confirmed', { refund_id, provider_transaction_id: id });
    await report(one.seller, { type: 'payment_refund', id, amount: -1_000, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', difference_minor: 0 });
  });

  test.each([
    ['confirmed first', ['confirmed', 'failed']],
    ['never confirmed', ['failed']],
  ])('that failed sums to zero with its failure: %s', async (_what, then) => {
    const one = await delivered();
    const source = await refund(one, ...then);
    await report(
      one.seller,
      { type: 'refund', amount: -1_000, source, created_at: LONG_AGO },
      { type: 'refund_failure', amount: 1_000, source, created_at: LONG_AGO },
    );
    expect(await account(one.seller)).toMatchObject({
      status: 'matched',
      expected_minor: 3_265,
      reported_minor: 3_265,
      unmatched_count: 0,
    });
  });

  test('that the provider has sent is pending for any time in transit', async () => {
    const one = await delivered();
    const source = await refund(one);
    const { seller_id } = one.seller;
    await report(one.seller, {
      type: 'refund',
      amount: -1_000,
      source,
      seller: seller_id,
      created_at: LONG_AGO,
    });
    expect(await account(one.seller)).toMatchObject({
      status: 'pending',
      unmatched_count: 1,
      reason_codes: [],
    });
  });

  test('that failed only at the provider is named', async () => {
    const one = await delivered();
    const source = await refund(one, 'confirmed');
    const { seller_id } = one.seller;
    await report(
      one.seller,
      { type: 'refund', amount: -1_000, source, created_at: LONG_AGO },
      { type: 'refund_failure', amount: 1_000, source, seller: seller_id, created_at: LONG_AGO },
    );
    expect(await account(one.seller)).toMatchObject({
      status: 'discrepancy',
      reason_codes: ['late_refund_failure'],
      residue: { label: 'late_refund_failure', amount_minor: -1_000 },
    });
  });

  test('with another amount differs', async () => {
    const one = await delivered();
    const source = await refund(one, 'confirmed');
    await report(one.seller, { type: 'refund', amount: -999, source, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({
      reason_codes: ['amount_differs'],
      residue: { label: 'amount_differs', amount_minor: -1 },
    });
  });

  test('of cancelled units is the release of its charge', async () => {
    const one = await sold();
    await one.tell('order.cancelled', { by: 'buyer', reason: 'changed_mind' });
    await report(one.seller, { type: 'refund', amount: -3_333, source: one.charge, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', reported_minor: -68 });
  });
});

describe('a dispute', () => {
  const open = async (one: Sold): Promise<string> => {
    const dispute_id = name('dp');
    const respond_by = '2026-07-30T00:00:00Z';
    await one.tell('dispute.opened', {
      dispute_id,
      amount_minor: 3_333,
      provider_fee_minor: 2_500,
      respond_by,
    });
    return dispute_id;
  };

  test.each([
    ['opened', [], 3_265 - 5_833],
    ['lost', [{ type: 'dispute.lost', returned: 0 }], 3_265 - 5_833],
    ['won, its fee returned', [{ type: 'dispute.won', returned: 2_500 }], 3_265],
    ['won, its fee kept', [{ type: 'dispute.won', returned: 0 }], 3_265 - 2_500],
  ])('%s is matched with its fee', async (_what, then, reported) => {
    const one = await delivered();
    const source = await open(one);
    await report(one.seller, {
      type: 'dispute',
      amount: -3_333,
      fee: 2_500,
      source,
      created_at: LONG_AGO,
    });
    for (const { type, returned } of then) {
      await one.tell(type, { dispute_id: source, returned_fee_minor: returned }, '2026-07-15T00:00:00Z');
      if (type === 'dispute.won')
        await report(one.seller, {
          type: 'dispute_reversal',
          amount: 3_333,
          fee: -returned,
          source,
          created_at: LONG_AGO,
        });
    }
    expect(await account(one.seller)).toMatchObject({
      status: 'matched',
      expected_minor: reported,
      reported_minor: reported,
      unmatched_count: 0,
    });
  });

  test('with another fee than that of the ledger differs', async () => {
    const one = await delivered();
    const source = await open(one);
    await report(one.seller, { type: 'dispute', amount: -3_333, fee: 1_500, source, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({
      reason_codes: ['amount_differs'],
      difference_minor: -1_000,
    });
  });
});

test('all invariants still hold', async () => {
  const findings = await readFindings(app.app.services.withSystemLong);
  const broken = findings.filter(({ violations }) => violations > 0);
  expect(broken.map(({ id, examples }) => [id, examples])).toEqual([]);
});

test('every night both sides are compared again, and after 36 hours without a report the comparison is stale', async () => {
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
  const charge = name('ch');
  const { seller_id } = seller;
  await report(seller, { amount: 3_333, fee: 68, source: charge, seller: seller_id });
  expect(await account(seller)).toMatchObject({ status: 'pending', unmatched_count: 1 });
  const data = { charge_id: charge, captured_minor: 3_333, provider_fee_minor: 68 };
  const time = '2026-07-19T23:00:00Z';
  await apply(app, orderEvent(app, seller, 'order.payment_captured', order, data, { time }));
  expect(await account(seller)).toMatchObject({ status: 'pending' });
  const moveTo = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  // 02:59 and 03:00 of the next day in Sydney.
  expect((await moveTo('2026-07-20T16:59:00.000Z')).status).toBe(200);
  const later = await seller.renew();
  expect(await account(later)).toMatchObject({ status: 'pending' });
  await moveTo('2026-07-20T17:00:00.000Z');
  expect(await account(later)).toMatchObject({
    status: 'matched',
    unmatched_count: 0,
    last_checked_at: '2026-07-20T17:00:00.000Z',
  });
  await moveTo('2026-07-21T12:00:00.001Z');
  const stale = await later.renew();
  expect(await account(stale)).toMatchObject({ status: 'stale', provider_data_through: iso(THROUGH) });
  // Any report counts, also about other orders.
  const other = await app.seller();
  const through = '2026-07-21T11:00:00Z';
  await reportTo(app, other, through, [{ amount: 5, source: name('ch'), seller: other.seller_id }]);
  expect(await account(stale)).toMatchObject({ status: 'matched', provider_data_through: iso(through) });
  // An empty list starts a comparison of everything.
  await reportTo(app, other, through, []);
  await expect
    .poll(async () => (await account(stale))['last_checked_at'], { timeout: 10_000 })
    .toBe('2026-07-21T12:00:00.001Z');
});

test('an unknown type is a warning in the answer to its report', async () => {
  const seller = await app.seller();
  const [result] = await app.events(
    reportEvent(app, seller, THROUGH, [{ type: 'topup_magic', amount: 5 }]),
    reportEvent(app, seller, THROUGH, [{ amount: 5, source: name('ch') }]),
  );
  expect(result).toMatchObject({ status: 'applied', warnings: ['unclassified_type'] });
});
