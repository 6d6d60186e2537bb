/** What the marketplace's events about a seller's money have in common. */

import Type from 'typebox';
import { type IntakeCtx, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import type { LedgerCtx } from '../../ledger/index.ts';
import { currencyOf } from '../store/adjustments.ts';

/** Below 2^53, as every amount on the wire. */
const AMOUNT_MAX = 1_000_000_000_000_000;
export const Positive = Type.Integer({ minimum: 1, maximum: AMOUNT_MAX });
export const Signed = Type.Integer({ minimum: -AMOUNT_MAX, maximum: AMOUNT_MAX });
export const Name = Type.String({ minLength: 1, maxLength: 200 });

export interface SellersMoney {
  readonly ledger: LedgerCtx;
  readonly currency: string;
}

/** @throws IntakeRejection `seller_not_found`, `data_invalid` when subject and seller differ */
export async function sellersMoney(
  { db, ids, now }: IntakeCtx,
  { subject, seller_id }: MarketplaceEvent<unknown>,
): Promise<SellersMoney> {
  const sellerId = subject ?? seller_id ?? '';
  if (seller_id !== null && seller_id !== sellerId)
    throw new IntakeRejection('data_invalid', 'subject and sellerid name different sellers');
  const currency = await currencyOf(db, sellerId);
  if (currency === undefined) throw new IntakeRejection('seller_not_found', 'There is no such seller.');
  return { ledger: { db, sellerId, ids, now }, currency };
}
