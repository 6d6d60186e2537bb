import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { minorToJson } from '../../../kernel/money.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { scheduleAt } from '../../fees/index.ts';
import { covers, discountOf, trueCost } from '../domain/promotion.ts';
import type { WireEstimate } from '../schemas.ts';
import { categoriesOf, offeredProducts, type PromotionRow } from '../store.ts';

const PRODUCTS_MAX = 20;

/** One unit of the products with the largest discount. These are the dearest, whatever the promotion takes off. */
export async function estimateOf(ctx: HandlerCtx, row: PromotionRow): Promise<WireEstimate[]> {
  const { currency, applies_to } = row;
  const isInside = (category: string) => covers(applies_to, { seller_sku: null, category });
  const scope = {
    ...{ currency, ...applies_to },
    ...(applies_to.categories && { categories: (await categoriesOf(ctx)).filter(isInside) }),
  };
  const [products, schedule] = await Promise.all([
    offeredProducts(ctx, scope, PRODUCTS_MAX),
    scheduleAt(ctx.db, currency, sydneyDate(ctx.now())),
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
