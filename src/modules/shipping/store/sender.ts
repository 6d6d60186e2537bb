import { json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const SENDER = {
  business_name: text,
  /** The dispatch address, or else the return address or the business address; null when none is set. */
  address: nullable(json<Readonly<Record<string, string | null>>>()),
};

/** The sender of parcels, from the seller's profile. */
export async function loadSender({ db, seller_id }: SellerDb): Promise<RowOf<typeof SENDER>> {
  const row = await db.one(statement(SENDER)`
    select business_name, address
      from v_sellers_sender
     where seller_id = ${seller_id}`);
  return row ?? { business_name: '', address: null };
}
