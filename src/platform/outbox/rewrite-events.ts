/** Rewrites stored events, so that a replay shows what is left of erased objects. Ids, numbers and versions stay. */
import type { EventData } from '../../kernel/declared-event.ts';
import { bigintArray, jsonArray, textArray } from '../db/arrays.ts';
import { bigint, boolean, json } from '../db/columns.ts';
import { command, statement } from '../db/statement.ts';
import type { SellerDb } from '../db/table.ts';

const STORED = { outbox_id: bigint, is_numbered: boolean, data: json<EventData>('json') };

/**
 * Rewrites the events about some objects of the seller.
 *
 * @param rewrite returns the same value for an event that does not change
 * @returns the number of changed events
 */
export async function rewriteEvents(
  { db, seller_id }: SellerDb,
  objectIds: readonly string[],
  rewrite: (data: EventData) => EventData,
): Promise<number> {
  if (objectIds.length === 0) return 0;
  const rows = await db.all(statement(STORED)`
    select outbox_id, sequence is not null as is_numbered, data
      from outbox
     where seller_id = ${seller_id}
       and object_id = any(${textArray([...new Set(objectIds)])}::text[])
       and data is not null`);
  const changed = rows.flatMap(({ data, ...row }) => {
    const after = rewrite(data);
    return JSON.stringify(after) === JSON.stringify(data) ? [] : [{ ...row, data: JSON.stringify(after) }];
  });
  if (changed.length === 0) return 0;
  // The sequencer locks the numbers of the seller before the events. In another order the two would deadlock.
  if (changed.some(({ is_numbered }) => !is_numbered))
    await db.run(command`
      select from event_sequence
       where seller_id = ${seller_id}
         for update`);
  return db.run(command`
    update outbox o
       set data = u.data
      from unnest(${bigintArray(changed.map(({ outbox_id }) => outbox_id))}::bigint[],
                  ${jsonArray(changed.map(({ data }) => data))}::json[]) as u (outbox_id, data)
     where o.seller_id = ${seller_id}
       and o.outbox_id = u.outbox_id`);
}
