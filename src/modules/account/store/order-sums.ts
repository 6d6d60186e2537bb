/** Orders summed by line and component, and their SKUs. */
import type { Period } from '../../../kernel/australia/settlement-period.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, integer, money, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { Bucket, Component } from '../../ledger/index.ts';
import type { Account } from './figures.ts';

const orderSum = {
  order_id: text,
  /** Null for an order that only the ledger knows. */
  order_number: nullable(text),
  /** Null for amounts of the whole order. */
  order_line_id: nullable(text),
  /** Null for a shipping line and for amounts of the whole order. */
  seller_sku: nullable(text),
  bucket: textOf<Bucket>(),
  component: nullable(textOf<Component>()),
  /** From the seller's side. */
  amount: money,
  /** Units of its sales. */
  units: integer,
  /** Whether the provider's fee of the order is known. */
  fee_captured: boolean,
};
export type OrderSum = RowOf<typeof orderSum>;

/** The ids of the orders whose first line counts on these days. The first line of an order is read once. */
const ordersOf = ({ seller_id, currency }: Account, { start, end }: Period) => part`
    select c.order_id
      from (select distinct order_id
              from v_ledger_entry
             where seller_id = ${seller_id}
               and currency = ${currency}
               and bucket is not null
               and order_id is not null
               and posted_on between ${start}::date and ${end}::date) c
     cross join lateral (
             select x.currency, x.posted_on
               from v_ledger_entry x
              where x.seller_id = ${seller_id}
                and x.order_id = c.order_id
                and x.bucket is not null
              order by x.position
              limit 1) f
     where f.currency = ${currency}
       and f.posted_on between ${start}::date and ${end}::date`;
const salesOf = (sellerId: string, joined: 'join' | 'left join') => part`
  ${raw(joined)} v_ledger_entry y on y.seller_id = ${sellerId} and y.order_id = o.order_id and y.type = 'sale'
  ${raw(joined)} v_orders_line l on l.seller_id = y.seller_id and l.order_line_id = y.order_line_id`;
const BATCH_ROWS = 1_000;

/** Stands for shipping and for orders without a sale, which have no SKU. No real SKU is empty. */
export const NO_SKU = '';

/** A page of the SKUs that these orders have sold, and of {@link NO_SKU}, in the order of their characters. */
export async function skusSold(
  of: Account,
  days: Period,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await of.db.all(statement({ sku: text })`
    with o as materialized (${ordersOf(of, days)})
    select sku
      from (select distinct coalesce(l.seller_sku, '') collate "C" as sku
              from o ${salesOf(of.seller_id, 'left join')}) s
     where ${after}::text is null or sku > ${after}
     order by sku
     limit ${limit}::int`);
  return rows.map(({ sku }) => sku);
}

/**
 * Looks each order and each of its lines up by itself. `offset 0` keeps the look-ups separate.
 *
 * @param orders query of the ids
 * @param bucket only the lines of it
 */
const sumsOf = (sellerId: string, orders: Part, bucket?: Bucket) => statement(orderSum)`
    with o as materialized (
      select o.order_id, s.order_number, coalesce(s.fee_captured, false) as fee_captured
        from (${orders}) o
        left join lateral (
               select order_number, fee_captured
                 from v_orders_sold
                where seller_id = ${sellerId}
                  and order_id = o.order_id
               offset 0) s on true)
    select e.order_id, o.order_number, e.order_line_id, l.seller_sku, e.bucket, e.component,
           -sum(e.amount_minor)::bigint as amount,
           coalesce(sum(e.quantity) filter (where e.type = 'sale'), 0)::int as units,
           o.fee_captured
      from o
     cross join lateral (
             select *
               from v_ledger_entry
              where seller_id = ${sellerId}
                and order_id = o.order_id
                and ${bucket === undefined ? part`bucket is not null` : part`bucket = ${bucket}`}
             offset 0) e
      left join lateral (
             select seller_sku
               from v_orders_line
              where seller_id = ${sellerId}
                and order_line_id = e.order_line_id
             offset 0) l on true
     group by 1, 2, 3, 4, 5, 6, 9
     order by e.order_id, min(e.position)`;

/** The sums of some orders. */
export async function sumsOfOrders({ db, seller_id }: Account, orderIds: readonly string[]) {
  const orders = part`select unnest(${textArray(orderIds)}::text[]) as order_id`;
  return Map.groupBy(await db.all(sumsOf(seller_id, orders)), ({ order_id }) => order_id);
}

/** Which orders of the days are summed, and what of them. */
interface Asked {
  /** Only orders with a sale of one of these. */
  readonly skus?: readonly string[] | undefined;
  readonly bucket?: Bucket;
}

/** The sums of each order, in batches. */
export async function* orderSums(
  of: Account & { readonly db: CursorDb },
  days: Period,
  { skus, bucket }: Asked,
): AsyncGenerator<OrderSum[]> {
  const orders =
    skus === undefined
      ? ordersOf(of, days)
      : part`
        select o.order_id
          from (${ordersOf(of, days)}) o
         where exists (select
                         from (select o.order_id) o ${salesOf(of.seller_id, 'join')}
                          and l.seller_sku = any(${textArray(skus)}::text[]))`;
  const found = sumsOf(of.seller_id, orders, bucket);
  let order: OrderSum[] = [];
  for await (const rows of of.db.cursor(found, BATCH_ROWS))
    for (const row of rows) {
      if (order[0] !== undefined && order[0].order_id !== row.order_id) {
        yield order;
        order = [];
      }
      order.push(row);
    }
  if (order.length > 0) yield order;
}
