/**
 * News about parcels. They come in any order, so a parcel's state is that of its newest news; but what says that
 * it arrived, or never will, outweighs what says that it is on its way, whenever that was.
 */
import { earliest, latest } from './deadlines.ts';
import {
  type Bucket,
  higherNumber,
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
import { sendUnits, shipmentOf, touch } from './shipments.ts';
import { emit, emitOrder, type Work } from './work.ts';

const ENDS: readonly ShipmentStatus[] = ['returned_to_sender', 'lost', 'delivered'];
const WAY: readonly ShipmentStatus[] = ['dispatched', 'in_transit', 'out_for_delivery', 'failed'];
/** Of two pieces of news from the same instant the later in this list counts. */
const RANKS: readonly string[] = [...WAY, ...ENDS];
/** For a list of news as they happened, whichever were told first. */
export const byHappening = (a: Scan, b: Scan): number =>
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

export interface News {
  readonly status: ShipmentStatus;
  /** When it happened, RFC 3339. */
  readonly at: string;
  /** The marketplace's number of the state, where it gives one. */
  readonly version: bigint | null;
  readonly location?: string | null;
  readonly detail?: string | null;
}

/** Whether the parcel's state goes before the news. */
function outranks(shipment: Shipment, news: News): boolean {
  const ended = ENDS.includes(shipment.status);
  if (ended !== ENDS.includes(news.status)) return ended;
  const { tracked_at, tracked_version } = shipment;
  if (tracked_version !== null && news.version !== null && news.version !== tracked_version)
    return news.version < tracked_version;
  if (tracked_at === null || news.at !== tracked_at) return tracked_at !== null && news.at < tracked_at;
  return RANKS.indexOf(news.status) < RANKS.indexOf(shipment.status);
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
      throw wrongState(order, 'The buyer is sending units of the parcel back: they have arrived.');
  }
}

function record(work: Work, { shipment_id }: Shipment, { status, at, location, detail }: News): void {
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

/** Whether these news came before, in another event. */
const isRecorded = ({ order }: Work, { shipment_id }: Shipment, news: News): boolean =>
  order.scans.some(
    ({ shipment_id: id, status, at, location, detail }) =>
      id === shipment_id &&
      status === news.status &&
      at === news.at &&
      location === (news.location ?? null) &&
      detail === (news.detail ?? null),
  );

/** Whether the news are those that the parcel's state comes from, whatever their number. */
const isCurrent = ({ status, tracked_at }: Shipment, news: News): boolean =>
  status === news.status && tracked_at === news.at;

/** The number of a parcel's newest news. */
const numberOf = (shipment: Shipment, news: News): bigint | null =>
  isCurrent(shipment, news) ? higherNumber(shipment.tracked_version, news.version) : news.version;

const tellShipment = (work: Work, { shipment_id }: Shipment, status: ShipmentStatus): void => {
  emit(work, `shipment.${status}`, 'shipment', shipment_id);
};

/** What is told of an order once its last unit has arrived. */
function tellDelivered(work: Work): void {
  const left = itemsOf(work.order).some((line) => openOf(line) + line.in_transit > 0);
  if (!left) emitOrder(work, 'order.delivered');
}

/** When a delivered parcel arrived: first after it was last said to be lost or on its way back, whatever was told first. */
function arrivalOf({ scans: all }: Order, { shipment_id, delivered_at }: Shipment): string | null {
  const scans = all.filter((scan) => scan.shipment_id === shipment_id);
  const gone = scans.filter(({ status }) => status === 'lost' || status === 'returned_to_sender');
  const since = latest(gone.map(({ at }) => at)) ?? '';
  const arrived = scans.filter(({ status }) => status === 'delivered').map(({ at }) => at);
  return earliest([delivered_at, ...arrived].filter((at) => at !== null && at >= since));
}

/** News that do not change what became of a delivered parcel may still say when that was. */
function correctArrival(work: Work, shipment: Shipment, news: News, recorded: boolean): boolean {
  const told = news.status === 'delivered' ? news.at : null;
  const first = arrivalOf(work.order, shipment) ?? shipment.delivered_at;
  const last = latest([shipment.delivered_at, shipment.tracked_at, told]);
  if (told !== null && !outranks(shipment, news)) shipment.tracked_version = numberOf(shipment, news);
  if (first === shipment.delivered_at && last === shipment.tracked_at) return told !== null && !recorded;
  Object.assign(shipment, { delivered_at: first, tracked_at: last });
  // Nobody here saw it go: it is taken to have gone when it arrived.
  if (shipment.origin === 'marketplace') shipment.dispatched_at = first;
  touch(work, shipment);
  work.notes.push({
    action: 'tracked',
    occurred_at: news.at,
    facts: { shipment_id: shipment.shipment_id, status: news.status },
  });
  return true;
}

/**
 * Applies one piece of news about a parcel.
 *
 * @returns false when it is older than what is known, or known
 * @throws Refusal `not_found`, `invalid_transition` for a parcel that was never sent
 */
export function track(work: Work, shipmentId: string, news: News): boolean {
  const shipment = shipmentOf(work.order, shipmentId);
  if (![...WAY, ...ENDS].includes(shipment.status))
    throw wrongState(work.order, `A shipment that is ${shipment.status} is not on its way.`);
  const recorded = isRecorded(work, shipment, news);
  if (!recorded) record(work, shipment, news);
  const older = outranks(shipment, news);
  if (shipment.status === 'delivered' && (older || news.status === 'delivered'))
    return correctArrival(work, shipment, news, recorded);
  if (older) return false;
  const version = numberOf(shipment, news);
  if (recorded && isCurrent(shipment, news)) {
    shipment.tracked_version = version;
    return false;
  }
  moveParcel(work, shipment, news.status);
  shipment.delivered_at = news.status === 'delivered' ? (arrivalOf(work.order, shipment) ?? news.at) : null;
  shipment.tracked_at = news.at;
  // Null where the newest news have none: compared with the number of older ones, later of those would go before it.
  shipment.tracked_version = version;
  touch(work, shipment);
  work.notes.push({
    action: news.status === 'delivered' ? 'shipment_delivered' : 'tracked',
    detail: news.detail ?? null,
    occurred_at: news.at,
    facts: { shipment_id: shipmentId, status: news.status, location: news.location ?? null },
  });
  tellShipment(work, shipment, news.status);
  if (news.status === 'delivered') tellDelivered(work);
  return true;
}

/** The first that is known of a parcel is that it arrived, with the whole order. */
function arrive(work: Work, shipment: Shipment, at: string): void {
  record(work, shipment, { status: 'delivered', at, version: null });
  work.emits.push({ type: 'shipment.delivered', kind: 'shipment', id: shipment.shipment_id });
}

/** Units that nobody here had sent go into one parcel that was recorded elsewhere. */
function sweep(work: Work, deliveredAt: string): void {
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
  arrive(work, shipment, deliveredAt);
}

/** A parcel that lay packed: nobody here has seen it go. */
function sendDraft(work: Work, shipment: Shipment, deliveredAt: string): void {
  shipment.status = 'delivered';
  shipment.origin = 'marketplace';
  shipment.dispatched_at = deliveredAt;
  shipment.delivered_at = deliveredAt;
  shipment.tracked_at = deliveredAt;
  touch(work, shipment);
  for (const parcelLine of linesOfShipment(work.order, shipment.shipment_id))
    sendUnits(work, parcelLine, 'delivered');
  arrive(work, shipment, deliveredAt);
}

/** An order that nobody answered here in time was accepted elsewhere, as it arrived: its units are open again. */
export function reopenExpired({ order }: Work, unanswered: ReadonlyMap<string, number>): void {
  for (const line of itemsOf(order)) {
    const expired = unanswered.get(line.order_line_id) ?? 0;
    line.rejected -= expired;
    line.awaiting += expired;
  }
}

/** Units that an `order.delivered` would take beyond what the lines hold in stock. */
export const unheldOf = (order: Order): { line: (typeof order.lines)[number]; quantity: number }[] =>
  itemsOf(order).flatMap((line) =>
    line.product_id !== null && openOf(line) > line.reserved
      ? [{ line, quantity: openOf(line) - line.reserved }]
      : [],
  );

/**
 * The whole order has arrived: parcels on their way, and whatever was not recorded as sent.
 *
 * @returns false when all of that was known
 * @throws Refusal `invalid_transition` when nothing of the order was ever to be sent
 */
export function deliverAll(work: Work, deliveredAt: string): boolean {
  const { order } = work;
  const known = order.head.delivered_at !== null;
  requireMove(order, 'deliver');
  for (const shipment of order.shipments) {
    if (shipment.status === 'draft') sendDraft(work, shipment, deliveredAt);
    else if (shipment.status !== 'cancelled')
      track(work, shipment.shipment_id, { status: 'delivered', at: deliveredAt, version: null });
  }
  sweep(work, deliveredAt);
  if (itemsOf(order).every(({ delivered, lost }) => delivered + lost === 0))
    throw new Refusal('invalid_transition', 'Nothing of the order was sent.');
  if (known && work.notes.length + work.emits.length === 0) return false;
  work.notes.push({ action: 'delivered', occurred_at: deliveredAt });
  if (!known && !work.emits.some(({ type }) => type === 'order.delivered'))
    emitOrder(work, 'order.delivered');
  return true;
}
