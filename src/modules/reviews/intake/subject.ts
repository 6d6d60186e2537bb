import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { holdBuyers, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { erasedAtOf, isErasedBy, joinErasures } from '../../../platform/buyers/erasures.ts';
import { findOrder, hasProduct, type NamedOrder } from '../store/ratings.ts';

export const actingFor = (intake: IntakeCtx, sellerId: string | null): Promise<Acting> =>
  actingForSeller(intake, sellerId, 'sellerid must name a seller.');

/** @throws IntakeRejection `order_not_found` */
export async function requireOrder(ctx: Acting, { subject }: Pick<MarketplaceEvent<unknown>, 'subject'>) {
  const order = await findOrder(ctx, subject ?? '');
  if (order === undefined) throw new IntakeRejection('order_not_found', 'The seller has no such order.');
  return order;
}

/**
 * The buyer whom an event names; without a reference the buyer of the order.
 *
 * @param id of the new rating or feedback; without a buyer it is what a repeated erasure looks at
 */
export async function buyerOf(
  ctx: Acting,
  order: NamedOrder,
  {
    id,
    customer_ref,
    time,
  }: { readonly id: string; readonly customer_ref: string | null; readonly time: string },
) {
  if (customer_ref !== null) {
    const buyer = await resolveBuyer(ctx, { customer_ref }, time);
    if (buyer.erased) await joinErasures(ctx, id, { customer_ref });
    return buyer;
  }
  const { order_id } = order;
  await holdBuyers(ctx, [order_id]);
  const buyer_id = (await findOrder(ctx, order_id))?.buyer_id ?? null;
  // It waits for an erasure that is not committed yet, so it comes before the erasures are read.
  if (buyer_id === null) await joinErasures(ctx, id, { object_ids: [order_id] });
  return { buyer_id, erased: isErasedBy(time, await erasedAtOf(ctx, [order_id])) };
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
