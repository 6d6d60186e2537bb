/** Packs and dispatches parcels, and corrects their tracking numbers. */
import { TRACKING_CORRECTION_MS } from './deadlines.ts';
import { type ShipmentEventName, shipmentMachine } from './machines.ts';
import {
  decidable,
  linesOfShipment,
  type Order,
  type OrderLine,
  type Package,
  packedOf,
  type Shipment,
  type ShipmentLine,
} from './order.ts';
import { ownAccepted } from './own-units.ts';
import { type LineChoice, pickedFacts, pickLines, suppliedRefusal } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove, wrongState } from './require-move.ts';
import { sayState } from './say-state.ts';
import { emit, emitOrder, moveUnits, type Work } from './work.ts';

export const unpackedUnits =
  (order: Order) =>
  (line: OrderLine): number =>
    ownAccepted(line) - packedOf(order, line.order_line_id);

/** @throws Refusal `not_found` */
export function shipmentOf(order: Order, shipmentId: string): Shipment {
  const shipment = order.shipments.find(({ shipment_id }) => shipment_id === shipmentId);
  if (shipment === undefined) throw new Refusal('not_found', `The order has no shipment ${shipmentId}.`);
  return shipment;
}

/** @throws Refusal `already_dispatched`, `supplied_by_dropship`, `invalid_transition` with the shipment's own state */
export function requireShipmentMove(shipment: Shipment, event: ShipmentEventName): void {
  const { status, shipment_id: id, origin } = shipment;
  if (origin === 'supplier') throw suppliedRefusal();
  if (shipmentMachine.allows(event, status)) return;
  const why = { facts: { from: status }, about: { kind: 'shipment', id } } as const;
  if (event !== 'change_tracking' && shipment.dispatched_at !== null)
    throw new Refusal('already_dispatched', 'The parcel has already been dispatched.', why);
  throw new Refusal('invalid_transition', sayState('shipment', status, event), why);
}

/** Raises the version of a changed shipment. */
export function bumpVersion({ at }: Work, shipment: Shipment): void {
  shipment.version += 1;
  shipment.updated_at = at;
}

/** Cancels a parcel and voids its label. */
export function cancelShipment(work: Work, shipment: Shipment): void {
  const { order, at } = work;
  const { shipment_id: id } = shipment;
  shipment.status = 'cancelled';
  for (const label of order.labels) {
    if (label.shipment_id !== id || label.status === 'voided') continue;
    label.status = 'voided';
    label.voided_at = at;
  }
  emit(work, 'shipment.cancelled', 'shipment', id);
}

/**
 * Packs accepted units into a draft parcel.
 *
 * @throws Refusal `invalid_transition`, `quantity_exceeds_open`
 */
export function pack(
  work: Work,
  choices: readonly LineChoice[] | undefined,
  packages: readonly Package[],
): Shipment {
  const { order, at } = work;
  requireMove(order, 'pack', order.head.accepted_open > 0);
  const picked = pickLines(
    order,
    choices,
    unpackedUnits(order),
    ({ supplied_accepted }) => supplied_accepted,
  );
  if (picked.length === 0)
    throw new Refusal('quantity_exceeds_open', 'All accepted units are already packed.', {
      facts: { requested: null, open: 0 },
    });
  const shipment: Shipment = {
    shipment_id: work.newId('shp_'),
    order_id: order.head.order_id,
    status: 'draft',
    origin: 'seller',
    packages,
    carrier: null,
    service: null,
    tracking_number: null,
    tracking_url: null,
    label_id: null,
    dispatched_at: null,
    delivered_at: null,
    tracked_at: null,
    tracked_version: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  order.shipments.push(shipment);
  for (const { line, quantity } of picked)
    order.shipment_lines.push({
      shipment_id: shipment.shipment_id,
      order_line_id: line.order_line_id,
      quantity,
      held: 0,
    });
  work.notes.push({
    action: 'shipment_created',
    facts: { shipment_id: shipment.shipment_id, lines: pickedFacts(picked) },
  });
  emit(work, 'shipment.created', 'shipment', shipment.shipment_id);
  return shipment;
}

/** Moves the units of a parcel out of the open ones and consumes their stock. */
export function sendUnits(work: Work, parcel: ShipmentLine, to: 'in_transit' | 'delivered'): void {
  const { quantity } = parcel;
  const line = work.order.lines.find(({ order_line_id }) => order_line_id === parcel.order_line_id);
  if (line === undefined) return;
  const accepted = Math.min(line.accepted_open, quantity);
  line.accepted_open -= accepted;
  line.awaiting -= quantity - accepted;
  line[to] += quantity;
  const held = Math.min(line.reserved, quantity);
  line.reserved -= held;
  parcel.held = held;
  moveUnits(work, 'consume', line, held);
}

/**
 * Whether a cancel request for units of the parcel is past its deadline: it counts as granted, even before
 * the timer.
 */
export function hasOverdueCancelRequest(order: Order, shipmentId: string, now: number): boolean {
  const lines = new Set(linesOfShipment(order, shipmentId).map(({ order_line_id }) => order_line_id));
  return order.cancel_requests.some(
    (request) =>
      request.status === 'open' &&
      now >= Date.parse(request.respond_by) &&
      request.lines.some((asked) => lines.has(asked.order_line_id) && decidable(order, asked) > 0),
  );
}

export interface Parcel {
  readonly carrier: string;
  readonly service: string | null;
  readonly tracking_number: string;
  readonly tracking_url: string | null;
}

/** Voids a label when the parcel is dispatched under another tracking number. */
function voidUnusedLabel(work: Work, shipment: Shipment, { tracking_number }: Parcel): void {
  const { label_id, shipment_id } = shipment;
  const label = work.order.labels.find((one) => one.label_id === label_id);
  if (label === undefined || label.content.tracking_numbers.includes(tracking_number)) return;
  label.status = 'voided';
  label.voided_at = work.at;
  shipment.label_id = null;
  const facts = { shipment_id, label_id, tracking_number: label.tracking_number };
  work.notes.push({ action: 'label_voided', facts });
  emit(work, 'shipment.label_voided', 'shipment', shipment_id);
}

/**
 * Dispatches a parcel.
 *
 * @param parcel the seller's own tracking number; undefined: that of the label
 * @param dispatchedAt RFC 3339; default: now
 * @throws Refusal `already_dispatched`, `invalid_transition`, `tracking_missing`, `instant_in_future`,
 *   `before_acceptance`
 */
export function dispatch(
  work: Work,
  shipmentId: string,
  parcel: Parcel | undefined,
  dispatchedAt: string = work.at,
): Shipment {
  const { order } = work;
  const shipment = shipmentOf(order, shipmentId);
  requireShipmentMove(shipment, 'dispatch');
  requireMove(order, 'dispatch');
  if (hasOverdueCancelRequest(order, shipmentId, work.now))
    throw wrongState(
      order,
      'A request to cancel units of this parcel was not answered in time, so it is granted.',
    );
  if (parcel === undefined && shipment.tracking_number === null)
    throw new Refusal('tracking_missing', 'Send a carrier and a tracking number, or buy a label first.', {
      at: ['tracking_number'],
    });
  const input = dispatchedAt;
  const at = ['dispatched_at'];
  if (Date.parse(dispatchedAt) > work.now)
    throw new Refusal('instant_in_future', 'The instant is in the future.', { at, input });
  const { accepted_at } = order.head;
  if (accepted_at !== null && Date.parse(dispatchedAt) < Date.parse(accepted_at))
    throw new Refusal(
      'before_acceptance',
      `The instant is before the acceptance of the order at ${accepted_at}.`,
      { at, input },
    );
  if (parcel !== undefined) voidUnusedLabel(work, shipment, parcel);
  Object.assign(shipment, parcel, {
    status: 'dispatched',
    dispatched_at: new Date(dispatchedAt).toISOString(),
  });
  shipment.tracked_at = shipment.dispatched_at;
  bumpVersion(work, shipment);
  for (const parcelLine of linesOfShipment(order, shipmentId)) sendUnits(work, parcelLine, 'in_transit');
  const { carrier, tracking_number, dispatched_at } = shipment;
  work.notes.push({
    action: 'dispatched',
    occurred_at: shipment.dispatched_at ?? work.at,
    facts: { shipment_id: shipmentId, carrier, tracking_number, dispatched_at },
  });
  emitOrder(work, 'order.shipped');
  return shipment;
}

/** @throws Refusal `invalid_transition`, `tracking_window_passed` */
export function changeTracking(
  work: Work,
  shipmentId: string,
  parcel: Parcel,
  reason: string | undefined,
): Shipment {
  const shipment = shipmentOf(work.order, shipmentId);
  requireShipmentMove(shipment, 'change_tracking');
  const sentAt = Date.parse(shipment.dispatched_at ?? work.at);
  if (work.now > sentAt + TRACKING_CORRECTION_MS)
    throw new Refusal(
      'tracking_window_passed',
      'A tracking number can be corrected within seven days of dispatch only.',
      {
        facts: { until: new Date(sentAt + TRACKING_CORRECTION_MS).toISOString() },
      },
    );
  const before = { carrier: shipment.carrier, tracking_number: shipment.tracking_number };
  Object.assign(shipment, parcel);
  bumpVersion(work, shipment);
  const { carrier, tracking_number } = parcel;
  work.notes.push({
    action: 'tracking_changed',
    reason,
    facts: { shipment_id: shipmentId, before, after: { carrier, tracking_number } },
  });
  emit(work, 'shipment.tracking_changed', 'shipment', shipmentId);
  return shipment;
}
