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
  sumMinor,
} from '../../../kernel/money.ts';
import { inScope } from '../../../kernel/product-scope.ts';
import { countsFor } from '../domain/promotion.ts';
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

type Sums = Pick<PromotionRow, 'used_minor' | 'budget_minor'>;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A use with the units that are left, what that adds to the sums of its promotion, and an overspend to tell. */
function follow(use: UseRow, lines: PromotedOrder['lines'], { used_minor, budget_minor }: Sums) {
  const own = lines.filter(({ order_line_id }) => use.line_ids.includes(order_line_id));
  const units = sumOf(own.map(({ kept }) => kept));
  // Half up is the largest remainder between what is left and what comes back.
  const discount_minor = shareToDate(use.granted_minor, BigInt(units), BigInt(use.granted_units));
  const more_minor = lessMinor(discount_minor, use.discount_minor);
  const over = lesserMinor(lessMinor(sumMinor([used_minor, more_minor]), budget_minor), more_minor);
  return {
    ...{ ...use, units, discount_minor },
    overspent_told: use.overspent_told || over > 0n,
    overspend: use.overspent_told ? minor(0) : over,
    more_orders: Math.sign(units) - Math.sign(use.units),
    more_units: units - use.units,
    more_minor,
  };
}

/** What is granted now, before it is counted. Where no line is in the promotion, all are. */
function grant(
  row: PromotionRow,
  { order_id, placed_at, lines }: PromotedOrder,
  granted_minor: Minor,
): UseRow {
  const inside = lines.filter(inScope(row.applies_to));
  const own = inside.length > 0 ? inside : lines;
  return {
    ...{ promotion_id: row.promotion_id, order_id, placed_at, granted_minor },
    granted_units: sumOf(own.map(({ ordered }) => ordered)),
    line_ids: own.map(({ order_line_id }) => order_line_id),
    ...{ discount_minor: minor(0), units: 0, overspent_told: false },
  };
}

/** Writes what an order changes, tells what it overspends, and makes the moves that are due. */
async function count(ctx: Acting, order_id: string, changes: readonly ReturnType<typeof follow>[]) {
  const overspends = new Map(changes.map(({ promotion_id, overspend }) => [promotion_id, overspend]));
  for (const row of await writeUses(ctx, changes)) {
    const overspend = overspends.get(row.promotion_id) ?? minor(0);
    const facts = { order_id, overspend_minor: minorToJson(overspend) };
    await settle(ctx, overspend > 0n ? await move(ctx, row, 'overspent', {}, facts) : row);
  }
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
    .map((row) => follow(grant(row, order, granted.get(row.promotion_id) ?? minor(0)), order.lines, row));
  if (changes.length === 0) return false;
  await count(ctx, order.order_id, changes);
  return changes.length === granted.size;
}

/** Follows the units of an order that has promotions: they come back, or are taken again after an expiry. */
export async function followUnits(ctx: Acting, { order_id, lines }: PromotedOrder): Promise<void> {
  const changes = (await lockUses(ctx, order_id))
    .map(({ used_minor, budget_minor, ...use }) => follow(use, lines, { used_minor, budget_minor }))
    .filter(({ more_units }) => more_units !== 0);
  if (changes.length > 0) await count(ctx, order_id, changes);
}
