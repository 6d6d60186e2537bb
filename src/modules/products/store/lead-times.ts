import { command } from '../../../platform/db/statement.ts';
import type { WriteContext } from './write-products.ts';

/** Sets the days from reordering a locked product to its arrival; null: the default of the seller. */
export async function writeLeadTime(
  { db, seller_id, at }: WriteContext,
  productId: string,
  days: number | null,
): Promise<void> {
  await db.run(command`
    insert into inventory as i (seller_id, product_id, lead_time_days, updated_at)
    values (${seller_id}, ${productId}, ${days}, ${at()}::timestamptz)
        on conflict (seller_id, product_id) do update
       set lead_time_days = excluded.lead_time_days,
           version = i.version + 1,
           updated_at = excluded.updated_at
     where i.lead_time_days is distinct from excluded.lead_time_days`);
}
