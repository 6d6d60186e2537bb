/** Returns: the marketplace requests them; the seller answers, receives and inspects them. */
import { byNumber } from './cancel.ts';
import { after, RETURN_ANSWER_MS } from './deadlines.ts';
import { type ReturnEventName, returnMachine } from './machines.ts';
import { inReturns, type Order, type OrderLine, type OrderReturn, type ReturnLine } from './order.ts';
import { linesByName } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove, requireSameUnits, wrongState } from './require-move.ts';
import { sayState } from './say-state.ts';
import { emit, moveUnits, type Work } from './work.ts';

export const REFUSE_REASONS = [
  'not_eligible',
  'not_needed',
  'window_closed',
  'buyer_withdrew',
  'other',
] as const;

interface ReturnRequest {
  readonly id: string;
  readonly lines: readonly {
    readonly line_no: number;
    readonly quantity: number;
    readonly reason: string | null;
  }[];
  readonly respond_by: string | null;
  readonly return_policy: string | null;
  readonly time: string;
}

/**
 * Records the buyer's request to return units.
 *
 * @returns false when this return is known already
 * @throws Refusal `invalid_transition` for units that were not delivered, and for a different return with a
 *   known id; `return_window_passed`
 */
export function requestReturn(work: Work, request: ReturnRequest): boolean {
  const { id, lines, respond_by, return_policy, time } = request;
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
      throw wrongState(order, `Line ${line.line_no} has fewer delivered units.`);
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
    refusal_reason: null,
    detail: null,
    return_policy,
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
  // A return that was requested in time reopens an order that was closed before the request arrived.
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
  if (found === undefined) throw new Refusal('not_found', `The order has no return ${returnId}.`);
  if (!returnMachine.allows(event, found.status))
    throw new Refusal('invalid_transition', sayState('return', found.status, event), {
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
  Object.assign(found, { refusal_reason: reason, detail: detail ?? null });
  return move(work, found, 'refused', { reason, detail });
}

const linesOf = (order: Order, { return_id }: OrderReturn): ReturnLine[] =>
  order.return_lines.filter((line) => line.return_id === return_id);

const orderLineOf = (order: Order, orderLineId: string): OrderLine | undefined =>
  order.lines.find(({ order_line_id }) => order_line_id === orderLineId);

/**
 * Records the receipt of returned goods.
 *
 * @param received the received units of each line; none for a line that is left out. If undefined, all announced units
 * @throws Refusal `quantity_exceeds_open` for more units than were announced
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
  const lineOf = linesByName(lines, 'return');
  for (const [index, { order_line_id, quantity }] of (received ?? []).entries()) {
    const line = lineOf(order_line_id, index);
    if (quantity > line.quantity)
      throw new Refusal('quantity_exceeds_open', 'The return has fewer units on the line.', {
        facts: { order_line_id, requested: quantity, open: line.quantity },
      });
    units.set(order_line_id, quantity);
  }
  for (const line of lines) {
    line.received = units.get(line.order_line_id) ?? 0;
    const sold = orderLineOf(order, line.order_line_id);
    if (sold !== undefined) sold.returned += line.received;
  }
  found.received_at = at;
  return move(work, found, 'received');
}

interface Inspection {
  /** For lines that are left out; the default is true. */
  readonly compliant?: boolean | undefined;
  /** For lines that are left out; by default compliant units are restocked. */
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

/**
 * Records the inspection. Compliant units go back into stock unless the seller decides otherwise, or a supplier counts
 * the stock.
 *
 * @param mirrored ids of the products whose stock a supplier counts
 * @returns the return, and the lines whose units would have gone back into stock and did not
 */
export function inspectReturn(
  work: Work,
  returnId: string,
  inspection: Inspection,
  mirrored: ReadonlySet<string> = new Set(),
): { readonly found: OrderReturn; readonly keptOut: readonly string[] } {
  const { order, at } = work;
  const found = returnFor(order, returnId, 'inspect');
  const lines = linesOf(order, found);
  const lineOf = linesByName(lines, 'return');
  const judged = new Map(
    (inspection.lines ?? []).map((line, index) => [lineOf(line.order_line_id, index).order_line_id, line]),
  );
  const keptOut: string[] = [];
  for (const line of lines) {
    const verdict = judged.get(line.order_line_id) ?? inspection;
    line.compliant = verdict.compliant ?? true;
    line.note = verdict.note ?? null;
    const restock = verdict.restock ?? line.compliant;
    const units = restock ? (line.received ?? 0) : 0;
    const sold = orderLineOf(order, line.order_line_id);
    const isMirrored = mirrored.has(sold?.product_id ?? '');
    if (isMirrored && units > 0) keptOut.push(line.order_line_id);
    line.restocked = isMirrored ? 0 : units;
    if (sold !== undefined) moveUnits(work, 'restock', sold, line.restocked);
  }
  found.inspected_at = at;
  return { found: move(work, found, 'inspected', { detail: inspection.note }), keptOut };
}

/** Closes inspected returns with their order. */
export function closeReturns(work: Work): void {
  for (const found of work.order.returns) {
    if (found.status !== 'inspected') continue;
    found.closed_at = work.at;
    move(work, found, 'closed');
  }
}
