/** Orders whose payment is there, over all sellers, in the order of their ids. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface CapturedOrder {
  readonly seller_id: string;
  readonly order_id: string;
}

const CAPTURED =
  'select seller_id, order_id from sales_order where captured_at is not null and (seller_id, order_id) > ($1, $2) ' +
  'order by seller_id, order_id limit $3';

/** The next ones; in the system's scope. */
export function capturedAfter(
  db: Db,
  { seller_id, order_id }: CapturedOrder,
  limit: number,
): Promise<CapturedOrder[]> {
  return db.all(sql<CapturedOrder>(CAPTURED, [seller_id, order_id, limit]));
}
