/** Paying through the provider: one transfer for each settlement, one payout for each attempt, also after failures. */
import { expect, test } from 'vitest';
import { acts, BANKS, PAID_MS } from '../../../../demo/payment-provider/life.ts';
import { addPayout } from '../../../../demo/payment-provider/resources.ts';
import type { Fault } from '../../../../demo/payment-provider/start-payment-provider.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { acting } from '../../../platform/acting.ts';
import { readFindings } from '../../financials/index.ts';
import { providerInUse } from '../actions/providers.ts';
import { reportTransactions } from '../actions/report-transactions.ts';
import { transfer } from '../actions/send-due.ts';
import { beginAttempt } from '../actions/send-payout.ts';
import { payoutJobs } from '../jobs.ts';

const stage = await paymentStage();
const { app, provider } = stage;
const { services } = app.app;
const { state } = provider.life;

type Paid = TestSeller & { readonly account: string };
const FAULTS: readonly Fault[] = ['lost', 'cut', 'limit', 'broken', 'error'];
/** The calls of a first attempt, in their order. */
const CALLS = ['/v1/transfers', '/v1/payouts'];
const AMOUNT = 23_330;

async function due(bank?: string): Promise<Paid> {
  const seller = await stage.paidSeller(bank);
  await stage.earn(seller, AMOUNT);
  return seller;
}
const cases: { fault: Fault; path: string; seller: Paid }[] = [];
for (const fault of FAULTS) for (const path of CALLS) cases.push({ fault, path, seller: await due() });
const golden = await due(BANKS.account_closed);
const returned = await due(BANKS.comes_back);
const twice = await due();
const poor = await due();
const reversed = await due();
const reversedEarly = await due();
const keyless = await due();
const emptied = await due();
const unseen = await due();
const byHand = await due();
const flying = await due();
const noAccount = await app.seller();
await stage.earn(noAccount, AMOUNT);
// After the close, and before the service begins the payouts of the day.
await stage.moveTo('2026-06-30T18:00:00.000Z');

const settlementOf = async (seller: TestSeller) => {
  const path = '/financials/settlements?to=2026-06-30';
  const { body } = await (await seller.renew()).call<{ data: Record<string, unknown>[] }>('GET', path);
  return body.data[0] ?? {};
};

/** Begins an attempt and returns what sends it, as the job does. */
async function begin(seller: TestSeller): Promise<() => Promise<void>> {
  const { settlement_id } = await settlementOf(seller);
  const used = await providerInUse(services);
  const { seller_id } = seller;
  const payout = await services.withSellerLong(seller_id, 'write', (db) =>
    beginAttempt(acting(services, { db, seller_id }), String(settlement_id), used),
  );
  expect(payout).toBeDefined();
  return () => transfer(services, used, seller_id, payout ?? '');
}

/** The money of a seller at the provider and in the books. */
async function sums({ seller_id, account }: Paid) {
  const journals = await stage.rows<{ kind: string }>(
    "select kind from ledger_journal where seller_id = $1 and kind like 'payout%' order by journal_id",
    [seller_id],
  );
  const rows = await stage.rows<{ state: string }>(
    'select state from settlement_transfer where seller_id = $1',
    [seller_id],
  );
  const own = <T extends object>(all: Readonly<Record<string, T>>, is: (one: T) => boolean): T[] =>
    Object.values(all).filter(is);
  return {
    transfers: own(state.transfers, (one) => one.destination === account).map((one) => one.amount),
    payouts: own(state.payouts, (one) => one.account === account).map(({ status, metadata }) => [
      metadata['attempt'],
      status,
    ]),
    journals: journals.map(({ kind }) => kind.replace('payout_', '')),
    rows: rows.map((one) => one.state),
  };
}
const PAID = { transfers: [AMOUNT], payouts: [['1', 'paid']], journals: ['sent', 'paid'], rows: ['made'] };

const later = (ms: number) => stage.moveTo(new Date(services.now() + ms).toISOString());

test('each call may be lost, cut off, refused or answered 500: the money moves once', async () => {
  for (const { fault, path, seller } of cases) {
    const send = await begin(seller);
    // Twice, because the client library repeats a request once whose connection was closed.
    provider.fail(fault, path, 2);
    let failures = 0;
    for (let time = 0; time < 5; time += 1) {
      const failed = await send().then(
        () => false,
        () => true,
      );
      if (!failed) break;
      failures += 1;
      // A 500 that was answered once is repeated for a day. Then the provider has forgotten the key.
      if (time === 1) provider.forgetKeys();
    }
    expect([fault, path, failures > 0]).toEqual([fault, path, true]);
  }
  await later(PAID_MS);
  await stage.callBack();
  for (const { fault, path, seller } of cases)
    expect([fault, path, await sums(seller)]).toEqual([fault, path, PAID]);
});

test('two workers that send the same attempt at once pay it once', async () => {
  const send = await begin(twice);
  await Promise.allSettled([send(), send(), send()]);
  await send();
  await later(PAID_MS);
  await stage.callBack();
  expect(await sums(twice)).toEqual(PAID);
});

test('with too little money at the provider nothing is sent until a person looks', async () => {
  const send = await begin(poor);
  const { funds } = state;
  state.funds = 0;
  await send();
  state.funds = funds;
  expect(await settlementOf(poor)).toMatchObject({
    status: 'on_hold',
    hold_reasons: ['provider_balance_mismatch'],
  });
  expect(await sums(poor)).toMatchObject({ transfers: [], payouts: [], rows: ['refused'] });
});

test('when the person has looked, the money is transferred, although the provider repeats its refusal', async () => {
  const release = { reason: 'provider_balance_mismatch', active: false };
  const { settlement_id } = await settlementOf(poor);
  await app.events(
    orderEvent(app, poor, 'settlement.hold_changed', poor.seller_id, { ...release, settlement_id }),
  );
  expect(await settlementOf(poor)).toMatchObject({ status: 'ready' });
  await stage.rows('update settlement set expected_payout_on = $2 where seller_id = $1', [
    poor.seller_id,
    '2026-07-01',
  ]);
  await (await begin(poor))();
  await later(PAID_MS);
  await stage.callBack();
  expect(await sums(poor)).toEqual({ ...PAID, payouts: [['2', 'paid']] });
  expect(provider.asked.filter((asked) => asked.includes(String(settlement_id)))).toEqual([
    `POST /v1/transfers ${settlement_id}`,
    `POST /v1/transfers ${settlement_id}-t2`,
    `POST /v1/payouts ${settlement_id}-2`,
  ]);
});

test('an account with too little money holds its settlement', async () => {
  const send = await begin(emptied);
  provider.fail('lost', '/v1/payouts', 2);
  await send().catch(() => undefined);
  const account = state.accounts[emptied.account];
  if (account === undefined) throw new Error('no account');
  account.balance -= 1;
  await send();
  expect(await settlementOf(emptied)).toMatchObject({
    status: 'on_hold',
    hold_reasons: ['provider_balance_mismatch'],
  });
  expect(await sums(emptied)).toMatchObject({ transfers: [AMOUNT], payouts: [], rows: ['made'] });
});

test('without the key of the provider attempts, payouts and callbacks wait, and their jobs fail', async () => {
  const config = { ...services.config, PAYMENT_PROVIDER: 'manual', PAYMENT_PROVIDER_API_KEY: undefined };
  const run = (kind: string, job: object) => {
    const handler: unknown = Reflect.get(payoutJobs.find((one) => one.kind === kind) ?? {}, 'handler');
    if (typeof handler !== 'function') throw new Error(`no job ${kind}`);
    return handler({ ...services, config }, job, new AbortController().signal) as Promise<unknown>;
  };
  const send = await begin(keyless);
  const [payout] = await stage.payouts(keyless);
  const { payout_id } = payout ?? {};
  await expect(
    run('payouts.transfer', { seller_id: keyless.seller_id, payload: { payout_id } }),
  ).rejects.toThrow('no key');
  await send();
  await expect(run('payouts.follow', {})).rejects.toThrow('no key');
  await stage.rows(
    `insert into provider_callback (provider, event_id, callback_id, type, account, livemode, object_id, object_key,
                                    digest, created_at, received_at)
     values ('stripe', 'evt_keyless', 'pcb_keyless', 'account.updated', $1, false, $1, 'keyless', '', $2, $2)`,
    [keyless.account, new Date(services.now()).toISOString()],
  );
  await expect(run('payouts.callback', { unique_key: 'keyless' })).rejects.toThrow(
    'PAYMENT_PROVIDER_API_KEY',
  );
  await stage.rows("delete from provider_callback where event_id = 'evt_keyless'");
  await later(PAID_MS);
  await stage.callBack();
  expect(await sums(keyless)).toEqual(PAID);
});

test('a payout that comes back after it was paid is returned, and the books balance', async () => {
  await (await begin(returned))();
  await later(PAID_MS);
  await stage.callBack();
  expect(await sums(returned)).toEqual(PAID);
  await later(PAID_MS);
  await stage.callBack();
  expect(await settlementOf(returned)).toMatchObject({ status: 'payment_failed', expected_payout_on: null });
  expect((await sums(returned)).journals).toEqual(['sent', 'paid', 'returned']);
});

test('a transfer that was taken back in part holds its settlement', async () => {
  const send = await begin(reversed);
  provider.fail('lost', '/v1/payouts', 2);
  await send().catch(() => undefined);
  const made = Object.values(state.transfers).find(({ destination }) => destination === reversed.account);
  acts.reverse(provider.life, made?.id ?? '', 100);
  await stage.callBack();
  await send();
  expect(await settlementOf(reversed)).toMatchObject({ status: 'on_hold' });
  expect(await sums(reversed)).toMatchObject({ payouts: [], rows: ['reversed'] });
});

test('a transfer that was taken back before the answer that it was made is held too', async () => {
  const send = await begin(reversedEarly);
  provider.fail('cut', '/v1/transfers', 2);
  await expect(send()).rejects.toThrow();
  const made = Object.values(state.transfers).find(
    ({ destination }) => destination === reversedEarly.account,
  );
  acts.reverse(provider.life, made?.id ?? '');
  await stage.callBack();
  expect(await sums(reversedEarly)).toMatchObject({ rows: ['reversed'] });
  await send();
  expect(await settlementOf(reversedEarly)).toMatchObject({
    status: 'on_hold',
    hold_reasons: ['provider_balance_mismatch'],
  });
  expect(await sums(reversedEarly)).toMatchObject({ payouts: [], rows: ['reversed'] });
  expect(
    await stage.rows('select kind from payout_exception where seller_id = $1', [reversedEarly.seller_id]),
  ).toEqual([{ kind: 'transfer_reversed' }]);
});

test('while the provider refuses to show an account its attempt waits, and no second payout is made', async () => {
  const send = await begin(unseen);
  provider.fail('cut', '/v1/payouts', 2);
  await expect(send()).rejects.toThrow();
  const account = state.accounts[unseen.account];
  if (account === undefined) throw new Error('no account');
  const { stage: before } = account;
  account.stage = 'deauthorised';
  await expect(send()).rejects.toThrow('shows nothing');
  account.stage = before;
  await send();
  await later(PAID_MS);
  await stage.callBack();
  expect(await sums(unseen)).toEqual(PAID);
});

test('a payout by hand at the provider is an exception and changes no settlement', async () => {
  const account = state.accounts[byHand.account];
  if (account === undefined) throw new Error('no account');
  account.balance = 1_000;
  addPayout(provider.life, account, { amount: '1000', currency: 'aud' });
  const before = await settlementOf(byHand);
  await stage.callBack();
  expect(await settlementOf(byHand)).toEqual(before);
  const exceptions = await stage.rows('select kind from payout_exception where seller_id = $1', [
    byHand.seller_id,
  ]);
  expect(exceptions).toEqual([{ kind: 'unknown_payout' }]);
  await (await begin(byHand))();
});

test('between transfer and arrival the money is in flight, and the comparison agrees', async () => {
  const send = await begin(flying);
  const used = await providerInUse(services);
  const comparison = async () => {
    await reportTransactions(services, used);
    const path = '/financials/dashboard';
    const answer = await (await flying.renew()).call<{ reconciliation: object }>('GET', path);
    return answer.body.reconciliation;
  };
  await send();
  const gone = { status: 'matched', expected_minor: -AMOUNT, reported_minor: -AMOUNT, unmatched_count: 0 };
  expect(await comparison()).toMatchObject({ ...gone, in_flight_minor: AMOUNT });
  await later(PAID_MS);
  await stage.callBack();
  expect(await comparison()).toMatchObject({ ...gone, in_flight_minor: 0 });
  const [payout] = await stage.payouts(flying);
  expect(payout).toMatchObject({ status: 'paid', reconciliation: { status: 'matched', scope: 'payout' } });
});

test('the golden settlement: the first payout fails, the bank is changed, the second needs no transfer', async () => {
  const { funds } = state;
  await (await begin(golden))();
  await later(PAID_MS);
  await stage.callBack();
  expect(await settlementOf(golden)).toMatchObject({ status: 'payment_failed', expected_payout_on: null });
  const [first] = await stage.payouts(golden);
  expect(first).toMatchObject({
    status: 'failed',
    failure_code: 'account_closed',
    destination: { last4: '1113' },
  });
  acts.changeBank(provider.life, golden.account, BANKS.works);
  await stage.callBack();
  expect(await settlementOf(golden)).toMatchObject({ expected_payout_on: '2026-07-02' });
  // The service sends by itself, on the morning of its day.
  await stage.moveTo('2026-07-02T00:00:00.000Z');
  await later(PAID_MS);
  await stage.callBack();
  expect(await settlementOf(golden)).toMatchObject({ status: 'paid' });
  expect(await sums(golden)).toEqual({
    transfers: [AMOUNT],
    payouts: [
      ['1', 'failed'],
      ['2', 'paid'],
    ],
    journals: ['sent', 'failed', 'sent', 'paid'],
    rows: ['made'],
  });
  const settlement = String(first?.settlement_id);
  const keys = provider.asked.filter((asked) => asked.includes(settlement));
  expect(keys).toEqual([
    `POST /v1/transfers ${settlement}`,
    `POST /v1/payouts ${settlement}-1`,
    `POST /v1/payouts ${settlement}-2`,
  ]);
  expect(funds - state.funds).toBeGreaterThanOrEqual(AMOUNT);
});

test('without an account nothing is tried: the settlement is held until there is one', async () => {
  expect(await settlementOf(noAccount)).toMatchObject({
    status: 'on_hold',
    hold_reasons: ['payout_account_missing'],
  });
});

test('the comparison names a payout by hand, and money that came back is in flight again', async () => {
  // All sellers are compared in the night, and the provider's list is read after it.
  await stage.moveTo('2026-07-03T00:00:00.000Z');
  const reasons = await stage.rows<{ seller_id: string; reason_codes: string[]; in_flight_minor: string }>(
    "select seller_id, reason_codes, in_flight_minor from reconciliation where scope = 'account'",
  );
  const of = (seller: Paid) => reasons.find(({ seller_id }) => seller_id === seller.seller_id);
  expect(of(byHand)).toMatchObject({ reason_codes: ['unknown_payout'] });
  expect(of(golden)).toMatchObject({ reason_codes: [], in_flight_minor: '0' });
  expect(of(returned)).toMatchObject({ reason_codes: [], in_flight_minor: String(AMOUNT) });
});

test('no invariant is broken by any of it', async () => {
  const findings = await readFindings(services.withSystemLong);
  const broken = findings.filter(({ violations }) => violations > 0);
  expect(broken.map(({ id, examples }) => [id, examples])).toEqual([]);
});
