/** Pages of threads and messages. */
import { allOf, type Part, part, raw } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { type MessageRow, messages, type ThreadRow, threads } from './tables.ts';

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
export type ThreadFilters = Given<
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

/** Those with the newest message first. @param now RFC 3339 */
export function pageThreads(
  at: SellerDb,
  { status, waiting_on, unread, overdue, missed, updated_since, ...equal }: ThreadFilters,
  now: string,
  page: PageAt,
): Promise<ThreadRow[]> {
  const isOverdue = part`state = 'awaiting_seller' and respond_by < ${now}::timestamptz`;
  const where = allOf(
    status && STATES[status],
    waiting_on && (waiting_on === 'nobody' ? SETTLED : STATES[waiting_on]),
    is(unread, raw('unread_count > 0')),
    is(overdue, isOverdue),
    is(missed, part`(missed or state = 'awaiting_seller') and (missed or respond_by < ${now}::timestamptz)`),
    updated_since === undefined ? undefined : part`updated_at >= ${updated_since}::timestamptz`,
    ...equals(equal),
  );
  return threads.page(at, { where, order: ['last_message_at', 'thread_id'], descending: true, ...page });
}

export type MessageFilters = Given<
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
