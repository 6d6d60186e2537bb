import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { sellerExists } from '../../../platform/db/read-standing.ts';

/** @throws IntakeRejection `seller_not_found`, `data_invalid` if subject and seller differ */
export async function actingFor(
  intake: IntakeCtx,
  { subject, seller_id }: Pick<MarketplaceEvent<unknown>, 'subject' | 'seller_id'>,
): Promise<Acting> {
  const named = subject ?? seller_id;
  if (named === null || (seller_id !== null && seller_id !== named))
    throw new IntakeRejection('data_invalid', 'subject must name the seller, and sellerid the same');
  if (!(await sellerExists(intake.db, named)))
    throw new IntakeRejection('seller_not_found', 'There is no such seller.');
  return intake.acting(named);
}
