/** Adds an entry of a cost. It counts from a day on, until a later entry. */
import { monthsBefore } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors.ts';
import { minor, toMicros } from '../../../kernel/money.ts';
import { requestPass, usesPricing } from '../../pricing/index.ts';
import { type ListedCost, listCosts, lockCosts, unitCosts } from '../store/unit-costs.ts';

/** Orders are kept for figures this long. */
const MONTHS_BACK = 25;

interface CostInput {
  readonly amount_minor: number | null;
  readonly effective_from: string;
}

/** @throws ApiError 422 `date_in_future`, `date_too_old` */
function requireDate(effective_from: string, today: string): void {
  const refuse = (type: string, msg: string) =>
    invalid([{ loc: ['body', 'effective_from'], msg, type, input: effective_from }]);
  if (effective_from > today) throw refuse('date_in_future', `A cost counts from ${today} at the latest.`);
  const first = monthsBefore(today, MONTHS_BACK);
  if (effective_from < first) throw refuse('date_too_old', `A cost counts from ${first} at the earliest.`);
}

/**
 * Adds an entry.
 *
 * @param productId null for the freight of an order
 * @param checkLast throws if the entry that was added last must be another one
 * @throws ApiError 422
 */
export async function enterCost(
  ctx: SellerCtx,
  productId: string | null,
  { amount_minor, effective_from }: CostInput,
  checkLast: (costId: string) => void = () => undefined,
): Promise<ListedCost> {
  const day = sydneyDate(ctx.now());
  requireDate(effective_from, day);
  checkLast((await lockCosts(ctx, productId ?? '')) ?? 'none');
  const { currency } = await ctx.standing();
  const cost_id = ctx.ids.next('ucs_');
  await unitCosts.insert(ctx, {
    cost_id,
    product_id: productId,
    component: productId === null ? 'external_freight' : 'supplier_cost',
    currency,
    effective_from,
    amount_micros: amount_minor === null ? null : toMicros(minor(amount_minor), currency),
    entered_at: ctx.at(),
    entered_by: ctx.seller.member_id,
  });
  const [entry] = await listCosts(ctx, { cost_id, day }, undefined, 1);
  if (entry === undefined) throw new Error(`${cost_id} was not written`);
  return entry;
}

/** Recommended prices follow the costs of units (docs/design/pricing.md#passes). */
export async function followUnitCosts(ctx: SellerCtx): Promise<void> {
  if (usesPricing(await ctx.standing())) await requestPass(ctx);
}
