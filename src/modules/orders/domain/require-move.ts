import type { Order } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { Refusal } from './refusal.ts';

/** The refusal of an event that the order's state, or what its quantities leave open, does not allow. */
export function wrongState({ head }: Order, message: string): Refusal {
  return new Refusal('invalid_transition', message, {
    facts: { from: head.status, allowed: orderMachine.eventsFrom(head.status, 'seller') },
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
