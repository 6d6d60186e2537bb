/** Of which orders the provider's fee is known; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';

const CAPTURED =
  'select order_id from v_orders_sold where seller_id = $1 and order_id = any($2::text[]) and fee_captured';

export async function capturedOrders(
  db: Db,
  sellerId: string,
  orderIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.all<{ order_id: string }>(sql(CAPTURED, [sellerId, textArray(orderIds)]));
  return new Set(rows.map(({ order_id }) => order_id));
}
