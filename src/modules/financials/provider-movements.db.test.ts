/** Refunds, disputes and payouts as the provider books them, early, late or twice, against the ledger's journals. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../test/support/app.ts';
import { callInternal } from '../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder } from '../../../test/support/orders.ts';
import { type Reported, reportEvent, reportTo } from '../../../test/support/provider-reports.ts';
import { bookkeeper } from '../../../test/support/settlements.ts';
import { readFindings } from './actions/audit-ledger.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const THROUGH = '2026-07-20T00:00:00Z';
/** Longer ago than anything is waited for. */
const LONG_AGO = '2026-07-15T00:00:00Z';

const report = (seller: TestSeller, ...transactions: Reported[]): Promise<void> =>
  reportTo(app, seller, THROUGH, transactions);
type Reconciliation = Readonly<Record<string, unknown>>;
const iso = (instant: string): string => new Date(instant).toISOString();
const account = async (seller: TestSeller): Promise<Reconciliation> =>
  (await seller.call<{ reconciliation: Reconciliation }>('GET', '/financials/balances')).body.reconciliation;

const name = (kind: string): string => `${kind}_${randomUUID()}`;
interface Sold {
  readonly seller: TestSeller;
  readonly order: string;
  readonly charge: string;
  readonly tell: (type: string, data: object, time?: string) => Promise<void>;
}
/** An order of 33.33 that was paid, and its charge reported. */
async function sold(): Promise<Sold> {
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
  const charge = name('ch');
  const tell = (type: string, data: object, time = '2026-07-14T00:00:00Z') =>
    apply(app, orderEvent(app, seller, type, order, data, { time }));
  await tell('order.payment_captured', {
    charge_id: charge,
    captured_minor: 3_333,
    provider_fee_minor: 68,
  });
  await report(seller, { amount: 3_333, fee: 68, source: charge, created_at: LONG_AGO });
  return { seller, order, charge, tell };
}
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
  test('that was confirmed is matched by its name', async () => {
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

  test('is matched by the provider’s name of the transaction too', async () => {
    const one = await delivered();
    const [refund_id, id] = [await refund(one), name('txn')];
    await one.tell('refund.confirmed', { refund_id, provider_transaction_id: id });
    await report(one.seller, { type: 'payment_refund', id, amount: -1_000, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', difference_minor: 0 });
  });

  test.each([
    ['confirmed first', ['confirmed', 'failed']],
    ['never confirmed', ['failed']],
  ])('that failed takes nothing together with its failure: %s', async (_what, then) => {
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

  test('that the provider has sent is waited for, however long it is under way', async () => {
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

  test('that failed at the provider alone is named so', async () => {
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

  test('of another sum differs', async () => {
    const one = await delivered();
    const source = await refund(one, 'confirmed');
    await report(one.seller, { type: 'refund', amount: -999, source, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({
      reason_codes: ['amount_differs'],
      residue: { label: 'amount_differs', amount_minor: -1 },
    });
  });

  test('of what was cancelled is the release of its charge', async () => {
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

  test('with another fee than ours differs', async () => {
    const one = await delivered();
    const source = await open(one);
    await report(one.seller, { type: 'dispute', amount: -3_333, fee: 1_500, source, created_at: LONG_AGO });
    expect(await account(one.seller)).toMatchObject({
      reason_codes: ['amount_differs'],
      difference_minor: -1_000,
    });
  });
});

interface Paid {
  readonly seller: TestSeller;
  readonly settlement: string;
  readonly source: string;
  readonly tell: (status: string, at: string) => Promise<void>;
}
/** A settlement of 5.00 whose payout is on its way. */
async function payingOut(): Promise<Paid> {
  const seller = await app.seller();
  const { post, close } = bookkeeper(app, seller.seller_id);
  await post('2026-07-02', [{ amount: 500, type: 'manual_adjustment' }]);
  const settlement = await close('2026-07-01', '2026-07-15');
  const source = name('po');
  const tell = async (status: string, time: string): Promise<void> => {
    const data = { status, provider_payout_id: source };
    await apply(app, orderEvent(app, seller, 'payout.updated', settlement, data, { time }));
  };
  await tell('in_transit', '2026-07-16T00:00:00Z');
  return { seller, settlement, source, tell };
}
const taken = ({ source, seller }: Paid, amount = -500): Reported => ({
  type: 'payout',
  amount,
  source,
  seller: seller.seller_id,
  created_at: '2026-07-16T00:00:00Z',
});
const givenBack = ({ source, seller }: Paid): Reported => ({
  type: 'payout_failure',
  amount: 500,
  source,
  seller: seller.seller_id,
  created_at: '2026-07-17T00:00:00Z',
});
/** What payout and settlement say, which is the same. */
async function ofPayout({ seller, settlement }: Paid): Promise<Reconciliation> {
  const list = await seller.call<{ data: { payout_id: string; reconciliation: Reconciliation }[] }>(
    'GET',
    '/payments/payouts',
  );
  const [first] = list.body.data;
  const one = await seller.call<{ reconciliation: Reconciliation }>(
    'GET',
    `/payments/payouts/${first?.payout_id}`,
  );
  const whole = await seller.call<{ reconciliation: Reconciliation }>(
    'GET',
    `/financials/settlements/${settlement}`,
  );
  expect(one.body.reconciliation).toEqual(first?.reconciliation);
  expect(whole.body.reconciliation).toEqual({ ...one.body.reconciliation, scope: 'settlement' });
  return one.body.reconciliation;
}

describe('a payout', () => {
  test('on its way is matched at the provider, and waited for in the account', async () => {
    const one = await payingOut();
    expect(await ofPayout(one)).toMatchObject({ status: 'not_started', expected_minor: null, residue: null });
    await report(one.seller, taken(one));
    expect(await ofPayout(one)).toMatchObject({
      status: 'matched',
      expected_minor: 500,
      reported_minor: 500,
    });
    expect(await account(one.seller)).toMatchObject({ status: 'pending', reason_codes: [] });
    await one.tell('paid', '2026-07-18T00:00:00Z');
    // Whatever is reported next, the one that was waited for is looked for again.
    await report(one.seller, { ...taken(one, -1), source: name('po'), created_at: '2026-07-19T00:00:00Z' });
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', unmatched_count: 0 });
    expect(await account(one.seller)).toMatchObject({ status: 'pending', difference_minor: 1 });
  });

  test('that arrived is matched to the cent, or named', async () => {
    for (const [amount, expected] of [
      [-500, { status: 'matched', difference_minor: 0, residue: null }],
      [
        -495,
        {
          status: 'discrepancy',
          difference_minor: 5,
          reason_codes: ['amount_differs'],
          residue: { label: 'amount_differs', amount_minor: 5 },
        },
      ],
    ] as const) {
      const one = await payingOut();
      await one.tell('paid', '2026-07-18T00:00:00Z');
      await report(one.seller, taken(one, amount));
      expect(await ofPayout(one)).toMatchObject(expected);
    }
  });

  test('that failed takes nothing together with its failure, and is missed without it', async () => {
    const one = await payingOut();
    await one.tell('failed', '2026-07-17T00:00:00Z');
    expect(await ofPayout(one)).toMatchObject({ status: 'not_applicable' });
    await report(one.seller, taken(one));
    expect(await ofPayout(one)).toMatchObject({
      status: 'discrepancy',
      expected_minor: 0,
      reported_minor: 500,
      reason_codes: ['missing_at_provider'],
    });
    await report(one.seller, givenBack(one));
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', reported_minor: 0, reason_codes: [] });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', unmatched_count: 0 });
  });

  test('that came back is matched in both directions', async () => {
    const one = await payingOut();
    await one.tell('paid', '2026-07-17T00:00:00Z');
    await one.tell('returned', '2026-07-18T00:00:00Z');
    await report(one.seller, taken(one), givenBack(one));
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', expected_minor: 0 });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', unmatched_count: 0 });
  });

  test('that the provider says has failed, and nobody else, is a difference', async () => {
    const one = await payingOut();
    await one.tell('paid', '2026-07-17T00:00:00Z');
    await report(one.seller, taken(one), givenBack(one));
    expect(await ofPayout(one)).toMatchObject({
      status: 'discrepancy',
      expected_minor: 500,
      reported_minor: 0,
      reason_codes: ['missing_in_ledger'],
      residue: { label: 'missing_in_ledger', amount_minor: 500 },
    });
  });

  test('of another seller under the same name is not taken for it', async () => {
    const [one, other] = [await payingOut(), await payingOut()];
    await one.tell('paid', '2026-07-17T00:00:00Z');
    await report(
      one.seller,
      { ...taken(one), seller: other.seller.seller_id },
      { ...taken(one, -1), source: name('po') },
    );
    expect(await ofPayout(one)).toMatchObject({
      status: 'discrepancy',
      reported_minor: 0,
      reason_codes: ['missing_at_provider'],
    });
  });
});

test('no invariant is broken by what was reported', async () => {
  const findings = await readFindings(app.app.services.longSystem);
  // Settlements that are written by hand leave no journal.
  const broken = findings.filter(
    ({ id, violations }) => violations > 0 && !['I11', 'I12', 'I21', 'I22'].includes(id),
  );
  expect(broken.map(({ id, examples }) => [id, examples])).toEqual([]);
});

test('at night both sides are held against each other again, and silence is stale after a day and a half', async () => {
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
  // Whatever it says of others: it is not silent.
  const other = await app.seller();
  const through = '2026-07-21T11:00:00Z';
  await reportTo(app, other, through, [{ amount: 5, source: name('ch'), seller: other.seller_id }]);
  expect(await account(stale)).toMatchObject({ status: 'matched', provider_data_through: iso(through) });
  // An empty list: everything is looked at again, now.
  await reportTo(app, other, through, []);
  await expect
    .poll(async () => (await account(stale))['last_checked_at'], { timeout: 10_000 })
    .toBe('2026-07-21T12:00:00.001Z');
});

test('a type that nobody knows is said to whoever reports it', async () => {
  const seller = await app.seller();
  const [result] = await app.events(
    reportEvent(app, seller, THROUGH, [{ type: 'topup_magic', amount: 5 }]),
    reportEvent(app, seller, THROUGH, [{ amount: 5, source: name('ch') }]),
  );
  expect(result).toMatchObject({ status: 'applied', warnings: ['unclassified_type'] });
});
