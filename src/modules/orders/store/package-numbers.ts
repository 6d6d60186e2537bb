import { textArray } from '../../../platform/db/arrays.ts';
import { command } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Label } from '../domain/order.ts';

/** Stores the tracking numbers of further packages, so that each finds its shipment. */
export async function keepPackageNumbers(
  { db, seller_id }: SellerDb,
  { label_id, shipment_id, content }: Label,
): Promise<void> {
  const others = content.tracking_numbers.slice(1).filter((number) => number !== '');
  if (others.length === 0) return;
  await db.run(command`
    insert into order_package_number (seller_id, tracking_number, label_id, shipment_id)
    select ${seller_id}, n, ${label_id}, ${shipment_id}
      from unnest(${textArray(others)}::text[]) n
        on conflict do nothing`);
}
