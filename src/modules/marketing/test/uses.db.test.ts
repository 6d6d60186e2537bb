/** What orders use of promotions, in transactions of their own. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { readPromotion, running, scheduled } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import type { Acting } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import { followUnits, type PromotedOrder, useDiscounts } from '../actions/use.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });

test('40 transactions at once, as several processes have them, end a promotion once and lose nothing', async () => {
  const seller = await app.seller();
  const both = [await scheduled(app, seller, { budget_minor: 1_000 }), await running(app, seller)];
  const { services } = app.app;
  const line = { order_line_id: 'oli_1', seller_sku: null, category: null, ordered: 2 };
  const inTransaction = (
    index: number,
    work: (ctx: Acting, order: PromotedOrder) => Promise<unknown>,
    kept: number,
  ) =>
    services.withSeller(seller.seller_id, 'write', (db) => {
      const ctx = acting(services, { db, seller_id: seller.seller_id });
      const lines = [{ ...line, kept }];
      return work(ctx, { order_id: `ord_${index}`, currency: 'AUD', placed_at: ctx.at(), lines });
    });
  const all = Array.from({ length: 40 }, (_, index) => index);
  await Promise.all(
    all.map((index) => {
      const named = index % 2 === 0 ? both : both.toReversed();
      const granted = new Map(named.map(({ promotion_id }) => [promotion_id, minor(100)]));
      return inTransaction(index, (ctx, order) => useDiscounts(ctx, order, granted), 2);
    }),
  );
  const ended = await Promise.all(
    both.map(async ({ promotion_id }) =>
      (await eventTypesOf(app, seller, promotion_id)).filter((type) => type === 'promotion.ended'),
    ),
  );
  expect(ended.map(({ length }) => length)).toEqual([1, 0]);
  await Promise.all(all.map((index) => inTransaction(index, followUnits, index % 3)));
  const kept = { orders: 26, units: 39, discount_minor: 1_950 };
  for (const one of both) expect((await readPromotion(seller, one)).used).toMatchObject(kept);
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
    const line = { order_line_id: 'oli_1', seller_sku: null, category: null, ordered: 2, kept: 2 };
    const order = { order_id: 'ord_1', currency: 'AUD', placed_at: ctx.at(), lines: [line] };
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
