/** The seller's line of a journal, found by the journal's key. */
import { money, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const line = {
  type: text,
  /** From the seller's side. */
  amount: money,
  order_id: nullable(text),
  settlement_id: nullable(text),
  reason_code: nullable(text),
};
type PostedLine = RowOf<typeof line>;

export const findPostedLine = ({ db, seller_id }: SellerDb, key: string): Promise<PostedLine | undefined> =>
  db.one(statement(line)`
    select e.type, -e.amount_minor as amount, j.order_id, j.settlement_id, j.reason_code
      from ledger_journal j
      join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.bucket is not null
     where j.seller_id = ${seller_id}
       and j.idempotency_key = ${key}`);
