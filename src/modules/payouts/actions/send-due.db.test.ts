/** A provider that sends payouts itself: it makes each attempt once, even after a crash, and retries on another day. */

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { providerStandIn } from '../../../../test/support/payout-provider.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { sql } from '../../../../test/support/sql.ts';
import { acting } from '../../../platform/acting.ts';
import { readFindings } from '../../financials/index.ts';
import { MANUAL } from '../adapters/provider.ts';
import { beginDue, follow, TRANSFER_JOB, transfer } from './send-due.ts';
import { beginAttempt } from './send-payout.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-20T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;
let amount = 10_000;

/** The services at another instant. */
const on = (day: string) => ({ ...services, now: () => Date.parse(`${day}T00:00:00Z`) });

interface Payout {
  readonly payout_id: string;
  readonly attempt: number;
  readonly status: string;
  readonly provider_payout_id: string | null;
  readonly failure_code: string | null;
  readonly status_history: readonly { readonly status: string; readonly actor: string }[];
}

/** A seller whose settlement of June is due on 1 July, and a provider of its own. */
async function due() {
  const first = await app.seller();
  amount += 1;
  await bookkeeper(app, first.seller_id).post('2026-06-19', [{ amount, type: 'manual_adjustment' }]);
  const provider = providerStandIn(`p${amount}`, () => Date.parse('2026-07-01T00:00:00Z'));
  return { first, provider };
}
const cases = {
  paid: await due(),
  lost: await due(),
  retried: await due(),
  account: await due(),
  balance: await due(),
  held: await due(),
  early: await due(),
  unread: await due(),
  due: await due(),
  dueToo: await due(),
  meddled: await due(),
};
await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-01T00:00:00.000Z' } });

/** The queries of one case. */
async function look(name: keyof typeof cases) {
  const { first, provider } = cases[name];
  const seller = await first.renew();
  const { seller_id } = seller;
  const settlement = async () =>
    (
      await seller.call<{ data: Record<string, unknown>[] }>('GET', '/financials/settlements?to=2026-06-30')
    ).body.data.at(0) ?? {};
  const payouts = async () =>
    (await seller.call<{ data: Payout[] }>('GET', '/payments/payouts')).body.data.toSorted(
      (a, b) => a.attempt - b.attempt,
    );
  const begin = async (day: string): Promise<string | undefined> => {
    const { settlement_id } = await settlement();
    return services.withSellerLong(seller_id, 'write', (db) =>
      beginAttempt(acting(on(day), { db, seller_id }), String(settlement_id), provider),
    );
  };
  const send = (day: string, payoutId: string | undefined) =>
    transfer(on(day), provider, seller_id, payoutId ?? '');
  const watch = (day: string) => follow(on(day), provider);
  return { seller, provider, settlement, payouts, begin, send, watch };
}

test('an attempt is stored before the call, sent once, and followed until the bank has the money', async () => {
  const { provider, settlement, payouts, begin, send, watch } = await look('paid');
  const id = await begin('2026-07-01');
  expect(provider.asked).toEqual([]);
  expect(await settlement()).toMatchObject({ status: 'processing', payout_id: id });
  expect(await payouts()).toMatchObject([{ status: 'pending', provider_payout_id: null, attempt: 1 }]);
  // A second run finds the attempt of the first.
  expect(await begin('2026-07-01')).toBeUndefined();
  await Promise.all([send('2026-07-01', id), send('2026-07-01', id)]);
  await send('2026-07-01', id);
  const [key] = provider.made.keys();
  expect(provider.made.size).toBe(1);
  expect(await payouts()).toMatchObject([
    { status: 'in_transit', provider_payout_id: expect.stringContaining(String(key)) },
  ]);
  await watch('2026-07-02');
  expect(await payouts()).toMatchObject([{ status: 'in_transit' }]);
  provider.change(String(key), { status: 'paid', at: '2026-07-03T00:00:00.000Z', bank_reference: 'TRACE' });
  await watch('2026-07-03');
  await watch('2026-07-03');
  expect(await settlement()).toMatchObject({ status: 'paid', paid_on: '2026-07-03' });
  // Days later the bank sends it back.
  provider.change(String(key), {
    status: 'returned',
    at: '2026-07-07T00:00:00.000Z',
    failure: { code: 'account_closed', message: 'The account is closed.', refusal: 'account' },
  });
  await watch('2026-07-07');
  const [payout] = await payouts();
  expect(payout).toMatchObject({
    status: 'returned',
    failure_code: 'account_closed',
    failure_message: 'The account is closed.',
    bank_reference: 'TRACE',
  });
  expect(payout?.status_history.map(({ status }) => status)).toEqual(
    'pending in_transit paid returned'.split(' '),
  );
  expect(await settlement()).toMatchObject({ status: 'payment_failed', expected_payout_on: null });
  expect(await begin('2026-07-20')).toBeUndefined();
});

test('a call whose answer is lost is repeated with the same key, and pays once', async () => {
  const { provider, payouts, begin, send } = await look('lost');
  const id = await begin('2026-07-01');
  provider.loseAnswers(2);
  for (let time = 0; time < 2; time += 1) {
    await expect(send('2026-07-01', id)).rejects.toThrow('no answer');
    expect(await payouts()).toMatchObject([{ status: 'pending' }]);
  }
  await send('2026-07-02', id);
  expect(await payouts()).toMatchObject([{ status: 'in_transit', attempt: 1 }]);
  expect(provider.asked).toHaveLength(3);
  expect(new Set(provider.asked.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
  expect(provider.made.size).toBe(1);
});

test('an attempt that may succeed later is tried on the next business day, at most three times', async () => {
  const { provider, settlement, payouts, begin, send } = await look('retried');
  const failure = { code: 'bank_unreachable', message: null, refusal: 'try_again' } as const;
  provider.refuse(failure, failure, failure, failure);
  // A Wednesday; the weekend of 4 and 5 July lies between.
  const days = ['2026-07-01', '2026-07-02', '2026-07-03', '2026-07-06'];
  for (const [index, day] of days.entries()) {
    const id = await begin(day);
    expect(id, day).toBeDefined();
    await send(day, id);
    const next = days[index + 1] ?? null;
    expect(await settlement()).toMatchObject({ status: 'payment_failed', expected_payout_on: next });
    expect(await begin(day)).toBeUndefined();
  }
  expect(await begin('2026-07-31')).toBeUndefined();
  const made = await payouts();
  expect(made.map(({ attempt, status, failure_code }) => [attempt, status, failure_code])).toEqual(
    [1, 2, 3, 4].map((attempt) => [attempt, 'failed', 'bank_unreachable']),
  );
  expect(new Set(provider.asked.map(({ idempotency_key }) => idempotency_key)).size).toBe(4);
});

test('an attempt that needs another account is not repeated automatically', async () => {
  const { provider, settlement, begin, send } = await look('account');
  provider.refuse({ code: 'account_closed', message: null, refusal: 'account' });
  await send('2026-07-01', await begin('2026-07-01'));
  expect(await settlement()).toMatchObject({ status: 'payment_failed', expected_payout_on: null });
  expect(await begin('2026-07-31')).toBeUndefined();
});

test('a provider with too little money pays nothing until a person releases the hold', async () => {
  const { seller, provider, settlement, begin, send } = await look('balance');
  provider.refuse({ code: 'balance_insufficient', message: 'Too little is there.', refusal: 'balance' });
  await send('2026-07-01', await begin('2026-07-01'));
  expect(await settlement()).toMatchObject({
    status: 'on_hold',
    hold_reasons: ['provider_balance_mismatch'],
    expected_payout_on: null,
  });
  expect(await begin('2026-07-10')).toBeUndefined();
  const { settlement_id } = await settlement();
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.settlement.hold_changed',
    subject: seller.seller_id,
    sellerid: seller.seller_id,
    time: '2026-07-02T00:00:00Z',
    data: { reason: 'provider_balance_mismatch', active: false, settlement_id },
  });
  expect(result).toMatchObject({ status: 'applied' });
  expect(await settlement()).toMatchObject({ status: 'ready', expected_payout_on: '2026-07-02' });
  await send('2026-07-02', await begin('2026-07-02'));
  expect(await settlement()).toMatchObject({ status: 'processing' });
});

test('a settlement on hold or not due yet is not paid', async () => {
  const held = await look('held');
  await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.settlement.hold_changed',
    subject: held.seller.seller_id,
    sellerid: held.seller.seller_id,
    time: '2026-07-01T00:00:00Z',
    data: { reason: 'risk_review', active: true },
  });
  expect(await held.begin('2026-07-31')).toBeUndefined();
  const early = await look('early');
  expect(await early.begin('2026-06-30')).toBeUndefined();
  expect(await early.begin('2026-07-01')).toBeDefined();
});

test('during the call no event ends the attempt; a refused payout may be paid by other means', async () => {
  const { seller, provider, settlement, payouts, begin } = await look('meddled');
  const id = await begin('2026-07-01');
  const { settlement_id } = await settlement();
  const tell = async (subject: unknown, status: string, day = '2026-07-02') => {
    const [result] = await app.events({
      specversion: '1.0',
      id: randomUUID(),
      source: '/test',
      type: 'marketplace.payout.updated',
      subject,
      sellerid: seller.seller_id,
      time: `${day}T00:00:00Z`,
      data: { status },
    });
    return [result?.status, result?.code];
  };
  const answers: unknown[] = [];
  const { transfers } = provider;
  if (transfers === null) throw new Error('the stand-in sends');
  const meddling = {
    ...transfers,
    send: async (order: Parameters<typeof transfers.send>[0]) => {
      for (const word of ['canceled', 'failed', 'in_transit'])
        answers.push(await tell(settlement_id, word), await tell(id, word));
      return transfers.send(order);
    },
  };
  await transfer(on('2026-07-01'), { ...provider, transfers: meddling }, seller.seller_id, id ?? '');
  expect(answers).toEqual(Array(6).fill(['rejected', 'provider_owned']));
  const [sent] = await payouts();
  expect(sent).toMatchObject({ status: 'in_transit', provider_payout_id: expect.any(String) });
  for (const word of ['in_transit', 'paid'])
    expect(await tell(id, word)).toEqual(['rejected', 'provider_owned']);
  provider.change([...provider.made.keys()][0] ?? '', {
    status: 'failed',
    at: '2026-07-02T00:00:00.000Z',
    failure: { code: 'account_closed', message: null, refusal: 'account' },
  });
  await follow(on('2026-07-02'), provider);
  expect(await payouts()).toMatchObject([{ status: 'failed' }]);
  expect(await tell(settlement_id, 'in_transit', '2026-07-03')).toEqual(['applied', undefined]);
});

test('a payout that the provider cannot show is named in the log, and keeps back no other', async () => {
  const { seller, provider, payouts, begin, send } = await look('unread');
  await send('2026-07-01', await begin('2026-07-01'));
  const [payout] = await payouts();
  const logged: object[] = [];
  const log = { ...services.log, error: (facts: object) => void logged.push(facts) };
  const fails = () => Promise.reject(new Error('no answer'));
  await follow(
    { ...on('2026-07-02'), log },
    { name: provider.name, transfers: { send: fails, read: fails } },
  );
  const { seller_id } = seller;
  expect(logged).toEqual([{ err: 'no answer', seller_id, payout_id: payout?.payout_id }]);
});

test('all due attempts begin together, each with the job that calls the provider', async () => {
  const { provider } = cases.due;
  expect(await beginDue(on('2026-07-31'), MANUAL)).toEqual({ begun: 0, failed: 0 });
  // On a future day, so that no worker takes the jobs.
  const begun = await Promise.all([1, 2].map(() => beginDue(on('2026-07-31'), provider)));
  const jobs = await services.withSystem('jobs', 'read', (db) =>
    db.all<{ seller_id: string }>(sql('select seller_id, payload from job where kind = $1', [TRANSFER_JOB])),
  );
  // Two runs at once begin each attempt once, also those of other tests.
  expect(begun.reduce((sum, { begun: count }) => sum + count, 0)).toBe(jobs.length);
  for (const name of ['due', 'dueToo'] as const) {
    const { seller, payouts } = await look(name);
    const [payout] = await payouts();
    const { seller_id } = seller;
    expect(jobs.filter((job) => job.seller_id === seller_id)).toEqual([
      { seller_id, payload: { payout_id: payout?.payout_id } },
    ]);
  }
});

test('all invariants still hold', async () => {
  const findings = await readFindings(services.withSystemLong);
  expect(
    findings.filter(({ violations }) => violations > 0).map(({ id, examples }) => [id, examples]),
  ).toEqual([]);
});
