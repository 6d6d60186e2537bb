/** What the routes of money share. */

import type { SellerCtx } from '../../../kernel/context.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import type { Described } from '../actions/describe-figures.ts';

/** Financial reads and exports are in every plan: docs/design/wire.md#plans. */
export const access = {
  auth: 'seller',
  permission: 'finance:read',
  rate: 'read',
  idempotency: 'none',
} as const;
/** One consistent look at the ledger, and no copy of it in between. */
export const figures = { tx: 'snapshot', cache: 'no-store' } as const;

/** Whose figures are asked for, in which currency: the seller's own unless it says otherwise. */
export async function described(ctx: SellerCtx, currency: string | undefined): Promise<Described> {
  const { seller_id: sellerId } = ctx.seller;
  // The first statement of the snapshot: the seller's standing, and so its currency, come with it.
  const position = await ledgerPosition(ctx.db, sellerId);
  return {
    db: ctx.db,
    sellerId,
    currency: currency ?? (await ctx.standing()).currency,
    position,
    now: ctx.now(),
  };
}
