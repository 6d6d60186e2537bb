import type { Standing } from '../../../kernel/context.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ChannelRow } from '../store/channels.ts';

const known = new WeakMap<SellerDb, Promise<Standing | undefined>>();

/** The standing of the seller. It is read once in a context, which belongs to one transaction. */
export function standingOf(ctx: SellerDb): Promise<Standing | undefined> {
  const found = known.get(ctx) ?? readStanding(ctx.db, ctx.seller_id);
  known.set(ctx, found);
  return found;
}

/** Whether the store's prices are taken: they are in the seller's currency, or the store has not said in which. */
export const takesPrices = async (
  ctx: SellerDb,
  { currency }: Pick<ChannelRow, 'currency'>,
): Promise<boolean> => currency === null || currency === (await standingOf(ctx))?.currency;
