import type { Acting } from '../../../kernel/context.ts';
import { part } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { insertJobIf } from '../../../platform/jobs/job-statements.ts';

/** A module that waits for units of stock does this job when units become available. */
export const STOCK_JOB = 'products.stock_came_in';

/**
 * Offers new units to the orders that were sold beyond the stock, if there are any. Call it after the rows of the
 * stock are locked: it then sees every order that was placed on the stock as it was before. Each call adds a job,
 * because a job that runs already may have looked at the stock before.
 */
export async function offerStock({ db, seller_id, ids, at }: SellerDb & Pick<Acting, 'ids' | 'at'>) {
  const wanted = part`exists (select from v_orders_short where seller_id = ${seller_id}::text)`;
  await db.run(
    insertJobIf(wanted, {
      jobId: ids.next('job_'),
      kind: STOCK_JOB,
      sellerId: seller_id,
      now: Date.parse(at()),
    }),
  );
}

interface Units {
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
}

/** Whether more units are available than before; an unknown stock has always more. */
export function hasMoreUnits(before: Units | null, after: Units): boolean {
  const had = before?.quantity_on_hand ?? null;
  if (after.quantity_on_hand === null)
    return had !== null || after.quantity_reserved < (before?.quantity_reserved ?? 0);
  const available = after.quantity_on_hand - after.quantity_reserved;
  return available > 0 && (had === null || available > had - (before?.quantity_reserved ?? 0));
}
