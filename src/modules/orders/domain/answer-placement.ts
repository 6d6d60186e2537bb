/** The seller's answer to a placed order: accept or reject, in whole or in part, before the window closes. */
import type { Order, OrderLine } from './order.ts';
import { ownWaiting, suppliedWaiting } from './own-units.ts';
import { itemsOf, type LineChoice, type PickedLine, pickedFacts, pickLines } from './pick-lines.ts';
import { Refusal } from './refusal.ts';
import { requireMove } from './require-move.ts';
import { emitOrder, type Work } from './work.ts';

export const REJECT_REASONS = [
  'out_of_stock',
  'pricing_error',
  'address_not_serviceable',
  'customer_requested',
  'suspected_fraud',
  'other',
] as const;
export interface Reason {
  readonly reason: (typeof REJECT_REASONS)[number];
  readonly detail?: string | undefined;
}

const waiting = ({ awaiting }: OrderLine): number => awaiting;

/** @throws Refusal `acceptance_window_passed`, also for an order that has expired */
function requireWindow(order: Order, event: 'accept' | 'reject', now: number): void {
  const { head } = order;
  const expired = head.expired_at !== null && head.awaiting === 0;
  const over = head.awaiting > 0 && now >= Date.parse(head.accept_by);
  if (expired || over)
    throw new Refusal('acceptance_window_passed', 'The time to accept or reject this order is over.', {
      facts: { accept_by: head.accept_by, from: head.status },
      about: { kind: 'order', id: head.order_id },
    });
  requireMove(order, event, head.awaiting > 0);
}

/** Reserved units of the seller that are not accepted yet. */
const heldFor = ({ line }: PickedLine): number => line.reserved - line.accepted_open - suppliedWaiting(line);

/** Units that must be reserved before the chosen units can be accepted. */
export function shortOf(order: Order, choices: readonly LineChoice[] | undefined, now: number): PickedLine[] {
  requireWindow(order, 'accept', now);
  return pickLines(order, choices, ownWaiting, suppliedWaiting).flatMap((picked) => {
    const quantity = picked.quantity - heldFor(picked);
    return picked.line.product_id !== null && quantity > 0 ? [{ line: picked.line, quantity }] : [];
  });
}

/**
 * Accepts the chosen units. Other units continue to wait.
 *
 * @throws Refusal `acceptance_window_passed`, `invalid_transition`, `quantity_exceeds_open`,
 *   `insufficient_stock`, `supplied_by_dropship`
 */
export function accept(work: Work, choices: readonly LineChoice[] | undefined): void {
  const { order, now, at } = work;
  requireWindow(order, 'accept', now);
  const picked = pickLines(order, choices, ownWaiting, suppliedWaiting);
  const short = picked.filter((one) => one.line.product_id !== null && heldFor(one) < one.quantity);
  if (short.length > 0)
    throw new Refusal('insufficient_stock', 'There is not enough stock for all of these units.', {
      facts: {
        lines: short.map((one) => ({
          order_line_id: one.line.order_line_id,
          requested: one.quantity,
          in_stock: Math.max(0, heldFor(one)),
        })),
      },
    });
  for (const { line, quantity } of picked) {
    line.awaiting -= quantity;
    line.accepted_open += quantity;
  }
  order.head.accepted_at ??= at;
  work.notes.push({ action: 'accepted', facts: { lines: pickedFacts(picked) } });
  emitOrder(work, 'order.accepted');
}

/** @throws Refusal `acceptance_window_passed`, `invalid_transition`, `quantity_exceeds_open` */
export function reject(work: Work, reason: Reason, choices: readonly LineChoice[] | undefined): void {
  requireWindow(work.order, 'reject', work.now);
  const picked = pickLines(work.order, choices, waiting);
  for (const { line, quantity } of picked) {
    line.awaiting -= quantity;
    line.rejected += quantity;
  }
  work.notes.push({ action: 'rejected', ...reason, facts: { lines: pickedFacts(picked) } });
  emitOrder(work, 'order.rejected');
}

/**
 * Expired units by line. The seller may have accepted them elsewhere, unless the order was accepted here in
 * part. Units that the seller rejected do not count.
 *
 * @param rejected units by line that the seller rejected
 */
export function unansweredOf(
  order: Order,
  rejected: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const { expired_at, accepted_at } = order.head;
  if (expired_at === null || accepted_at !== null) return new Map();
  return new Map(
    itemsOf(order).map(({ order_line_id: id, rejected: all }) => [id, all - (rejected.get(id) ?? 0)]),
  );
}

/** The acceptance window has closed: rejects the units that still wait. */
export function expire(work: Work): void {
  const { order, at } = work;
  requireMove(order, 'expire', order.head.awaiting > 0);
  for (const line of itemsOf(order)) {
    line.rejected += line.awaiting;
    line.awaiting = 0;
  }
  order.head.expired_at = at;
  work.notes.push({ action: 'expired', reason: 'acceptance_window_passed' });
  emitOrder(work, 'order.expired');
}
