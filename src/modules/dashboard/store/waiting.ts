/** What waits for the seller, in the seller's scope. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Waiting {
  readonly to_accept: number;
  readonly to_dispatch: number;
  /** Of those to dispatch: past the time that the buyer was promised. */
  readonly late_to_dispatch: number;
  readonly cancel_requests: number;
  readonly returns_to_answer: number;
  readonly disputes: number;
  readonly feed_runs_failed: number;
}

const DAY_MS = 86_400_000;
const WAITING =
  'select to_accept, to_dispatch, cancel_requests, returns_to_answer, disputes, ' +
  '(select count(*)::int from v_orders_to_dispatch where dispatch_by < $1::timestamptz) as late_to_dispatch, ' +
  '(select count(*)::int from v_products_feed_runs where received_at > $2::timestamptz ' +
  "and status in ('rejected', 'failed', 'timed_out')) as feed_runs_failed from v_orders_waiting";

/** @param now milliseconds */
export async function readWaiting(db: Db, now: number): Promise<Waiting> {
  const instants = [now, now - DAY_MS].map((at) => new Date(at).toISOString());
  const row = await db.one<Waiting>(sql(WAITING, instants));
  if (row === undefined) throw new Error('what waits answered nothing');
  return row;
}
