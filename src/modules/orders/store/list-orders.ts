/** Lists of orders, in the seller's scope. */
import { integer, type RowOf } from '../../../platform/db/columns.ts';
import { allOf, join, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { hasWords } from '../../../platform/db/words.ts';
import { readStocked, type StockedOrder } from './load-orders.ts';

export interface OrderFilter {
  readonly status?: readonly string[] | undefined;
  readonly line_status?: string | undefined;
  readonly payment_status?: string | undefined;
  readonly attention?: string | undefined;
  /** RFC 3339. An order at the instant `…_since` is included, an order at `…_before` is not. */
  readonly created_since?: string | undefined;
  readonly created_before?: string | undefined;
  readonly updated_since?: string | undefined;
  readonly dispatch_by_before?: string | undefined;
  readonly sku?: string | undefined;
  readonly buyer_id?: string | undefined;
  readonly reference?: string | undefined;
  readonly q?: string | undefined;
}

/**
 * The last row of the previous page: the instant at which it was recorded or last changed, and its id.
 */
export type OrderPosition = readonly [at: string, order_id: string];

/**
 * A condition that more lines meet is tested order by order, newest first. That is slow for goods that newer orders do
 * not have any more, so it is left to those with so many lines that their orders would take longer.
 */
const RARE_LINES_MAX = 20_000;

/**
 * Orders with a line. Of a rare line its orders are read; of a common one a page is full after few orders. The planner
 * does not know which, so the lines are counted first, up to the limit. `offset 0` keeps it from joining them first.
 */
async function hasLine({ db, seller_id }: SellerDb, condition: Part): Promise<Part> {
  const lines = part`order_line l
              where l.seller_id = ${seller_id}
                and l.kind = 'item'
                and ${condition}`;
  const counted = await db.one(statement({ lines: integer })`
    select count(*)::int as lines
      from (select from ${lines}
              limit ${RARE_LINES_MAX + 1}::int) as l`);
  return (counted?.lines ?? 0) > RARE_LINES_MAX
    ? part`exists (select from ${lines}
                and l.order_id = sales_order.order_id
             offset 0)`
    : part`order_id in (select l.order_id from ${lines})`;
}

/** Unused filters are left out of the statement. */
async function filtersOf(at: SellerDb, filter: OrderFilter): Promise<Part> {
  const { status, line_status, payment_status, attention, created_since, created_before } = filter;
  const { updated_since, dispatch_by_before, sku, buyer_id, reference, q } = filter;
  return allOf(
    status !== undefined && part`status = any(${status})`,
    payment_status !== undefined && part`payment_status = ${payment_status}`,
    // An index has the other orders.
    payment_status !== undefined && payment_status !== 'captured' && part`payment_status <> 'captured'`,
    attention !== undefined && part`attention <> '{}' and ${attention} = any(attention)`,
    created_since !== undefined && part`recorded_at >= ${created_since}`,
    created_before !== undefined && part`recorded_at < ${created_before}`,
    updated_since !== undefined && part`updated_at >= ${updated_since}`,
    dispatch_by_before !== undefined && part`accepted_open > 0 and dispatch_by < ${dispatch_by_before}`,
    line_status !== undefined && (await hasLine(at, part`l.status = ${line_status}`)),
    buyer_id !== undefined && part`buyer_id = ${buyer_id}`,
    sku !== undefined && (await hasLine(at, part`l.seller_sku = ${sku}`)),
    reference !== undefined &&
      part`(order_number = ${reference} or external_order_id = ${reference} or order_id = ${reference})`,
    q !== undefined && hasWords(q),
  );
}

/** One page and one order more, newest first. The page is cut before the parts of its orders are read. */
export async function listOrders(
  at: SellerDb,
  filter: OrderFilter,
  after: OrderPosition | undefined,
  limit: number,
): Promise<StockedOrder[]> {
  const instant = raw(filter.updated_since === undefined ? 'recorded_at' : 'updated_at');
  const behind = after && part`(${instant}, order_id) < (${after[0]}::timestamptz, ${after[1]})`;
  const filters = await filtersOf(at, filter);
  return readStocked(
    at,
    part`(select *
              from sales_order
             where ${allOf(filters, behind)}
             order by ${instant} desc, order_id desc
             limit ${limit + 1}::int) as o
     order by o.${instant} desc, o.order_id desc`,
  );
}

const QUEUES = {
  to_accept: integer,
  to_dispatch: integer,
  late: integer,
  cancel_requests: integer,
  returns_to_answer: integer,
  oversold: integer,
  disputes: integer,
};
type Queues = RowOf<typeof QUEUES>;

/** Counts orders and parts that need the seller. */
export async function countQueues({ db }: SellerDb, at: string): Promise<Queues> {
  const count = (name: keyof Queues, from: Part): Part =>
    part`(select count(*)::int from ${from}) as ${raw(name)}`;
  const row = await db.one(statement(QUEUES)`
    select ${join(
      [
        count('to_accept', part`sales_order where awaiting > 0`),
        count('to_dispatch', part`sales_order where accepted_open > 0`),
        count('late', part`sales_order where accepted_open > 0 and dispatch_by <= ${at}`),
        count('cancel_requests', part`order_cancel_request where status = 'open'`),
        count('returns_to_answer', part`order_return where status = 'requested'`),
        count('oversold', part`sales_order where attention <> '{}' and 'oversold' = any(attention)`),
        count('disputes', part`order_dispute where status = 'open'`),
      ],
      ',\n           ',
    )}`);
  if (row === undefined) throw new Error('the count of the queues has no row');
  return row;
}
