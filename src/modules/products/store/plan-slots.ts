import { integer, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

/** The number of products that this transaction adds, and the total of the seller. */
interface SettledCount {
  readonly moved: number;
  readonly counted: number;
}

/**
 * Adds the products of this transaction to the count, and locks the count until the commit: two transactions can then
 * not exceed a limit together. Call it shortly before the commit. Without this call, the commit adds the products.
 */
export async function settleProductCount({ db, seller_id }: SellerDb): Promise<SettledCount> {
  const row = await db.one(statement({ moved: nullable(integer), counted: nullable(integer) })`
    select moved, counted from settle_product_count(${seller_id})`);
  return { moved: row?.moved ?? 0, counted: row?.counted ?? 0 };
}
