import type { Acting } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { text } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { insertJobIf } from '../../../platform/jobs/job-statements.ts';

/** The job that runs when units become available. Orders handles it. */
export const STOCK_JOB = 'products.stock_came_in';

/**
 * Adds a job that offers new units to oversold orders, if the seller has any. Call it after locking the stock: only
 * then does it see every order that was placed on the earlier stock. Each call adds a job, because a running job may
 * have read the stock too early.
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

/** The products of a list of which orders want units that are not in stock. */
export async function wantedProducts(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (productIds.length === 0) return new Set();
  const rows = await db.all(statement({ product_id: text })`
    select distinct product_id
      from v_orders_short
     where seller_id = ${seller_id}
       and product_id = any(${textArray(productIds)}::text[])`);
  return new Set(rows.map(({ product_id }) => product_id));
}

interface Units {
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
}

/** Whether more units are available than before. A stock that becomes unknown counts as more. */
export function hasMoreUnits(before: Units | null, after: Units): boolean {
  const had = before?.quantity_on_hand ?? null;
  if (after.quantity_on_hand === null)
    return had !== null || after.quantity_reserved < (before?.quantity_reserved ?? 0);
  const available = after.quantity_on_hand - after.quantity_reserved;
  return available > 0 && (had === null || available > had - (before?.quantity_reserved ?? 0));
}
