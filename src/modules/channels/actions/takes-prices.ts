import { readStanding } from '../../../platform/db/read-standing.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ChannelRow } from '../store/channels.ts';

/** Whether the store's prices are taken: they are in the seller's currency, or the store has not said in which. */
export async function takesPrices(
  { db, seller_id }: SellerDb,
  { currency }: Pick<ChannelRow, 'currency'>,
): Promise<boolean> {
  return currency === null || currency === (await readStanding(db, seller_id))?.currency;
}
