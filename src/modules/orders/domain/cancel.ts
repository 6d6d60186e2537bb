/** Units that will not be sent after all: by the seller, the buyer or the marketplace. */

import type { Reason } from './answer-placement.ts';
import { after, CANCEL_ANSWER_MS } from './deadlines.ts';
import {
  type CancelRequest,
  decidable,
  inReturns,
  type LineQuantity,
  leftOf,
  linesOfShipment,
  type Order,
  type OrderLine,
  openOf,
  type RequestedUnits,
  type Shipment,
  type ShipmentLine,
} from './order.ts';
import { itemsOf, type LineChoice, type PickedLine, pickedFacts, pickLines } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove, requireSameUnits, wrongState } from './require-move.ts';
import { giveUp, touch } from './shipments.ts';
import { emitOrder, moveUnits, type Work } from './work.ts';

/** Takes open units of a line, those that wait first; returns how many it could not take. */
function takeOpen(line: OrderLine, quantity: number): number {
  const waiting = Math.min(line.awaiting, quantity);
  const accepted = Math.min(line.accepted_open, quantity - waiting);
  line.awaiting -= waiting;
  line.accepted_open -= accepted;
  line.cancelled += waiting + accepted;
  return quantity - waiting - accepted;
}

/** Takes units that nobody answered for in time: what arrives all the same takes them no more. */
function takeUnanswered(
  line: OrderLine,
  quantity: number,
  unanswered: MarketplaceCancel['unanswered'],
): number {
  const units = Math.min(unanswered.get(line.order_line_id) ?? 0, quantity);
  line.rejected -= units;
  line.cancelled += units;
  return quantity - units;
}

/** What the seller cancelled, or let be cancelled, is news to the marketplace; its own cancellations are not. */
function tellCancelled(work: Work): void {
  emitOrder(work, 'order.cancelled');
  emitOrder(work, 'order.cancelled_by_seller');
}

/**
 * The seller cancels units that were accepted.
 *
 * @throws Refusal `invalid_transition`, `quantity_exceeds_open`
 */
export function cancel(work: Work, reason: Reason, choices: readonly LineChoice[] | undefined): void {
  const { order } = work;
  requireMove(order, 'cancel', order.head.accepted_open > 0);
  const picked = pickLines(order, choices, (line) => line.accepted_open);
  for (const { line, quantity } of picked) {
    line.accepted_open -= quantity;
    line.cancelled += quantity;
  }
  work.notes.push({ action: 'cancelled', ...reason, facts: { by: 'seller', lines: pickedFacts(picked) } });
  tellCancelled(work);
}

type SweptRow = { readonly shipment: Shipment; readonly row: ShipmentLine };

/**
 * Where an `order.delivered` has units that nobody here had sent: the parcel that was made for it first, then what
 * lay packed. Of two that happened at one instant the cancellation counts, whichever was told first.
 */
function allSwept({ order }: Work, before: string): SweptRow[] {
  return order.shipments
    .filter(
      ({ origin, status, tracked_at }) =>
        origin === 'marketplace' && status === 'delivered' && tracked_at !== null && tracked_at >= before,
    )
    .reverse()
    .flatMap((shipment) => linesOfShipment(order, shipment.shipment_id).map((row) => ({ shipment, row })));
}

const sweptRows = (work: Work, { order_line_id: id }: OrderLine, before: string): SweptRow[] =>
  allSwept(work, before).filter(({ row }) => row.order_line_id === id);

function sweptUnits(work: Work, line: OrderLine, before: string): number {
  const units = sweptRows(work, line, before).reduce((sum, { row }) => sum + row.quantity, 0);
  return Math.min(units, line.delivered - inReturns(work.order, line.order_line_id));
}

/**
 * As with a cancellation in time, those units go first that the stock did not hold, whichever line and parcel they
 * were of: what a row holds beyond its units is held for others of the product, and only the rest is put back.
 */
function putBack(work: Work, line: OrderLine, taken: ShipmentLine, before: string): void {
  let left = Math.max(0, taken.held - taken.quantity);
  taken.held -= left;
  const same = new Set(
    itemsOf(work.order).flatMap((one) => (one.product_id === line.product_id ? one.order_line_id : [])),
  );
  for (const { row } of allSwept(work, before)) {
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
  { shipment, row }: SweptRow,
  units: number,
  before: string,
): void {
  row.quantity -= units;
  line.delivered -= units;
  line.cancelled += units;
  putBack(work, line, row, before);
  touch(work, shipment);
  const left = linesOfShipment(work.order, shipment.shipment_id).some(({ quantity }) => quantity > 0);
  if (!left) giveUp(work, shipment);
}

/** A cancellation that was older than a delivery which took the units along: they were never sent. */
function takeSwept(work: Work, line: OrderLine, wanted: number, time: string): number {
  let left = Math.min(wanted, sweptUnits(work, line, time));
  const missing = wanted - left;
  for (const swept of sweptRows(work, line, time)) {
    const units = Math.min(left, swept.row.quantity);
    if (units > 0) takeFrom(work, line, swept, units, time);
    left -= units;
  }
  return missing;
}

/** Units that the marketplace has cancelled, and when that happened. */
export interface PastCancel extends LineQuantity {
  readonly at: string;
  /** Of a cancellation of all that was open. */
  readonly all: boolean;
}

const hasAnswer = ({ status }: CancelRequest): boolean => status === 'accepted' || status === 'denied';

/** Units of every request that the marketplace has cancelled since it was made. */
function answeredBy(
  requests: readonly CancelRequest[],
  cancels: readonly PastCancel[],
): ReadonlyMap<RequestedUnits, number> {
  const answered = new Map<RequestedUnits, number>();
  for (const { order_line_id, quantity, at } of cancels.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    let left = quantity;
    for (const request of requests) {
      if (request.requested_at > at) continue;
      for (const asked of request.lines.filter((one) => one.order_line_id === order_line_id)) {
        const had = answered.get(asked) ?? 0;
        const units = Math.min(left, (hasAnswer(request) ? (asked.cancelled ?? 0) : asked.quantity) - had);
        answered.set(asked, had + units);
        left -= units;
      }
    }
  }
  return answered;
}

/**
 * A cancellation names no request, so it is taken to answer those that were made before it, the oldest first: what
 * the buyer asked for is not given up twice. Found anew from all of both, for whichever happened first may be told
 * last; but what a request had when the seller answered it, or its time was over, it keeps.
 */
function answerRequests(work: Work, cancels: readonly PastCancel[]): void {
  const { order, at } = work;
  const name = (one: CancelRequest): string => `${one.requested_at} ${one.external_request_id}`;
  const requests = order.cancel_requests.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
  const answered = answeredBy(requests, cancels);
  for (const request of requests) {
    if (hasAnswer(request)) continue;
    request.lines = request.lines.map((asked) => {
      const { order_line_id, quantity } = asked;
      const cancelled = answered.get(asked) ?? 0;
      return { order_line_id, quantity, ...(cancelled > 0 && { cancelled }) };
    });
    if (request.status === 'open' || !request.lines.some((asked) => decidable(order, asked) > 0)) continue;
    // What was taken for its answer was that of an older one, which is known only now.
    Object.assign(request, { status: 'open', answered_at: null, respond_by: after(at, CANCEL_ANSWER_MS) });
    const { reason, requested_at, request_id } = request;
    work.notes.push({
      action: 'cancel_request_reopened',
      reason,
      occurred_at: requested_at,
      facts: { request_id },
    });
    emitOrder(work, 'order.cancel_requested');
  }
}

export interface MarketplaceCancel {
  /** Absent: all that is open. */
  readonly lines: readonly { readonly line_no: number; readonly quantity: number }[] | undefined;
  readonly by: string;
  readonly reason: string | null;
  /** When it happened, RFC 3339. */
  readonly time: string;
  /** What was cancelled before, as far as it is known. */
  readonly others: readonly PastCancel[];
  /** Units by line that nobody answered for in time, and that a later `order.delivered` would take along. */
  readonly unanswered: ReadonlyMap<string, number>;
}

const lineNo = (order: Order, no: number): OrderLine => {
  const line = order.lines.find(({ line_no, kind }) => line_no === no && kind === 'item');
  if (line === undefined) throw new Refusal('line_not_found', `The order has no item line ${no}.`);
  return line;
};

/** Lines by their numbers, each once. */
export function byNumber(
  order: Order,
  lines: readonly { readonly line_no: number; readonly quantity: number }[],
): PickedLine[] {
  const units = new Map<number, number>();
  for (const { line_no, quantity } of lines) units.set(line_no, (units.get(line_no) ?? 0) + quantity);
  return [...units].map(([no, quantity]) => ({ line: lineNo(order, no), quantity }));
}

/**
 * Units that the buyer or the marketplace has cancelled.
 *
 * @returns false when nothing was left to cancel of an order that is cancelled or rejected anyway, or of units that a
 *   later cancellation of all that was open has had
 * @throws Refusal `invalid_transition` for units that were sent, `line_not_found`
 */
export function cancelByMarketplace(work: Work, cancel: MarketplaceCancel): boolean {
  const { order } = work;
  const { lines, by, reason, time, others, unanswered } = cancel;
  const takeable = (line: OrderLine): number =>
    openOf(line) + (unanswered.get(line.order_line_id) ?? 0) + sweptUnits(work, line, time);
  const picked: PickedLine[] =
    lines === undefined
      ? itemsOf(order).map((line) => ({ line, quantity: takeable(line) }))
      : byNumber(order, lines);
  const total = picked.reduce((sum, { quantity }) => sum + quantity, 0);
  const gone = itemsOf(order).every((line) => line.ordered === line.cancelled + line.rejected);
  if (total === 0 && !gone) throw wrongState(order, 'Nothing of the order is open any more.');
  if (total === 0) return false;
  const none = picked.every(({ line }) => takeable(line) === 0);
  // An older one about units that a later one about the whole order has given up too.
  if (gone && none && picked.every(({ line, quantity }) => quantity <= line.cancelled)) return false;
  if (none && others.some(({ all, at }) => all && at >= time)) return false;
  for (const { line, quantity } of picked) {
    const left = takeUnanswered(line, takeOpen(line, quantity), unanswered);
    if (takeSwept(work, line, left, time) > 0)
      throw wrongState(order, `Of line ${line.line_no} fewer units are open.`);
  }
  const all = lines === undefined;
  const taken = picked.filter(({ quantity }) => quantity > 0);
  work.notes.push({
    action: 'cancelled',
    reason,
    occurred_at: time,
    facts: { by, lines: pickedFacts(taken), ...(all && { all }) },
  });
  emitOrder(work, 'order.cancelled');
  const these = taken.map(({ line: { order_line_id }, quantity }) => ({
    order_line_id,
    quantity,
    at: time,
    all,
  }));
  answerRequests(work, [...others, ...these]);
  return true;
}

/**
 * Asks the seller to give units up; what is not answered in time is granted.
 *
 * @returns false when this request is known already
 * @throws Refusal `line_not_found`, `invalid_transition` for another request under a known name and for more units
 *   than were ordered
 */
export function requestCancel(
  work: Work,
  request: {
    readonly id: string;
    readonly lines: readonly { readonly line_no: number; readonly quantity: number }[] | undefined;
    readonly reason: string | null;
    readonly time: string;
    /** What the marketplace has cancelled itself, as far as it is known. */
    readonly cancels: readonly PastCancel[];
  },
): boolean {
  const { order, at } = work;
  const { id, lines, reason, time, cancels } = request;
  const picked =
    lines === undefined
      ? itemsOf(order).map((line) => ({ line, quantity: line.ordered }))
      : byNumber(order, lines);
  const known = order.cancel_requests.find(({ external_request_id }) => external_request_id === id);
  if (known !== undefined) {
    requireSameUnits(order, picked, known.lines);
    return false;
  }
  for (const { line, quantity } of picked)
    if (quantity > line.ordered) throw wrongState(order, `Of line ${line.line_no} fewer units were ordered.`);
  const made: CancelRequest = {
    request_id: id.startsWith('crq_') ? id : work.newId('crq_'),
    external_request_id: id,
    order_id: order.head.order_id,
    status: 'open',
    lines: picked.map(({ line: { order_line_id }, quantity }) => ({ order_line_id, quantity })),
    reason,
    respond_by: after(at, CANCEL_ANSWER_MS),
    requested_at: time,
    answered_at: null,
    automatic: false,
  };
  order.cancel_requests.push(made);
  work.notes.push({ action: 'cancel_requested', reason, occurred_at: time, facts: { request_id: id } });
  const note = work.notes.at(-1);
  answerRequests(work, cancels);
  // Of what has all gone another way nothing is asked of the seller.
  if (made.lines.some((units) => decidable(order, units) > 0))
    work.emits.unshift({ type: 'order.cancel_requested', kind: 'order', id: order.head.order_id, note });
  return true;
}

function openRequest(order: Order, requestId: string): CancelRequest {
  const request = order.cancel_requests.find(
    (one) => one.request_id === requestId || one.external_request_id === requestId,
  );
  if (request === undefined) throw new Refusal('not_found', 'There is no such request.');
  if (request.status !== 'open')
    throw new Refusal('already_answered', 'The request has its answer.', {
      facts: { status: request.status },
    });
  return request;
}

/** Grants a request: of what it asks for, all that is still open is cancelled. */
export function acceptCancelRequest(work: Work, requestId: string, automatic = false): void {
  const { order, at } = work;
  const request = openRequest(order, requestId);
  requireMove(order, automatic ? 'grant_cancel_request' : 'accept_cancel_request');
  for (const units of request.lines) {
    const line = order.lines.find(({ order_line_id }) => order_line_id === units.order_line_id);
    if (line !== undefined) takeOpen(line, leftOf(units));
  }
  request.status = 'accepted';
  request.answered_at = at;
  request.automatic = automatic;
  work.notes.push({
    action: 'cancel_request_accepted',
    reason: request.reason,
    facts: { request_id: request.request_id, automatic },
  });
  tellCancelled(work);
}

/** The order goes on as it was. */
export function denyCancelRequest(work: Work, requestId: string, detail: string | undefined): void {
  const request = openRequest(work.order, requestId);
  requireMove(work.order, 'deny_cancel_request');
  // What is not answered in time is granted, whether anybody has come round to it yet or not.
  if (work.now >= Date.parse(request.respond_by))
    throw new Refusal('already_answered', 'The time for an answer is over: the request is granted.', {
      facts: { status: 'accepted' },
    });
  request.status = 'denied';
  request.answered_at = work.at;
  work.notes.push({ action: 'cancel_request_denied', detail, facts: { request_id: request.request_id } });
  emitOrder(work, 'order.cancel_denied');
}
