import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { erasedAtOf, holdBuyers, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { findOrder, hasProduct, type NamedOrder } from '../store/ratings.ts';

export const actingFor = (intake: IntakeCtx, sellerId: string | null): Promise<Acting> =>
  actingForSeller(intake, sellerId, 'sellerid must name a seller.');

/** @throws IntakeRejection `order_not_found` */
export async function requireOrder(ctx: Acting, { subject }: Pick<MarketplaceEvent<unknown>, 'subject'>) {
  const order = await findOrder(ctx, subject ?? '');
  if (order === undefined) throw new IntakeRejection('order_not_found', 'The seller has no such order.');
  return order;
}

/** The buyer whom an event names; without a reference the buyer of the order. */
export async function buyerOf(ctx: Acting, order: NamedOrder, customer_ref: string | null, time: string) {
  if (customer_ref !== null) return resolveBuyer(ctx, { customer_ref }, time);
  await holdBuyers(ctx, [order.order_id]);
  const erasedAt = await erasedAtOf(ctx, [order.order_id]);
  const held = await findOrder(ctx, order.order_id);
  return {
    buyer_id: held?.buyer_id ?? null,
    erased: erasedAt !== null && Date.parse(time) <= Date.parse(erasedAt),
  };
}

/** What a review is about. @throws IntakeRejection `product_not_found`, `order_not_found` */
export async function ratedBy(ctx: Acting, event: Pick<MarketplaceEvent<unknown>, 'subject'>) {
  const subject = event.subject ?? '';
  if (!subject.startsWith('prd_')) {
    const order = await requireOrder(ctx, event);
    return { scope: 'seller' as const, product_id: null, order_id: order.order_id, order };
  }
  if (!(await hasProduct(ctx, subject)))
    throw new IntakeRejection('product_not_found', 'The seller has no such product.');
  return { scope: 'product' as const, product_id: subject, order_id: null, order: null };
}
