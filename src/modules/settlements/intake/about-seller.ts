/** Common code for the marketplace's events about a seller's money, settlements and payouts. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { lockLedger } from '../../ledger/index.ts';
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

async function moneyOfSeller(
  intake: IntakeCtx,
  sellerId: string | null,
  refusal: string,
): Promise<SellersMoney> {
  const ctx = intake.acting(sellerId ?? '');
  const terms = await sellerTerms(ctx);
  if (terms === undefined) throw new IntakeRejection('seller_not_found', refusal);
  return { ctx, currency: terms.currency };
}

/** @throws IntakeRejection `seller_not_found`, `data_invalid` when subject and seller differ */
export const sellersMoney = (intake: IntakeCtx, event: MarketplaceEvent<unknown>): Promise<SellersMoney> =>
  moneyOfSeller(intake, sellerOf(event), 'There is no such seller.');

/**
 * Applies an event under the lock of the seller's ledger.
 *
 * @param apply returns false if the event is stale
 * @throws IntakeRejection `seller_not_found`, and the rejections of `apply`
 */
export async function settlementIntake(
  intake: IntakeCtx,
  sellerId: string | null,
  apply: (ctx: Acting) => Promise<boolean>,
): Promise<IntakeOutcome> {
  const { ctx } = await moneyOfSeller(intake, sellerId, 'sellerid must name the seller.');
  await lockLedger(ctx);
  return { status: (await apply(ctx)) ? 'applied' : 'stale' };
}
