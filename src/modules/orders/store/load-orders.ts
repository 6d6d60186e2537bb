/** Reads orders with all their parts, any number in one or two statements. */

import { integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { lockInOrder } from '../../../platform/db/lock-in-order.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, join, type Part, part, raw, rowsOf, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Order, OrderHead, OrderLine } from '../domain/order.ts';
import {
  CHILD_NAMES,
  CHILDREN,
  type ChildName,
  type ChildRow,
  ORDER,
  PART_NAMES,
  PARTS,
  type StoredHead,
} from './tables.ts';

const ofOrder = (table: string): string =>
  `${table} c where c.seller_id = o.seller_id and c.order_id = o.order_id`;
const ofShipments = (table: string): string =>
  `order_shipment s join ${table} c on c.seller_id = s.seller_id and c.shipment_id = s.shipment_id ` +
  'where s.seller_id = o.seller_id and s.order_id = o.order_id';

/** Table expression of each child's rows for the order `o`, and their sort order. */
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

function childRows(child: ChildName, ...more: readonly Part[]): Part {
  const [from, order] = CHILD_ROWS[child];
  const row = CHILDREN[child].jsonOf('c', ...more);
  return part`(select json_agg(${row} order by ${raw(order)}) from ${raw(from)}) as ${raw(child)}`;
}
const childrenRows = (names: readonly ChildName[]): Part =>
  join(
    names.map((name) => childRows(name)),
    ',\n           ',
  );

/** An order `o`. */
const HEAD = part`${ORDER.jsonOf('o')} as head`;
/** An order `o` with its children, each as one JSON value. */
const WHOLE_ORDER = part`${HEAD}, ${childrenRows(CHILD_NAMES)}`;

/** Available stock of the product of a line `c` that holds fewer units than it needs. */
const SHORT_STOCK = raw(`case when c.reserved < c.awaiting + c.accepted_open then (
               select greatest(s.quantity_on_hand - s.quantity_reserved, 0)
                 from v_products_stock s
                where s.seller_id = c.seller_id
                  and s.product_id = c.product_id
                  and s.quantity_on_hand is not null) end`);
const STOCKED_LINES = childRows('lines', SHORT_STOCK);

/** A row as a JSON array of its columns. */
type JsonRow = readonly unknown[];
const jsonRows = nullable(json<readonly JsonRow[]>());
const CHILD_COLUMNS = Object.fromEntries(CHILD_NAMES.map((name) => [name, jsonRows])) as Readonly<
  Record<ChildName, typeof jsonRows>
>;
const WHOLE = { head: json<JsonRow>(), ...CHILD_COLUMNS };
type ChildRows = { readonly [K in ChildName]?: readonly JsonRow[] | null };

const childOf = <K extends ChildName>(name: K, row: ChildRows): ChildRow<K>[] =>
  row[name]?.map((json) => CHILDREN[name].fromJson(json) as ChildRow<K>) ?? [];

function toOrder<Head extends OrderHead>(head: Head, row: ChildRows): Order & { readonly head: Head } {
  return {
    head,
    lines: childOf('lines', row),
    shipments: childOf('shipments', row),
    shipment_lines: childOf('shipment_lines', row),
    labels: childOf('labels', row),
    scans: childOf('scans', row),
    cancel_requests: childOf('cancel_requests', row),
    returns: childOf('returns', row),
    return_lines: childOf('return_lines', row),
    refunds: childOf('refunds', row),
    refund_lines: childOf('refund_lines', row),
    disputes: childOf('disputes', row),
  };
}

/**
 * An order, with the available units of the products of which it needs more units. Products with unknown stock are left
 * out.
 */
export interface StockedOrder {
  readonly order: Order;
  readonly available: ReadonlyMap<string, number>;
}

const NO_CHILDREN: readonly ChildName[] = [];

/** The children, other than lines, that an order may have. */
function childrenOf({ version, parts_version, parts }: StoredHead): readonly ChildName[] {
  if (parts_version === version && parts.length === 0) return NO_CHILDREN;
  return PART_NAMES.filter((name) => parts_version !== version || parts.includes(name)).flatMap(
    (name) => PARTS[name],
  );
}

/**
 * Orders `o` of a seller by their ids. Each is a look-up of its own: for a list, servers before PostgreSQL 17 may read all
 * orders of the seller.
 */
const ordersOf = (sellerId: string, orderIds: readonly string[]): Part =>
  part`(select distinct id from (${rowsOf(orderIds, 'id')}) as u) as k
     cross join lateral (
             select *
               from sales_order
              where seller_id = ${sellerId}
                and order_id = k.id
             offset 0) as o`;

/** Children of orders; an order that has changed since its version was read is left out. */
async function readChildren({ db, seller_id }: SellerDb, heads: readonly StoredHead[]) {
  const names = CHILD_NAMES.filter((name) => heads.some((head) => childrenOf(head).includes(name)));
  const columns = Object.fromEntries(names.map((name) => [name, jsonRows]));
  const versions = new Map(heads.map(({ order_id, version }) => [order_id, version]));
  const found = await db.all(statement({ order_id: text, version: integer, ...columns })`
    select o.order_id, o.version, ${childrenRows(names)}
      from ${ordersOf(seller_id, [...versions.keys()])}`);
  return new Map(
    found.flatMap(({ order_id, version, ...row }) =>
      versions.get(order_id) === version ? [[order_id, row as ChildRows] as const] : [],
    ),
  );
}

type StoredOrder = Order & { readonly head: StoredHead };

/** Orders with all their parts, by id. */
async function withParts(at: SellerDb, orders: readonly StoredOrder[]): Promise<ReadonlyMap<string, Order>> {
  if (orders.length === 0) return new Map();
  const children = await readChildren(
    at,
    orders.map(({ head }) => head),
  );
  // Another request changed these orders between the two statements; one statement reads them again as a whole.
  const changed = orders.filter(({ head }) => !children.has(head.order_id));
  const again = await loadOrders(
    at,
    changed.map(({ head }) => head.order_id),
  );
  const whole = orders.flatMap(({ head, lines }) => {
    const rows = children.get(head.order_id);
    return rows === undefined ? [] : [{ ...toOrder(head, rows), lines }];
  });
  return new Map([...whole, ...again].map((order) => [order.head.order_id, order]));
}

/** The stock at the end of each row of {@link STOCKED_LINES}, by product. */
function stockOf(lines: readonly OrderLine[], rows: readonly JsonRow[] | null): ReadonlyMap<string, number> {
  const stock = new Map<string, number>();
  for (const [index, { product_id }] of lines.entries()) {
    const units = rows?.[index]?.at(-1);
    if (product_id !== null && typeof units === 'number') stock.set(product_id, units);
  }
  return stock;
}

/**
 * Orders with their parts, and the available stock of missing units. Most orders have no shipment, return,
 * refund or dispute, so a second statement reads the tables of parts, and only those in which the orders may
 * have rows.
 *
 * @param from a table expression of orders `o`, with its conditions and its order
 */
export async function readStocked(at: SellerDb, from: Part): Promise<StockedOrder[]> {
  const rows = await at.db.all(statement({ head: json<JsonRow>(), lines: jsonRows })`
    select ${HEAD}, ${STOCKED_LINES}
      from ${from}`);
  const orders = rows.map(({ head, lines }) => toOrder(ORDER.fromJson(head), { lines }));
  const whole = await withParts(
    at,
    orders.filter(({ head }) => childrenOf(head).length > 0),
  );
  return orders.map((order, index) => ({
    order: whole.get(order.head.order_id) ?? order,
    available: stockOf(order.lines, rows[index]?.lines ?? null),
  }));
}

export async function loadStocked(at: SellerDb, orderId: string): Promise<StockedOrder | undefined> {
  const [found] = await readStocked(
    at,
    part`sales_order o where o.seller_id = ${at.seller_id} and o.order_id = ${orderId}`,
  );
  return found;
}

export async function loadOrders({ db, seller_id }: SellerDb, orderIds: readonly string[]): Promise<Order[]> {
  if (orderIds.length === 0) return [];
  const found = await db.all(statement(WHOLE)`
    select ${WHOLE_ORDER}
      from ${ordersOf(seller_id, orderIds)}`);
  return found.map(({ head, ...row }) => toOrder(ORDER.fromJson(head), row));
}

export async function loadOrder(at: SellerDb, orderId: string): Promise<Order | undefined> {
  return (await loadOrders(at, [orderId]))[0];
}

/**
 * Locks orders until the transaction ends, in the order of ids. Read their parts afterwards: a statement that
 * waited for the lock shows them as they were before.
 */
export async function lockOrders({ db, seller_id }: SellerDb, orderIds: readonly string[]): Promise<void> {
  const ids = rowsOf(orderIds, 'id');
  await db.run(command`${lockInOrder({ table: 'sales_order', key: 'order_id' }, seller_id, ids)}`);
}

const FIND = {
  order: (id: string) => part`sales_order where (order_id = ${id} or external_order_id = ${id})`,
  shipment: (id: string) => part`order_shipment where shipment_id = ${id}`,
} as const;

/** The order with an id of the marketplace or of the service, or with a shipment of this id. */
export async function findOrderId(
  { db, seller_id }: SellerDb,
  kind: keyof typeof FIND,
  id: string,
): Promise<string | undefined> {
  const row = await db.one(statement({ order_id: text })`
    select order_id
      from ${FIND[kind](id)}
       and seller_id = ${seller_id}`);
  return row?.order_id;
}

/** Makes a second placement under the same name wait for the first. */
export async function lockOrderName({ db, seller_id }: SellerDb, name: string): Promise<void> {
  await lockName(db, `order:${seller_id}\n${name}`);
}
