/** Sums of ratings by the day of their posting, which a trigger keeps (db/migrations). */
import { date, integer, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { RatingScope } from '../domain/ratings.ts';

const numbers = {
  n1: integer,
  n2: integer,
  n3: integer,
  n4: integer,
  n5: integer,
  excluded_count: integer,
  removed_count: integer,
};
const SUMS: Part = raw(
  Object.keys(numbers)
    .map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`)
    .join(', '),
);

const between = (from: string | undefined, to: string): Part =>
  allOf(from !== undefined && part`day >= ${from}::date`, part`day <= ${to}::date`);

/** The rows with the sums of a whole scope. */
const WHOLE = { seller: 'seller', product: 'products' } as const satisfies Readonly<
  Record<RatingScope, string>
>;

/** The sums of each scope on some Sydney days. The marketplace may date a rating later than today. */
export const sumsByScope = ({ db, seller_id }: SellerDb, from: string | undefined, to: string) =>
  db.all(statement({ scope: textOf<RatingScope>(), ...numbers })`
    select case scope when 'products' then 'product' else scope end as scope, ${SUMS}
      from rating_day
     where seller_id = ${seller_id}
       and scope = any(${Object.values(WHOLE)})
       and product_id = ''
       and ${between(from, to)}
     group by scope`);

interface SeriesOf {
  readonly scope: RatingScope;
  readonly product_id?: string | undefined;
  readonly granularity: 'day' | 'month';
  readonly from: string;
  readonly to: string;
}
/** The sums of each day or month that has any. */
export const sumsByPeriod = (
  { db, seller_id }: SellerDb,
  { scope, product_id, granularity, from, to }: SeriesOf,
) =>
  db.all(statement({ period: date, ...numbers })`
    select date_trunc(${granularity}, day)::date as period, ${SUMS}
      from rating_day
     where seller_id = ${seller_id}
       and scope = ${product_id === undefined ? WHOLE[scope] : scope}
       and product_id = ${product_id ?? ''}
       and ${between(from, to)}
     group by period
     order by period`);

/** What products are ordered by; the share of low ratings as in the figures. */
const ORDERS = {
  count: raw('sum(n1 + n2 + n3 + n4 + n5)'),
  low_share: raw(
    `coalesce((20000 * sum(n1 + n2) + sum(n1 + n2 + n3 + n4 + n5))
       / nullif(2 * sum(n1 + n2 + n3 + n4 + n5), 0), -1)`,
  ),
} as const;
type ProductOrder = keyof typeof ORDERS;

/** A page of the products with ratings, the largest first. */
export function sumsByProduct(
  { db, seller_id }: SellerDb,
  by: ProductOrder,
  after: readonly (string | number)[] | undefined,
  limit: number,
) {
  const [place, id] = after ?? [];
  const later = after && part`having (${ORDERS[by]}, product_id) < (${place}::bigint, ${id})`;
  return db.all(statement({ product_id: text, place: integer, ...numbers })`
    select product_id, (${ORDERS[by]})::integer as place, ${SUMS}
      from rating_day
     where seller_id = ${seller_id}
       and scope = 'product'
     group by product_id
     ${later ?? part``}
     order by place desc, product_id desc
     limit ${limit}`);
}

/** Whether the marketplace has ever sent a rating. */
export async function hasRatings({ db, seller_id }: SellerDb): Promise<boolean> {
  const row = await db.one(statement({ scope: text })`
    select scope
      from rating_day
     where seller_id = ${seller_id}
     limit 1`);
  return row !== undefined;
}

/** Orders that were delivered from an instant on. */
export async function countDelivered({ db, seller_id }: SellerDb, from: string | undefined): Promise<number> {
  const row = await db.one(statement({ delivered: integer })`
    select count(*)::integer as delivered
      from v_orders_sold
     where seller_id = ${seller_id}
       and delivered_at is not null
       and ${allOf(from !== undefined && part`delivered_at >= ${from}`)}`);
  return row?.delivered ?? 0;
}
