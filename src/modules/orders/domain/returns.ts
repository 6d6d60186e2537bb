/** What buyers send back: asked for by the marketplace, answered, received and inspected by the seller. */

import { byNumber } from './cancel.ts';
import { after, RETURN_ANSWER_MS } from './deadlines.ts';
import { type ReturnEventName, returnMachine } from './machines.ts';
import { inReturns, type Order, type OrderLine, type OrderReturn, type ReturnLine } from './order.ts';
import { Refusal } from './refusal.ts';
import { requireMove, requireSameUnits, wrongState } from './require-move.ts';
import { emit, moveUnits, type Work } from './work.ts';

export const REFUSE_REASONS = [
  'not_eligible',
  'not_needed',
  'window_closed',
  'buyer_withdrew',
  'other',
] as const;

export interface ReturnRequest {
  readonly id: string;
  readonly lines: readonly {
    readonly line_no: number;
    readonly quantity: number;
    readonly reason: string | null;
  }[];
  readonly respond_by: string | null;
  readonly time: string;
}

/**
 * The buyer wants to send units back.
 *
 * @returns false when this return is known already
 * @throws Refusal `invalid_transition` for units that were not delivered, and for another return under a known
 *   name; `return_window_passed`
 */
export function requestReturn(work: Work, { id, lines, respond_by, time }: ReturnRequest): boolean {
  const { order, at } = work;
  const known = order.returns.find(({ external_return_id }) => external_return_id === id);
  if (known !== undefined) {
    requireSameUnits(order, byNumber(order, lines), linesOf(order, known));
    return false;
  }
  requireMove(order, 'request_return');
  const { head } = order;
  if (head.closes_at !== null && time > head.closes_at)
    throw new Refusal('return_window_passed', `The return window closed at ${head.closes_at}.`);
  const picked = byNumber(order, lines);
  for (const { line, quantity } of picked)
    if (quantity > line.delivered - inReturns(order, line.order_line_id))
      throw wrongState(order, `Of line ${line.line_no} fewer units were delivered.`);
  const return_id = id.startsWith('rtn_') ? id : work.newId('rtn_');
  const reason = lines[0]?.reason ?? null;
  order.returns.push({
    return_id,
    external_return_id: id,
    order_id: head.order_id,
    status: 'requested',
    respond_by: respond_by ?? after(at, RETURN_ANSWER_MS),
    requested_at: time,
    answered_at: null,
    received_at: null,
    inspected_at: null,
    closed_at: null,
    reason,
    detail: null,
    version: 1,
  });
  for (const { line, quantity } of picked)
    order.return_lines.push({
      order_id: head.order_id,
      return_id,
      order_line_id: line.order_line_id,
      quantity,
      reason: lines.find(({ line_no }) => line_no === line.line_no)?.reason ?? null,
      received: null,
      compliant: null,
      restocked: 0,
      note: null,
    });
  // A return that was asked for in time opens an order again that has closed since.
  head.closed_at = null;
  work.notes.push({ action: 'return_requested', reason, occurred_at: time, facts: { return_id } });
  emit(work, 'return.requested', 'return', return_id);
  return true;
}

/** @throws Refusal `not_found`, `invalid_transition` with the return's own state */
function returnFor(order: Order, returnId: string, event: ReturnEventName): OrderReturn {
  const found = order.returns.find(
    (one) => one.return_id === returnId || one.external_return_id === returnId,
  );
  if (found === undefined) throw new Refusal('not_found', 'There is no such return.');
  if (!returnMachine.allows(event, found.status))
    throw new Refusal('invalid_transition', `A return that is ${found.status} does not allow this.`, {
      facts: { from: found.status },
      about: { kind: 'return', id: found.return_id },
    });
  return found;
}

function move(
  work: Work,
  found: OrderReturn,
  status: OrderReturn['status'],
  note: { readonly reason?: string | undefined; readonly detail?: string | undefined } = {},
): OrderReturn {
  found.status = status;
  found.version += 1;
  const { return_id } = found;
  work.notes.push({ action: `return_${status}`, ...note, facts: { return_id } });
  emit(work, `return.${status}`, 'return', return_id);
  return found;
}

export function acceptReturn(work: Work, returnId: string, detail: string | undefined): OrderReturn {
  const found = returnFor(work.order, returnId, 'accept');
  found.answered_at = work.at;
  return move(work, found, 'accepted', { detail });
}

export function refuseReturn(
  work: Work,
  returnId: string,
  reason: string,
  detail: string | undefined,
): OrderReturn {
  const found = returnFor(work.order, returnId, 'refuse');
  found.answered_at = work.at;
  found.detail = detail ?? null;
  return move(work, found, 'refused', { reason, detail });
}

const linesOf = (order: Order, { return_id }: OrderReturn): ReturnLine[] =>
  order.return_lines.filter((line) => line.return_id === return_id);

/** The line of the return that a body names, each once. */
function named(
  lines: readonly ReturnLine[],
  orderLineId: string,
  index: number,
  seen: Set<string>,
): ReturnLine {
  const at = ['lines', index, 'order_line_id'];
  const line = lines.find(({ order_line_id }) => order_line_id === orderLineId);
  if (line === undefined)
    throw new Refusal('line_not_found', 'The return has no such line.', { at, input: orderLineId });
  if (seen.has(orderLineId))
    throw new Refusal('duplicate_line', 'The line is named twice; send it once.', { at, input: orderLineId });
  seen.add(orderLineId);
  return line;
}

const orderLine = (order: Order, orderLineId: string): OrderLine | undefined =>
  order.lines.find(({ order_line_id }) => order_line_id === orderLineId);

/**
 * The goods are back.
 *
 * @param received units of each line; without them all, and of a line that is not named none
 * @throws Refusal `quantity_exceeds_open` for more units than were asked for
 */
export function receiveReturn(
  work: Work,
  returnId: string,
  received: readonly { readonly order_line_id: string; readonly quantity: number }[] | undefined,
): OrderReturn {
  const { order, at } = work;
  const found = returnFor(order, returnId, 'receive');
  const lines = linesOf(order, found);
  const units = new Map<string, number>(
    received === undefined ? lines.map((line) => [line.order_line_id, line.quantity]) : [],
  );
  const seen = new Set<string>();
  for (const [index, { order_line_id, quantity }] of (received ?? []).entries()) {
    const line = named(lines, order_line_id, index, seen);
    if (quantity > line.quantity)
      throw new Refusal('quantity_exceeds_open', 'The return is about fewer units.', {
        facts: { order_line_id, requested: quantity, open: line.quantity },
      });
    units.set(order_line_id, quantity);
  }
  for (const line of lines) {
    line.received = units.get(line.order_line_id) ?? 0;
    const sold = orderLine(order, line.order_line_id);
    if (sold !== undefined) sold.returned += line.received;
  }
  found.received_at = at;
  return move(work, found, 'received');
}

export interface Inspection {
  /** For lines that are not named; both default to true. */
  readonly compliant?: boolean | undefined;
  readonly restock?: boolean | undefined;
  readonly note?: string | undefined;
  readonly lines?:
    | readonly {
        readonly order_line_id: string;
        readonly compliant: boolean;
        readonly restock?: boolean | undefined;
        readonly note?: string | undefined;
      }[]
    | undefined;
}

/** Judges what came back; compliant units go back into the stock unless the seller says otherwise. */
export function inspectReturn(work: Work, returnId: string, inspection: Inspection): OrderReturn {
  const { order, at } = work;
  const found = returnFor(order, returnId, 'inspect');
  const lines = linesOf(order, found);
  const seen = new Set<string>();
  const judged = new Map(
    (inspection.lines ?? []).map((line, index) => [
      named(lines, line.order_line_id, index, seen).order_line_id,
      line,
    ]),
  );
  for (const line of lines) {
    const verdict = judged.get(line.order_line_id) ?? inspection;
    line.compliant = verdict.compliant ?? true;
    line.note = verdict.note ?? null;
    const restock = verdict.restock ?? line.compliant;
    line.restocked = restock ? (line.received ?? 0) : 0;
    const sold = orderLine(order, line.order_line_id);
    if (sold !== undefined) moveUnits(work, 'restock', sold, line.restocked);
  }
  found.inspected_at = at;
  return move(work, found, 'inspected', { detail: inspection.note });
}

/** Returns that are done close with their order. */
export function closeReturns(work: Work): void {
  for (const found of work.order.returns) {
    if (found.status !== 'inspected') continue;
    found.closed_at = work.at;
    move(work, found, 'closed');
  }
}
