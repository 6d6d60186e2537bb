/** Reads orders with all their parts, any number in one or two statements. */

import { integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Order, OrderHead } from '../domain/order.ts';
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

function childRows(child: ChildName): string {
  const [from, order] = CHILD_ROWS[child];
  return `(select json_agg(to_json(c) order by ${order}) from ${from}) as ${child}`;
}
const LINE_ROWS = raw(childRows('lines'));
const childrenRows = (names: readonly ChildName[]): string => names.map(childRows).join(',\n           ');

/** Select list of an order `o` with its children, each as one JSON value. */
const WHOLE_ORDER = `to_json(o) as head, ${childrenRows(CHILD_NAMES)}`;

/** Available stock of products of which lines of the order `o` hold fewer units than they need. */
const SHORT_STOCK = raw(`case when o.awaiting + o.accepted_open > 0 then (
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
                and l.reserved < l.awaiting + l.accepted_open) end as stock`);

/** A row as `to_json` makes it. */
type JsonRow = Readonly<Record<string, unknown>>;
const jsonRows = nullable(json<readonly JsonRow[]>());
const CHILD_COLUMNS = Object.fromEntries(CHILD_NAMES.map((name) => [name, jsonRows])) as Readonly<
  Record<ChildName, typeof jsonRows>
>;
const WHOLE = { head: json<JsonRow>(), ...CHILD_COLUMNS };
const HEAD_AND_LINES = {
  head: json<JsonRow>(),
  lines: jsonRows,
  stock: nullable(json<readonly (readonly [string, number])[]>()),
};
type ChildRows = { readonly [K in ChildName]?: readonly JsonRow[] | null };

const childOf = <K extends ChildName>(name: K, row: ChildRows): ChildRow<K>[] =>
  (row[name] ?? []).map((json) => CHILDREN[name].fromJson(json) as ChildRow<K>);

function toOrder(head: OrderHead, row: ChildRows): Order {
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

/** The children, other than lines, that an order may have. */
function childrenOf({ version, parts_version, parts }: StoredHead): readonly ChildName[] {
  return PART_NAMES.filter((name) => parts_version !== version || parts.includes(name)).flatMap(
    (name) => PARTS[name],
  );
}

/** Children of orders; an order that has changed since its version was read is left out. */
async function readChildren(
  { db, seller_id }: SellerDb,
  versions: ReadonlyMap<string, number>,
  names: readonly ChildName[],
): Promise<Map<string, ChildRows>> {
  if (versions.size === 0) return new Map();
  const columns = Object.fromEntries(names.map((name) => [name, jsonRows]));
  const found = await db.all(statement({ order_id: text, version: integer, ...columns })`
    select o.order_id, o.version, ${raw(childrenRows(names))}
      from sales_order o
     where o.seller_id = ${seller_id}
       and o.order_id = any(${[...versions.keys()]})`);
  return new Map(
    found.flatMap(({ order_id, version, ...row }) =>
      versions.get(order_id) === version ? [[order_id, row as ChildRows] as const] : [],
    ),
  );
}

/**
 * Orders with their parts, and the available stock of missing units. Most orders have no shipment, return,
 * refund or dispute, so a second statement reads the tables of parts, and only those in which the orders may
 * have rows.
 *
 * @param from a table expression of orders `o`, with its conditions and its order
 */
export async function readStocked(at: SellerDb, from: Part): Promise<StockedOrder[]> {
  const rows = await at.db.all(statement(HEAD_AND_LINES)`
    select to_json(o) as head,
           ${LINE_ROWS},
           ${SHORT_STOCK}
      from ${from}`);
  const found = rows.map(({ head, ...row }) => ({ head: ORDER.fromJson(head), ...row }));
  const withParts = found.map(({ head }) => head).filter((head) => childrenOf(head).length > 0);
  const versions = new Map(withParts.map(({ order_id, version }) => [order_id, version]));
  const names = CHILD_NAMES.filter((name) => withParts.some((head) => childrenOf(head).includes(name)));
  const children = await readChildren(at, versions, names);
  // Another request changed these orders between the two statements; one statement reads them again as a whole.
  const changed = [...versions.keys()].filter((id) => !children.has(id));
  const again = new Map((await loadOrders(at, changed)).map((order) => [order.head.order_id, order]));
  return found.map(({ head, lines, stock }) => ({
    order: again.get(head.order_id) ?? toOrder(head, { lines, ...children.get(head.order_id) }),
    available: new Map(stock),
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
    select ${raw(WHOLE_ORDER)}
      from sales_order o
     where o.seller_id = ${seller_id}
       and o.order_id = any(${orderIds})`);
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
  await db.run(command`
    select order_id
      from sales_order
     where seller_id = ${seller_id}
       and order_id = any(${orderIds})
     order by order_id
       for update`);
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
