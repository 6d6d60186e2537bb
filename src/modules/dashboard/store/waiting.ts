/** What waits for the seller, in the seller's scope. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Waiting {
  readonly to_accept: number;
  readonly to_dispatch: number;
  readonly cancel_requests: number;
  readonly returns_to_answer: number;
  readonly disputes: number;
}

const WAITING =
  'select to_accept, to_dispatch, cancel_requests, returns_to_answer, disputes from v_orders_waiting';

export async function readWaiting(db: Db): Promise<Waiting> {
  const row = await db.one<Waiting>(sql(WAITING));
  if (row === undefined) throw new Error('what waits answered nothing');
  return row;
}
