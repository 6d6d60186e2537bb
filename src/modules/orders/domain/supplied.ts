/**
 * Units that a supplier sends: it accepts them in the seller's name, sends them in parcels of its own, or gives them
 * back to the seller. `supplied` counts them in the line, `supplied_accepted` those of them that it has accepted.
 * Source: docs/design/supply.md#dropship-orders.
 */
import { type LineQuantity, type Order, type OrderLine, packedOf } from './order.ts';
import { ownAccepted, ownWaiting, suppliedWaiting } from './own-units.ts';
import { bumpVersion, type Parcel, sendUnits } from './shipments.ts';
import { emit, emitOrder, type Work } from './work.ts';

/** Waiting units of the seller that hold stock: those that a supplier gave back are among them. */
const heldWaiting = (line: OrderLine): number =>
  Math.max(0, Math.min(ownWaiting(line), line.reserved - line.accepted_open - suppliedWaiting(line)));

const lineOf = (order: Order, id: string): OrderLine | undefined =>
  order.lines.find(({ order_line_id }) => order_line_id === id);

/**
 * How many units of a line the supplier can send.
 *
 * @param returned units that it gave back; they count while the seller has not touched them
 */
export function sendableUnits(order: Order, orderLineId: string, returned: number): number {
  const line = lineOf(order, orderLineId);
  if (line === undefined) return 0;
  const unpacked = Math.max(0, ownAccepted(line) - packedOf(order, orderLineId));
  return line.supplied + Math.min(returned, heldWaiting(line) + unpacked);
}

/** What a supplier accepts and sends of a line. */
export interface SuppliedUnits {
  readonly order_line_id: string;
  /** Waiting units that it accepts in the seller's name. */
  readonly accept: number;
  /** Units that it sends afterwards: without an answer, and accepted. Others are the seller's. */
  readonly waiting: number;
  readonly accepted: number;
}

/** Whether the units are there: the seller may have accepted, packed or rejected those that were given back. */
export function canSettle(
  order: Order,
  { order_line_id, accept, waiting, accepted }: SuppliedUnits,
): boolean {
  const line = lineOf(order, order_line_id);
  if (line === undefined) return false;
  const open = line.accepted_open + accept;
  return (
    line.awaiting - accept >= waiting &&
    line.reserved - open >= waiting &&
    open - packedOf(order, order_line_id) >= accepted
  );
}

/** Accepts units in the seller's name, and gives units back to the seller. @param units which can be settled */
export function settleSupplied(work: Work, units: readonly SuppliedUnits[], supplier_id: string): void {
  const { order, at } = work;
  const accepted: LineQuantity[] = [];
  const returned: LineQuantity[] = [];
  for (const { order_line_id, accept, waiting, accepted: open } of units) {
    const line = lineOf(order, order_line_id);
    if (line === undefined) continue;
    const back = line.supplied - waiting - open;
    line.awaiting -= accept;
    line.accepted_open += accept;
    line.supplied = waiting + open;
    line.supplied_accepted = open;
    if (accept > 0) accepted.push({ order_line_id, quantity: accept });
    if (back > 0) returned.push({ order_line_id, quantity: back });
  }
  if (accepted.length > 0) {
    order.head.accepted_at ??= at;
    work.notes.push({ action: 'accepted', facts: { by: 'supplier', supplier_id, lines: accepted } });
    emitOrder(work, 'order.accepted');
  }
  if (returned.length > 0)
    work.notes.push({ action: 'supplied_returned', facts: { supplier_id, lines: returned } });
}

interface Dispatch extends Parcel {
  readonly dispatched_at: string;
  readonly lines: readonly LineQuantity[];
}

/**
 * Records a parcel of the supplier.
 *
 * @param dispatch its lines have no more units than are sendable
 * @returns the id of the parcel
 */
export function dispatchSupplied(
  work: Work,
  { lines, dispatched_at, ...parcel }: Dispatch,
  supplier_id: string,
): string {
  const { order, at } = work;
  const shipment_id = work.newId('shp_');
  order.shipments.push({
    ...parcel,
    ...{ shipment_id, order_id: order.head.order_id, status: 'dispatched', origin: 'supplier', packages: [] },
    ...{
      label_id: null,
      dispatched_at,
      delivered_at: null,
      tracked_at: dispatched_at,
      tracked_version: null,
    },
    ...{ version: 1, created_at: at, updated_at: at },
  });
  for (const { order_line_id, quantity } of lines) {
    const line = lineOf(order, order_line_id);
    if (line === undefined) continue;
    const accepted = Math.min(line.supplied_accepted, quantity);
    const waiting = Math.min(suppliedWaiting(line), quantity - accepted);
    const rest = quantity - accepted - waiting;
    // Of units that it gave back, those that wait come first.
    const backWaiting = Math.min(rest, heldWaiting(line));
    line.supplied -= accepted + waiting;
    line.supplied_accepted -= accepted;
    line.awaiting -= waiting + backWaiting;
    line.accepted_open += waiting + backWaiting;
    const row = { shipment_id, order_line_id, quantity, held: 0 };
    order.shipment_lines.push(row);
    sendUnits(work, row, 'in_transit');
  }
  order.head.accepted_at ??= at;
  const { carrier, tracking_number } = parcel;
  const facts = { by: 'supplier', supplier_id, shipment_id, carrier, tracking_number, dispatched_at };
  work.notes.push({ action: 'dispatched', occurred_at: dispatched_at, facts });
  emitOrder(work, 'order.shipped');
  return shipment_id;
}

/** Corrects the carrier and the number of a supplier's parcel. */
export function correctSupplied(work: Work, shipmentId: string, parcel: Parcel): void {
  const shipment = work.order.shipments.find(({ shipment_id }) => shipment_id === shipmentId);
  if (shipment === undefined) return;
  const { carrier, tracking_number } = shipment;
  Object.assign(shipment, parcel);
  bumpVersion(work, shipment);
  const after = { carrier: parcel.carrier, tracking_number: parcel.tracking_number };
  work.notes.push({
    action: 'tracking_changed',
    facts: { by: 'supplier', shipment_id: shipmentId, before: { carrier, tracking_number }, after },
  });
  emit(work, 'shipment.tracking_changed', 'shipment', shipmentId);
}
