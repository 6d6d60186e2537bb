import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Who sends, as the seller's profile says it. */
export interface Sender {
  readonly business_name: string;
  /** The first of the addresses for dispatch and of the business; null: the seller has given none. */
  readonly address: Readonly<Record<string, unknown>> | null;
}

const SENDER = 'select business_name, address from v_sellers_sender where seller_id = $1';

export async function loadSender(db: Db, sellerId: string): Promise<Sender> {
  return (await db.one<Sender>(sql(SENDER, [sellerId]))) ?? { business_name: '', address: null };
}
