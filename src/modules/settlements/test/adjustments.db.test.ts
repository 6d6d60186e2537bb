/** Adjustments and reserves: changes of a seller's money that the marketplace makes by hand. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { eventTypesOf, orderEvent, placeOrder } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T01:00:00.000Z' });

const tell = async (seller: TestSeller, type: string, data: object, more: object = {}) => {
  const [result] = await app.events(orderEvent(app, seller, type, seller.seller_id, data, more));
  return result?.code ?? result?.status;
};
const adjustment = {
  adjustment_id: 'adj_1',
  kind: 'manual_adjustment',
  amount_minor: 1_200,
  reason_code: 'goodwill',
  description: 'Carrier damage goodwill',
  actor: 'ops:7',
};
const linesOf = async ({ seller_id }: TestSeller) => {
  const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<Record<string, unknown>>({
      text:
        'select e.type, -e.amount_minor as amount, c.account, e.related_id, e.description, e.posted_on::text as posted_on ' +
        'from ledger_entry e join ledger_entry c on c.seller_id = e.seller_id and c.journal_id = e.journal_id ' +
        'and c.entry_id <> e.entry_id where e.seller_id = $1 and e.bucket is not null order by e.position',
      values: [seller_id],
    }),
  );
  return rows.map((row) => Object.values(row));
};

test('adjustments credit and debit the seller, each with who bears it', async () => {
  const seller = await app.seller();
  expect(await tell(seller, 'adjustment.recorded', adjustment)).toBe('applied');
  const debit = { ...adjustment, adjustment_id: 'adj_2', amount_minor: -55 };
  expect(await tell(seller, 'adjustment.recorded', debit)).toBe('applied');
  const given = { ...adjustment, adjustment_id: 'adj_3', kind: 'write_off', description: 'Given up' };
  expect(await tell(seller, 'adjustment.recorded', given)).toBe('applied');
  expect(await linesOf(seller)).toEqual([
    ['manual_adjustment', 1_200n, 'manual_adjustments', 'adj_1', 'Carrier damage goodwill', '2026-07-20'],
    ['manual_adjustment', -55n, 'manual_adjustments', 'adj_2', 'Carrier damage goodwill', '2026-07-20'],
    ['manual_adjustment', 1_200n, 'platform_loss', 'adj_3', 'Given up', '2026-07-20'],
  ]);
});

test('an adjustment is recorded once; other content under its id is refused', async () => {
  const seller = await app.seller();
  expect(await tell(seller, 'adjustment.recorded', adjustment)).toBe('applied');
  expect(await tell(seller, 'adjustment.recorded', adjustment)).toBe('stale');
  for (const other of [{ amount_minor: 1_201 }, { reason_code: 'other' }])
    expect(await tell(seller, 'adjustment.recorded', { ...adjustment, ...other })).toBe('invalid_transition');
  expect(await linesOf(seller)).toHaveLength(1);
});

test('an adjustment without an id, an amount or a seller is refused', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const theirs = await placeOrder(app, other, [{ title: 'Mug', sku: 'M', quantity: 1 }]);
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, order_id: theirs })).toBe(
    'order_not_found',
  );
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, amount_minor: 0 })).toBe('data_invalid');
  const taken = { ...adjustment, kind: 'write_off', amount_minor: -1 };
  expect(await tell(seller, 'adjustment.recorded', taken)).toBe('data_invalid');
  expect(await tell(seller, 'adjustment.recorded', adjustment, { sellerid: other.seller_id })).toBe(
    'data_invalid',
  );
  const noSeller = { subject: 'slr_none', sellerid: null };
  expect(await tell(seller, 'adjustment.recorded', adjustment, noSeller)).toBe('seller_not_found');
  expect(await linesOf(seller)).toEqual([]);
});

const reserve = { reserve_id: 'rsv_1', amount_minor: 5_000, reason_code: 'risk', release_on: '2026-07-22' };

test('a reserve is held, released in parts, and its rest is released on its Sydney day', async () => {
  const seller = await app.seller();
  expect(await tell(seller, 'reserve.held', reserve)).toBe('applied');
  expect(await tell(seller, 'reserve.held', reserve)).toBe('stale');
  expect(await tell(seller, 'reserve.held', { ...reserve, amount_minor: 5_001 })).toBe('invalid_transition');
  const release = { release_id: 'rsv_1r', reserve_id: 'rsv_1', amount_minor: 2_000 };
  expect(await tell(seller, 'reserve.released', { ...release, reserve_id: 'rsv_x' })).toBe(
    'reserve_not_found',
  );
  expect(await tell(seller, 'reserve.released', { ...release, amount_minor: 5_001 })).toBe(
    'release_exceeds_reserve',
  );
  expect(await tell(seller, 'reserve.released', release)).toBe('applied');
  expect(await tell(seller, 'reserve.released', release)).toBe('stale');
  const early = [
    ['reserve_hold', -5_000n, 'seller_reserve', 'rsv_1', 'Reserve held rsv_1', '2026-07-20'],
    ['reserve_release', 2_000n, 'seller_reserve', 'rsv_1r', 'Reserve released rsv_1r', '2026-07-20'],
  ];
  // The last instant before the day begins in Sydney.
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-21T13:59:59Z' } });
  expect(await linesOf(seller)).toEqual(early);
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-21T14:00:00Z' } });
  const id = 'rsv_1:2026-07-22';
  expect(await linesOf(seller)).toEqual([
    ...early,
    ['reserve_release', 3_000n, 'seller_reserve', id, `Reserve released ${id}`, '2026-07-22'],
  ]);
  expect(await tell(seller, 'reserve.released', { release_id: 'rsv_1s', reserve_id: 'rsv_1' })).toBe(
    'release_exceeds_reserve',
  );
});

test('a release without an amount releases the whole reserve; its day then releases nothing', async () => {
  const seller = await app.seller();
  const held = { ...reserve, release_on: '2026-07-23' };
  expect(await tell(seller, 'reserve.held', held)).toBe('applied');
  expect(await tell(seller, 'reserve.released', { release_id: 'r', reserve_id: 'rsv_1' })).toBe('applied');
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-23T00:00:00Z' } });
  expect((await linesOf(seller)).map(([type, amount]) => [type, amount])).toEqual([
    ['reserve_hold', -5_000n],
    ['reserve_release', 5_000n],
  ]);
});

test('the rest is released on its day, with any references of earlier releases', async () => {
  const seller = await app.seller();
  expect(await tell(seller, 'reserve.held', { ...reserve, release_on: '2026-07-24' })).toBe('applied');
  const part = { release_id: 'rsv_1:2026-07-24', reserve_id: 'rsv_1', amount_minor: 1_000 };
  expect(await tell(seller, 'reserve.released', part)).toBe('applied');
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-07-24T00:00:00Z' } });
  expect((await linesOf(seller)).map(([type, amount]) => [type, amount])).toEqual([
    ['reserve_hold', -5_000n],
    ['reserve_release', 1_000n],
    ['reserve_release', 4_000n],
  ]);
});

test('an amount that makes a figure too large for an exact JSON number is refused, and moves nothing', async () => {
  const seller = await app.seller();
  const amount_minor = 999_999_999_999_999;
  const credit = (index: number) =>
    tell(seller, 'adjustment.recorded', { ...adjustment, adjustment_id: `adj_${index}`, amount_minor });
  for (let index = 1; index <= 9; index += 1) expect(await credit(index)).toBe('applied');
  expect(await credit(10)).toBe('balance_out_of_range');
  expect(
    await tell(seller, 'reserve.held', { ...reserve, release_on: null, amount_minor: 1_000_000_000_000_000 }),
  ).toBe('balance_out_of_range');
  const { text } = await seller.call('GET', '/financials/balances');
  expect(text).toContain('"adjustments_minor":8999999999999991,');
  // Small amounts are still accepted.
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, adjustment_id: 'adj_11' })).toBe(
    'applied',
  );
});

test('references that differ in blanks name different releases', async () => {
  const seller = await app.seller();
  // The day is later than all days of other tests, because a past day releases the whole reserve at once.
  for (const reserve_id of ['rsv', 'rsv a'])
    expect(await tell(seller, 'reserve.held', { ...reserve, reserve_id, release_on: '2026-08-31' })).toBe(
      'applied',
    );
  const one = { reserve_id: 'rsv', release_id: 'a b', amount_minor: 1_000 };
  const other = { reserve_id: 'rsv a', release_id: 'b', amount_minor: 1_000 };
  expect(await tell(seller, 'reserve.released', one)).toBe('applied');
  expect(await tell(seller, 'reserve.released', other)).toBe('applied');
});

test('a correction names a closed settlement of its seller, in its own currency', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const setClock = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  const settlementsOf = async (of: TestSeller, status: string) => {
    const path = `/financials/settlements?status=${status}`;
    const { body } = await (await of.renew()).call<{ data: { settlement_id: string }[] }>('GET', path);
    return body.data.map(({ settlement_id }) => settlement_id);
  };
  for (const [adjustment_id, until] of [
    ['adj_july', '2026-08-02T00:00:00Z'],
    ['adj_august', '2026-08-17T00:00:00Z'],
  ] as const) {
    for (const one of [seller, other])
      expect(await tell(one, 'adjustment.recorded', { ...adjustment, adjustment_id })).toBe('applied');
    await setClock(until);
  }
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, adjustment_id: 'adj_open' })).toBe(
    'applied',
  );
  const [august = '', july = ''] = await settlementsOf(seller, 'ready');
  const [open = ''] = await settlementsOf(seller, 'open');
  const [theirs = ''] = await settlementsOf(other, 'ready');
  const before = await linesOf(seller);
  const correction = { ...adjustment, adjustment_id: 'adj_c', kind: 'settlement_correction' };
  const correct = (data: object) => tell(seller, 'adjustment.recorded', { ...correction, ...data });
  expect(await correct({})).toBe('settlement_not_found');
  for (const corrects_settlement_id of [null, 'stl_none', theirs, open])
    expect(await correct({ corrects_settlement_id }), String(corrects_settlement_id)).toBe(
      'settlement_not_found',
    );
  const yen = await placeOrder(app, seller, [{ title: 'Mug', price: 900 }], { currency: 'JPY' });
  expect(await correct({ corrects_settlement_id: july, order_id: yen })).toBe('settlement_not_found');
  expect(await correct({ kind: 'manual_adjustment', corrects_settlement_id: theirs })).toBe(
    'settlement_not_found',
  );
  expect(await linesOf(seller)).toEqual(before);
  expect(await correct({ corrects_settlement_id: july })).toBe('applied');
  expect(await correct({ corrects_settlement_id: july })).toBe('stale');
  expect(await correct({ corrects_settlement_id: august })).toBe('invalid_transition');
  expect(await linesOf(seller)).toHaveLength(before.length + 1);
  // The correction makes one event, with the unchanged settlement.
  expect(await eventTypesOf(app, seller, july)).toEqual([
    'settlement.closed',
    'payout.scheduled',
    'settlement.corrected',
  ]);
});

test('a correction without an order has the currency of the settlement that it corrects', async () => {
  const seller = await app.seller();
  const yen = await placeOrder(app, seller, [{ title: 'Mug', price: 900 }], { currency: 'JPY' });
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, order_id: yen })).toBe('applied');
  const now = new Date(app.app.services.now() + 20 * 86_400_000).toISOString();
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  const renewed = await seller.renew();
  const { body } = await renewed.call<{ data: { settlement_id: string; status: string }[] }>(
    'GET',
    '/financials/settlements?currency=JPY',
  );
  const corrects_settlement_id = body.data.find(({ status }) => status !== 'open')?.settlement_id;
  expect(corrects_settlement_id).toBeDefined();
  const correction = { adjustment_id: 'adj_yen', kind: 'settlement_correction', corrects_settlement_id };
  expect(await tell(seller, 'adjustment.recorded', { ...adjustment, ...correction })).toBe('applied');
  const booked = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ currency: string }>({
      text: 'select distinct currency from ledger_entry where seller_id = $1 and related_id = $2',
      values: [seller.seller_id, 'adj_yen'],
    }),
  );
  expect(booked).toEqual([{ currency: 'JPY' }]);
});
