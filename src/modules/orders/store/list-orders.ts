/** Lists of orders, in the seller's scope. */
import type { Db } from '../../../kernel/context.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Order } from '../domain/order.ts';
import { toOrder, WHOLE_ORDER, type WholeRow } from './load-orders.ts';

export interface OrderFilter {
  readonly status?: readonly string[] | undefined;
  readonly line_status?: string | undefined;
  readonly attention?: string | undefined;
  /** Instants, RFC 3339; since is inclusive, before is not. */
  readonly created_since?: string | undefined;
  readonly created_before?: string | undefined;
  readonly updated_since?: string | undefined;
  readonly dispatch_by_before?: string | undefined;
  readonly sku?: string | undefined;
  readonly reference?: string | undefined;
  readonly q?: string | undefined;
}

/** Instant of the order (of its recording, or of its last change) and id of the last row of the page before. */
export type OrderPosition = readonly [at: string, order_id: string];

/** Each filter with the condition that it makes. */
function filtered(filter: OrderFilter): Conditions {
  const where = new Conditions();
  if (filter.status !== undefined) where.add((p) => `status = any(${p})`, filter.status);
  if (filter.attention !== undefined) {
    where.fixed("attention <> '{}'");
    where.add((p) => `${p} = any(attention)`, filter.attention);
  }
  if (filter.created_since !== undefined) where.add((p) => `recorded_at >= ${p}`, filter.created_since);
  if (filter.created_before !== undefined) where.add((p) => `recorded_at < ${p}`, filter.created_before);
  if (filter.updated_since !== undefined) where.add((p) => `updated_at >= ${p}`, filter.updated_since);
  if (filter.dispatch_by_before !== undefined) {
    where.fixed('accepted_open > 0');
    where.add((p) => `dispatch_by < ${p}`, filter.dispatch_by_before);
  }
  const line = (test: (p: string) => string) => (p: string) =>
    `order_id in (select l.order_id from order_line l where l.kind = 'item' and ${test(p)})`;
  if (filter.line_status !== undefined)
    where.add(
      line((p) => `l.status = ${p}`),
      filter.line_status,
    );
  if (filter.sku !== undefined)
    where.add(
      line((p) => `l.seller_sku = ${p}`),
      filter.sku,
    );
  if (filter.reference !== undefined)
    where.add(
      (p) => `(order_number = ${p} or external_order_id = ${p} or order_id = ${p})`,
      filter.reference,
    );
  where.addSearch(filter.q);
  return where;
}

/** One page and one order beyond it, newest first; the page is cut before what belongs to its orders is read. */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  after: OrderPosition | undefined,
  limit: number,
): Promise<Order[]> {
  const where = filtered(filter);
  const at = filter.updated_since === undefined ? 'recorded_at' : 'updated_at';
  if (after !== undefined)
    where.fixed(`(${at}, order_id) < (${where.value(after[0])}::timestamptz, ${where.value(after[1])})`);
  const page =
    `select * from sales_order where ${where.text} order by ${at} desc, order_id desc ` +
    `limit ${where.value(limit + 1)}::int`;
  const text = `select ${WHOLE_ORDER} from (${page}) o order by o.${at} desc, o.order_id desc`;
  return (await db.all<WholeRow>(sql(text, where.values))).map(toOrder);
}

export interface Queues {
  readonly to_accept: number;
  readonly to_dispatch: number;
  readonly late: number;
  readonly cancel_requests: number;
  readonly returns_to_answer: number;
  readonly oversold: number;
  readonly disputes: number;
}

const COUNT = (name: string, from: string): string => `(select count(*)::int from ${from}) as ${name}`;
const QUEUES = `select ${[
  COUNT('to_accept', 'sales_order where awaiting > 0'),
  COUNT('to_dispatch', 'sales_order where accepted_open > 0'),
  COUNT('late', 'sales_order where accepted_open > 0 and dispatch_by <= $1'),
  COUNT('cancel_requests', "order_cancel_request where status = 'open'"),
  COUNT('returns_to_answer', "order_return where status = 'requested'"),
  COUNT('oversold', "sales_order where attention <> '{}' and 'oversold' = any(attention)"),
  COUNT('disputes', "order_dispute where status = 'open'"),
].join(', ')}`;

/** What waits for the seller. */
export async function countQueues(db: Db, at: string): Promise<Queues> {
  const row = await db.one<Queues>(sql(QUEUES, [at]));
  if (row === undefined) throw new Error('the queues answered nothing');
  return row;
}
