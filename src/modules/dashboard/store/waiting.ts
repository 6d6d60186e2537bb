/** The work that waits for the seller, in the seller's scope. */
import type { Db } from '../../../kernel/context.ts';
import { integer, type RowOf } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

const waiting = {
  to_accept: integer,
  to_dispatch: integer,
  /** Of those to dispatch: past the time that was promised to the buyer. */
  late_to_dispatch: integer,
  cancel_requests: integer,
  returns_to_answer: integer,
  disputes: integer,
  feed_runs_failed: integer,
};

const DAY_MS = 86_400_000;

/** @param now milliseconds */
export async function readWaiting(db: Db, now: number): Promise<RowOf<typeof waiting>> {
  const at = new Date(now).toISOString();
  const dayAgo = new Date(now - DAY_MS).toISOString();
  const row = await db.one(statement(waiting)`
    select to_accept, to_dispatch, cancel_requests, returns_to_answer, disputes,
           (select count(*)::int
              from v_orders_to_dispatch
             where dispatch_by < ${at}::timestamptz) as late_to_dispatch,
           (select count(*)::int
              from v_products_feed_runs
             where received_at > ${dayAgo}::timestamptz
               and status in ('rejected', 'failed', 'timed_out')) as feed_runs_failed
      from v_orders_waiting`);
  if (row === undefined) throw new Error('a view of one row has none');
  return row;
}
