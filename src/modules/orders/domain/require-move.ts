import type { LineQuantity, Order, OrderLine } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { Refusal } from './refusal.ts';
import { sayState } from './say-state.ts';

/** The refusal of an event by the order's state or quantities. */
export function wrongState({ head }: Order, message: string): Refusal {
  return new Refusal('invalid_transition', message, {
    facts: { from: head.status },
    about: { kind: 'order', id: head.order_id },
  });
}

/**
 * Checks the state machine, then the quantities.
 *
 * @throws Refusal `invalid_transition` with `from` and `allowed`
 */
export function requireMove(order: Order, event: OrderEventName, possible = true): void {
  if (!orderMachine.allows(event, order.head.status) || !possible)
    throw wrongState(order, sayState('order', order.head.status, event));
}

/**
 * Checks the content of an event with a known id. The same event may arrive again. An event with other content is not a
 * repetition, and must not be ignored.
 *
 * @throws Refusal `invalid_transition`
 */
export function requireSameUnits(
  order: Order,
  sent: readonly { readonly line: OrderLine; readonly quantity: number }[],
  known: readonly LineQuantity[],
): void {
  const same =
    sent.length === known.length &&
    sent.every(({ line, quantity }) =>
      known.some((one) => one.order_line_id === line.order_line_id && one.quantity === quantity),
    );
  if (!same) throw wrongState(order, 'This id was sent before with different content.');
}
