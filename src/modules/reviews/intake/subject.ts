import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { sellerExists } from '../../../platform/db/read-standing.ts';
import { findOrder, hasProduct } from '../store/ratings.ts';

/** @throws IntakeRejection `seller_not_found` */
export async function actingFor(intake: IntakeCtx, sellerId: string | null): Promise<Acting> {
  if (sellerId === null || !(await sellerExists(intake.db, sellerId)))
    throw new IntakeRejection('seller_not_found', 'sellerid must name a seller.');
  return intake.acting(sellerId);
}

/** @throws IntakeRejection `order_not_found` */
export async function requireOrder(ctx: Acting, { subject }: Pick<MarketplaceEvent<unknown>, 'subject'>) {
  const order = await findOrder(ctx, subject ?? '');
  if (order === undefined) throw new IntakeRejection('order_not_found', 'The seller has no such order.');
  return order;
}

/** What a review is about. @throws IntakeRejection `product_not_found`, `order_not_found` */
export async function ratedBy(ctx: Acting, event: Pick<MarketplaceEvent<unknown>, 'subject'>) {
  const subject = event.subject ?? '';
  if (!subject.startsWith('prd_'))
    return {
      scope: 'seller' as const,
      product_id: null,
      order_id: (await requireOrder(ctx, event)).order_id,
    };
  if (!(await hasProduct(ctx, subject)))
    throw new IntakeRejection('product_not_found', 'The seller has no such product.');
  return { scope: 'product' as const, product_id: subject, order_id: null };
}
