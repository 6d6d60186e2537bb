/** Orders tell the promotions that they name how many of their units are left. */
import type { Acting } from '../../../kernel/context.ts';
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { followUnits, type PromotedOrder, useDiscounts } from '../../marketing/index.ts';
import type { Order } from '../domain/order.ts';
import { itemsOf } from '../domain/pick-lines.ts';

interface NamedPromotion {
  readonly promotion_id: string;
  readonly discount_minor: number;
}

/** The discounts that the placement of an order names, by promotion. */
function discountsIn({ head }: Order): ReadonlyMap<string, Minor> {
  const named = (head.placed_facts['promotions'] ?? []) as readonly NamedPromotion[];
  const groups = Map.groupBy(named, ({ promotion_id }) => promotion_id);
  return new Map(
    [...groups].map(([id, all]) => [id, sumMinor(all.map(({ discount_minor }) => minor(discount_minor)))]),
  );
}

const promoted = (order: Order): PromotedOrder => ({
  ...order.head,
  lines: itemsOf(order).map((line) => ({ ...line, kept: line.ordered - line.rejected - line.cancelled })),
});

const keptUnits = (order: Order): string =>
  promoted(order)
    .lines.map(({ kept }) => kept)
    .join();

/** Counts the discounts of a new order. @returns whether all promotions that it names were found */
export async function usePromotions(ctx: Acting, order: Order): Promise<boolean> {
  const granted = discountsIn(order);
  return granted.size === 0 || useDiscounts(ctx, promoted(order), granted);
}

/** Gives discounts of units back that were rejected, expired or cancelled. */
export async function followPromotions(ctx: Acting, before: Order | undefined, order: Order): Promise<void> {
  if (before === undefined || discountsIn(order).size === 0 || keptUnits(before) === keptUnits(order)) return;
  await followUnits(ctx, promoted(order));
}
