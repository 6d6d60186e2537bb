import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/**
 * Products that count towards the plan, with the counter held until the transaction ends: whoever may create
 * products asks here first, so that two of them never pass the limit together.
 */
export async function lockProductCount(db: Db, sellerId: string): Promise<number> {
  await db.run(
    sql(
      "insert into usage_counter (seller_id, resource, used) values ($1, 'products', 0) on conflict do nothing",
      [sellerId],
    ),
  );
  const row = await db.one<{ used: number }>(
    sql("select used from usage_counter where resource = 'products' for update"),
  );
  return row?.used ?? 0;
}

/** The same without holding it: for previews. */
export async function readProductCount(db: Db): Promise<number> {
  const row = await db.one<{ used: number }>(
    sql("select used from usage_counter where resource = 'products'"),
  );
  return row?.used ?? 0;
}
