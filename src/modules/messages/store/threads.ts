import { boolean, instant, integer, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { type MessageRow, messages, type ThreadRow, type TurnRow, threads, turns } from './tables.ts';

export const lockThread = (at: SellerDb, thread_id: string): Promise<ThreadRow | undefined> =>
  threads.find(at, { thread_id }, 'for update');

/** Locks the subject until the transaction ends, so that two requests do not both begin a thread about it. */
export async function lockSubject({ db, seller_id }: SellerDb, subject: string): Promise<void> {
  await lockName(db, `thread ${seller_id} ${subject}`);
}

/** The turn that was opened last. */
export const turnOf = (
  at: SellerDb,
  { thread_id, turn_no }: Pick<ThreadRow, 'thread_id' | 'turn_no'>,
): Promise<TurnRow | undefined> =>
  turn_no === 0 ? Promise.resolve(undefined) : turns.find(at, { thread_id, turn_no });

/** The newest turn of each of some threads. */
export const turnsOf = ({ db, seller_id }: SellerDb, ids: readonly string[]): Promise<TurnRow[]> =>
  db.all(statement(turns.columns)`
    select ${turns.listOf('t')}
      from message_thread h
      join thread_turn t
        on t.seller_id = h.seller_id
       and t.thread_id = h.thread_id
       and t.turn_no = h.turn_no
     where h.seller_id = ${seller_id}
       and h.thread_id = any(${ids})`);

/** What a thread is about; its buyer as the event names it. */
interface ThreadSubject {
  readonly order_id: string | null;
  readonly product_id: string | null;
  readonly buyer_id: string | null;
}

const newest = (at: SellerDb, where: Part): Promise<ThreadRow | undefined> =>
  at.db.one(threads.select(at.seller_id, part`${where} order by thread_id desc limit 1`));

export const threadNamed = (at: SellerDb, name: string): Promise<ThreadRow | undefined> =>
  newest(at, name.startsWith('thr_') ? part`thread_id = ${name}` : part`external_thread_id = ${name}`);

/** The thread that continues a closed one. */
export const successorOf = (at: SellerDb, { thread_id }: ThreadRow): Promise<ThreadRow | undefined> =>
  newest(at, part`previous_thread_id = ${thread_id}`);

/**
 * The open thread about an order or product with a buyer.
 *
 * @param ref the marketplace's name of the thread; a thread with another name does not count
 * @param among only one of these threads
 */
export const openThread = (
  at: SellerDb,
  { order_id, product_id, buyer_id }: ThreadSubject,
  ref: string | null = null,
  among?: readonly string[],
): Promise<ThreadRow | undefined> =>
  newest(
    at,
    allOf(
      order_id === null ? part`product_id = ${product_id}` : part`order_id = ${order_id}`,
      part`buyer_id is not distinct from ${buyer_id}`,
      part`state <> 'closed'`,
      ref !== null && part`external_thread_id is null`,
      among !== undefined && part`thread_id = any(${among})`,
    ),
  );

export const messageNamed = (at: SellerDb, name: string): Promise<MessageRow | undefined> =>
  at.db.one(
    messages.select(
      at.seller_id,
      name.startsWith('msg_') ? part`message_id = ${name}` : part`external_message_id = ${name}`,
    ),
  );

/**
 * The first message that the seller sent after a given one, and before the buyer's next, and that was not
 * rejected.
 */
export const nextReply = (
  { db, seller_id }: SellerDb,
  { thread_id, message_id }: Pick<MessageRow, 'thread_id' | 'message_id'>,
): Promise<MessageRow | undefined> =>
  db.one(
    messages.select(
      seller_id,
      part`thread_id = ${thread_id}
         and message_id > ${message_id}
         and origin = 'seller'
         and status <> 'rejected'
         and not exists (
             select
               from thread_message b
              where b.seller_id = ${seller_id}
                and b.thread_id = ${thread_id}
                and b.origin = 'buyer'
                and b.message_id between ${message_id} and thread_message.message_id)
       order by message_id
       limit 1`,
    ),
  );

const counted = { sent_in_row: integer, files: integer };
/**
 * The number of messages that the seller sent since the buyer's last one and that were not rejected, and of
 * the files of the thread.
 */
export async function countSent(
  { db, seller_id }: SellerDb,
  thread_id: string,
): Promise<RowOf<typeof counted>> {
  const row = await db.one(statement(counted)`
    select count(*) filter (where origin = 'seller' and status <> 'rejected' and message_id > coalesce((
               select max(b.message_id)
                 from thread_message b
                where b.seller_id = ${seller_id}
                  and b.thread_id = ${thread_id}
                  and b.origin = 'buyer'), ''))::int as sent_in_row,
           coalesce(sum(cardinality(attachment_ids)), 0)::int as files
      from thread_message
     where seller_id = ${seller_id}
       and thread_id = ${thread_id}`);
  return row ?? { sent_in_row: 0, files: 0 };
}

/** Marks messages up to one as read; all without one. @returns how many were unread */
export const markRead = (
  { db, seller_id }: SellerDb,
  thread_id: string,
  upTo: string | null,
): Promise<number> =>
  db.run(command`
    update thread_message
       set unread = false
     where seller_id = ${seller_id}
       and thread_id = ${thread_id}
       and unread
       and ${upTo === null ? raw('true') : part`message_id <= ${upTo}`}`);

const THREADS_AT_ONCE = 500;
/** Locks the threads of the seller with a warning or deadline that is due. */
export const dueThreads = (at: SellerDb, now: string): Promise<ThreadRow[]> =>
  threads.all(
    at,
    part`next_due_at <= ${now}::timestamptz
       order by next_due_at, thread_id
       limit ${THREADS_AT_ONCE}
         for update`,
  );

/** When the next warning or deadline is due, RFC 3339. */
export async function nextDueOf({ db, seller_id }: SellerDb): Promise<string | null> {
  const row = await db.one(statement({ due: nullable(instant) })`
    select min(next_due_at) as due
      from message_thread
     where seller_id = ${seller_id}
       and next_due_at is not null`);
  return row?.due ?? null;
}

const line = { seller_sku: nullable(text), gtin: nullable(text) };
const orderSubject = {
  order_id: text,
  external_order_id: nullable(text),
  order_number: text,
  buyer_id: nullable(text),
  buyer_alias: nullable(text),
  erased_at: nullable(instant),
  ended_at: nullable(instant),
  postcode: nullable(text),
  currency: text,
  amounts: json<readonly number[]>('json'),
  lines: json<readonly RowOf<typeof line>[]>('json'),
  parcels: json<readonly { carrier: string | null; tracking_number: string; labelled: boolean }[]>('json'),
};
export type OrderSubject = RowOf<typeof orderSubject>;

/** An order of the seller by its id or the marketplace's own. */
export const orderNamed = ({ db, seller_id }: SellerDb, name: string): Promise<OrderSubject | undefined> =>
  db.one(statement(orderSubject)`
    select order_id, external_order_id, order_number, buyer_id, buyer_alias, erased_at, ended_at, postcode,
           currency, amounts, lines, parcels
      from v_orders_conversation
     where seller_id = ${seller_id}
       and (order_id = ${name} or external_order_id = ${name})
     limit 1`);

const productSubject = {
  product_id: text,
  seller_sku: nullable(text),
  gtin: nullable(text),
  amounts: json<readonly number[]>('json'),
  currency: text,
};
export type ProductSubject = RowOf<typeof productSubject>;
export const productNamed = (
  { db, seller_id }: SellerDb,
  name: string,
): Promise<ProductSubject | undefined> =>
  db.one(statement(productSubject)`
    select product_id, seller_sku, gtin14 as gtin, json_build_array(price_minor) as amounts, currency
      from v_products_conversation
     where seller_id = ${seller_id}
       and product_id = ${name}`);

const summary = {
  threads_unread: integer,
  messages_unread: integer,
  waiting_on_seller: integer,
  due_within_4h: integer,
  overdue: integer,
  oldest_waiting_at: nullable(instant),
};
type Summary = RowOf<typeof summary>;
const SOON = "interval '4 hours'";

export async function readSummary({ db, seller_id }: SellerDb, now: string): Promise<Summary> {
  const row = await db.one(statement(summary)`
    select u.threads_unread, u.messages_unread, w.waiting_on_seller, w.due_within_4h, w.overdue,
           t.oldest_waiting_at
      from (select count(*)::int as threads_unread, coalesce(sum(unread_count), 0)::int as messages_unread
              from message_thread
             where seller_id = ${seller_id}
               and unread_count > 0) u,
           (select count(*)::int as waiting_on_seller,
                   count(*) filter (where respond_by >= ${now}::timestamptz
                     and respond_by <= ${now}::timestamptz + ${raw(SOON)})::int as due_within_4h,
                   count(*) filter (where respond_by < ${now}::timestamptz)::int as overdue
              from message_thread
             where seller_id = ${seller_id}
               and state = 'awaiting_seller') w,
           (select min(opened_at) as oldest_waiting_at
              from thread_turn
             where seller_id = ${seller_id}
               and outcome = 'open') t`);
  if (row === undefined) throw new Error('a summary has one row');
  return row;
}

const metrics = {
  received: integer,
  in_time: integer,
  late: integer,
  overdue_open: integer,
  pending: integer,
  no_reply_needed: integer,
  withdrawn: integer,
  median_business_minutes: nullable(integer),
  ever: boolean,
};
type Metrics = RowOf<typeof metrics>;

/** Turns that were opened on some Sydney days, and whether the buyer or the marketplace ever wrote. */
export async function readMetrics(
  { db, seller_id }: SellerDb,
  { from, to }: { readonly from: string; readonly to: string },
  now: string,
): Promise<Metrics> {
  const row = await db.one(statement(metrics)`
    select count(*)::int as received,
           count(*) filter (where outcome = 'in_time')::int as in_time,
           count(*) filter (where outcome = 'late')::int as late,
           count(*) filter (where outcome = 'open' and respond_by < ${now}::timestamptz)::int as overdue_open,
           count(*) filter (where outcome = 'open' and respond_by >= ${now}::timestamptz)::int as pending,
           count(*) filter (where outcome = 'no_reply_needed')::int as no_reply_needed,
           count(*) filter (where outcome = 'withdrawn')::int as withdrawn,
           percentile_disc(0.5) within group (order by business_minutes)
             filter (where outcome in ('in_time', 'late')) as median_business_minutes,
           exists (select from message_thread h
                    where h.seller_id = ${seller_id}
                      and h.heard_at is not null) as ever
      from thread_turn
     where seller_id = ${seller_id}
       and opened_on between ${from}::date and ${to}::date`);
  if (row === undefined) throw new Error('metrics have one row');
  return row;
}

const gauge = { label: text, value: integer };
/** For the metrics, in the system's scope. */
export const overdueThreads = (now: number) => statement(gauge)`
  select 'all' as label, count(*)::int as value
    from message_thread
   where state = 'awaiting_seller'
     and respond_by < ${new Date(now).toISOString()}::timestamptz`;
