/** Reads orders with all their parts, in one statement for any number of them. Every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { boolean, integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { Order } from '../domain/order.ts';
import {
  CHILD_NAMES,
  CHILDREN,
  type ChildName,
  HEAD,
  PART_NAMES,
  PARTS,
  type Table,
  toRow,
} from './tables.ts';

const ofOrder = (table: string): string =>
  `${table} c where c.seller_id = o.seller_id and c.order_id = o.order_id`;
const ofShipments = (table: string): string =>
  `order_shipment s join ${table} c on c.seller_id = s.seller_id and c.shipment_id = s.shipment_id ` +
  'where s.seller_id = o.seller_id and s.order_id = o.order_id';

/** How the rows of a child are found from the order `o`, and in which order they stand. */
export const CHILD_ROWS: Readonly<Record<ChildName, readonly [from: string, order: string]>> = {
  lines: [ofOrder('order_line'), 'c.line_no'],
  shipments: [ofOrder('order_shipment'), 'c.created_at, c.shipment_id'],
  shipment_lines: [ofShipments('order_shipment_line'), 'c.shipment_id, c.order_line_id'],
  labels: [ofShipments('order_label'), 'c.created_at, c.label_id'],
  scans: [ofShipments('order_tracking'), 'c.shipment_id, c.position'],
  cancel_requests: [ofOrder('order_cancel_request'), 'c.requested_at, c.request_id'],
  returns: [ofOrder('order_return'), 'c.requested_at, c.return_id'],
  return_lines: [ofOrder('order_return_line'), 'c.return_id, c.order_line_id'],
  refunds: [ofOrder('order_refund'), 'c.created_at, c.refund_id'],
  refund_lines: [ofOrder('order_refund_line'), 'c.refund_id, c.order_line_id'],
  disputes: [ofOrder('order_dispute'), 'c.opened_at, c.dispute_id'],
};

function childRows(child: ChildName): string {
  const [from, order] = CHILD_ROWS[child];
  return `(select json_agg(to_json(c) order by ${order}) from ${from}) as ${child}`;
}
const children = (names: readonly ChildName[]): string => names.map(childRows).join(',\n           ');

/** Select list of an order `o` with its children, each as one JSON value. */
const WHOLE_ORDER = `to_json(o) as head, ${children(CHILD_NAMES)}`;

/** Stock of the products of which lines of the order `o` hold fewer units than they need. */
const SHORT_STOCK = `case when o.awaiting + o.accepted_open > 0 then (
             select json_agg(json_build_array(l.product_id, i.units))
               from order_line l
              cross join lateral (
                      select greatest(s.quantity_on_hand - s.quantity_reserved, 0) as units
                        from v_products_stock s
                       where s.seller_id = l.seller_id
                         and s.product_id = l.product_id
                         and s.quantity_on_hand is not null
                      offset 0) as i
              where l.seller_id = o.seller_id
                and l.order_id = o.order_id
                and l.reserved < l.awaiting + l.accepted_open) end as stock`;

type Json = Readonly<Record<string, unknown>>;
const rows = nullable(json<readonly Json[]>());
const CHILD_COLUMNS = Object.fromEntries(CHILD_NAMES.map((name) => [name, rows])) as Readonly<
  Record<ChildName, typeof rows>
>;
const WHOLE = { head: json<Json>(), ...CHILD_COLUMNS };
const HEAD_AND_LINES = {
  head: json<Json & { readonly order_id: string; readonly version: number }>(),
  lines: rows,
  stock: nullable(json<readonly (readonly [string, number])[]>()),
};
type ChildRows = { readonly [K in ChildName]?: readonly Json[] | null };

function rowsOf<Row>(table: Table<Row>, json: readonly Json[] | null | undefined): Row[] {
  return json ? json.map((row) => toRow(table, row)) : [];
}

function toOrder(head: Json, row: ChildRows): Order {
  return {
    head: toRow(HEAD, head),
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

/** An order with the units that its lines could still reserve, by product; unknown stock is left out. */
export interface StockedOrder {
  readonly order: Order;
  readonly available: ReadonlyMap<string, number>;
}

/** The children that an order may have beside its lines. */
function childrenOf({ version, parts_version, parts }: Json): readonly ChildName[] {
  return PART_NAMES.filter(
    (name) => parts_version !== version || (parts as readonly string[]).includes(name),
  ).flatMap((name) => PARTS[name]);
}

/** Children of some orders; an order that has changed since `versions` were read is not among them. */
async function readChildren(
  db: Db,
  sellerId: string,
  versions: ReadonlyMap<string, number>,
  names: readonly ChildName[],
): Promise<Map<string, ChildRows>> {
  const columns = Object.fromEntries(names.map((name) => [name, rows]));
  const found = await db.all(statement({ order_id: text, version: integer, ...columns })`
    select o.order_id, o.version, ${raw(children(names))}
      from sales_order o
     where o.seller_id = ${sellerId}
       and o.order_id = any(${[...versions.keys()]})`);
  return new Map(
    found.flatMap(({ order_id, version, ...row }) =>
      versions.get(order_id) === version ? [[order_id, row as ChildRows] as const] : [],
    ),
  );
}

/**
 * Orders with their parts and the stock that they lack. Most orders have no shipment, return, refund or dispute; the
 * tables of parts are read by a second statement, and only those that some of the orders may have.
 *
 * @param from a table expression of orders `o`, with its conditions and its order
 */
export async function readStocked(db: Db, sellerId: string, from: Part): Promise<StockedOrder[]> {
  const found = await db.all(statement(HEAD_AND_LINES)`
    select to_json(o) as head,
           ${raw(childRows('lines'))},
           ${raw(SHORT_STOCK)}
      from ${from}`);
  const parted = found.map(({ head }) => head).filter((head) => childrenOf(head).length > 0);
  const versions = new Map(parted.map(({ order_id, version }) => [order_id, version]));
  const names = CHILD_NAMES.filter((name) => parted.some((head) => childrenOf(head).includes(name)));
  const rowsOfOrder =
    parted.length === 0 ? new Map<string, ChildRows>() : await readChildren(db, sellerId, versions, names);
  // Another request changed these between the two statements: one statement reads them whole.
  const moved = [...versions.keys()].filter((id) => !rowsOfOrder.has(id));
  const again = new Map((await loadOrders(db, sellerId, moved)).map((order) => [order.head.order_id, order]));
  return found.map(({ head, lines, stock }) => ({
    order: again.get(head.order_id) ?? toOrder(head, { lines, ...rowsOfOrder.get(head.order_id) }),
    available: new Map(stock),
  }));
}

export async function loadStocked(
  db: Db,
  sellerId: string,
  orderId: string,
): Promise<StockedOrder | undefined> {
  const [found] = await readStocked(
    db,
    sellerId,
    part`sales_order o where o.seller_id = ${sellerId} and o.order_id = ${orderId}`,
  );
  return found;
}

export async function loadOrders(db: Db, sellerId: string, orderIds: readonly string[]): Promise<Order[]> {
  if (orderIds.length === 0) return [];
  const found = await db.all(statement(WHOLE)`
    select ${raw(WHOLE_ORDER)}
      from sales_order o
     where o.seller_id = ${sellerId}
       and o.order_id = any(${orderIds})`);
  return found.map(({ head, ...row }) => toOrder(head, row));
}

export async function loadOrder(db: Db, sellerId: string, orderId: string): Promise<Order | undefined> {
  return (await loadOrders(db, sellerId, [orderId]))[0];
}

/**
 * Locks the orders until the transaction ends, in the order of their ids. Read what belongs to them afterwards: a
 * statement that waited for the lock would show it as it was before.
 */
export async function lockOrders(db: Db, sellerId: string, orderIds: readonly string[]): Promise<void> {
  await db.run(command`
    select order_id
      from sales_order
     where seller_id = ${sellerId}
       and order_id = any(${orderIds})
     order by order_id
       for update`);
}

const FIND = {
  order: (id: string) => part`sales_order where (order_id = ${id} or external_order_id = ${id})`,
  shipment: (id: string) => part`order_shipment where shipment_id = ${id}`,
} as const;

/** The order that the marketplace means by its own id, or by that of a shipment. */
export async function findOrderId(
  db: Db,
  sellerId: string,
  kind: keyof typeof FIND,
  id: string,
): Promise<string | undefined> {
  const row = await db.one(statement({ order_id: text })`
    select order_id
      from ${FIND[kind](id)}
       and seller_id = ${sellerId}`);
  return row?.order_id;
}

export async function sellerExists(db: Db, sellerId: string): Promise<boolean> {
  const row = await db.one(statement({ seller_id: text })`
    select seller_id
      from v_sellers_standing
     where seller_id = ${sellerId}`);
  return row !== undefined;
}

/** Whether the seller exists, and its order of this name if that was placed before. */
export async function findPlaced(
  db: Db,
  sellerId: string,
  name: string,
): Promise<{ known: boolean; order_id: string | null }> {
  const row = await db.one(statement({ known: boolean, order_id: nullable(text) })`
    select exists (select from v_sellers_standing where seller_id = ${sellerId}) as known,
           (select order_id
              from sales_order
             where seller_id = ${sellerId}
               and (order_id = ${name} or external_order_id = ${name})) as order_id`);
  return row ?? { known: false, order_id: null };
}

/** Makes a second placement under the same name wait until the first has ended. */
export async function lockOrderName(db: Db, sellerId: string, name: string): Promise<void> {
  await db.run(command`
    select pg_advisory_xact_lock(hashtextextended(${`order:${sellerId}\n${name}`}, 0))`);
}
