/** What orders use of promotions, in transactions of their own. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { readPromotion, running, scheduled } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import type { Acting } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import { followUnits, type PromotedOrder, useDiscounts } from '../actions/use.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });

const line = { order_line_id: 'oli_1', seller_sku: null, category: null, ordered: 2 };
/** Works with an order of two units, of which some are kept, in a transaction. */
const inTransaction = (
  { seller_id }: TestSeller,
  order_id: string,
  kept: number,
  work: (ctx: Acting, order: PromotedOrder) => Promise<unknown>,
) =>
  app.app.services.withSeller(seller_id, 'write', (db) => {
    const ctx = acting(app.app.services, { db, seller_id });
    return work(ctx, { order_id, currency: 'AUD', placed_at: ctx.at(), lines: [{ ...line, kept }] });
  });

test('40 transactions at once, as several processes have them, end a promotion once and lose nothing', async () => {
  const seller = await app.seller();
  const both = [await scheduled(app, seller, { budget_minor: 1_000 }), await running(app, seller)];
  const all = Array.from({ length: 40 }, (_, index) => index);
  await Promise.all(
    all.map((index) => {
      const named = index % 2 === 0 ? both : both.toReversed();
      const granted = new Map(named.map(({ promotion_id }) => [promotion_id, minor(100)]));
      return inTransaction(seller, `ord_${index}`, 2, (ctx, order) => useDiscounts(ctx, order, granted));
    }),
  );
  const ended = await Promise.all(
    both.map(async ({ promotion_id }) =>
      (await eventTypesOf(app, seller, promotion_id)).filter((type) => type === 'promotion.ended'),
    ),
  );
  expect(ended.map(({ length }) => length)).toEqual([1, 0]);
  await Promise.all(all.map((index) => inTransaction(seller, `ord_${index}`, index % 3, followUnits)));
  const kept = { orders: 26, units: 39, discount_minor: 1_950 };
  for (const one of both) expect((await readPromotion(seller, one)).used).toMatchObject(kept);
});

test('an overspend is told once for each order, whether its units are new or come again', async () => {
  const seller = await app.seller();
  const { promotion_id } = await running(app, seller, { budget_minor: 1_000 });
  const granted = new Map([[promotion_id, minor(600)]]);
  const placed = (order_id: string, kept: number) =>
    inTransaction(seller, order_id, kept, (ctx, order) => useDiscounts(ctx, order, granted));
  const left = (order_id: string, kept: number) => inTransaction(seller, order_id, kept, followUnits);
  await placed('ord_a', 2);
  await left('ord_a', 0);
  await placed('ord_b', 2);
  await left('ord_a', 2);
  await placed('ord_c', 1);
  for (const order_id of ['ord_a', 'ord_c', 'ord_b']) for (const kept of [0, 2]) await left(order_id, kept);
  const told = await marketplaceEvents(app, seller, 'promotion.overspent', 3);
  expect(told.map(({ data }) => data.change)).toEqual([
    { order_id: 'ord_a', overspend_minor: 200 },
    { order_id: 'ord_c', overspend_minor: 300 },
    { order_id: 'ord_b', overspend_minor: 600 },
  ]);
  expect((await readPromotion(seller, { promotion_id })).used).toMatchObject({ overspend_minor: 800 });
});

test('an order with two promotions costs two statements, and two when units go', async () => {
  const seller = await app.seller();
  const both = [await scheduled(app, seller), await running(app, seller)] as const;
  const { services } = app.app;
  const statements = await services.withSeller(seller.seller_id, 'write', async (db) => {
    let made = 0;
    const counted = <R>(result: R): R => {
      made += 1;
      return result;
    };
    const ctx = acting(services, {
      seller_id: seller.seller_id,
      db: {
        all: (statement) => counted(db.all(statement)),
        one: (statement) => counted(db.one(statement)),
        run: (statement) => counted(db.run(statement)),
        later: (statement) => counted(db.later(statement)),
        cursor: db.cursor.bind(db),
      },
    });
    const order = { order_id: 'ord_1', currency: 'AUD', placed_at: ctx.at(), lines: [{ ...line, kept: 2 }] };
    const granted = new Map(both.map(({ promotion_id }) => [promotion_id, minor(100)]));
    expect(await useDiscounts(ctx, order, granted)).toBe(true);
    const used = made;
    await followUnits(ctx, { ...order, lines: [{ ...line, kept: 1 }] });
    return [used, made - used];
  });
  expect(statements).toEqual([2, 2]);
  expect((await readPromotion(seller, both[0])).used).toMatchObject({
    orders: 1,
    units: 1,
    discount_minor: 50,
  });
});
