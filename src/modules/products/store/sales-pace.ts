import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, integer, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { WriteContext } from './write-products.ts';

const PACE = {
  product_id: text,
  /** The product existed before the window began. */
  known: boolean,
  /** Units ordered in the window, without cancelled ones. */
  units: integer,
  /** Seconds of the window in which the product was out of stock. */
  out_seconds: integer,
};
export type SalesPace = RowOf<typeof PACE>;

/**
 * Reads what products sold in a window, and for how long they had nothing to sell.
 *
 * @param window instants, RFC 3339; an order is recorded at the earliest when it is placed
 */
export async function readSalesPace(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<SalesPace[]> {
  if (productIds.length === 0) return [];
  const ids = textArray(productIds);
  return db.all(statement(PACE)`
    with sold as (
      select product_id, sum(units)::int as units
        from v_orders_ordered
       where seller_id = ${seller_id}
         and recorded_at >= ${from}::timestamptz
         and placed_at >= ${from}::timestamptz
         and placed_at < ${to}::timestamptz
         and product_id = any(${ids}::text[])
       group by product_id),
    out as (
      select product_id,
             sum(extract(epoch from
               least(coalesce(to_at, ${to}::timestamptz), ${to}::timestamptz)
               - greatest(from_at, ${from}::timestamptz)))::int as seconds
        from stock_outage
       where seller_id = ${seller_id}
         and product_id = any(${ids}::text[])
         and from_at < ${to}::timestamptz
         and coalesce(to_at, ${to}::timestamptz) > ${from}::timestamptz
       group by product_id)
    select p.product_id, p.created_at < ${from}::timestamptz as known,
           coalesce(sold.units, 0) as units, coalesce(out.seconds, 0) as out_seconds
      from product p
      left join sold on sold.product_id = p.product_id
      left join out on out.product_id = p.product_id
     where p.seller_id = ${seller_id}
       and p.product_id = any(${ids}::text[])`);
}

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

/** Limits each transaction, so that other work does not wait for the deletion. */
const ROWS_PER_STEP = 20_000;

/** Deletes outages that no figure reads any more. */
export async function purgeOutages(db: SellerDb['db'], before: string): Promise<void> {
  for (let deleted = ROWS_PER_STEP; deleted === ROWS_PER_STEP; )
    deleted = await db.run(command`
      delete from stock_outage
       where (seller_id, product_id, from_at) in (
               select seller_id, product_id, from_at
                 from stock_outage
                where to_at < ${before}::timestamptz
                limit ${ROWS_PER_STEP})`);
}
