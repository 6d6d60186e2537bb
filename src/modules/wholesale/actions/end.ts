/** The seller cancels units, or awaits nothing more of an order. */
import type { Acting } from '../../../kernel/context.ts';
import { fail, invalid, missing } from '../../../kernel/errors.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { outstanding } from '../domain/purchase.ts';
import { purchaseMachine } from '../domain/purchase-machine.ts';
import { wholesaleErrors } from '../errors.ts';
import { purchaseEvents } from '../events.ts';
import type { CloseReason, LineRow, Purchase } from '../store/orders.ts';
import { addFact } from './add-fact.ts';
import { showRead } from './show-purchase.ts';

/**
 * Joins what a request says about lines with the lines, each at most once.
 *
 * @throws ApiError 404 for a line of another order, 422 for a line that is named twice
 */
export function namedLines<T extends { readonly purchase_line_id: string }>(
  { lines }: Purchase,
  said: readonly T[],
): { readonly line: LineRow; readonly said: T }[] {
  return said.map((one, index) => {
    const { purchase_line_id } = one;
    const line = lines.find((known) => known.purchase_line_id === purchase_line_id);
    if (line === undefined) throw missing(`line ${purchase_line_id} of the order`);
    if (said.findIndex((other) => other.purchase_line_id === purchase_line_id) !== index) {
      const loc = ['body', 'lines', index, 'purchase_line_id'];
      throw invalid([{ loc, msg: 'Name each line once.', type: 'duplicate', input: purchase_line_id }]);
    }
    return { line, said: one };
  });
}

/** @throws ApiError 409 `quantity_exceeds_outstanding` if the supplier owes fewer units of the line */
export function requireOwed({ purchase_line_id, ...line }: LineRow, quantity: number): void {
  const owed = outstanding(line);
  if (quantity > owed)
    throw fail(wholesaleErrors.quantity_exceeds_outstanding, {
      facts: { purchase_line_id, quantity, outstanding: owed },
    });
}

interface Cancellation {
  readonly lines?: readonly { readonly purchase_line_id: string; readonly quantity: number }[] | undefined;
  readonly reason: string;
}

/**
 * Cancels units of a locked order: unconfirmed ones at once; about confirmed ones the supplier is asked.
 *
 * @throws ApiError 404, 409 `invalid_transition`, `quantity_exceeds_outstanding`, 422
 */
export async function cancelUnits(ctx: Acting, before: Purchase, { lines, reason }: Cancellation) {
  const { order } = before;
  requireMove(purchaseMachine, 'cancel', order.status);
  const all = before.lines
    .filter((line) => outstanding(line) > 0)
    .map((line) => ({ purchase_line_id: line.purchase_line_id, quantity: outstanding(line) }));
  const named = namedLines(before, lines ?? all).map(({ line, said: { quantity } }) => {
    const { purchase_line_id, line_no } = line;
    requireOwed(line, quantity);
    const cancelled_now = Math.min(quantity, line.unconfirmed);
    return { purchase_line_id, line_no, cancelled_now, requested: quantity - cancelled_now };
  });
  const some = (units: 'cancelled_now' | 'requested') =>
    named.filter((one) => one[units] > 0).map((one) => ({ line_no: one.line_no, quantity: one[units] }));
  const request_id = `cancel-${order.version}`;
  const requested = some('requested');
  const after = await addFact(ctx, before, {
    ...{ fact_id: request_id, happened_at: ctx.at() },
    fact: { kind: 'cancelled_by_seller', lines: some('cancelled_now'), requested, reason },
  });
  const shown = await showRead(ctx, after);
  if (some('cancelled_now').length > 0) await ctx.emit(purchaseEvents.cancelled.of(shown));
  if (requested.length > 0) {
    const asked = named.flatMap(({ purchase_line_id, line_no, requested: quantity }) =>
      quantity > 0 ? [{ purchase_line_id, line_no, quantity }] : [],
    );
    const { purchase_order_id, supplier, version } = shown;
    const object = { purchase_order_id, supplier, request_id, lines: asked, reason, version };
    await ctx.emit(purchaseEvents.cancelRequested.of(object));
  }
  return { purchase_order: shown, lines: named.map(({ line_no: _, ...one }) => one) };
}

/** Ends a locked order: nothing more is awaited. @throws ApiError 409 `invalid_transition` */
export async function closeOrder(ctx: Acting, before: Purchase, reason: CloseReason): Promise<Purchase> {
  requireMove(purchaseMachine, 'close', before.order.status);
  if (before.order.closed_at !== null) return before;
  const after = await addFact(
    ctx,
    before,
    { fact_id: 'close', happened_at: ctx.at(), fact: { kind: 'closed', reason } },
    { closed_at: ctx.at(), close_reason: reason },
  );
  await ctx.emit(purchaseEvents.closed.of(await showRead(ctx, after)));
  return after;
}
