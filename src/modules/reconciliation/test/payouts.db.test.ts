/** The comparison of the provider's payouts with their records and the ledger. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { type Reported, reportTo } from '../../../../test/support/provider-reports.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { readFindings } from '../../financials/jobs/audit.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

const name = (kind: string): string => `${kind}_${randomUUID()}`;
const report = (seller: TestSeller, ...transactions: Reported[]): Promise<void> =>
  reportTo(app, seller, '2026-07-20T00:00:00Z', transactions);
type Reconciliation = Readonly<Record<string, unknown>>;
const account = async (seller: TestSeller): Promise<Reconciliation> =>
  (await seller.call<{ reconciliation: Reconciliation }>('GET', '/financials/balances')).body.reconciliation;

interface Paid {
  readonly seller: TestSeller;
  readonly settlement: string;
  readonly source: string;
  readonly tell: (status: string, at: string) => Promise<void>;
}
/** A settlement of 5.00 whose payout is in transit. */
async function payingOut(): Promise<Paid> {
  const seller = await app.seller();
  const { post, close } = bookkeeper(app, seller.seller_id);
  await post('2026-07-17', [{ amount: 500, type: 'manual_adjustment' }]);
  // The instant is within a period, so the service closes nothing.
  const settlement = await close('2026-07-16', '2026-07-19');
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
/** The reconciliation of the payout, which the settlement shows too. */
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
  test('in transit is matched at the provider, and awaited in the account', async () => {
    const one = await payingOut();
    expect(await ofPayout(one)).toMatchObject({ status: 'not_started', expected_minor: null, residue: null });
    await report(one.seller, taken(one));
    expect(await ofPayout(one)).toMatchObject({
      status: 'matched',
      expected_minor: 500,
      reported_minor: 500,
    });
    expect(await account(one.seller)).toMatchObject({
      status: 'pending',
      reason_codes: [],
      residue: { label: 'missing_in_ledger', amount_minor: 500 },
    });
    await one.tell('paid', '2026-07-18T00:00:00Z');
    // Every later report makes the service look again for an awaited payout.
    await report(one.seller, { ...taken(one, -1), source: name('po'), created_at: '2026-07-19T00:00:00Z' });
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', unmatched_count: 0 });
    expect(await account(one.seller)).toMatchObject({ status: 'pending', difference_minor: 1 });
  });

  test('that arrived and is not booked yet is awaited until the provider books it', async () => {
    const one = await payingOut();
    await one.tell('paid', '2026-07-19T00:00:00Z');
    await report(one.seller);
    const waiting = {
      status: 'pending',
      reason_codes: [],
      residue: { label: 'missing_at_provider', amount_minor: 500 },
    };
    // An empty report starts a job that compares everything.
    await expect.poll(() => ofPayout(one), { timeout: 20_000 }).toMatchObject(waiting);
    const ofAccount = { ...waiting, residue: { amount_minor: -500 } };
    await expect.poll(() => account(one.seller), { timeout: 20_000 }).toMatchObject(ofAccount);
    const other = { ...taken(one, -1), source: name('po'), created_at: '2026-07-19T00:00:00Z' };
    await report(one.seller, taken(one), other);
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', residue: null });
    expect(await account(one.seller)).toMatchObject({
      status: 'pending',
      reason_codes: [],
      residue: { label: 'missing_in_ledger', amount_minor: 1 },
    });
  });

  test('that arrived is matched to the cent, or its difference is named', async () => {
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

  test('that failed sums to zero with its failure, and is missing without it', async () => {
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

  test('that was returned is matched in both directions', async () => {
    const one = await payingOut();
    await one.tell('paid', '2026-07-17T00:00:00Z');
    await one.tell('returned', '2026-07-18T00:00:00Z');
    await report(one.seller, taken(one), givenBack(one));
    expect(await ofPayout(one)).toMatchObject({ status: 'matched', expected_minor: 0 });
    expect(await account(one.seller)).toMatchObject({ status: 'matched', unmatched_count: 0 });
  });

  test('that only the provider reports as failed is a difference', async () => {
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

  test('of another seller with the same reference is not matched', async () => {
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

test('all invariants still hold', async () => {
  const findings = await readFindings(app.app.services.withSystemLong);
  // Settlements that are written by hand leave no journal.
  const broken = findings.filter(
    ({ id, violations }) => violations > 0 && !['I11', 'I12', 'I21', 'I22'].includes(id),
  );
  expect(broken.map(({ id, examples }) => [id, examples])).toEqual([]);
});
