/** Payouts and holds from the close of a settlement to the bank and back, by events of the marketplace. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { readFindings } from '../../financials/jobs/audit.ts';
import type { SettlementWire } from '../../settlements/schemas/settlement.ts';
import type { PayoutWire } from '../schemas/payout.ts';

// The move of the clock closes the second half of June.
const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-20T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const CLOSED = '2026-07-01T00:00:00Z';

interface Listed<T> {
  readonly data: T[];
}
interface Held {
  readonly seller: TestSeller;
  readonly id: string;
}

/** Sellers with a settlement of one amount each, in cents; amounts below the smallest payout are carried. */
const AMOUNTS = {
  walked: 50_000,
  ordered: 20_000,
  held: 30_000,
  early: 1_000,
  small: 99,
  debt: -500,
  mine: 700,
  other: 800,
  told: 4_000,
  ownMinimum: 1_500,
} as const;
type Name = keyof typeof AMOUNTS;
const sellers = new Map<Name, Held>();
const of = (name: Name): Held => {
  const found = sellers.get(name);
  if (found === undefined) throw new Error(`no seller ${name}`);
  return found;
};

async function moveTo(at: string): Promise<void> {
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: new Date(at).toISOString() },
  });
  if (answer.status !== 200) throw new Error(answer.text);
}
const send = async (type: string, seller: TestSeller, subject: string, time: string, data: object) => {
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: `marketplace.${type}`,
    subject,
    sellerid: seller.seller_id,
    time,
    data,
  });
  return [result?.status, result?.code].filter((part) => part !== undefined).join(' ');
};
const say = ({ seller, id }: Held, status: string, time: string, data: object = {}) =>
  send('payout.updated', seller, id, time, { status, ...data });
const hold = ({ seller }: Held, reason: string, active: boolean, time: string, data: object = {}) =>
  send('settlement.hold_changed', seller, seller.seller_id, time, { reason, active, ...data });
const read = async ({ seller, id }: Held): Promise<SettlementWire> =>
  (await seller.call<SettlementWire>('GET', `/financials/settlements/${id}`)).body;
const payouts = async ({ seller }: Held): Promise<PayoutWire[]> =>
  (await seller.call<Listed<PayoutWire>>('GET', '/payments/payouts')).body.data;
const at = (day: number, hour = 0): string =>
  `2026-07-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

beforeAll(async () => {
  for (const [name, amount] of Object.entries(AMOUNTS) as [Name, number][]) {
    const seller = await app.seller();
    await bookkeeper(app, seller.seller_id).post('2026-06-19', [{ amount, type: 'manual_adjustment' }]);
    const open = await seller.call<Listed<SettlementWire>>('GET', '/financials/settlements');
    sellers.set(name, { seller, id: open.body.data[0]?.settlement_id ?? '' });
  }
  const own = of('ownMinimum').seller;
  const terms = { min_payout_minor: 2_000 };
  expect(await send('seller.standing_changed', own, own.seller_id, '2026-06-20T00:00:00Z', terms)).toBe(
    'applied',
  );
  // Held before its period was closed.
  expect(
    await hold(of('early'), 'kyc_required', true, '2026-06-20T00:00:00Z', { settlement_id: of('early').id }),
  ).toBe('applied');
  await moveTo(CLOSED);
  for (const [name, { seller, id }] of sellers) sellers.set(name, { seller: await seller.renew(), id });
});

test('a settlement is paid, returned, and paid again: each attempt is a payout of the same amount', async () => {
  const one = of('walked');
  expect(await read(one)).toMatchObject({
    status: 'ready',
    payout_amount_minor: 50_000,
    expected_payout_on: '2026-07-01',
  });
  expect(await say(one, 'paid', at(1))).toBe('rejected payout_not_found');
  expect(await say(one, 'in_transit', at(1), { provider_payout_id: 'w1' })).toBe('applied');
  expect(await read(one)).toMatchObject({ status: 'processing' });
  // The next attempt cannot begin while this one is in transit.
  expect(await say(one, 'in_transit', at(1, 1), { provider_payout_id: 'w2' })).toBe(
    'rejected invalid_transition',
  );
  expect(await say(one, 'returned', at(1, 1), { provider_payout_id: 'w1' })).toBe(
    'rejected invalid_transition',
  );
  expect(await say(one, 'failed', at(2), { provider_payout_id: 'w1', failure_code: 'account_closed' })).toBe(
    'applied',
  );
  expect(await read(one)).toMatchObject({
    status: 'payment_failed',
    paid_on: null,
    expected_payout_on: null,
  });
  expect(await say(one, 'in_transit', at(1), { provider_payout_id: 'w1' })).toBe('stale');
  expect(await say(one, 'in_transit', at(3), { provider_payout_id: 'w2', payment_reference: 'MKT 1' })).toBe(
    'applied',
  );
  expect(await say(one, 'paid', at(4), { provider_payout_id: 'w2' })).toBe('applied');
  expect(await read(one)).toMatchObject({
    status: 'paid',
    paid_on: '2026-07-04',
    payment_reference: 'MKT 1',
  });
  expect(await say(one, 'paid', at(4), { provider_payout_id: 'w2' })).toBe('stale');
  expect(await say(one, 'paid', at(5), { provider_payout_id: 'w2', bank_reference: 'TRACE' })).toBe(
    'applied',
  );
  expect(await say(one, 'failed', at(6), { provider_payout_id: 'w2' })).toBe('applied');
  expect(await read(one)).toMatchObject({ status: 'payment_failed', paid_on: null });
  expect(await say(one, 'in_transit', at(7))).toBe('applied');
  expect(await say(one, 'paid', at(8))).toBe('applied');
  const made = (await payouts(one)).toSorted((a, b) => a.attempt - b.attempt);
  expect(made.map(({ attempt, status, amount_minor }) => [attempt, status, amount_minor])).toEqual([
    [1, 'failed', 50_000],
    [2, 'returned', 50_000],
    [3, 'paid', 50_000],
  ]);
  expect(made.map(({ retry_of }) => retry_of)).toEqual([null, made[0]?.payout_id, made[1]?.payout_id]);
  expect(made[1]).toMatchObject({
    bank_reference: 'TRACE',
    bank_reference_status: 'supported',
    failure_code: null,
  });
  expect(made[1]?.status_history.map(({ status }) => status)).toEqual(['in_transit', 'paid', 'returned']);
  // The subject is one payout, the provider's id another's.
  for (const [payout, provider_payout_id] of [
    [made[2], 'w1'],
    [made[1], 'w1'],
    [made[1], 'w9'],
  ] as const) {
    const report = { status: 'paid', provider_payout_id, bank_reference: 'X' };
    expect(await send('payout.updated', one.seller, payout?.payout_id ?? '', at(9), report)).toBe(
      'rejected data_invalid',
    );
  }
  expect((await payouts(one)).map(({ bank_reference }) => bank_reference)).not.toContain('X');
  const { audit, ...settlement } = await read(one);
  expect(settlement).toMatchObject({ status: 'paid', paid_on: '2026-07-08', payout_id: made[2]?.payout_id });
  expect(audit.status_history.map(({ status }) => status)).toEqual(
    'ready processing payment_failed processing paid payment_failed processing paid'.split(' '),
  );
});

test('events in the wrong order, with the refused ones sent again, end in the same state', async () => {
  const one = of('ordered');
  const events = [
    ['in_transit', at(1), 'o1'],
    ['failed', at(2), 'o1'],
    ['in_transit', at(3), 'o2'],
    ['paid', at(4), 'o2'],
  ] as const;
  let waiting = [...events].reverse();
  for (let round = 0; round < 5 && waiting.length > 0; round += 1) {
    const refused: (typeof waiting)[number][] = [];
    for (const event of waiting) {
      const [status, time, provider_payout_id] = event;
      const answer = await say(one, status, time, { provider_payout_id });
      if (answer.startsWith('rejected')) refused.push(event);
    }
    waiting = refused;
  }
  expect(waiting).toEqual([]);
  expect(await read(one)).toMatchObject({ status: 'paid' });
  const ended = (await payouts(one)).map(({ provider_payout_id, status }) => [provider_payout_id, status]);
  expect(ended.filter(([, status]) => status === 'paid')).toEqual([['o2', 'paid']]);
});

describe('a reason to hold', () => {
  test('a hold lasts until its last reason is removed, and nothing is sent meanwhile', async () => {
    const one = of('held');
    expect(await hold(one, 'risk_review', true, at(1))).toBe('applied');
    expect(await hold(one, 'provider_balance_mismatch', true, at(1), { settlement_id: one.id })).toBe(
      'applied',
    );
    expect(await read(one)).toMatchObject({
      status: 'on_hold',
      hold_reasons: ['provider_balance_mismatch', 'risk_review'],
      expected_payout_on: null,
    });
    expect(await say(one, 'in_transit', at(2))).toBe('rejected settlement_on_hold');
    expect(await hold(one, 'risk_review', false, at(3))).toBe('applied');
    expect(await read(one)).toMatchObject({ status: 'on_hold', hold_reasons: ['provider_balance_mismatch'] });
    // The event is older than the known state, so it changes nothing.
    expect(await hold(one, 'risk_review', true, at(2))).toBe('stale');
    expect(await hold(one, 'provider_balance_mismatch', false, at(4), { settlement_id: one.id })).toBe(
      'applied',
    );
    expect(await read(one)).toMatchObject({ status: 'ready', hold_reasons: [] });
    expect(await say(one, 'in_transit', at(5))).toBe('applied');
    // A payout in transit is not held; it is held after it has failed.
    expect(await hold(one, 'payouts_disabled', true, at(6))).toBe('applied');
    expect(await read(one)).toMatchObject({ status: 'processing' });
    const setup = await one.seller.call('GET', '/payouts/account');
    expect(setup.body).toMatchObject({ status: 'disabled', requirements: [{ code: 'payouts_disabled' }] });
    expect(await say(one, 'failed', at(7))).toBe('applied');
    expect(await read(one)).toMatchObject({ status: 'on_hold', hold_reasons: ['payouts_disabled'] });
  });

  test('a hold during the open period applies to the settlement at its close', async () => {
    const one = of('early');
    expect(await read(one)).toMatchObject({
      status: 'on_hold',
      hold_reasons: ['kyc_required'],
      payout_amount_minor: 1_000,
    });
    const expected = await one.seller.call<Listed<{ state: string; reasons: string[] }>>(
      'GET',
      '/payments/payouts/expected',
    );
    expect(expected.body.data[0]).toMatchObject({ state: 'on_hold', reasons: ['kyc_required'] });
  });

  test('a hold for an unknown settlement or seller is refused', async () => {
    const one = of('held');
    expect(await hold(one, 'risk_review', true, at(1), { settlement_id: of('other').id })).toBe(
      'rejected settlement_not_found',
    );
    const noSeller = 'slr_01j0000000000000000000000';
    expect(
      await send('settlement.hold_changed', { ...one.seller, seller_id: noSeller }, noSeller, at(1), {
        reason: 'risk_review',
        active: true,
      }),
    ).toBe('rejected seller_not_found');
  });
});

describe('what is not paid', () => {
  test.each([
    ['small', 99, 'below_minimum'],
    ['debt', -500, 'negative'],
  ] as const)('%s: carried into the next period', async (name, amount, carry_reason) => {
    const one = of(name);
    expect(await read(one)).toMatchObject({
      status: 'carried_forward',
      carry_reason,
      payable_amount_minor: amount,
      payout_amount_minor: 0,
      closing_balance_minor: amount,
    });
    expect(await say(one, 'in_transit', at(2))).toBe('rejected invalid_transition');
    const { body } = await one.seller.call<Listed<SettlementWire>>(
      'GET',
      '/financials/settlements?status=open',
    );
    expect(body.data).toMatchObject([
      { status: 'open', opening_balance_minor: amount, period_start: '2026-07-01' },
    ]);
    const expected = await one.seller.call<Listed<object>>('GET', '/payments/payouts/expected');
    expect(expected.body.data).toMatchObject([
      { state: 'not_expected', reasons: [carry_reason], expected_on: null },
    ]);
  });
});

test('a seller’s own smallest payout applies from the next close on', async () => {
  const { seller, id } = of('ownMinimum');
  expect(await read({ seller, id })).toMatchObject({
    status: 'carried_forward',
    carry_reason: 'below_minimum',
    payable_amount_minor: 1_500,
    payout_amount_minor: 0,
    closing_balance_minor: 1_500,
  });
  const next = () =>
    seller.call<Listed<SettlementWire>>('GET', '/financials/settlements?status=open&include_empty=true');
  expect((await next()).body.data).toMatchObject([{ payable_amount_minor: 1_500, payout_amount_minor: 0 }]);
  expect(
    await send('seller.standing_changed', seller, seller.seller_id, at(1), { min_payout_minor: 1_500 }),
  ).toBe('applied');
  expect((await next()).body.data).toMatchObject([
    { payable_amount_minor: 1_500, payout_amount_minor: 1_500 },
  ]);
});

describe('who may see it', () => {
  test('another seller neither reads nor moves it', async () => {
    const [mine, other] = [of('mine'), of('other')];
    expect(await say(mine, 'in_transit', at(1))).toBe('applied');
    const [payout] = await payouts(mine);
    for (const path of [
      `/payments/payouts/${payout?.payout_id}`,
      `/payments/payouts/${payout?.payout_id}/entries`,
      `/financials/settlements/${mine.id}`,
      `/financials/settlements/${mine.id}/entries`,
      `/financials/settlements/${mine.id}/proof`,
    ]) {
      expect((await mine.seller.call('GET', path)).status).toBe(200);
      expect((await other.seller.call('GET', path)).status).toBe(404);
    }
    expect(await say({ ...other, id: mine.id }, 'paid', at(2))).toBe('rejected settlement_not_found');
    expect(await say({ ...other, id: payout?.payout_id ?? '' }, 'paid', at(2))).toBe(
      'rejected payout_not_found',
    );
    expect(await read(mine)).toMatchObject({ status: 'processing' });
    // The figures of another seller do not count it either.
    const list = await other.seller.call<Listed<{ settlement_id: string }>>(
      'GET',
      '/payments/payouts/expected',
    );
    expect(list.body.data.map(({ settlement_id }) => settlement_id)).not.toContain(mine.id);
    const sums = await other.seller.call<Listed<object>>('GET', '/payments/payouts/summary');
    expect(sums.body.data).toContainEqual({ key: 'in_transit', payout_count: 0, amount_minor: 0 });
  });

  test('a seller gets events of the close, of the payout and of its failure', async () => {
    const one = of('told');
    await say(one, 'in_transit', at(1));
    await say(one, 'failed', at(2), { failure_code: 'account_closed' });
    const types = async (): Promise<string[]> => {
      const { body } = await one.seller.call<Listed<{ type: string }>>('GET', '/webhooks/events');
      return body.data.map(({ type }) => type).filter((type) => /^(settlement|payout)\./.test(type));
    };
    await expect
      .poll(types, { timeout: 10_000 })
      .toEqual(['settlement.closed', 'payout.scheduled', 'payout.in_transit', 'payout.failed']);
    const summary = await one.seller.call<Listed<object> & { completed: object }>(
      'GET',
      '/payments/payouts/summary',
    );
    expect(summary.body.completed).toEqual({ payout_count: 0, amount_minor: 0 });
    expect(summary.body.data).toContainEqual({ key: 'failed', payout_count: 1, amount_minor: 4_000 });
  });
});

test('the setup shows the present state, and makes no link without a page', async () => {
  const { seller } = of('small');
  const account = await seller.call('GET', '/payouts/account');
  expect(account.body).toMatchObject({
    provider: 'manual',
    account_required: false,
    status: 'enabled',
    requirements: [],
  });
  expect((await seller.call<Listed<object>>('GET', '/payouts/requirements')).body).toEqual({
    data: [],
    page: { limit: 50, next_cursor: null, has_more: false },
  });
  for (const path of ['/payouts/onboarding-links', '/payouts/dashboard-links']) {
    const answer = await seller.call('POST', path);
    expect([answer.status, answer.body]).toEqual([
      409,
      expect.objectContaining({ code: 'payout_onboarding_unavailable' }),
    ]);
  }
});

test('all invariants of the ledger still hold', async () => {
  const findings = await readFindings(app.app.services.withSystemLong);
  expect(
    findings.filter(({ violations }) => violations > 0).map(({ id, examples }) => [id, examples]),
  ).toEqual([]);
});
