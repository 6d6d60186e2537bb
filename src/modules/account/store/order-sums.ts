/** Orders summed by line and component, and their SKUs; every statement names the seller. */

import type { CursorDb, Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Bucket, Component } from '../../ledger/index.ts';

/** Orders by the Sydney day of their first line, both days included. */
export interface OrdersOfDays {
  readonly sellerId: string;
  readonly currency: string;
  readonly start: string;
  readonly end: string;
}

/** What a line of an order, or what concerns the whole order, came to. */
export interface OrderSum {
  readonly order_id: string;
  readonly order_line_id: string | null;
  /** Null of a shipping line and of what concerns the whole order. */
  readonly seller_sku: string | null;
  readonly bucket: Bucket;
  readonly component: Component | null;
  /** Seen from the seller. */
  readonly amount: Minor;
  /** Units of its sales. */
  readonly units: number;
  /** What the provider took of the order is known. */
  readonly fee_captured: boolean;
}

const ORDERS =
  'select f.seller_id, f.order_id from v_ledger_entry f where f.seller_id = $1 and f.currency = $2 and f.bucket is not null ' +
  'and f.order_id is not null and f.posted_on between $3::date and $4::date and not exists (select from v_ledger_entry x ' +
  'where x.seller_id = f.seller_id and x.order_id = f.order_id and x.position < f.position and x.bucket is not null)';
const SALES = (joined: 'join' | 'left join') =>
  `${joined} ledger_entry y on y.seller_id = o.seller_id and y.order_id = o.order_id and y.type = 'sale' ` +
  `${joined} v_orders_line l on l.seller_id = y.seller_id and l.order_line_id = y.order_line_id`;
const SKUS =
  `with o as materialized (${ORDERS}) select sku from (select distinct coalesce(l.seller_sku, '') collate "C" as sku from o ${SALES('left join')}) s ` +
  'where $5::text is null or sku > $5 order by sku limit $6::int';
const SUMS =
  // Found once each, and not once for each of their lines.
  `with o as materialized (${ORDERS}) ` +
  'select e.order_id, e.order_line_id, l.seller_sku, e.bucket, e.component, -sum(e.amount_minor)::bigint as amount, ' +
  "coalesce(sum(e.quantity) filter (where e.type = 'sale'), 0)::int as units, coalesce(s.fee_captured, false) as fee_captured " +
  'from o join v_ledger_entry e on e.seller_id = o.seller_id and e.order_id = o.order_id and e.bucket is not null ' +
  'left join v_orders_line l on l.seller_id = e.seller_id and l.order_line_id = e.order_line_id ' +
  'left join v_orders_sold s on s.seller_id = e.seller_id and s.order_id = e.order_id ' +
  `where $5::text[] is null or exists (select from (select o.seller_id, o.order_id) o ${SALES('join')} and l.seller_sku = any($5::text[])) ` +
  'group by 1, 2, 3, 4, 5, 8 order by e.order_id, min(e.position)';
const BATCH_ROWS = 1_000;

const valuesOf = ({ sellerId, currency, start, end }: OrdersOfDays) => [sellerId, currency, start, end];

/** Stands for what has no SKU: shipping, and orders without a sale. No SKU is empty. */
export const NO_SKU = '';

/** SKUs with a sale in these orders, {@link NO_SKU} among them, in the order of their characters, behind one of them. */
export async function skusSold(
  db: Db,
  of: OrdersOfDays,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ sku: string }>(sql(SKUS, [...valuesOf(of), after, limit]));
  return rows.map(({ sku }) => sku);
}

/**
 * The orders one after the other, each as its sums.
 *
 * @param skus only orders with a sale of one of these; null: all
 */
export async function* orderSums(
  db: CursorDb,
  of: OrdersOfDays,
  skus: readonly string[] | null,
): AsyncGenerator<OrderSum[]> {
  type Row = Omit<OrderSum, 'amount'> & { readonly amount: bigint };
  const values = [...valuesOf(of), skus === null ? null : textArray(skus)];
  let order: OrderSum[] = [];
  for await (const rows of db.cursor(sql<Row>(SUMS, values), BATCH_ROWS))
    for (const { amount, ...row } of rows) {
      if (order[0] !== undefined && order[0].order_id !== row.order_id) {
        yield order;
        order = [];
      }
      order.push({ ...row, amount: minor(amount) });
    }
  if (order.length > 0) yield order;
}
