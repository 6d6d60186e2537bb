/** The work that waits for the seller, by area. */
import { integer, type RowOf } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const waiting = {
  to_accept: integer,
  to_dispatch: integer,
  /** Orders to dispatch whose promised time has passed. */
  late_to_dispatch: integer,
  cancel_requests: integer,
  returns_to_answer: integer,
  disputes: integer,
  feed_runs_failed: integer,
  threads_unread: integer,
  to_answer: integer,
  answers_overdue: integer,
};

const DAY_MS = 86_400_000;

/** @param now milliseconds */
export async function readWaiting({ db, seller_id }: SellerDb, now: number): Promise<RowOf<typeof waiting>> {
  const at = new Date(now).toISOString();
  const dayAgo = new Date(now - DAY_MS).toISOString();
  const row = await db.one(statement(waiting)`
    select to_accept, to_dispatch, cancel_requests, returns_to_answer, disputes,
           (select count(*)::int
              from v_orders_to_dispatch
             where seller_id = ${seller_id}
               and dispatch_by < ${at}::timestamptz) as late_to_dispatch,
           (select count(*)::int
              from v_products_feed_runs
             where seller_id = ${seller_id}
               and received_at > ${dayAgo}::timestamptz
               and status in ('rejected', 'failed', 'timed_out')) as feed_runs_failed,
           m.threads_unread, m.to_answer, m.answers_overdue
      from v_orders_waiting,
           (select count(*) filter (where unread_count > 0)::int as threads_unread,
                   count(respond_by)::int as to_answer,
                   count(*) filter (where respond_by < ${at}::timestamptz)::int as answers_overdue
              from v_messages_waiting
             where seller_id = ${seller_id}) m`);
  if (row === undefined) throw new Error('a view of one row has none');
  return row;
}
