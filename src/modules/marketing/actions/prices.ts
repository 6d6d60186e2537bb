import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { fail } from '../../../kernel/errors.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { inScope } from '../../../kernel/product-scope.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { scheduleAt } from '../../fees/index.ts';
import { discountOf, trueCost } from '../domain/promotion.ts';
import { marketingErrors } from '../errors.ts';
import type { WireEstimate } from '../schemas.ts';
import { categoriesOnSale, dearestOf, type PromotionRow, type Scope, skusBelowFloor } from '../store.ts';

const PRODUCTS_MAX = 20;
const SKUS_MAX = 50;

/** Which of the seller's products a promotion covers. */
async function scopeOf(ctx: HandlerCtx, { currency, applies_to }: PromotionRow): Promise<Scope> {
  const { skus } = applies_to;
  if (skus !== undefined) return { currency, by: 'seller_sku', names: skus };
  const isInside = inScope(applies_to);
  const names = (await categoriesOnSale(ctx)).filter((category) => isInside({ seller_sku: null, category }));
  return { currency, by: 'category_or_none', names };
}

/** @throws ApiError 409 `below_floor` */
export async function requireFloors(ctx: HandlerCtx, row: PromotionRow): Promise<void> {
  const skus = await skusBelowFloor(ctx, await scopeOf(ctx, row), row, SKUS_MAX);
  if (skus.length > 0) throw fail(marketingErrors.below_floor, { facts: { skus } });
}

/**
 * One unit of each product with a large discount. The dearest products have the largest discounts, for a rate
 * and for an amount.
 */
export async function estimateOf(ctx: HandlerCtx, row: PromotionRow): Promise<WireEstimate[]> {
  const [products, schedule] = await Promise.all([
    dearestOf(ctx, await scopeOf(ctx, row), PRODUCTS_MAX),
    scheduleAt(ctx.db, row.currency, sydneyDate(ctx.now())),
  ]);
  return products.map(({ product_id, price_minor: price, category }) => {
    const discount = discountOf(row, price, 1);
    const cost = schedule && trueCost(schedule, { price, quantity: 1, category }, discount);
    return {
      product_id,
      price_minor: minorToJson(price),
      discount_minor: minorToJson(discount),
      fees_saved_minor: cost === undefined ? null : minorToJson(cost.fees_saved),
      true_cost_minor: cost === undefined ? null : minorToJson(cost.true_cost),
    };
  });
}
