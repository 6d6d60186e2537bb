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
  Math.min(ownWaiting(line), line.reserved - line.accepted_open - suppliedWaiting(line));

const lineOf = (order: Order, id: string): OrderLine | undefined =>
  order.lines.find(({ order_line_id }) => order_line_id === id);

/**
 * How many units of a line the supplier can still accept or send.
 *
 * @param returned units that it gave back; they count while the seller has not touched them
 */
export function suppliableUnits(order: Order, orderLineId: string, returned: number) {
  const line = lineOf(order, orderLineId);
  if (line === undefined) return { acceptable: 0, sendable: 0 };
  const acceptable = suppliedWaiting(line) + Math.min(returned, Math.max(0, heldWaiting(line)));
  const unpacked = Math.max(0, ownAccepted(line) - packedOf(order, orderLineId));
  const back = Math.min(returned, Math.max(0, heldWaiting(line)) + unpacked);
  return { acceptable, sendable: line.supplied + back };
}

/**
 * Accepts units in the seller's name.
 *
 * @param lines no more than are acceptable
 */
export function acceptSupplied(work: Work, lines: readonly LineQuantity[], supplier_id: string): void {
  const { order, at } = work;
  for (const { order_line_id, quantity } of lines) {
    const line = lineOf(order, order_line_id);
    if (line === undefined) continue;
    const back = Math.max(0, quantity - suppliedWaiting(line));
    line.awaiting -= quantity;
    line.accepted_open += quantity;
    line.supplied += back;
    line.supplied_accepted += quantity;
  }
  order.head.accepted_at ??= at;
  work.notes.push({ action: 'accepted', facts: { by: 'supplier', supplier_id, lines } });
  emitOrder(work, 'order.accepted');
}

/** Gives units back to the seller. @param lines of each line, how many waiting and how many accepted units */
export function releaseSupplied(
  work: Work,
  lines: readonly { readonly order_line_id: string; readonly waiting: number; readonly accepted: number }[],
  supplier_id: string,
): void {
  for (const { order_line_id, waiting, accepted } of lines) {
    const line = lineOf(work.order, order_line_id);
    if (line === undefined) continue;
    line.supplied -= waiting + accepted;
    line.supplied_accepted -= accepted;
  }
  work.notes.push({ action: 'supplied_returned', facts: { supplier_id, lines } });
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
    const backWaiting = Math.min(rest, Math.max(0, heldWaiting(line)));
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
