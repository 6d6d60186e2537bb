import { expect, test } from 'vitest';
import type { Order } from './order.ts';
import { requireMove } from './require-move.ts';
import { sayState } from './say-state.ts';

test.each([
  ['delivered', 'accept', 'The order is delivered; it cannot be accepted.'],
  ['accepted', 'accept', 'The order is accepted; it cannot be accepted again.'],
  ['accepted', 'reject', 'The order is accepted; it cannot be rejected.'],
  ['shipped', 'cancel', 'The order is shipped; it cannot be cancelled.'],
  ['awaiting_acceptance', 'pack', 'The order is awaiting acceptance; it cannot get a shipment.'],
  ['awaiting_acceptance', 'request_refund', 'The order is awaiting acceptance; it cannot be refunded.'],
] as const)('an order that is %s says what it cannot: %s', (status, event, sentence) => {
  const order = { head: { status, order_id: 'ord_1' } } as Order;
  expect(() => requireMove(order, event, false)).toThrow(sentence);
});

test.each([
  ['shipment', 'delivered', 'buy_label', 'The shipment is delivered; it cannot get a label.'],
  ['shipment', 'lost', 'change_tracking', 'The shipment is lost; it cannot get another tracking number.'],
  ['return', 'refused', 'refuse', 'The return is refused; it cannot be refused again.'],
  ['return', 'closed', 'receive', 'The return is closed; it cannot be received.'],
  ['order', 'closed', 'constructor', 'The order is closed; its state does not allow this.'],
] as const)('a %s that is %s says what it cannot: %s', (thing, status, event, sentence) => {
  expect(sayState(thing, status, event)).toBe(sentence);
});
