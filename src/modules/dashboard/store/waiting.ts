/** The work that waits for the seller, by area. */
import { instant, integer, nullable, text } from '../../../platform/db/columns.ts';
import { type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { COUNT_MAX } from '../domain/attention.ts';

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
  answer_due: nullable(instant),
  out_of_stock: integer,
  at_reorder_point: integer,
  open_issues: integer,
  failing_endpoints: integer,
};

const DAY_MS = 86_400_000;

const countOf = (from: Part): Part => part`
           (select count(*)::int
              from (select ${from} limit ${raw(String(COUNT_MAX))}) n)`;

/** @param now milliseconds */
export async function readWaiting({ db, seller_id }: SellerDb, now: number) {
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
           ${countOf(part`from v_products_sold_out where seller_id = ${seller_id}`)} as out_of_stock,
           ${countOf(part`from v_products_low where seller_id = ${seller_id}`)} as at_reorder_point,
           ${countOf(part`from v_channels_open_issue where seller_id = ${seller_id}`)} as open_issues,
           (select count(*)::int
              from v_webhooks_failing
             where seller_id = ${seller_id}) as failing_endpoints,
           m.threads_unread, m.to_answer, m.answers_overdue, m.answer_due
      from v_orders_waiting,
           (select count(*) filter (where unread_count > 0)::int as threads_unread,
                   count(respond_by)::int as to_answer,
                   count(*) filter (where respond_by < ${at}::timestamptz)::int as answers_overdue,
                   min(respond_by) as answer_due
              from v_messages_waiting
             where seller_id = ${seller_id}) m`);
  if (row === undefined) throw new Error('a view of one row has none');
  const { threads_unread, to_answer, answers_overdue, answer_due, feed_runs_failed, ...rest } = row;
  const { out_of_stock, at_reorder_point, open_issues, failing_endpoints, ...orders } = rest;
  return {
    orders,
    feeds: { failed_in_24_hours: feed_runs_failed },
    messages: { threads_unread, waiting: to_answer, to_answer, answers_overdue },
    stock: { out_of_stock, at_reorder_point },
    integrations: { open_issues, failing_endpoints },
    due: { answer: answer_due },
  };
}

/** Orders by what they need, with the earliest deadline. */
export const ordersInNeed = ({ db, seller_id }: SellerDb) =>
  db.all(statement({ kind: text, count: integer, due_at: nullable(instant) })`
    select 'order_' || kind as kind, count(*)::int as count,
           min(case kind when 'late' then dispatch_by
                         when 'acceptance_due' then accept_by
                         when 'cancel_requested' then respond_by
                         when 'return_requested' then respond_by
                         when 'dispute_open' then respond_by end) as due_at
      from v_orders_attention
     where seller_id = ${seller_id}
     group by kind
     order by kind`);
