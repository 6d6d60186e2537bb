/** Orders summed by line and component, and their SKUs. */
import type { Period } from '../../../kernel/australia/settlement-period.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, integer, money, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import type { Bucket, Component } from '../../ledger/index.ts';
import type { Account } from './figures.ts';

const orderSum = {
  order_id: text,
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
type OrderSum = RowOf<typeof orderSum>;

/** The orders whose first line counts on these days. Materialized, so that each order is found once. */
const ordersOf = ({ seller_id, currency }: Account, { start, end }: Period) => part`
  o as materialized (
    select f.seller_id, f.order_id
      from v_ledger_entry f
     where f.seller_id = ${seller_id}
       and f.currency = ${currency}
       and f.bucket is not null
       and f.order_id is not null
       and f.posted_on between ${start}::date and ${end}::date
       and not exists (select
                         from v_ledger_entry x
                        where x.seller_id = f.seller_id and x.order_id = f.order_id and x.position < f.position
                          and x.bucket is not null))`;
const sales = (joined: 'join' | 'left join') =>
  raw(`
  ${joined} ledger_entry y on y.seller_id = o.seller_id and y.order_id = o.order_id and y.type = 'sale'
  ${joined} v_orders_line l on l.seller_id = y.seller_id and l.order_line_id = y.order_line_id`);
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
    with ${ordersOf(of, days)}
    select sku
      from (select distinct coalesce(l.seller_sku, '') collate "C" as sku
              from o ${sales('left join')}) s
     where ${after}::text is null or sku > ${after}
     order by sku
     limit ${limit}::int`);
  return rows.map(({ sku }) => sku);
}

/**
 * The sums of each order, in batches.
 *
 * @param skus only orders with a sale of one of these; null for all orders
 */
export async function* orderSums(
  of: Account & { readonly db: CursorDb },
  days: Period,
  skus: readonly string[] | null,
): AsyncGenerator<OrderSum[]> {
  const wanted = skus === null ? null : textArray(skus);
  const found = statement(orderSum)`
    with ${ordersOf(of, days)}
    select e.order_id, e.order_line_id, l.seller_sku, e.bucket, e.component,
           -sum(e.amount_minor)::bigint as amount,
           coalesce(sum(e.quantity) filter (where e.type = 'sale'), 0)::int as units,
           coalesce(s.fee_captured, false) as fee_captured
      from o
      join v_ledger_entry e on e.seller_id = o.seller_id and e.order_id = o.order_id and e.bucket is not null
      left join v_orders_line l on l.seller_id = e.seller_id and l.order_line_id = e.order_line_id
      left join v_orders_sold s on s.seller_id = e.seller_id and s.order_id = e.order_id
     where ${wanted}::text[] is null
        or exists (select
                     from (select o.seller_id, o.order_id) o ${sales('join')}
                      and l.seller_sku = any(${wanted}::text[]))
     group by 1, 2, 3, 4, 5, 8
     order by e.order_id, min(e.position)`;
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
