/**
 * Discounts of promotions on orders. For each order and promotion the discount is a function of what was granted and of
 * the units that are left, so the sums are the same in every order of events.
 * Source: docs/design/marketing.md#orders.
 */
import type { Acting } from '../../../kernel/context.ts';
import {
  lesserMinor,
  lessMinor,
  type Minor,
  minor,
  minorToJson,
  shareToDate,
} from '../../../kernel/money.ts';
import { countsFor, covers } from '../domain/promotion.ts';
import { lockPromotions, lockUses, type PromotionRow, type UseRow, writeUses } from '../store.ts';
import { move, settle } from './moves.ts';

/** An order as far as promotions need it. */
export interface PromotedOrder {
  readonly order_id: string;
  readonly currency: string;
  readonly placed_at: string;
  /** The lines of goods. */
  readonly lines: readonly {
    readonly order_line_id: string;
    readonly seller_sku: string | null;
    readonly category: string | null;
    readonly ordered: number;
    /** Units that were not rejected, expired or cancelled. */
    readonly kept: number;
  }[];
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A use with the units that are left, and what that adds to the sums of its promotion. */
function follow(use: UseRow, lines: PromotedOrder['lines']) {
  const own = lines.filter(({ order_line_id }) => use.line_ids.includes(order_line_id));
  const units = sumOf(own.map(({ kept }) => kept));
  // Half up is the largest remainder between what is left and what comes back.
  const discount_minor = shareToDate(use.granted_minor, BigInt(units), BigInt(use.granted_units));
  return {
    ...{ ...use, units, discount_minor },
    more_orders: Math.sign(units) - Math.sign(use.units),
    more_units: units - use.units,
    more_minor: lessMinor(discount_minor, use.discount_minor),
  };
}

/** What is granted now, before it is counted. Where no line is in the promotion, all are. */
function grant(
  row: PromotionRow,
  { order_id, placed_at, lines }: PromotedOrder,
  granted_minor: Minor,
): UseRow {
  const inside = lines.filter((line) => covers(row.applies_to, line));
  const own = inside.length > 0 ? inside : lines;
  return {
    ...{ promotion_id: row.promotion_id, order_id, placed_at, granted_minor },
    granted_units: sumOf(own.map(({ ordered }) => ordered)),
    line_ids: own.map(({ order_line_id }) => order_line_id),
    ...{ discount_minor: minor(0), units: 0 },
  };
}

/**
 * Counts the discounts of a new order.
 *
 * @param granted discounts by promotion
 * @returns whether all promotions were found
 */
export async function useDiscounts(
  ctx: Acting,
  order: PromotedOrder,
  granted: ReadonlyMap<string, Minor>,
): Promise<boolean> {
  const found = await lockPromotions(ctx, [...granted.keys()]);
  const changes = found
    .filter((row) => countsFor(row, order))
    .map((row) => follow(grant(row, order, granted.get(row.promotion_id) ?? minor(0)), order.lines));
  if (changes.length === 0) return false;
  for (const row of await writeUses(ctx, changes)) {
    const over = lessMinor(row.used_minor, row.budget_minor);
    const own = lesserMinor(over, granted.get(row.promotion_id) ?? minor(0));
    const facts = { order_id: order.order_id, overspend_minor: minorToJson(own) };
    await settle(ctx, own > 0n ? await move(ctx, row, 'overspent', {}, facts) : row);
  }
  return changes.length === granted.size;
}

/** Follows the units of an order that has promotions: what was rejected, expired or cancelled comes back. */
export async function followUnits(ctx: Acting, { order_id, lines }: PromotedOrder): Promise<void> {
  const changes = (await lockUses(ctx, order_id))
    .map((use) => follow(use, lines))
    .filter(({ more_units }) => more_units !== 0);
  if (changes.length === 0) return;
  for (const row of await writeUses(ctx, changes)) await settle(ctx, row);
}
