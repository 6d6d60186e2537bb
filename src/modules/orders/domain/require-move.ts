import type { LineQuantity, Order, OrderLine } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { Refusal } from './refusal.ts';

/** The refusal of an event that the order's state, or what its quantities leave open, does not allow. */
export function wrongState({ head }: Order, message: string): Refusal {
  return new Refusal('invalid_transition', message, {
    facts: { from: head.status },
    about: { kind: 'order', id: head.order_id },
  });
}

/**
 * Asks the table, and then whether there is anything to do it with.
 *
 * @throws Refusal `invalid_transition` with `from` and `allowed`
 */
export function requireMove(order: Order, event: OrderEventName, possible = true): void {
  if (!orderMachine.allows(event, order.head.status) || !possible)
    throw wrongState(order, `An order that is ${order.head.status} does not allow this.`);
}

/**
 * The same news once more may come; other content under its name is another thing, and would be lost.
 *
 * @throws Refusal `invalid_transition`
 */
export function requireSameUnits(
  order: Order,
  told: readonly { readonly line: OrderLine; readonly quantity: number }[],
  known: readonly LineQuantity[],
): void {
  const same =
    told.length === known.length &&
    told.every(({ line, quantity }) =>
      known.some((one) => one.order_line_id === line.order_line_id && one.quantity === quantity),
    );
  if (!same) throw wrongState(order, 'Other content was told under this id before.');
}
