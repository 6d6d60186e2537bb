import { textArray } from '../../../platform/db/arrays.ts';
import { date, instant, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const STATE = {
  through_on: nullable(date),
  watermark_at: nullable(instant),
  stock_known_from: nullable(instant),
};

/** How far the facts of the seller are, and from when on its stock is known; undefined: there are none. */
export const factState = ({ db, seller_id }: SellerDb) =>
  db.one(statement(STATE)`
    select through_on, watermark_at, stock_known_from
      from fact_progress
     where seller_id = ${seller_id}`);

const IN_DEMAND = part`f.demand is not null and p.status <> 'archived'`;
const named = (productIds: readonly string[]): Part =>
  part`product_id = any(${textArray(productIds)}::text[])`;

const DEMAND = {
  product_id: text,
  created_at: instant,
  /** Days with demand: how many days after the first one, and the units. */
  demand: nullable(json<readonly (readonly [offset: number, units: number])[]>('json')),
};
export type Demand = RowOf<typeof DEMAND>;

/**
 * The demand of products, in the order of their ids.
 *
 * @param some default: all products that were in demand
 */
export const demandOf = (sellerId: string, from: string, to: string, some?: readonly string[]) =>
  statement(DEMAND)`
  select p.product_id, p.created_at, f.demand
    from v_products_sellable p
    left join (
      select seller_id, product_id,
             json_agg(json_build_array(day - ${from}::date, demand_units)) as demand
        from fact_sku_day
       where seller_id = ${sellerId}
         and day between ${from}::date and ${to}::date
         and ${allOf(some && named(some))}
       group by seller_id, product_id) f
      on f.seller_id = p.seller_id
     and f.product_id = p.product_id
   where p.seller_id = ${sellerId}
     and ${some === undefined ? IN_DEMAND : part`p.${named(some)}`}
   order by p.product_id`;
const OUTAGE = { product_id: text, from_at: instant, to_at: nullable(instant) };

/** The outages of products, and those of all products of the seller (`product_id` empty), that touch a time. */
export const outagesOf = (
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
  from: string,
  to: string,
) =>
  db.all(statement(OUTAGE)`
    select product_id, from_at, to_at
      from fact_outage
     where seller_id = ${seller_id}
       and product_id = any(${textArray(['', ...productIds])}::text[])
       and from_at < ${to}::timestamptz
       and coalesce(to_at > ${from}::timestamptz, true)`);
