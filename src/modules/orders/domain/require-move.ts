import type { LineQuantity, Order, OrderLine } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { Refusal } from './refusal.ts';

/** The refusal of an event by the order's state or quantities. */
export function wrongState({ head }: Order, message: string): Refusal {
  return new Refusal('invalid_transition', message, {
    facts: { from: head.status },
    about: { kind: 'order', id: head.order_id },
  });
}

/** What the state of an order does not allow, as the end of a sentence. */
const CANNOT: Partial<Readonly<Record<OrderEventName, string>>> = {
  accept: 'be accepted',
  reject: 'be rejected',
  cancel: 'be cancelled',
  pack: 'get a shipment',
  dispatch: 'be dispatched',
  request_refund: 'be refunded',
};

function sayState({ head }: Order, event: OrderEventName): string {
  const state = head.status.replaceAll('_', ' ');
  const what = CANNOT[event];
  if (what === undefined) return `The order is ${state}; its state does not allow this.`;
  return `The order is ${state}; it cannot ${what}${what.endsWith(` ${state}`) ? ' again' : ''}.`;
}

/**
 * Checks the state machine, then the quantities.
 *
 * @throws Refusal `invalid_transition` with `from` and `allowed`
 */
export function requireMove(order: Order, event: OrderEventName, possible = true): void {
  if (!orderMachine.allows(event, order.head.status) || !possible)
    throw wrongState(order, sayState(order, event));
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
