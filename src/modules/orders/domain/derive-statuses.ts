/**
 * Derives statuses, flags and deadlines from the quantities. Runs after every change; nothing else sets them.
 */
import { type Minor, sumMinor } from '../../../kernel/money.ts';
import { after, earliest, latest, RETURN_WINDOW_MS, timersOf } from './deadlines.ts';
import {
  ATTENTIONS,
  type Attention,
  decidable,
  type LineStatus,
  linesOfShipment,
  type Order,
  type OrderHead,
  type OrderLine,
  type OrderStatus,
  openOf,
  packedOf,
} from './order.ts';
import { ownAccepted, suppliedWaiting } from './own-units.ts';
import { parcelsToDrop } from './parcels-to-drop.ts';
import { paymentStatusOf } from './payment-status.ts';
import { itemsOf } from './pick-lines.ts';
import { bumpVersion, cancelShipment } from './shipments.ts';
import { moveUnits, type Work } from './work.ts';

type Sums = Pick<
  OrderLine,
  'awaiting' | 'accepted_open' | 'rejected' | 'cancelled' | 'in_transit' | 'delivered' | 'lost'
>;

/** The sums of the quantities over lines. */
function sumsOf(lines: readonly OrderLine[]): Sums {
  const sum = (key: keyof Sums) => lines.reduce((total, line) => total + line[key], 0);
  return {
    awaiting: sum('awaiting'),
    accepted_open: sum('accepted_open'),
    rejected: sum('rejected'),
    cancelled: sum('cancelled'),
    in_transit: sum('in_transit'),
    delivered: sum('delivered'),
    lost: sum('lost'),
  };
}

/** The status that follows from the quantities: the first step that is not done, or the last status. */
function statusOf(sums: Sums): Exclude<OrderStatus, 'closed'> {
  const { awaiting, accepted_open, rejected, cancelled, in_transit, delivered, lost } = sums;
  if (awaiting + accepted_open > 0) {
    if (in_transit + delivered + lost > 0) return 'partially_shipped';
    return awaiting > 0 ? 'awaiting_acceptance' : 'accepted';
  }
  if (in_transit > 0) return 'shipped';
  if (delivered > 0) return 'delivered';
  // No unit was delivered and none is on its way.
  if (lost > 0) return 'shipped';
  return rejected > 0 && cancelled === 0 ? 'rejected' : 'cancelled';
}

function lineStatusOf(line: OrderLine): LineStatus {
  const status = statusOf(sumsOf([line]));
  if (status === 'delivered' && line.returned > 0 && line.returned === line.delivered) return 'returned';
  return status === 'shipped' && line.in_transit === 0 ? 'lost' : status;
}

/** Open units of a line that hold no stock; 0 for an unknown product. */
export const missingOf = (line: OrderLine): number =>
  line.product_id === null ? 0 : openOf(line) - line.reserved;

const FLAGS: Readonly<Record<Attention, (order: Order) => boolean>> = {
  acceptance_due: ({ head }) => head.awaiting > 0 && head.acceptance_warned_at !== null,
  late: ({ head }) => head.accepted_open > 0 && head.late_at !== null,
  oversold: ({ lines }) => lines.some((line) => missingOf(line) > 0),
  unknown_sku: (order) => itemsOf(order).some((line) => line.product_id === null && openOf(line) > 0),
  cancel_requested: ({ cancel_requests }) => cancel_requests.some(({ status }) => status === 'open'),
  return_requested: ({ returns }) => returns.some(({ status }) => status === 'requested'),
  delivery_failed: ({ shipments }) => shipments.some(({ status }) => status === 'failed'),
  returned_to_sender: ({ head, shipments }) =>
    head.closed_at === null && shipments.some(({ status }) => status === 'returned_to_sender'),
  lost: ({ head, shipments }) => head.closed_at === null && shipments.some(({ status }) => status === 'lost'),
  dispute_open: ({ disputes }) => disputes.some(({ status }) => status === 'open'),
  payment_pending: (order) =>
    order.head.payment_status === 'pending' &&
    itemsOf(order).some(({ accepted_open, in_transit }) => accepted_open + in_transit > 0),
};

/** Refunds of the order that were made or are in progress. */
export const refundedOf = ({ refunds }: Order): Minor =>
  sumMinor(
    refunds
      .filter(({ status }) => status === 'processing' || status === 'succeeded')
      .map(({ amount_minor }) => amount_minor),
  );

function refundStatusOf(order: Order): OrderHead['refund_status'] {
  const refunded = refundedOf(order);
  if (refunded > 0n) return refunded >= order.head.total_minor ? 'refunded' : 'partially_refunded';
  return order.refunds.some(({ status }) => status === 'requested') ? 'requested' : 'none';
}

/** Cancels draft parcels with units that are no longer accepted, as few as possible. */
function unpackClosedUnits(work: Work): void {
  const { order } = work;
  const excess = new Map(
    itemsOf(order).map((line) => [
      line.order_line_id,
      packedOf(order, line.order_line_id) - ownAccepted(line),
    ]),
  );
  if ([...excess.values()].every((units) => units <= 0)) return;
  // Of parcels that are alike, the newest goes.
  const drafts = order.shipments.filter(({ status }) => status === 'draft').reverse();
  const parcels = drafts.map((shipment) => ({
    shipment_id: shipment.shipment_id,
    labelled: shipment.label_id !== null,
    units: new Map(
      linesOfShipment(order, shipment.shipment_id).map(({ order_line_id, quantity }) => [
        order_line_id,
        quantity,
      ]),
    ),
  }));
  const dropped = new Set(parcelsToDrop(parcels, excess).map(({ shipment_id }) => shipment_id));
  for (const shipment of drafts) {
    if (!dropped.has(shipment.shipment_id)) continue;
    bumpVersion(work, shipment);
    cancelShipment(work, shipment);
  }
}

function releaseStock(work: Work): void {
  for (const line of work.order.lines) {
    const surplus = line.reserved - openOf(line);
    if (surplus <= 0) continue;
    line.reserved -= surplus;
    moveUnits(work, 'release', line, surplus);
  }
}

/** Units that are no longer open are no longer supplied. Units of the seller go first. */
function limitSupplied(line: OrderLine): void {
  const waiting = Math.min(suppliedWaiting(line), line.awaiting);
  line.supplied_accepted = Math.min(line.supplied_accepted, line.accepted_open);
  line.supplied = waiting + line.supplied_accepted;
}

/** Voids cancel requests that have no undecided units left. */
function voidEmptyRequests({ order, at }: Work): void {
  for (const request of order.cancel_requests) {
    if (request.status !== 'open') continue;
    if (request.lines.some((units) => decidable(order, units) > 0)) continue;
    request.status = 'void';
    request.answered_at = at;
  }
}

/** Sets when the order was delivered, and when its return window ends. */
function deriveDelivery({ order }: Work, sums: Sums): void {
  const { head, shipments } = order;
  const ended = sums.awaiting + sums.accepted_open + sums.in_transit === 0;
  const arrived = shipments.filter(({ status }) => status === 'delivered');
  head.delivered_at =
    ended && sums.delivered > 0 ? latest(arrived.map(({ delivered_at }) => delivered_at)) : null;
  const given_up = shipments.filter(({ status }) => status === 'lost' || status === 'returned_to_sender');
  const end = ended ? latest([head.delivered_at, ...given_up.map(({ tracked_at }) => tracked_at)]) : null;
  head.closes_at = end === null ? null : after(end, RETURN_WINDOW_MS);
  if (head.closes_at === null) head.closed_at = null;
}

/** Sets everything that follows from the quantities. */
export function deriveStatuses(work: Work): void {
  const { order } = work;
  const { head } = order;
  order.lines.forEach(limitSupplied);
  unpackClosedUnits(work);
  voidEmptyRequests(work);
  releaseStock(work);
  const sums = sumsOf(itemsOf(order));
  // A shipping line has no quantities; it has the status of the goods.
  for (const line of order.lines) line.status = line.kind === 'item' ? lineStatusOf(line) : statusOf(sums);
  head.awaiting = sums.awaiting;
  head.accepted_open = sums.accepted_open;
  deriveDelivery(work, sums);
  if (head.accepted_open === 0) head.late_at = null;
  head.status = head.closed_at === null ? statusOf(sums) : 'closed';
  head.refund_status = refundStatusOf(order);
  head.payment_status = paymentStatusOf(order, ['rejected', 'cancelled'].includes(statusOf(sums)));
  head.attention = ATTENTIONS.filter((name) => FLAGS[name](order));
  head.respond_by = earliest([
    ...order.cancel_requests.filter(({ status }) => status === 'open').map((one) => one.respond_by),
    ...order.returns.filter(({ status }) => status === 'requested').map((one) => one.respond_by),
    ...order.disputes.filter(({ status }) => status === 'open').map((one) => one.respond_by),
  ]);
  head.next_due_at = timersOf(order)[0]?.at ?? null;
}
