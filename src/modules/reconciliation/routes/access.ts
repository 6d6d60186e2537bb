/** The access and the transaction of the routes of money. */

import type { SellerCtx } from '../../../kernel/context.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import type { AccountScope } from '../actions/describe-figures.ts';

/** Financial reads and exports are in every plan: docs/design/wire.md#plans. */
export const access = {
  auth: 'seller',
  permission: 'finance:read',
  rate: 'read',
  idempotency: 'none',
} as const;
/** One consistent snapshot of the ledger, and no cached copy. */
export const figures = { tx: 'snapshot', cache: 'no-store' } as const;

/** The account that figures are read for: the seller's, in the currency of the query or the seller's own. */
export async function accountScope(ctx: SellerCtx, currency: string | undefined): Promise<AccountScope> {
  const { seller_id: sellerId } = ctx.seller;
  // The first statement of the snapshot also reads the seller's standing, which has the currency.
  const position = await ledgerPosition(ctx.db, sellerId);
  return {
    db: ctx.db,
    sellerId,
    currency: currency ?? (await ctx.standing()).currency,
    position,
    now: ctx.now(),
  };
}
