import { integer, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

/** The number of products that this transaction adds, and the seller's number with them. */
export interface SettledCount {
  readonly moved: number;
  readonly counted: number;
}

/**
 * Adds the products of this transaction to the counter and locks the counter until the commit, which must come soon:
 * two writers that settle in turn never exceed a limit together. Without this call the commit settles.
 */
export async function settleProductCount({ db, seller_id }: SellerDb): Promise<SettledCount> {
  const row = await db.one(statement({ moved: nullable(integer), counted: nullable(integer) })`
    select moved, counted from settle_product_count(${seller_id})`);
  return { moved: row?.moved ?? 0, counted: row?.counted ?? 0 };
}

/** Whether a settled transaction has created more products than the plan allows. */
export const exceedsLimit = ({ moved, counted }: SettledCount, limit: number): boolean =>
  moved > 0 && counted > limit;
