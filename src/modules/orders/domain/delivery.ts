/**
 * Tracking updates of parcels. They arrive in any order, so a parcel has the state of its newest update. But a final
 * state always wins over a state on the way.
 */
import { earliest, latest } from './deadlines.ts';
import { higherNumber } from './higher-number.ts';
import {
  type Bucket,
  inReturns,
  linesOfShipment,
  type Order,
  openOf,
  type Scan,
  type Shipment,
  type ShipmentStatus,
} from './order.ts';
import { itemsOf } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove, wrongState } from './require-move.ts';
import { bumpVersion, sendUnits, shipmentOf } from './shipments.ts';
import { emit, emitOrder, type Work } from './work.ts';

const FINAL: readonly ShipmentStatus[] = ['returned_to_sender', 'lost', 'delivered'];
const ON_THE_WAY: readonly ShipmentStatus[] = ['dispatched', 'in_transit', 'out_for_delivery', 'failed'];
/** Of two updates at the same instant, the later in this list wins. */
const RANKS: readonly string[] = [...ON_THE_WAY, ...FINAL];
/** Sorts scans by their instants. */
export const byInstant = (a: Scan, b: Scan): number =>
  (a.at === b.at ? 0 : a.at < b.at ? -1 : 1) ||
  RANKS.indexOf(a.status) - RANKS.indexOf(b.status) ||
  a.position - b.position;

/** The bucket of a parcel's units. */
const BUCKET_OF = (status: ShipmentStatus): Bucket =>
  status === 'delivered'
    ? 'delivered'
    : status === 'lost' || status === 'returned_to_sender'
      ? 'lost'
      : 'in_transit';

/** States that a tracking update may report. */
type TrackedStatus = Exclude<ShipmentStatus, 'draft' | 'dispatched' | 'cancelled'>;

interface TrackingUpdate {
  readonly status: TrackedStatus;
  /** When it happened, RFC 3339. */
  readonly at: string;
  /** The marketplace's number of the state; null when it gives none. */
  readonly version: bigint | null;
  readonly location?: string | null;
  readonly detail?: string | null;
}

/** Whether the parcel's state wins over the update. */
function outranks(shipment: Shipment, update: TrackingUpdate): boolean {
  const ended = FINAL.includes(shipment.status);
  if (ended !== FINAL.includes(update.status)) return ended;
  const { tracked_at, tracked_version } = shipment;
  if (tracked_version !== null && update.version !== null && update.version !== tracked_version)
    return update.version < tracked_version;
  if (tracked_at === null || update.at !== tracked_at) return tracked_at !== null && update.at < tracked_at;
  return RANKS.indexOf(update.status) < RANKS.indexOf(shipment.status);
}

function moveParcel(work: Work, shipment: Shipment, to: ShipmentStatus): void {
  const { order } = work;
  const [from, into] = [BUCKET_OF(shipment.status), BUCKET_OF(to)];
  shipment.status = to;
  if (from === into) return;
  for (const { order_line_id, quantity } of linesOfShipment(order, shipment.shipment_id)) {
    const line = order.lines.find((one) => one.order_line_id === order_line_id);
    if (line === undefined) continue;
    line[from] -= quantity;
    line[into] += quantity;
    if (line.delivered < inReturns(order, order_line_id))
      throw wrongState(order, 'The buyer returns units of the parcel, so they were delivered.');
  }
}

function record(
  work: Work,
  { shipment_id }: Shipment,
  { status, at, location, detail }: TrackingUpdate,
): void {
  const { scans } = work.order;
  const position = scans.filter((scan) => scan.shipment_id === shipment_id).length + 1;
  scans.push({
    shipment_id,
    position,
    status,
    at,
    location: location ?? null,
    detail: detail ?? null,
    recorded_at: work.at,
  });
}

/** Whether an earlier event had the same update. */
const isRecorded = ({ order }: Work, { shipment_id }: Shipment, update: TrackingUpdate): boolean =>
  order.scans.some(
    ({ shipment_id: id, status, at, location, detail }) =>
      id === shipment_id &&
      status === update.status &&
      at === update.at &&
      location === (update.location ?? null) &&
      detail === (update.detail ?? null),
  );

/** Whether the parcel's state comes from this update. */
const isCurrent = ({ status, tracked_at }: Shipment, update: TrackingUpdate): boolean =>
  status === update.status && tracked_at === update.at;

/** The number of the parcel's newest update. */
const numberOf = (shipment: Shipment, update: TrackingUpdate): bigint | null =>
  isCurrent(shipment, update) ? higherNumber(shipment.tracked_version, update.version) : update.version;

const emitShipment = (work: Work, { shipment_id }: Shipment, status: TrackedStatus): void => {
  emit(work, `shipment.${status}`, 'shipment', shipment_id);
};

/** Adds `order.delivered` once the last unit is delivered. */
function emitIfAllDelivered(work: Work): void {
  const left = itemsOf(work.order).some((line) => openOf(line) + line.in_transit > 0);
  if (!left) emitOrder(work, 'order.delivered');
}

/** When a delivered parcel arrived: at its first delivery after it was last reported as lost or returning. */
function arrivalOf({ scans: all }: Order, { shipment_id, delivered_at }: Shipment): string | null {
  const scans = all.filter((scan) => scan.shipment_id === shipment_id);
  const gone = scans.filter(({ status }) => status === 'lost' || status === 'returned_to_sender');
  const since = latest(gone.map(({ at }) => at)) ?? '';
  const arrived = scans.filter(({ status }) => status === 'delivered').map(({ at }) => at);
  return earliest([delivered_at, ...arrived].filter((at) => at !== null && at >= since));
}

/** An update that leaves a parcel delivered may still correct when it was delivered. */
function correctArrival(work: Work, shipment: Shipment, update: TrackingUpdate, recorded: boolean): boolean {
  const deliveredAt = update.status === 'delivered' ? update.at : null;
  const first = arrivalOf(work.order, shipment) ?? shipment.delivered_at;
  const last = latest([shipment.delivered_at, shipment.tracked_at, deliveredAt]);
  if (deliveredAt !== null && !outranks(shipment, update))
    shipment.tracked_version = numberOf(shipment, update);
  if (first === shipment.delivered_at && last === shipment.tracked_at)
    return deliveredAt !== null && !recorded;
  Object.assign(shipment, { delivered_at: first, tracked_at: last });
  // The dispatch was recorded elsewhere, so the instant of delivery counts as that of the dispatch.
  if (shipment.origin === 'marketplace') shipment.dispatched_at = first;
  bumpVersion(work, shipment);
  work.notes.push({
    action: 'tracked',
    occurred_at: update.at,
    facts: { shipment_id: shipment.shipment_id, status: update.status },
  });
  return true;
}

/**
 * Applies one tracking update to a parcel.
 *
 * @returns false when the update is stale or known
 * @throws Refusal `not_found`, `invalid_transition` for a parcel that was never sent
 */
export function track(work: Work, shipmentId: string, update: TrackingUpdate): boolean {
  const shipment = shipmentOf(work.order, shipmentId);
  if (![...ON_THE_WAY, ...FINAL].includes(shipment.status))
    throw wrongState(work.order, `A ${shipment.status} shipment is not on its way.`);
  const recorded = isRecorded(work, shipment, update);
  if (!recorded) record(work, shipment, update);
  const older = outranks(shipment, update);
  if (shipment.status === 'delivered' && (older || update.status === 'delivered'))
    return correctArrival(work, shipment, update, recorded);
  if (older) return false;
  const version = numberOf(shipment, update);
  if (recorded && isCurrent(shipment, update)) {
    shipment.tracked_version = version;
    return false;
  }
  moveParcel(work, shipment, update.status);
  shipment.delivered_at =
    update.status === 'delivered' ? (arrivalOf(work.order, shipment) ?? update.at) : null;
  shipment.tracked_at = update.at;
  // If the newest update has no number, this is null, because an older number would make later updates look stale.
  shipment.tracked_version = version;
  bumpVersion(work, shipment);
  work.notes.push({
    action: update.status === 'delivered' ? 'shipment_delivered' : 'tracked',
    detail: update.detail ?? null,
    occurred_at: update.at,
    facts: { shipment_id: shipmentId, status: update.status, location: update.location ?? null },
  });
  emitShipment(work, shipment, update.status);
  if (update.status === 'delivered') emitIfAllDelivered(work);
  return true;
}

/** Records a parcel whose first known update is its delivery with the whole order. */
function recordArrival(work: Work, shipment: Shipment, at: string): void {
  record(work, shipment, { status: 'delivered', at, version: null });
  work.emits.push({ type: 'shipment.delivered', kind: 'shipment', id: shipment.shipment_id });
}

/** Delivers open units, whose dispatch was recorded elsewhere, in one new parcel. */
function deliverOpenUnits(work: Work, deliveredAt: string): void {
  const { order, at } = work;
  const open = itemsOf(order).filter((line) => openOf(line) > 0);
  if (open.length === 0) return;
  const shipment_id = work.newId('shp_');
  const shipment: Shipment = {
    shipment_id,
    order_id: order.head.order_id,
    status: 'delivered',
    origin: 'marketplace',
    packages: [],
    carrier: null,
    service: null,
    tracking_number: null,
    tracking_url: null,
    label_id: null,
    dispatched_at: deliveredAt,
    delivered_at: deliveredAt,
    tracked_at: deliveredAt,
    tracked_version: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  order.shipments.push(shipment);
  for (const line of open) {
    const parcelLine = {
      shipment_id,
      order_line_id: line.order_line_id,
      quantity: openOf(line),
      held: 0,
    };
    order.shipment_lines.push(parcelLine);
    sendUnits(work, parcelLine, 'delivered');
  }
  recordArrival(work, shipment, deliveredAt);
}

/** Delivers a packed draft, whose dispatch was recorded elsewhere. */
function deliverDraft(work: Work, shipment: Shipment, deliveredAt: string): void {
  shipment.status = 'delivered';
  shipment.origin = 'marketplace';
  shipment.dispatched_at = deliveredAt;
  shipment.delivered_at = deliveredAt;
  shipment.tracked_at = deliveredAt;
  bumpVersion(work, shipment);
  for (const parcelLine of linesOfShipment(work.order, shipment.shipment_id))
    sendUnits(work, parcelLine, 'delivered');
  recordArrival(work, shipment, deliveredAt);
}

/** Opens expired units again: the order was delivered, so the seller accepted it elsewhere. */
export function reopenExpired({ order }: Work, unanswered: ReadonlyMap<string, number>): void {
  for (const line of itemsOf(order)) {
    const expired = unanswered.get(line.order_line_id) ?? 0;
    line.rejected -= expired;
    line.awaiting += expired;
  }
}

/** Open units that hold no stock, of which an `order.delivered` would consume some. */
export const unheldOf = (order: Order): { line: (typeof order.lines)[number]; quantity: number }[] =>
  itemsOf(order).flatMap((line) =>
    line.product_id !== null && openOf(line) > line.reserved
      ? [{ line, quantity: openOf(line) - line.reserved }]
      : [],
  );

/**
 * Delivers the whole order: parcels on their way, drafts, and open units.
 *
 * @returns false when the delivery is known already
 * @throws Refusal `invalid_transition` when the order has no unit to deliver
 */
export function deliverAll(work: Work, deliveredAt: string): boolean {
  const { order } = work;
  const known = order.head.delivered_at !== null;
  requireMove(order, 'deliver');
  for (const shipment of order.shipments) {
    if (shipment.status === 'draft') deliverDraft(work, shipment, deliveredAt);
    else if (shipment.status !== 'cancelled')
      track(work, shipment.shipment_id, { status: 'delivered', at: deliveredAt, version: null });
  }
  deliverOpenUnits(work, deliveredAt);
  if (itemsOf(order).every(({ delivered, lost }) => delivered + lost === 0))
    throw new Refusal('invalid_transition', 'The order has no unit that was sent.');
  if (known && work.notes.length + work.emits.length === 0) return false;
  work.notes.push({ action: 'delivered', occurred_at: deliveredAt });
  if (!known && !work.emits.some(({ type }) => type === 'order.delivered'))
    emitOrder(work, 'order.delivered');
  return true;
}
