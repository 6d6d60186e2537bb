import { json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const SENDER = {
  business_name: text,
  /** The dispatch address, or else the business address; null when the seller has given neither. */
  address: nullable(json<Readonly<Record<string, unknown>>>()),
};
/** The sender of a parcel, from the seller's profile. */
type Sender = RowOf<typeof SENDER>;

export async function loadSender({ db, seller_id }: SellerDb): Promise<Sender> {
  const row = await db.one(statement(SENDER)`
    select business_name, address
      from v_sellers_sender
     where seller_id = ${seller_id}`);
  return row ?? { business_name: '', address: null };
}
