import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Label } from '../domain/order.ts';

const INSERT =
  'insert into order_package_number (seller_id, tracking_number, label_id, shipment_id) ' +
  'select $1, n, $3, $4 from unnest($2::text[]) n on conflict do nothing';

/** Keeps the numbers of the packages beside the first, so that a shipment is found by each of them. */
export async function keepPackageNumbers(
  db: Db,
  sellerId: string,
  { label_id, shipment_id, content }: Label,
): Promise<void> {
  const others = content.tracking_numbers.slice(1).filter((number) => number !== '');
  if (others.length > 0) await db.run(sql(INSERT, [sellerId, textArray(others), label_id, shipment_id]));
}
