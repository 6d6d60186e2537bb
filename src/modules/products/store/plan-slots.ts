import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** How many products this transaction has added, and how many the seller has by that. */
export interface SettledCount {
  readonly moved: number;
  readonly counted: number;
}

/**
 * Adds what this transaction has created to the counter and holds it until the commit, which must not be far: two
 * writers that settle one after the other never pass a limit together. Without it the commit settles by itself.
 */
export async function settleProductCount(db: Db, sellerId: string): Promise<SettledCount> {
  const row = await db.one<{ moved: number; counted: number | null }>(
    sql('select moved, counted from settle_product_count($1)', [sellerId]),
  );
  return { moved: row?.moved ?? 0, counted: row?.counted ?? 0 };
}

/** Whether a settled transaction may not stay: it has created more than the plan has room for. */
export const passesLimit = ({ moved, counted }: SettledCount, limit: number): boolean =>
  moved > 0 && counted > limit;
