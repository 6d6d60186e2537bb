/** Builds the context of an event of the marketplace for the seller that it names. */
import type { Acting } from '../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../kernel/events.ts';

/**
 * @param refusal says what `sellerid` must name
 * @throws IntakeRejection `seller_not_found`
 */
export async function actingForSeller(
  intake: IntakeCtx,
  sellerId: string | null,
  refusal: string,
): Promise<Acting> {
  if (sellerId === null || !(await intake.knows(sellerId)))
    throw new IntakeRejection('seller_not_found', refusal);
  return intake.acting(sellerId);
}

/**
 * For an event whose subject is the seller.
 *
 * @throws IntakeRejection `seller_not_found`, `data_invalid` if subject and `sellerid` differ
 */
export function actingForSubject(
  intake: IntakeCtx,
  { subject, seller_id }: Pick<MarketplaceEvent<unknown>, 'subject' | 'seller_id'>,
): Promise<Acting> {
  const named = subject ?? seller_id;
  if (named === null || (seller_id !== null && seller_id !== named))
    throw new IntakeRejection('data_invalid', 'subject must name the seller, and sellerid the same');
  return actingForSeller(intake, named, 'There is no such seller.');
}
