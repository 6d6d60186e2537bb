/** The seller's line of a journal, found by the journal's key. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface PostedLine {
  readonly type: string;
  /** From the seller's side. */
  readonly amount: Minor;
  readonly order_id: string | null;
  readonly reason_code: string | null;
}

const LINE =
  'select e.type, -e.amount_minor as amount, j.order_id, j.reason_code from ledger_journal j ' +
  'join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.bucket is not null ' +
  'where j.seller_id = $1 and j.idempotency_key = $2';

export async function findPostedLine(db: Db, sellerId: string, key: string): Promise<PostedLine | undefined> {
  const row = await db.one<Omit<PostedLine, 'amount'> & { amount: bigint }>(sql(LINE, [sellerId, key]));
  return row === undefined ? undefined : { ...row, amount: minor(row.amount) };
}
