/** Orders with all that belongs to them, in one statement for any number of them; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Order } from '../domain/order.ts';
import { CHILD_NAMES, CHILDREN, type ChildName, HEAD, type Table, toRow } from './tables.ts';

/** How the rows of a child are found from the order `o`, and in which order they stand. */
const OF_ORDER: Readonly<Record<ChildName, readonly [from: string, order: string]>> = {
  lines: ['order_line c where c.seller_id = o.seller_id and c.order_id = o.order_id', 'c.line_no'],
  shipments: [
    'order_shipment c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.created_at, c.shipment_id',
  ],
  shipment_lines: [
    'order_shipment s join order_shipment_line c on c.seller_id = s.seller_id and c.shipment_id = s.shipment_id ' +
      'where s.seller_id = o.seller_id and s.order_id = o.order_id',
    'c.shipment_id, c.order_line_id',
  ],
  labels: [
    'order_shipment s join order_label c on c.seller_id = s.seller_id and c.shipment_id = s.shipment_id ' +
      'where s.seller_id = o.seller_id and s.order_id = o.order_id',
    'c.created_at, c.label_id',
  ],
  scans: [
    'order_shipment s join order_tracking c on c.seller_id = s.seller_id and c.shipment_id = s.shipment_id ' +
      'where s.seller_id = o.seller_id and s.order_id = o.order_id',
    'c.shipment_id, c.position',
  ],
  cancel_requests: [
    'order_cancel_request c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.requested_at, c.request_id',
  ],
  returns: [
    'order_return c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.requested_at, c.return_id',
  ],
  return_lines: [
    'order_return_line c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.return_id, c.order_line_id',
  ],
  refunds: [
    'order_refund c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.created_at, c.refund_id',
  ],
  refund_lines: [
    'order_refund_line c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.refund_id, c.order_line_id',
  ],
  disputes: [
    'order_dispute c where c.seller_id = o.seller_id and c.order_id = o.order_id',
    'c.opened_at, c.dispute_id',
  ],
};

/** Select list of an order `o` with its children, each as one JSON value. */
export const WHOLE_ORDER = [
  'to_json(o) as head',
  ...CHILD_NAMES.map((name) => {
    const [from, order] = OF_ORDER[name];
    return `(select json_agg(to_json(c) order by ${order}) from ${from}) as ${name}`;
  }),
].join(', ');

type Json = Readonly<Record<string, unknown>>;
export type WholeRow = { readonly head: Json } & { readonly [K in ChildName]: readonly Json[] | null };

function rowsOf<Row>(table: Table<Row>, json: readonly Json[] | null): Row[] {
  return (json ?? []).map((row) => toRow(table, row));
}

/** The order of a row of {@link WHOLE_ORDER}. */
export function toOrder(row: WholeRow): Order {
  return {
    head: toRow(HEAD, row.head),
    lines: rowsOf(CHILDREN.lines, row.lines),
    shipments: rowsOf(CHILDREN.shipments, row.shipments),
    shipment_lines: rowsOf(CHILDREN.shipment_lines, row.shipment_lines),
    labels: rowsOf(CHILDREN.labels, row.labels),
    scans: rowsOf(CHILDREN.scans, row.scans),
    cancel_requests: rowsOf(CHILDREN.cancel_requests, row.cancel_requests),
    returns: rowsOf(CHILDREN.returns, row.returns),
    return_lines: rowsOf(CHILDREN.return_lines, row.return_lines),
    refunds: rowsOf(CHILDREN.refunds, row.refunds),
    refund_lines: rowsOf(CHILDREN.refund_lines, row.refund_lines),
    disputes: rowsOf(CHILDREN.disputes, row.disputes),
  };
}

const BY_IDS = `select ${WHOLE_ORDER} from sales_order o where o.seller_id = $1 and o.order_id = any($2)`;

export async function loadOrders(db: Db, sellerId: string, orderIds: readonly string[]): Promise<Order[]> {
  if (orderIds.length === 0) return [];
  return (await db.all<WholeRow>(sql(BY_IDS, [sellerId, orderIds]))).map(toOrder);
}

export async function loadOrder(db: Db, sellerId: string, orderId: string): Promise<Order | undefined> {
  return (await loadOrders(db, sellerId, [orderId]))[0];
}

const HOLD =
  'select order_id from sales_order where seller_id = $1 and order_id = any($2) order by order_id for update';

/**
 * Holds the orders until the transaction ends, in order of the id. What belongs to them is read afterwards: a
 * statement that had to wait would show it as it was before.
 */
export async function holdOrders(db: Db, sellerId: string, orderIds: readonly string[]): Promise<void> {
  await db.run(sql(HOLD, [sellerId, orderIds]));
}

const FIND = {
  order:
    'select order_id from sales_order where seller_id = $1 and (order_id = $2 or external_order_id = $2)',
  shipment: 'select order_id from order_shipment where seller_id = $1 and shipment_id = $2',
} as const;

/** The order that the marketplace means by its own id, or by that of a shipment. */
export async function findOrderId(
  db: Db,
  sellerId: string,
  kind: keyof typeof FIND,
  id: string,
): Promise<string | undefined> {
  return (await db.one<{ order_id: string }>(sql(FIND[kind], [sellerId, id])))?.order_id;
}

export async function sellerExists(db: Db, sellerId: string): Promise<boolean> {
  return (
    (await db.one(sql('select 1 as one from v_sellers_standing where seller_id = $1', [sellerId]))) !==
    undefined
  );
}

const PLACED =
  'select exists (select from v_sellers_standing where seller_id = $1) as known, ' +
  '(select order_id from sales_order where seller_id = $1 and (order_id = $2 or external_order_id = $2)) as order_id';

/** Whether there is the seller, and its order of this name if that was placed before. */
export async function findPlaced(
  db: Db,
  sellerId: string,
  name: string,
): Promise<{ known: boolean; order_id: string | null }> {
  const row = await db.one<{ known: boolean; order_id: string | null }>(sql(PLACED, [sellerId, name]));
  return row ?? { known: false, order_id: null };
}

/** Keeps a second placement under the same name waiting until the first has ended. */
export async function claimOrderId(db: Db, sellerId: string, name: string): Promise<void> {
  await db.run(sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`order:${sellerId}\n${name}`]));
}
