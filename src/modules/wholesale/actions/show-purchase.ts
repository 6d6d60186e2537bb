import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { toPurchase, type WirePurchase } from '../schemas/orders.ts';
import { type Purchase, type PurchaseRow, skusOf, withLines } from '../store/orders.ts';

type Ctx = Pick<Acting, 'db' | 'seller_id' | 'now' | 'at'>;

/** An order that was read, as the API shows it. */
export async function showRead(ctx: Ctx, purchase: Purchase): Promise<WirePurchase> {
  const skus = await skusOf(
    ctx,
    purchase.lines.flatMap(({ product_id }) => product_id ?? []),
  );
  return toPurchase(purchase, skus, ctx.at(), sydneyDate(ctx.now()));
}

/** An order as the API shows it. */
export const showPurchase = async (ctx: Ctx, order: PurchaseRow): Promise<WirePurchase> =>
  showRead(ctx, await withLines(ctx, order));
