/** Pages of threads and messages. */
import { PAGE_LIMIT_MAX } from '../../../kernel/schema.ts';
import { instant, integer, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Outcome } from '../domain/turns.ts';
import { type MessageRow, messages, threads } from './tables.ts';

interface PageAt {
  readonly after: readonly (string | number)[] | undefined;
  readonly limit: number;
}
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

interface About {
  readonly order_id: string;
  readonly product_id: string;
  readonly buyer_id: string;
}
type ThreadFilters = Given<
  About & {
    readonly status: 'open' | 'closed';
    readonly waiting_on: 'seller' | 'buyer' | 'nobody';
    readonly unread: boolean;
    readonly overdue: boolean;
    readonly missed: boolean;
    readonly topic: string;
    readonly updated_since: string;
  }
>;

const SETTLED = raw("state in ('settled', 'closed')");
const STATES = {
  open: raw("state <> 'closed'"),
  closed: raw("state = 'closed'"),
  seller: raw("state = 'awaiting_seller'"),
  buyer: raw("state = 'awaiting_buyer'"),
} as const;

const is = (wanted: boolean | undefined, condition: Part): Part | undefined =>
  wanted === undefined ? undefined : wanted ? condition : part`not (${condition})`;
const equals = (values: object): (Part | undefined)[] =>
  Object.entries(values).map(([name, value]: [string, unknown]) =>
    value === undefined ? undefined : part`${raw(name)} = ${value}`,
  );

const { state, topic, locked, turn_no, order_id, product_id, buyer_id, thread_id } = threads.columns;
const { unread_count, message_count, sent_in_row, last_message_at, respond_by, closed_at } = threads.columns;
const { closed_by, previous_thread_id, version, created_at, updated_at } = threads.columns;
/** What an answer shows of a thread, or decides by. */
const SHOWN = {
  ...{ state, topic, locked, turn_no, order_id, product_id, buyer_id, thread_id },
  ...{ unread_count, message_count, sent_in_row, last_message_at, respond_by, closed_at },
  ...{ closed_by, previous_thread_id, version, created_at, updated_at },
};
export type ShownThread = RowOf<typeof SHOWN>;
const LISTED = {
  ...SHOWN,
  opened_at: nullable(instant),
  ended_at: nullable(instant),
  outcome: nullable(textOf<Outcome>()),
  policy_version: nullable(text),
  target_minutes: nullable(integer),
  turn_respond_by: nullable(instant),
  business_minutes: nullable(integer),
  alias: nullable(text),
};
const listOf = (alias: string): Part =>
  raw(
    Object.keys(SHOWN)
      .map((name) => `${alias}.${name}`)
      .join(', '),
  );
/** A thread with its newest turn and the name of its buyer, which an inbox reads in one statement. */
export type ListedThread = RowOf<typeof LISTED>;

/** Those with the newest message first. @param now RFC 3339 */
export function pageThreads(
  at: SellerDb,
  { status, waiting_on, unread, overdue, missed, updated_since, ...equal }: ThreadFilters,
  now: string,
  { after, limit }: PageAt,
): Promise<ListedThread[]> {
  const isOverdue = part`state = 'awaiting_seller' and respond_by < ${now}::timestamptz`;
  const where = allOf(
    status && STATES[status],
    waiting_on && (waiting_on === 'nobody' ? SETTLED : STATES[waiting_on]),
    is(unread, raw('unread_count > 0')),
    is(overdue, isOverdue),
    is(missed, part`(missed or state = 'awaiting_seller') and (missed or respond_by < ${now}::timestamptz)`),
    updated_since === undefined ? undefined : part`updated_at >= ${updated_since}::timestamptz`,
    ...equals(equal),
    after && part`(last_message_at, thread_id) < (${after[0]}::timestamptz, ${after[1]}::text)`,
  );
  // The limit is a constant, so PostgreSQL does not plan the statement again for each size of a page.
  const newest = part`${where}
             order by last_message_at desc, thread_id desc
             limit ${raw(String(PAGE_LIMIT_MAX + 1))}`;
  return at.db.all(
    listed(
      at.seller_id,
      newest,
      part`
     order by h.last_message_at desc, h.thread_id desc
     limit ${limit + 1}`,
    ),
  );
}

/** Threads with what an answer shows beside them. */
const listed = (sellerId: string, where: Part, tail: Part) => statement(LISTED)`
    select ${listOf('h')}, t.opened_at, t.ended_at, t.outcome, t.policy_version, t.target_minutes,
           t.respond_by as turn_respond_by, t.business_minutes, b.alias
      from (select ${threads.list}
              from message_thread
             where seller_id = ${sellerId}
               and ${where}) h
      left join thread_turn t
        on t.seller_id = ${sellerId}
       and t.thread_id = h.thread_id
       and t.turn_no = h.turn_no
      left join v_platform_buyer b
        on b.seller_id = ${sellerId}
       and b.buyer_id = h.buyer_id
     ${tail}`;

/** One thread as a page of at most one. */
export const listedThread = (at: SellerDb, threadId: string): Promise<ListedThread[]> =>
  at.db.all(listed(at.seller_id, part`thread_id = ${threadId}`, part``));

type MessageFilters = Given<
  About & {
    readonly since: string;
    readonly until: string;
    readonly direction: 'in' | 'out';
    readonly unread: boolean;
  }
>;

/** Messages of all threads, the newest first. */
export function pageMessages(
  at: SellerDb,
  { since, until, direction, unread, ...about }: MessageFilters,
  page: PageAt,
): Promise<MessageRow[]> {
  const named = equals(about).filter((condition) => condition !== undefined);
  const where = allOf(
    since === undefined ? undefined : part`recorded_at >= ${since}::timestamptz`,
    until === undefined ? undefined : part`recorded_at < ${until}::timestamptz`,
    is(direction && direction === 'out', raw("origin = 'seller'")),
    is(unread, raw('unread')),
    named.length === 0
      ? undefined
      : part`thread_id in (
          select h.thread_id
            from message_thread h
           where h.seller_id = ${at.seller_id}
             and ${allOf(...named)})`,
  );
  return messages.page(at, { where, order: ['recorded_at', 'message_id'], descending: true, ...page });
}

/** Messages of one thread, the newest first. */
export const pageOfThread = (at: SellerDb, thread_id: string, page: PageAt): Promise<MessageRow[]> =>
  messages.page(at, {
    where: part`thread_id = ${thread_id}`,
    order: ['message_id'],
    descending: true,
    ...page,
  });
