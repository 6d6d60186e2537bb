/** Points of a seller's orders, booked in any order and often. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveTo } from '../../../../test/golden/story.ts';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { book, pointsEvent, publishTerms, walletOf } from '../../../../test/support/loyalty.ts';
import { placeOrder } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });
await publishTerms(app);
const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const anOrder = (seller: TestSeller) => placeOrder(app, seller, [{ sku: 'ANY', title: 'Any' }]);
/** The Sydney day of now; afterwards it is over. */
async function nextDay(): Promise<string> {
  await untilJobsRest(app);
  const now = app.app.services.now();
  const today = iso(now + 10 * 3_600_000).slice(0, 10);
  await moveTo(app, iso(now + DAY_MS));
  return today;
}
const inSum = { restored: 0, expired: 0, adjusted: 0 };

test('a refund of spent points is a deficit, which later points repay', async () => {
  const seller = await app.seller();
  const [order_id, later] = [await anOrder(seller), await anOrder(seller)];
  const earned = { points: 876, order_id, funded_minor: 438 };
  expect(await book(app, seller, 'earned', earned)).toBe('applied');
  expect(await book(app, seller, 'redeemed', { points: 876 })).toBe('applied');
  expect(await book(app, seller, 'reversed', { ...earned, refund_id: 'rf_1' })).toBe('applied');
  const first = await nextDay();
  const owed = { issued: 876, redeemed: 876, reversed: 876, outstanding: 0, deficit: -876 };
  expect((await walletOf(await seller.renew(), first)).points).toEqual({ ...inSum, ...owed });
  await book(app, seller, 'earned', { points: 1_000, order_id: later, funded_minor: 500 });
  const second = await nextDay();
  const now = await seller.renew();
  const repaid = { ...owed, issued: 1_876, outstanding: 124, deficit: 0 };
  expect((await walletOf(now, second)).points).toEqual({ ...inSum, ...repaid });
  // A day that is over stays as it was, whatever is told later about it.
  const late = { time: '2026-06-25T01:00:00Z' };
  await book(app, seller, 'adjusted', { points: -24, reason: 'goodwill' }, late);
  expect((await walletOf(now, first)).points).toEqual({ ...inSum, ...owed });
  expect(await now.call('GET', '/loyalty/wallet?as_of=2999-01-01')).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', 'as_of'], type: 'day_not_over' }] },
  });
});

test('what is not covered is refused, and taken when it is', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const order_id = await anOrder(seller);
  const spent = { transaction_id: 'spent', points: 500 };
  expect(await book(app, seller, 'redeemed', spent)).toBe('points_not_found');
  expect(await book(app, seller, 'expired', { points: 1 })).toBe('points_not_found');
  const earned = { transaction_id: 'earned', points: 500, order_id, funded_minor: 250 };
  expect(await book(app, other, 'earned', earned)).toBe('order_not_found');
  expect(await book(app, { seller_id: 'slr_none' }, 'earned', earned)).toBe('seller_not_found');
  expect(await book(app, seller, 'earned', earned)).toBe('applied');
  expect(await book(app, seller, 'earned', earned)).toBe('applied');
  expect(await book(app, seller, 'earned', { ...earned, points: 501 })).toBe('id_reused');
  // Points of another member do not count.
  expect(await book(app, seller, 'redeemed', { ...spent, member_ref: 'mem_2' })).toBe('points_not_found');
  expect(await book(app, seller, 'redeemed', spent)).toBe('applied');
  expect(await book(app, seller, 'redeemed', { points: 1 })).toBe('points_not_found');
  const restored = { points: 400, redemption_transaction_id: 'spent' };
  expect(await book(app, seller, 'restored', { ...restored, redemption_transaction_id: 'x' })).toBe(
    'points_not_found',
  );
  expect(await book(app, seller, 'restored', restored)).toBe('applied');
  expect(await book(app, seller, 'restored', restored)).toBe('points_not_found');
  expect(await book(app, seller, 'expired', { points: 400 })).toBe('applied');
  const back = { points: 300, order_id, funded_minor: 150 };
  expect(await book(app, seller, 'reversed', back)).toBe('applied');
  expect(await book(app, seller, 'reversed', back)).toBe('reversal_exceeds_earned');
  expect(await book(app, seller, 'adjusted', { points: 0 })).toBe('data_invalid');
});

test('transactions show the seller’s orders and no member, and nothing of another seller', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const order_id = await anOrder(seller);
  await book(app, seller, 'earned', { member_ref: 'mem_secret', points: 10, order_id, funded_minor: 5 });
  await book(app, seller, 'redeemed', { member_ref: 'mem_secret', points: 4, order_id });
  await book(app, seller, 'adjusted', { member_ref: 'mem_secret', points: -2 });
  const { body } = await seller.call<{ data: { kind: string }[] }>('GET', '/loyalty/transactions');
  expect(body.data.map(({ kind }) => kind)).toEqual(['earned']);
  const of = async (by: TestSeller, query: string) =>
    (await by.call<{ data: object[] }>('GET', `/loyalty/transactions?${query}`)).body.data.length;
  expect(await of(seller, `order_id=${order_id}&kind=earned&from=2026-01-01&to=2999-01-01`)).toBe(1);
  expect(await of(seller, 'kind=reversed')).toBe(0);
  expect(await of(other, '')).toBe(0);
  const day = await nextDay();
  const now = await seller.renew();
  for (const path of ['transactions', `wallet?as_of=${day}`, 'reconciliation', 'statements', 'program'])
    expect((await now.call('GET', `/loyalty/${path}`)).text).not.toMatch(/mem_secret|lmb_/);
  const events = await now.call('GET', '/webhooks/events?types=loyalty.*');
  expect(events.text).not.toMatch(/mem_secret|lmb_/);
  expect((await walletOf(now, day)).by_month).toEqual([{ month: day.slice(0, 7), redeemed: 4, expired: 0 }]);
});

test('pages of the comparison show each order once, also of one status, and of this seller only', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const ids: string[] = [];
  for (const owner of [seller, seller, seller, other]) {
    const order_id = await anOrder(owner);
    expect(await book(app, owner, 'earned', { points: 10, order_id, funded_minor: 5 })).toBe('applied');
    if (owner === seller) ids.push(order_id);
  }
  type Page = { data: { order_id: string; status: string }[]; page: { next_cursor: string | null } };
  const walk = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const path = `/loyalty/reconciliation?limit=1${query}${cursor}`;
      const { data, page } = (await seller.call<Page>('GET', path)).body;
      seen.push(...data.map(({ order_id }) => order_id));
      if (page.next_cursor === null) return seen;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  };
  const newestFirst = ids.toSorted().toReversed();
  expect(await walk('')).toEqual(newestFirst);
  expect(await walk('&status=pending')).toEqual(newestFirst);
  expect(await walk('&status=matched')).toEqual([]);
  expect(await walk(`&order_id=${ids[1]}`)).toEqual([ids[1]]);
});

/** How many orders of all sellers have points without money. */
async function withoutMoney(): Promise<number> {
  const { text } = await callInternal(app, 'GET', '/metrics');
  return Number(/^spp_loyalty_mismatches\{status="fund_missing"\} (\d+)$/m.exec(text)?.[1]);
}

test('a difference counts in the metrics while it lasts, also when it comes again; each journal is an event', async () => {
  let seller = await app.seller();
  // The orders of other tests are overdue by then.
  const threeDays = async () => {
    for (let day = 0; day < 3; day += 1) await nextDay();
  };
  await threeDays();
  seller = await seller.renew();
  const order_id = await anOrder(seller);
  const points = { points: 10, order_id, funded_minor: 5 };
  const before = await withoutMoney();
  const counts: number[] = [];
  for (const kind of ['earned', 'reversed', 'earned']) {
    expect(await book(app, seller, kind, points)).toBe('applied');
    await threeDays();
    counts.push((await withoutMoney()) - before);
  }
  expect(counts).toEqual([1, 0, 1]);
  seller = await seller.renew();
  const { body } = await seller.call<{ data: { type: string; data: { object: object } }[] }>(
    'GET',
    '/webhooks/events?types=loyalty.*',
  );
  const booked = (kind: string) => ['loyalty.points_booked', { kind, points: 10, order_id, funded_minor: 5 }];
  expect(body.data.map(({ type, data }) => [type, data.object])).toMatchObject([
    booked('earned'),
    ['loyalty.mismatch_found', { order_id, status: 'fund_missing' }],
    booked('reversed'),
    booked('earned'),
  ]);
  expect(JSON.stringify(body)).not.toContain('mem_1');
});

test('the database refuses changes and deletions of journals', async () => {
  const seller = await app.seller();
  await book(app, seller, 'earned', { points: 1, order_id: await anOrder(seller), funded_minor: 1 });
  for (const text of [
    'update points_journal set points = 2 where seller_id = $1',
    'delete from points_journal where seller_id = $1',
  ])
    await expect(
      app.app.services.withSystem('jobs', 'write', (db) => db.run({ text, values: [seller.seller_id] })),
    ).rejects.toThrow('append-only');
});

/** A history whose events depend on each other by their ids only. */
const history = fc.record({
  orders: fc.array(
    fc.record({
      member: fc.constantFrom('mem_1', 'mem_2'),
      earned: fc.integer({ min: 1, max: 5_000 }),
      back: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  spent: fc.double({ min: 0, max: 1, noNaN: true }),
  seed: fc.array(fc.integer(), { minLength: 40, maxLength: 40 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** The events of a history by their kinds and data, and the sums that they must lead to. */
function eventsOf({ orders, spent }: History, ids: readonly string[]) {
  const events: [kind: string, data: Record<string, unknown>][] = [];
  const sums = { issued: 0, reversed: 0, redeemed: 0 };
  const balances = new Map<string, number>();
  const add = (member: string, points: number) => balances.set(member, (balances.get(member) ?? 0) + points);
  for (const [index, { member, earned, back }] of orders.entries()) {
    const at = { member_ref: member, order_id: ids[index] };
    events.push(['earned', { ...at, points: earned, funded_minor: earned }]);
    sums.issued += earned;
    add(member, earned);
    const points = Math.floor(back * earned);
    if (points === 0) continue;
    events.push(['reversed', { ...at, points, funded_minor: points }]);
    sums.reversed += points;
    add(member, -points);
  }
  for (const member of balances.keys()) {
    const whole = orders.reduce((sum, one) => sum + (one.member === member ? one.earned : 0), 0);
    const points = Math.floor(spent * whole);
    if (points === 0) continue;
    events.push(['redeemed', { member_ref: member, points }]);
    sums.redeemed += points;
    add(member, -points);
  }
  const of = (pick: (balance: number) => number) =>
    [...balances.values()].reduce((sum, balance) => sum + pick(balance), 0);
  const outstanding = of((balance) => Math.max(balance, 0));
  return {
    events,
    points: { ...inSum, ...sums, outstanding, deficit: of((balance) => Math.min(balance, 0)) },
  };
}

test('in any order and with repetitions, balances are the sums of the facts', {
  timeout: 240_000,
}, async () => {
  const wanted = new Map<TestSeller, object>();
  for (const one of fc.sample(history, { numRuns: 12, seed: 11 })) {
    const seller = await app.seller();
    const ids: string[] = [];
    for (const _ of one.orders) ids.push(await anOrder(seller));
    const { events, points } = eventsOf(one, ids);
    wanted.set(seller, points);
    const sent = events.map(([kind, data], index) =>
      pointsEvent(app, seller, kind, { ...data, transaction_id: `t-${index}` }),
    );
    let waiting = sent
      .flatMap((event, index) => [event, { ...event, id: `${event.id}-${index}` }])
      .map((event, index) => ({ event, place: one.seed[index % one.seed.length] ?? 0 }))
      .sort((a, b) => a.place - b.place)
      .map(({ event }) => event);
    while (waiting.length > 0) {
      const results = await app.events(...waiting);
      const left = waiting.filter((_, index) => results[index]?.status === 'rejected');
      expect(left.length).toBeLessThan(waiting.length);
      waiting = left;
    }
  }
  const day = await nextDay();
  for (const [seller, points] of wanted) {
    const wallet = await walletOf(await seller.renew(), day);
    expect(wallet.points).toEqual(points);
    const { issued = 0, redeemed = 0, reversed = 0, outstanding, deficit = 0 } = wallet.points;
    expect(issued - redeemed - reversed).toBe((outstanding ?? 0) + deficit);
  }
});

test('when all orders are refunded, everything that was issued is reversed and nothing is funded', async () => {
  const wanted = new Map<TestSeller, number>();
  for (const { orders, spent } of fc.sample(history, { numRuns: 4, seed: 5 })) {
    const seller = await app.seller();
    for (const { member, earned, back } of orders) {
      const order_id = await anOrder(seller);
      const of = (points: number) => ({ member_ref: member, order_id, points, funded_minor: points });
      await book(app, seller, 'earned', of(earned));
      const redeemed = Math.floor(spent * earned);
      if (redeemed > 0) await book(app, seller, 'redeemed', { member_ref: member, points: redeemed });
      // In one refund, or in two.
      const first = Math.floor(back * earned);
      for (const points of [first, earned - first])
        if (points > 0) expect(await book(app, seller, 'reversed', of(points))).toBe('applied');
    }
    wanted.set(
      seller,
      orders.reduce((sum, { earned }) => sum + earned, 0),
    );
  }
  const day = await nextDay();
  for (const [seller, issued] of wanted) {
    const now = await seller.renew();
    const { points } = await walletOf(now, day);
    expect(points).toMatchObject({ issued, reversed: issued, outstanding: 0 });
    expect(points['deficit']).toBe(0 - (points['redeemed'] ?? 0));
    const { body } = await now.call<{ data: object[] }>('GET', '/loyalty/reconciliation');
    for (const row of body.data) expect(row).toMatchObject({ points_funded_minor: 0, status: 'matched' });
  }
});

test('terms that are published later change no day that is over', async () => {
  const seller = await app.seller();
  await book(app, seller, 'earned', { points: 876, order_id: await anOrder(seller), funded_minor: 438 });
  const day = await nextDay();
  const worth = async (as_of: string) =>
    (await walletOf(await seller.renew(), as_of)).value_minor?.outstanding;
  expect(await worth(day)).toBe(438);
  const terms = { version: 'terms-two', effective_from: '2026-02-01', points_per_major: 100 };
  expect(await publishTerms(app, terms)).toBe('applied');
  expect(await worth(day)).toBe(438);
  expect(await worth(await nextDay())).toBe(876);
});
