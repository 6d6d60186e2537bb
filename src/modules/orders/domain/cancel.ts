/** Cancellations by the seller, the buyer or the marketplace. */

import type { Reason } from './answer-placement.ts';
import { assumedUnits, takeAssumed } from './assumed-units.ts';
import { after, CANCEL_ANSWER_MS } from './deadlines.ts';
import {
  type CancelRequest,
  decidable,
  type LineQuantity,
  type Order,
  type OrderLine,
  openOf,
  type RequestedUnits,
  undecidedOf,
} from './order.ts';
import { itemsOf, type LineChoice, type PickedLine, pickedFacts, pickLines } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove, requireSameUnits, wrongState } from './require-move.ts';
import { emitOrder, type Work } from './work.ts';

/** Cancels open units of a line, waiting units first. @returns units that it could not cancel */
function takeOpen(line: OrderLine, quantity: number): number {
  const waiting = Math.min(line.awaiting, quantity);
  const accepted = Math.min(line.accepted_open, quantity - waiting);
  line.awaiting -= waiting;
  line.accepted_open -= accepted;
  line.cancelled += waiting + accepted;
  return quantity - waiting - accepted;
}

/**
 * Cancels expired units, so that a later `order.delivered` does not deliver them.
 *
 * @returns units that it could not cancel
 */
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

/** A cancellation by the seller has a second event, for the marketplace. The marketplace knows its own cancellations. */
function emitCancelledBySeller(work: Work): void {
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
  emitCancelledBySeller(work);
}

/** Units of an earlier cancellation by the marketplace. */
export interface PastCancel extends LineQuantity {
  readonly at: string;
  /** Whether it cancelled all open units. */
  readonly all: boolean;
  /** The marketplace's id of the request that it answers; null when it named none. */
  readonly request_id: string | null;
}

const hasAnswer = ({ status }: CancelRequest): boolean => status === 'accepted' || status === 'denied';

/** The units of each request that the marketplace has cancelled after the request was made. */
function answeredBy(
  requests: readonly CancelRequest[],
  cancels: readonly PastCancel[],
): ReadonlyMap<RequestedUnits, number> {
  const answered = new Map<RequestedUnits, number>();
  const named = ({ request_id }: PastCancel): number => (request_id === null ? 1 : 0);
  const inTurn = cancels.toSorted((a, b) => named(a) - named(b) || (a.at < b.at ? -1 : 1));
  for (const { order_line_id, quantity, at, request_id } of inTurn) {
    let left = quantity;
    for (const request of requests) {
      if (request_id === null ? request.requested_at > at : request.external_request_id !== request_id)
        continue;
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
 * Decides which requests the cancellations of the marketplace have answered. A cancellation names no request. It answers
 * the requests that were made before it, the oldest first, so that no unit is cancelled twice. Events arrive in any
 * order, so all requests are decided again from all cancellations. A request that the seller or the deadline has
 * answered keeps its units.
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
    // The cancellation that had answered this request answers an older request, which has just arrived.
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

interface MarketplaceCancel {
  /** If undefined, all open units. */
  readonly lines: readonly { readonly line_no: number; readonly quantity: number }[] | undefined;
  readonly by: string;
  readonly reason: string | null;
  /** The request that it answers; null when it names none. */
  readonly request_id: string | null;
  /** When it happened, RFC 3339. */
  readonly time: string;
  /** Known cancellations by the marketplace. */
  readonly others: readonly PastCancel[];
  /** The expired units of each line. A later `order.delivered` would deliver them. */
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
 * The units of a request that no cancellation for it has cancelled yet.
 *
 * @throws Refusal `line_not_found`, `invalid_transition` for more units than the request asks for
 */
function leftOfRequest(
  order: Order,
  { lines: asked, external_request_id }: CancelRequest,
  { lines, others }: MarketplaceCancel,
): PickedLine[] {
  const askedOf = ({ order_line_id }: OrderLine): number =>
    asked.find((units) => units.order_line_id === order_line_id)?.quantity ?? 0;
  const doneOf = ({ order_line_id }: OrderLine): number =>
    others
      .filter((one) => one.request_id === external_request_id && one.order_line_id === order_line_id)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  const wanted =
    lines === undefined
      ? itemsOf(order).map((line) => ({ line, quantity: askedOf(line) }))
      : byNumber(order, lines);
  return wanted.map(({ line, quantity }) => {
    if (quantity > askedOf(line))
      throw wrongState(order, `The request asks for ${askedOf(line)} units of line ${line.line_no}.`);
    return { line, quantity: Math.min(quantity, askedOf(line) - doneOf(line)) };
  });
}

/** @throws Refusal `not_found` */
function requestNamed({ cancel_requests }: Order, id: string | null): CancelRequest | undefined {
  if (id === null) return undefined;
  const found = cancel_requests.find((one) => [one.external_request_id, one.request_id].includes(id));
  if (found === undefined) throw new Refusal('not_found', `The order has no cancel request ${id}.`);
  return found;
}

/**
 * Cancels units for the buyer or the marketplace.
 *
 * @returns false when a later event has cancelled or rejected the units already
 * @throws Refusal `invalid_transition` for units that were sent, `line_not_found`
 */
export function cancelByMarketplace(work: Work, cancel: MarketplaceCancel): boolean {
  const { order } = work;
  const { lines, by, reason, time, others, unanswered } = cancel;
  const request = requestNamed(order, cancel.request_id);
  // The answer has cancelled the units already.
  if (request?.status === 'accepted') return false;
  const takeable = (line: OrderLine): number =>
    openOf(line) + (unanswered.get(line.order_line_id) ?? 0) + assumedUnits(work, line, time);
  const all = lines === undefined && request === undefined;
  const picked: PickedLine[] =
    request !== undefined
      ? leftOfRequest(order, request, cancel)
      : lines === undefined
        ? itemsOf(order).map((line) => ({ line, quantity: takeable(line) }))
        : byNumber(order, lines);
  const total = picked.reduce((sum, { quantity }) => sum + quantity, 0);
  const gone = itemsOf(order).every((line) => line.ordered === line.cancelled + line.rejected);
  if (total === 0 && !gone && request === undefined) throw wrongState(order, 'The order has no open units.');
  if (total === 0) return false;
  const none = picked.every(({ line }) => takeable(line) === 0);
  // A later cancellation of the whole order has cancelled these units.
  if (gone && none && picked.every(({ line, quantity }) => quantity <= line.cancelled)) return false;
  if (none && others.some(({ all, at }) => all && at >= time)) return false;
  for (const { line, quantity } of picked) {
    const left = takeUnanswered(line, takeOpen(line, quantity), unanswered);
    if (takeAssumed(work, line, left, time) > 0)
      throw wrongState(order, `Line ${line.line_no} has fewer open units.`);
  }
  const request_id = request?.external_request_id ?? null;
  const taken = picked.filter(({ quantity }) => quantity > 0);
  work.notes.push({
    action: 'cancelled',
    reason,
    occurred_at: time,
    facts: { by, lines: pickedFacts(taken), ...(all && { all }), ...(request_id !== null && { request_id }) },
  });
  emitOrder(work, 'order.cancelled');
  const these = taken.map(({ line: { order_line_id }, quantity }) => ({
    order_line_id,
    quantity,
    at: time,
    all,
    request_id,
  }));
  answerRequests(work, [...others, ...these]);
  return true;
}

/**
 * Records the buyer's request to cancel units. If the seller does not answer in time, it is granted.
 *
 * @returns false when this request is known already
 * @throws Refusal `line_not_found`, `invalid_transition` for a different request with a known id and for more
 *   units than were ordered
 */
export function requestCancel(
  work: Work,
  request: {
    readonly id: string;
    readonly lines: readonly { readonly line_no: number; readonly quantity: number }[] | undefined;
    readonly reason: string | null;
    readonly time: string;
    /** Known cancellations by the marketplace. */
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
    if (quantity > line.ordered) throw wrongState(order, `Line ${line.line_no} has fewer ordered units.`);
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
  // If no unit is undecided, the seller need not answer.
  if (made.lines.some((units) => decidable(order, units) > 0))
    work.emits.unshift({ type: 'order.cancel_requested', kind: 'order', id: order.head.order_id, note });
  return true;
}

function openRequest(order: Order, requestId: string): CancelRequest {
  const request = order.cancel_requests.find(
    (one) => one.request_id === requestId || one.external_request_id === requestId,
  );
  if (request === undefined) throw new Refusal('not_found', 'The order has no request with this id.');
  if (request.status !== 'open')
    throw new Refusal('already_answered', 'This request has already been answered.', {
      facts: { status: request.status },
    });
  return request;
}

/** Grants a request: cancels its units that are still open. */
export function acceptCancelRequest(work: Work, requestId: string, automatic = false): void {
  const { order, at } = work;
  const request = openRequest(order, requestId);
  requireMove(order, automatic ? 'grant_cancel_request' : 'accept_cancel_request');
  for (const units of request.lines) {
    const line = order.lines.find(({ order_line_id }) => order_line_id === units.order_line_id);
    if (line !== undefined) takeOpen(line, undecidedOf(units));
  }
  request.status = 'accepted';
  request.answered_at = at;
  request.automatic = automatic;
  work.notes.push({
    action: 'cancel_request_accepted',
    reason: request.reason,
    facts: { request_id: request.request_id, automatic },
  });
  emitCancelledBySeller(work);
}

/** Denies a request: its units stay as they are. */
export function denyCancelRequest(work: Work, requestId: string, detail: string | undefined): void {
  const request = openRequest(work.order, requestId);
  requireMove(work.order, 'deny_cancel_request');
  // After the deadline the request counts as granted, even before the timer has run.
  if (work.now >= Date.parse(request.respond_by))
    throw new Refusal('already_answered', 'The time to answer has passed, so the request is granted.', {
      facts: { status: 'accepted' },
    });
  request.status = 'denied';
  request.answered_at = work.at;
  work.notes.push({ action: 'cancel_request_denied', detail, facts: { request_id: request.request_id } });
  emitOrder(work, 'order.cancel_denied');
}
