import { expect, test } from 'vitest';
import type { Acting } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { type Placed, place } from '../domain/place.ts';
import { followPromotions, usePromotions } from './promotions.ts';

test('an order without promotions makes no statement', async () => {
  const line = { kind: 'item', quantity: 2, unit_price_minor: minor(500), platform_fee_bps: null };
  const order = place(
    { seller_discount_minor: minor(0), placed_facts: {}, lines: [line] } as never as Placed,
    0,
    () => 'oli_1',
  );
  // Every use of the context would throw.
  const ctx = Object.freeze({}) as Acting;
  expect(await usePromotions(ctx, order)).toBe(true);
  const [first] = order.lines;
  const less = { ...order, lines: first === undefined ? [] : [{ ...first, cancelled: 1 }] };
  await followPromotions(ctx, order, less);
});
