/** The history of orders whose buyer is erased, and the purchases of their labels. */
import { textArray } from '../../../platform/db/arrays.ts';
import { bigint, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const ENTRY = { order_id: text, entry: bigint, reason: nullable(text), facts: nullable(json<unknown>()) };
type Entry = RowOf<typeof ENTRY>;

export const readHistory = ({ db, seller_id }: SellerDb, orderIds: readonly string[]): Promise<Entry[]> =>
  db.all(statement(ENTRY)`
    select order_id, entry, reason, facts
      from order_event
     where seller_id = ${seller_id}
       and order_id = any(${textArray(orderIds)}::text[])`);

/** Writes reasons and facts of entries, and removes their details. */
export async function writeHistory({ db, seller_id }: SellerDb, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ entry, ...row }) => ({ ...row, entry: String(entry) }));
  await db.run(command`
    update order_event e
       set reason = u.reason, detail = null, facts = u.facts
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as u (order_id text, entry bigint, reason text, facts json)
     where e.seller_id = ${seller_id}
       and e.order_id = u.order_id
       and e.entry = u.entry`);
}

/** Removes the receiver from ended purchases of labels. */
export async function erasePurchases(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<void> {
  await db.run(command`
    update order_label_purchase
       set content = (content::jsonb || '{"to": {}, "erased": true}')::json
     where seller_id = ${seller_id}
       and order_id = any(${textArray(orderIds)}::text[])
       and status = 'ended'`);
}
