import { expect, test } from 'vitest';
import type { Order } from './order.ts';
import { requireMove } from './require-move.ts';

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
