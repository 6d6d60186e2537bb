import { onceFor } from '../../../kernel/once-for.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ChannelRow } from '../store/channels.ts';

/** The standing of the seller. It is read once in a context, which belongs to one transaction. */
export const standingOf = onceFor(({ db, seller_id }: SellerDb) => readStanding(db, seller_id));

/** Whether the store's prices are taken: they are in the seller's currency, or the store has not said in which. */
export const takesPrices = async (
  ctx: SellerDb,
  { currency }: Pick<ChannelRow, 'currency'>,
): Promise<boolean> => currency === null || currency === (await standingOf(ctx))?.currency;
