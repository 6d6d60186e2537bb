/** The lines of the statement in pages and by filter; amounts that are held, with reason and date. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';

// The test closes the periods itself, so no worker runs.
const app = await startTestApp({
  ...{ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z' },
  ...{ LOG_LEVEL: 'silent', ROLE: 'api' },
});

interface Entry {
  readonly transaction_id: string;
  readonly type: string;
  readonly order_id: string | null;
  readonly amount_minor: number;
  readonly posted_on: string;
  readonly available_on: string;
  readonly status: string;
  readonly settlement_id: string | null;
}
interface Entries {
  readonly data: readonly Entry[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}
const ask = <T = Entries>(seller: TestSeller, query: string) =>
  seller.call<T>('GET', `/financials/entries${query}`);
const amounts = async (seller: TestSeller, query: string): Promise<number[]> => {
  const { status, body, text } = await ask(seller, query);
  expect(status, text).toBe(200);
  return body.data.map(({ amount_minor }) => amount_minor);
};
/** Reads all pages; `between` runs once, after the first one. */
async function pages(
  seller: TestSeller,
  limit: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let query = `?limit=${limit}`; ; ) {
    const { status, body, text } = await ask(seller, query);
    expect(status, text).toBe(200);
    if (all.length === 0) await between();
    all.push(...body.data);
    expect(body.page.has_more).toBe(body.page.next_cursor !== null);
    if (body.page.next_cursor === null) return all;
    expect(body.data).toHaveLength(limit);
    query = `?limit=${limit}&cursor=${body.page.next_cursor}`;
  }
}

const sellers: TestSeller[] = [];
const seller = (index: number): TestSeller => {
  const found = sellers[index];
  if (found === undefined) throw new Error('no seller');
  return found;
};
let settled = '';

beforeAll(async () => {
  sellers.push(await app.seller(), await app.seller());
  // Both sellers in turn, so that their entries alternate.
  for (let day = 1; day <= 9; day += 1)
    for (const [index, one] of sellers.entries())
      await bookkeeper(app, one.seller_id).post(`2026-07-0${day}`, [
        { amount: 1_000 * day + index, type: 'sale', order_id: `ord_${day}` },
        { amount: -100 * day - index, type: 'platform_fee', order_id: `ord_${day}` },
        { amount: -10 * day - index, type: 'refund', related_id: `rf_${day}`, order_id: `ord_${day}` },
      ]);
  settled = await bookkeeper(app, seller(0).seller_id).close('2026-07-01', '2026-07-04');
});

describe('entries', () => {
  test('are listed in pages, the latest first, each exactly once', async () => {
    const whole = await ask(seller(0), '?limit=200');
    expect(whole.body.data).toHaveLength(27);
    expect(await pages(seller(0), 4)).toEqual(whole.body.data);
    expect(await pages(seller(0), 27)).toEqual(whole.body.data);
    const days = whole.body.data.map(({ posted_on }) => posted_on);
    expect(days).toEqual(days.toSorted().toReversed());
    expect(whole.body.data.slice(0, 3).map(({ amount_minor }) => amount_minor)).toEqual([-90, -900, 9_000]);
  });

  test('that are posted between two pages do not change the later pages', async () => {
    const one = await app.seller();
    const { post } = bookkeeper(app, one.seller_id);
    for (const day of ['2026-07-05', '2026-07-06', '2026-07-07'])
      await post(day, [
        { amount: 5, type: 'manual_adjustment' },
        { amount: 6, type: 'manual_adjustment' },
      ]);
    const before = (await ask(one, '')).body.data;
    const read = await pages(one, 2, () => post('2026-07-08', [{ amount: 7, type: 'manual_adjustment' }]));
    expect(read).toEqual(before);
    expect(await amounts(one, '')).toEqual([7, ...before.map(({ amount_minor }) => amount_minor)]);
  });

  test.each([
    ['?order_id=ord_3', [-30, -300, 3_000]],
    ['?type=refund&from=2026-07-08', [-90, -80]],
    ['?type=refund&type=sale&from=2026-07-09', [-90, 9_000]],
    ['?bucket=fees&to=2026-07-02', [-200, -100]],
    ['?related_id=rf_4', [-40]],
    ['?from=2026-07-02&to=2026-07-02', [-20, -200, 2_000]],
    ['?from=2026-07-09&to=2026-07-01', null],
    ['?currency=NZD', []],
    ['?order_id=ord_99', []],
    ['?from=1000-01-01&to=2999-12-31&limit=1', [-90]],
  ])('%s', async (query, expected) => {
    if (expected === null) expect((await ask(seller(0), query)).status).toBe(422);
    else expect(await amounts(seller(0), query)).toEqual(expected);
  });

  test('in a settlement have its id; others have none', async () => {
    const { body } = await ask(seller(0), `?settlement_id=${settled}&limit=200`);
    expect(body.data).toHaveLength(12);
    expect(new Set(body.data.map(({ settlement_id, status }) => `${settlement_id} ${status}`))).toEqual(
      new Set([`${settled} settled`]),
    );
    const one = await app.seller();
    await bookkeeper(app, one.seller_id).post('2026-07-17', [{ amount: 5, type: 'manual_adjustment' }]);
    expect((await ask(one, '')).body.data).toMatchObject([{ settlement_id: null, status: 'available' }]);
  });

  test('of another seller are not found by any filter or cursor', async () => {
    expect(await amounts(seller(1), '?order_id=ord_3')).toEqual([-31, -301, 3_001]);
    expect(await amounts(seller(1), `?settlement_id=${settled}`)).toEqual([]);
    const { body } = await ask(seller(0), '?limit=5&bucket=gross');
    const cursor = body.page.next_cursor;
    for (const [who, query] of [
      [seller(1), `?limit=5&bucket=gross&cursor=${cursor}`],
      [seller(0), `?limit=5&bucket=fees&cursor=${cursor}`],
    ] as const) {
      const answer = await ask<{ detail: { type: string; loc: string[] }[] }>(who, query);
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toMatchObject([{ type: 'cursor_invalid', loc: ['query', 'cursor'] }]);
    }
    expect((await ask(seller(0), `?limit=3&bucket=gross&cursor=${cursor}`)).body.data).toHaveLength(3);
  });
});

interface Holds {
  readonly hold: { readonly days: number; readonly reason: string };
  readonly in_hold: readonly object[];
  readonly settlement_holds: readonly object[];
  readonly reserves: readonly object[];
}
const holds = async (one: TestSeller): Promise<Holds> =>
  (await one.call<Holds>('GET', '/financials/holds')).body;
async function send(one: TestSeller, type: string, data: object, time = '2026-07-19T00:00:00Z') {
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: `marketplace.${type}`,
    subject: one.seller_id,
    sellerid: one.seller_id,
    time,
    data,
  });
  expect(result).toMatchObject({ status: 'applied' });
}

describe('holds', () => {
  test('amounts that are delivered and not available are listed by day, the next day first', async () => {
    const one = await app.seller();
    const { post } = bookkeeper(app, one.seller_id);
    for (const [day, amount] of [
      ['2026-07-16', 500],
      ['2026-07-15', 300],
      ['2026-07-10', 999],
    ] as const)
      await post(
        day,
        [
          { amount, type: 'sale', order_id: `ord_${day}` },
          { amount: -50, type: 'platform_fee', order_id: `ord_${day}` },
        ],
        { hold_days: 7 },
      );
    expect((await holds(one)).in_hold).toEqual([
      { available_on: '2026-07-22', amount_minor: 250, line_count: 2 },
      { available_on: '2026-07-23', amount_minor: 450, line_count: 2 },
    ]);
    const { body } = await ask(one, '?type=sale');
    expect(body.data.map(({ status }) => status)).toEqual(['in_hold', 'in_hold', 'available']);
    expect((await holds(await app.seller())).in_hold).toEqual([]);
  });

  test('a seller’s own rule replaces the general one', async () => {
    const one = await app.seller();
    expect((await holds(one)).hold).toEqual({ days: 7, reason: 'standard' });
    await send(one, 'seller.standing_changed', { hold_days: 5 });
    expect((await holds(one)).hold).toEqual({ days: 5, reason: 'seller_terms' });
  });

  test('reasons to hold are listed until they end', async () => {
    const [one, other] = [await app.seller(), await app.seller()];
    const reason = { reason: 'risk_review', note: 'unusual volume' };
    await send(one, 'settlement.hold_changed', { ...reason, active: true });
    expect((await holds(one)).settlement_holds).toMatchObject([{ ...reason, settlement_id: null }]);
    expect((await holds(other)).settlement_holds).toEqual([]);
    await send(one, 'settlement.hold_changed', { ...reason, active: false }, '2026-07-19T01:00:00Z');
    expect((await holds(one)).settlement_holds).toEqual([]);
  });

  test('a reserve shows its remaining amount until it is zero', async () => {
    const one = await app.seller();
    await send(one, 'reserve.held', {
      reserve_id: 'rsv_1',
      amount_minor: 5_000,
      reason_code: 'risk',
      release_on: '2026-09-01',
    });
    await send(one, 'reserve.released', { release_id: 'rel_1', reserve_id: 'rsv_1', amount_minor: 2_000 });
    expect((await holds(one)).reserves).toMatchObject([
      {
        reserve_id: 'rsv_1',
        amount_minor: 5_000,
        remaining_minor: 3_000,
        reason_code: 'risk',
        release_on: '2026-09-01',
      },
    ]);
    await send(one, 'reserve.released', { release_id: 'rel_2', reserve_id: 'rsv_1' });
    expect((await holds(one)).reserves).toEqual([]);
  });
});
