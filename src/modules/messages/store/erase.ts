import type { Acting, Db } from '../../../kernel/context.ts';
import type { Erasing } from '../../../kernel/eraser.ts';
import { type RowOf, text, texts } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Redacted, ThreadRow } from './tables.ts';

/** A reader of changes must see that the buyer of a thread is another one. */
type Writing = SellerDb & Pick<Acting, 'at'>;

/**
 * Takes a buyer out of its threads, and out of those that earlier erasures have reached.
 *
 * @param orderIds orders of the buyer; threads about them without a buyer are the buyer's
 * @returns the ids of the threads
 */
export async function detachBuyer(
  { db, seller_id, at }: Writing,
  { buyer_id, earlier_ids, erased_at }: Pick<Erasing, 'buyer_id' | 'earlier_ids' | 'erased_at'>,
  orderIds: readonly string[],
): Promise<string[]> {
  const rows = await db.all(statement({ thread_id: text })`
    with found as materialized (
      select thread_id
        from message_thread
       where seller_id = ${seller_id}
         and (buyer_id = ${buyer_id}
              or (buyer_id is null and order_id = any(${orderIds}))
              or thread_id = any(${earlier_ids}))
       order by thread_id
         for update)
    update message_thread h
       set buyer_id = null, erased_at = greatest(h.erased_at, ${erased_at}::timestamptz),
           updated_at = ${at()}
      from found f
     where h.seller_id = ${seller_id}
       and h.thread_id = f.thread_id
    returning h.thread_id`);
  return rows.map(({ thread_id }) => thread_id);
}

/** Writes whose a thread is, which another one continues. */
export async function giveThread(
  { db, seller_id, at }: Writing,
  threadId: string,
  { buyer_id, erased_at }: Pick<ThreadRow, 'buyer_id' | 'erased_at'>,
): Promise<void> {
  await db.run(command`
    update message_thread
       set buyer_id = ${buyer_id}, erased_at = greatest(erased_at, ${erased_at}::timestamptz),
           version = version + 1, updated_at = ${at()}
     where seller_id = ${seller_id}
       and thread_id = ${threadId}`);
}

/** Deletes the texts of threads. @returns the ids of their files */
export async function redactMessages(
  { db, seller_id }: SellerDb,
  threadIds: readonly string[],
  redacted: Redacted,
): Promise<string[]> {
  const rows = await db.all(statement({ attachment_ids: texts })`
    select attachment_ids
      from thread_message
     where seller_id = ${seller_id}
       and thread_id = any(${threadIds})
       and attachment_ids <> '{}'`);
  await db.run(command`
    update thread_message
       set text = null, content_digest = null, redacted = ${JSON.stringify(redacted)}::jsonb
     where seller_id = ${seller_id}
       and thread_id = any(${threadIds})
       and text is not null`);
  return rows.flatMap(({ attachment_ids }) => attachment_ids);
}

const OLD = { seller_id: text, id: text };
/** Threads with texts whose newest message is from before an instant. In the system's scope. */
export const oldThreads = (db: Db, before: string, limit: number): Promise<RowOf<typeof OLD>[]> =>
  db.all(statement(OLD)`
    select seller_id, thread_id as id
      from message_thread
     where (forgotten_upto is null or forgotten_upto < last_message_at)
       and last_message_at <= ${before}::timestamptz
     order by last_message_at
     limit ${limit}`);

/** Locks a thread and notes that its texts are deleted; false if it has a message from after the instant. */
export async function noteForgotten(
  { db, seller_id }: SellerDb,
  threadId: string,
  before: string,
): Promise<boolean> {
  const changed = await db.run(command`
    update message_thread
       set forgotten_upto = last_message_at
     where seller_id = ${seller_id}
       and thread_id = ${threadId}
       and last_message_at <= ${before}::timestamptz`);
  return changed > 0;
}
