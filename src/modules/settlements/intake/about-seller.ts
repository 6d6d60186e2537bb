/** What the marketplace's events about a seller's money have in common. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { sellerTerms } from '../store/holds.ts';

/** Below 2^53, as every amount on the wire. */
const AMOUNT_MAX = 1_000_000_000_000_000;
export const Positive = Type.Integer({ minimum: 1, maximum: AMOUNT_MAX });
export const Signed = Type.Integer({ minimum: -AMOUNT_MAX, maximum: AMOUNT_MAX });
export const Name = Type.String({ minLength: 1, maxLength: 200 });

/**
 * The seller that an event is about, by its subject or its `sellerid`.
 *
 * @throws IntakeRejection `data_invalid` when both name sellers and they differ
 */
export function sellerOf({
  subject,
  seller_id,
}: Pick<MarketplaceEvent<unknown>, 'subject' | 'seller_id'>): string | null {
  if (subject !== null && seller_id !== null && subject !== seller_id)
    throw new IntakeRejection('data_invalid', 'subject and sellerid name different sellers');
  return subject ?? seller_id;
}

export interface SellersMoney {
  readonly ctx: Acting;
  readonly currency: string;
}

/** @throws IntakeRejection `seller_not_found`, `data_invalid` when subject and seller differ */
export async function sellersMoney(
  intake: IntakeCtx,
  event: MarketplaceEvent<unknown>,
): Promise<SellersMoney> {
  const ctx = intake.acting(sellerOf(event) ?? '');
  const terms = await sellerTerms(ctx);
  if (terms === undefined) throw new IntakeRejection('seller_not_found', 'There is no such seller.');
  return { ctx, currency: terms.currency };
}
