/** Promotions on orders: what each has used, in every order of events. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  changed,
  instant,
  MINUTE_MS,
  makePromotion,
  moved,
  type Promotion,
  readPromotion,
  running,
  scheduled,
  wait,
} from '../../../../test/support/marketing.ts';
import {
  apply,
  eventTypesOf,
  type Line,
  orderEvent,
  placement,
  post,
  readOrder,
  stocked,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { minor } from '../../../kernel/money.ts';
import { DEFAULT_SCHEDULE } from '../../fees/domain/schedule.ts';
import { discountOf, trueCost } from '../domain/promotion.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
type Named = Pick<Promotion, 'promotion_id'>;
type Fees = Readonly<Record<'platform_fee_minor', number>>;
type Granted = readonly (readonly [Named, number])[];
const named = (granted: Granted) =>
  granted.map(([{ promotion_id }, discount_minor]) => ({ promotion_id, discount_minor }));
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** A placement whose discount is that of its promotions. */
const sale = (seller: TestSeller, lines: readonly Line[], granted: Granted, more: object = {}) =>
  placement(app, seller, lines, {
    ...{ seller_discount_minor: sumOf(granted.map(([, off]) => off)), promotions: named(granted), ...more },
  });
const mugs = (quantity: number, price = 2_000): readonly Line[] => [{ title: 'Mug', quantity, price }];
async function sold(seller: TestSeller, lines: readonly Line[], granted: Granted, more: object = {}) {
  const event = sale(seller, lines, granted, more);
  await apply(app, event);
  return event.subject;
}
const usedOf = async (seller: TestSeller, one: Named) => (await readPromotion(seller, one)).used;
interface Row {
  readonly order_id: string;
  readonly discount_minor: number;
  readonly units: number;
}
const rowsOf = async (seller: TestSeller, { promotion_id }: Named): Promise<readonly Row[]> =>
  (await seller.call<{ data: Row[] }>('GET', `/marketing/promotions/${promotion_id}/orders?limit=200`)).body
    .data;
const cancel = (seller: TestSeller, id: string, quantity: number) =>
  orderEvent(app, seller, 'order.cancelled', id, { lines: [{ order_line_no: 1, quantity }], by: 'buyer' });

test('15 % off two mugs costs 6.75: what the ledger books, with the discount and without', async () => {
  const seller = await app.seller();
  const promotion = await running(app, seller);
  /** Net and platform fee that the ledger has for two mugs. */
  const booked = async (granted: Granted) => {
    const id = await sold(seller, mugs(2, 2_499), granted);
    const gross = 4_998 - sumOf(granted.map(([, off]) => off));
    const paid = { charge_id: `ch_${id}`, captured_minor: gross, provider_fee_minor: 0 };
    await apply(
      app,
      orderEvent(app, seller, 'order.payment_captured', id, paid),
      orderEvent(app, seller, 'order.delivered', id, {}),
    );
    const { body } = await seller.call<{ transaction: Record<string, unknown> }>('GET', `/fees/orders/${id}`);
    const { gross_order_amount_minor, fee_components, net_payout_minor } = body.transaction;
    return [gross_order_amount_minor, (fee_components as Fees).platform_fee_minor, net_payout_minor];
  };
  expect(await booked([])).toEqual([4_998, 500, 4_468]);
  expect(await booked([[promotion, 750]])).toEqual([4_248, 425, 3_793]);
  const terms = { value_bps: 1_500, value_minor: null };
  expect(discountOf(terms, minor(2_499), 2)).toBe(750n);
  const item = { price: minor(2_499), quantity: 2, category: null };
  expect(trueCost(DEFAULT_SCHEDULE, item, minor(750))).toEqual({ fees_saved: 75n, true_cost: 675n });
});

test('placed orders use the budget; rejected, expired and cancelled units give theirs back, refunds do not', async () => {
  const seller = await app.seller();
  const promotion = await running(app, seller);
  const granted: Granted = [[promotion, 1_000]];
  const ids = [];
  for (let left = 4; left > 0; left -= 1) ids.push(await sold(seller, mugs(3), granted));
  const [kept = '', rejected = '', cancelled = '', expiring = ''] = ids;
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 4, units: 12, discount_minor: 4_000 });
  await post(seller, `${rejected}/reject`, { reason: 'out_of_stock' });
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 3, units: 9, discount_minor: 3_000 });
  // A third of 1,000 is 333.33; two thirds are 666.67.
  await apply(app, cancel(seller, cancelled, 1));
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 3, units: 8, discount_minor: 2_667 });
  await apply(app, cancel(seller, cancelled, 1));
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 3, units: 7, discount_minor: 2_333 });
  await apply(app, cancel(seller, cancelled, 1));
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 2, units: 6, discount_minor: 2_000 });
  const paid = { charge_id: 'ch_1', captured_minor: 5_000, provider_fee_minor: 0 };
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', kept, paid),
    orderEvent(app, seller, 'order.delivered', kept, {}),
    orderEvent(app, seller, 'refund.created', kept, {
      refund_id: 'rf_1',
      lines: [{ order_line_no: 1, quantity: 3, amount_minor: 5_000 }],
    }),
  );
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 2, units: 6, discount_minor: 2_000 });
  await wait(app, 5 * 86_400_000);
  const later = await seller.renew();
  expect((await readOrder(later, expiring)).status).toBe('rejected');
  expect(await usedOf(later, promotion)).toEqual({
    ...{ orders: 1, units: 3, discount_minor: 1_000, overspend_minor: 0 },
  });
  expect(await rowsOf(later, promotion)).toMatchObject([{ order_id: kept, discount_minor: 1_000, units: 3 }]);
  // It was accepted elsewhere: its discount was granted after all.
  await apply(app, orderEvent(app, seller, 'order.delivered', expiring, {}));
  expect(await usedOf(later, promotion)).toMatchObject({ orders: 2, units: 6, discount_minor: 2_000 });
});

test('only units that the promotion covers share its discount', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 100, { category: 'Home > Kitchen' });
  const promotion = await running(app, seller, { applies_to: { categories: ['home'] } });
  const lines = [
    { title: 'Lamp', quantity: 5 },
    { sku, quantity: 2 },
    { kind: 'shipping', price: 900 },
  ] as const;
  const id = await sold(seller, lines, [[promotion, 700]]);
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 1, units: 2, discount_minor: 700 });
  await apply(app, cancel(seller, id, 5));
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 1, units: 2, discount_minor: 700 });
  const part = { lines: [{ order_line_no: 2, quantity: 1 }], by: 'buyer' };
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, part));
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 1, units: 1, discount_minor: 350 });
});

test('a sale with a promotion that is unknown, foreign, over or in another currency is recorded with a warning', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const warned = async (granted: Granted, more: object = {}) => {
    const event = sale(seller, mugs(1), granted, more);
    const [result] = await app.events(event);
    expect((await readOrder(seller, event.subject)).status).toBe('awaiting_acceptance');
    return (result as { warnings?: string[] }).warnings?.includes('promotion_not_found') ?? false;
  };
  const [ended, running_] = [await scheduled(app, seller), await scheduled(app, seller)];
  const foreign = await running(app, other);
  const draft = await makePromotion(app, seller);
  const before = instant(app, 0);
  await wait(app, 1_000);
  await moved(seller, ended, 'end');
  await wait(app, 1);
  expect(await warned([[{ promotion_id: 'prm_none' }, 10]])).toBe(true);
  expect(await warned([[foreign, 10]])).toBe(true);
  expect(await warned([[draft, 10]])).toBe(true);
  expect(await warned([[ended, 10]])).toBe(true);
  // Told late, but placed in time.
  expect(await warned([[ended, 10]], { placed_at: before })).toBe(false);
  expect(
    await warned([
      [running_, 10],
      [ended, 5],
    ]),
  ).toBe(true);
  expect(await warned([])).toBe(false);
  expect((await usedOf(seller, ended)).discount_minor).toBe(10);
  expect((await usedOf(seller, running_)).discount_minor).toBe(10);
  expect((await usedOf(other, foreign)).orders).toBe(0);
});

test('promotions above the discount are rejected; a repeated promotion and a repeated event count once', async () => {
  const seller = await app.seller();
  const promotion = await running(app, seller);
  const one: Granted = [
    [promotion, 300],
    [promotion, 200],
  ];
  const event = sale(seller, mugs(1), one, { seller_discount_minor: 499 });
  expect((await app.events(event))[0]).toMatchObject({ status: 'rejected', code: 'promotion_amounts' });
  const none = sale(seller, mugs(1), [[promotion, 1]], { seller_discount_minor: undefined });
  expect((await app.events(none))[0]?.code).toBe('promotion_amounts');
  const good = { ...event, data: { ...(event['data'] as object), seller_discount_minor: 600 } };
  const again = { ...good, id: randomUUID() };
  expect((await app.events(good, good, again)).map(({ status }) => status)).toEqual([
    ...['applied', 'duplicate', 'stale'],
  ]);
  const other = { ...again, id: randomUUID(), data: { ...(good.data as object), promotions: [] } };
  expect((await app.events(other))[0]?.code).toBe('invalid_transition');
  expect(await usedOf(seller, promotion)).toMatchObject({ orders: 1, units: 1, discount_minor: 500 });
});

test('40 orders and 20 rejections at once: one end by budget, each overspend told once, exact sums', async () => {
  const seller = await app.seller();
  const [promotion, second] = [
    await scheduled(app, seller, { budget_minor: 1_000 }),
    await running(app, seller),
  ];
  const sales = Array.from({ length: 40 }, (_, index) =>
    sale(
      seller,
      mugs(1),
      index % 2 === 0
        ? [
            [promotion, 100],
            [second, 7],
          ]
        : [
            [second, 7],
            [promotion, 100],
          ],
    ),
  );
  const results = await Promise.all(sales.map((one) => app.events(one)));
  expect(results.flat().filter(({ status }) => status !== 'applied')).toEqual([]);
  const full = await readPromotion(seller, promotion);
  expect(full).toMatchObject({ status: 'ended', end_reason: 'budget' });
  expect(full.used).toEqual({ orders: 40, units: 40, discount_minor: 4_000, overspend_minor: 3_000 });
  const types = await eventTypesOf(app, seller, promotion.promotion_id);
  expect(types.filter((type) => type === 'promotion.ended')).toHaveLength(1);
  const told = await marketplaceEvents(app, seller, 'promotion.overspent', 30);
  const changes = told.map(({ data }) => data.change as { order_id: string; overspend_minor: number });
  expect(new Set(changes.map(({ order_id }) => order_id)).size).toBe(30);
  expect(changes.map(({ overspend_minor }) => overspend_minor)).toEqual(Array(30).fill(100));
  const half = sales.slice(0, 20);
  const answers = await Promise.all(
    half.map(({ subject }) => post(seller, `${subject}/reject`, { reason: 'out_of_stock' })),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await usedOf(seller, promotion)).toEqual({
    ...{ orders: 20, units: 20, discount_minor: 2_000, overspend_minor: 1_000 },
  });
  expect(await usedOf(seller, second)).toMatchObject({ orders: 20, discount_minor: 140 });
  expect(sumOf((await rowsOf(seller, promotion)).map(({ discount_minor }) => discount_minor))).toBe(2_000);
  // What came back does not reopen it.
  expect((await readPromotion(seller, promotion)).status).toBe('ended');
});

test('beyond the budget the ledger has the discounted gross, and a raised budget ends the overspend', async () => {
  const seller = await app.seller();
  const promotion = await running(app, seller, { budget_minor: 500 });
  await sold(seller, mugs(1), [[promotion, 499]]);
  expect(await readPromotion(seller, promotion)).toMatchObject({ status: 'running' });
  const raised = await changed(seller, promotion, { budget_minor: 600 });
  expect(raised.status).toBe(200);
  const id = await sold(seller, mugs(1), [[promotion, 300]]);
  const after = await readPromotion(seller, promotion);
  expect(after).toMatchObject({ status: 'ended', end_reason: 'budget', used: { overspend_minor: 199 } });
  const [told] = await marketplaceEvents(app, seller, 'promotion.overspent', 1);
  expect(told?.data.change).toEqual({ order_id: id, overspend_minor: 199 });
  expect((await readOrder(seller, id))['total_minor']).toBe(1_700);
  const statement = await seller.call<{ data: object[] }>('GET', '/financials/settlements');
  expect(JSON.stringify(statement.body)).not.toContain('promotion');
});

test('an order that takes its discount again after its expiry tells what it brings beyond the budget', async () => {
  const seller = await app.seller();
  const promotion = await running(app, seller, { budget_minor: 1_000 });
  const first = await sold(seller, mugs(1), [[promotion, 600]]);
  await wait(app, 5 * 86_400_000);
  const later = await seller.renew();
  expect((await readOrder(later, first)).status).toBe('rejected');
  await sold(later, mugs(1), [[promotion, 600]]);
  expect(await usedOf(later, promotion)).toMatchObject({ discount_minor: 600, overspend_minor: 0 });
  // It was accepted elsewhere.
  await apply(app, orderEvent(app, later, 'order.delivered', first, {}));
  expect(await usedOf(later, promotion)).toMatchObject({ discount_minor: 1_200, overspend_minor: 200 });
  const told = await marketplaceEvents(app, later, 'promotion.overspent', 1);
  expect(told.map(({ data }) => data.change)).toEqual([{ order_id: first, overspend_minor: 200 }]);
  expect(await readPromotion(later, promotion)).toMatchObject({ status: 'ended', end_reason: 'budget' });
});

const step = fc.record({
  order: fc.nat(3),
  what: fc.constantFrom('place', 'cancel', 'reject', 'deliver', 'capture', 'repeat'),
  units: fc.integer({ min: 1, max: 3 }),
});
test('in every order of events the attributed discounts are what is used', async () => {
  const seller = await app.seller();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(997), fc.nat(997)), { minLength: 4, maxLength: 4 }),
      fc.array(step, { minLength: 6, maxLength: 16 }),
      async (discounts, steps) => {
        const [one, two] = [
          await scheduled(app, seller, { budget_minor: 900 }),
          await scheduled(app, seller),
        ];
        await wait(app, MINUTE_MS);
        const sales = discounts.map(([a, b]) =>
          sale(
            seller,
            [...mugs(3), { title: 'Cup', quantity: 2 }],
            [
              [one, a],
              [two, b],
            ],
          ),
        );
        for (const { order, what, units } of [
          ...steps,
          ...[0, 1, 2, 3].map((at) => ({ order: at, what: 'place', units: 1 })),
        ]) {
          const event = sales[order];
          if (event === undefined) continue;
          const id = event.subject;
          const paid = { charge_id: `ch_${id}`, captured_minor: 9_000, provider_fee_minor: 0 };
          if (what === 'place') await app.events(event);
          if (what === 'repeat') await app.events({ ...event, id: randomUUID() });
          if (what === 'cancel') await app.events(cancel(seller, id, units));
          if (what === 'capture')
            await app.events(orderEvent(app, seller, 'order.payment_captured', id, paid));
          if (what === 'deliver') await app.events(orderEvent(app, seller, 'order.delivered', id, {}));
          if (what === 'reject') await post(seller, `${id}/reject`, { reason: 'other' });
        }
        const orders = await Promise.all(sales.map(({ subject }) => readOrder(seller, subject)));
        for (const [at, promotion] of [one, two].entries()) {
          const left = orders.map(({ order_id, lines }, index) => {
            const gone = sumOf(
              lines.map(({ quantities }) => (quantities['rejected'] ?? 0) + (quantities['cancelled'] ?? 0)),
            );
            const granted = discounts[index]?.[at] ?? 0;
            return {
              order_id,
              units: 5 - gone,
              discount_minor: Math.floor((granted * (5 - gone) * 2 + 5) / 10),
            };
          });
          const used = await usedOf(seller, promotion);
          const rows = await rowsOf(seller, promotion);
          const expected = left.filter(({ units }) => units > 0);
          const sorted = (all: readonly Row[]) =>
            all
              .map(({ order_id, units, discount_minor }) => ({ order_id, units, discount_minor }))
              .sort((a, b) => (a.order_id < b.order_id ? -1 : 1));
          expect(sorted(rows)).toEqual(sorted(expected));
          expect(used).toMatchObject({
            ...{ orders: expected.length, units: sumOf(left.map(({ units }) => units)) },
            discount_minor: sumOf(left.map(({ discount_minor }) => discount_minor)),
          });
        }
        // A seller has at most 100 promotions that have not ended.
        for (const promotion of [one, two]) await moved(seller, promotion, 'end');
      },
    ),
    { numRuns: 12 },
  );
});
