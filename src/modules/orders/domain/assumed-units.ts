/** Units that an `order.delivered` delivered, and that an earlier cancellation takes back. */
import { inReturns, linesOfShipment, type OrderLine, type Shipment, type ShipmentLine } from './order.ts';
import { itemsOf } from './pick-lines.ts';
import { bumpVersion, cancelShipment } from './shipments.ts';
import { moveUnits, type Work } from './work.ts';

type AssumedRow = { readonly shipment: Shipment; readonly row: ShipmentLine };

/**
 * Rows of parcels that an `order.delivered` event has delivered at or after an instant, although the seller had not
 * dispatched them. The parcel that was made for the event comes first, then packed drafts.
 */
function allAssumedRows({ order }: Work, before: string): AssumedRow[] {
  return order.shipments
    .filter(
      ({ origin, status, tracked_at }) =>
        origin === 'marketplace' && status === 'delivered' && tracked_at !== null && tracked_at >= before,
    )
    .reverse()
    .flatMap((shipment) => linesOfShipment(order, shipment.shipment_id).map((row) => ({ shipment, row })));
}

const assumedRows = (work: Work, { order_line_id: id }: OrderLine, before: string): AssumedRow[] =>
  allAssumedRows(work, before).filter(({ row }) => row.order_line_id === id);

export function assumedUnits(work: Work, line: OrderLine, before: string): number {
  const units = assumedRows(work, line, before).reduce((sum, { row }) => sum + row.quantity, 0);
  return Math.min(units, line.delivered - inReturns(work.order, line.order_line_id));
}

/**
 * Restocks cancelled units. Some delivered units may never have been in stock. Those count as cancelled first, in any
 * line or parcel of the product: other rows take over the stock of the cancelled row, and only what remains is restocked.
 * The result is the same as if the cancellation had arrived in time.
 */
function putBack(work: Work, line: OrderLine, taken: ShipmentLine, before: string): void {
  let left = Math.max(0, taken.held - taken.quantity);
  taken.held -= left;
  const same = new Set(
    itemsOf(work.order).flatMap((one) => (one.product_id === line.product_id ? one.order_line_id : [])),
  );
  for (const { row } of allAssumedRows(work, before)) {
    if (!same.has(row.order_line_id)) continue;
    const units = Math.min(left, row.quantity - row.held);
    row.held += units;
    left -= units;
  }
  moveUnits(work, 'restock', line, left);
}

function takeFrom(
  work: Work,
  line: OrderLine,
  { shipment, row }: AssumedRow,
  units: number,
  before: string,
): void {
  row.quantity -= units;
  line.delivered -= units;
  line.cancelled += units;
  putBack(work, line, row, before);
  bumpVersion(work, shipment);
  const left = linesOfShipment(work.order, shipment.shipment_id).some(({ quantity }) => quantity > 0);
  if (!left) cancelShipment(work, shipment);
}

/**
 * Cancels units that were cancelled before an `order.delivered` event, but were counted as delivered because that event
 * arrived first.
 *
 * @returns units that it could not cancel
 */
export function takeAssumed(work: Work, line: OrderLine, wanted: number, time: string): number {
  let left = Math.min(wanted, assumedUnits(work, line, time));
  const missing = wanted - left;
  for (const assumed of assumedRows(work, line, time)) {
    const units = Math.min(left, assumed.row.quantity);
    if (units > 0) takeFrom(work, line, assumed, units, time);
    left -= units;
  }
  return missing;
}
