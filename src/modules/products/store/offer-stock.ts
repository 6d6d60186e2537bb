import type { Db } from '../../../kernel/context.ts';
import type { Ids } from '../../../kernel/ids.ts';
import { part } from '../../../platform/db/statement.ts';
import { insertJobIf } from '../../../platform/jobs/job-statements.ts';

/** Units of a seller's stock can be had that could not be before. The area that waits for units does this job. */
export const STOCK_JOB = 'products.stock_came_in';

/**
 * Offers units that came in to orders that were sold beyond the stock, if there are any. A statement of its own,
 * after the rows of the stock are held: it sees every order that was placed on the stock as it was before. One job
 * for each time, for one that is being done may have looked already.
 *
 * @param now milliseconds, the service's clock
 */
export async function offerStock(
  db: Db,
  { sellerId, ids, now }: { readonly sellerId: string; readonly ids: Ids; readonly now: number },
): Promise<void> {
  const wanted = part`exists (select from v_orders_short where seller_id = ${sellerId}::text)`;
  await db.run(insertJobIf(wanted, { jobId: ids.next('job_'), kind: STOCK_JOB, sellerId, now }));
}

interface Units {
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
}

/** Whether more units can be had than before; of a stock that is not known there are always more. */
export function cameIn(before: Units | null, after: Units): boolean {
  const had = before?.quantity_on_hand ?? null;
  if (after.quantity_on_hand === null)
    return had !== null || after.quantity_reserved < (before?.quantity_reserved ?? 0);
  const available = after.quantity_on_hand - after.quantity_reserved;
  return available > 0 && (had === null || available > had - (before?.quantity_reserved ?? 0));
}
