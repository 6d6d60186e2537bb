import type { Db } from '../../../kernel/context.ts';
import { json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

const SENDER = {
  business_name: text,
  /** The first of the addresses for dispatch and of the business; null: the seller has given none. */
  address: nullable(json<Readonly<Record<string, unknown>>>()),
};
/** The sender of a parcel, as the seller's profile says it. */
export type Sender = RowOf<typeof SENDER>;

export async function loadSender(db: Db, sellerId: string): Promise<Sender> {
  const row = await db.one(statement(SENDER)`
    select business_name, address
      from v_sellers_sender
     where seller_id = ${sellerId}`);
  return row ?? { business_name: '', address: null };
}
