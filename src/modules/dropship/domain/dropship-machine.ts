/**
 * The machine of a dropship order. Quantities decide between the states; a part of the units may move.
 * Source: docs/design/supply.md#dropship-orders.
 */
import { defineMachine, move } from '../../../kernel/machine.ts';
import { DROPSHIP_STATUSES } from './fold.ts';

const OPEN = ['queued', 'sent', 'accepted'] as const;
const AFTER = ['queued', 'sent', 'accepted', 'shipped', 'returned', 'cancelled'] as const;
const returned = 'dropship_order.returned_to_seller';
const cancelled = 'dropship_order.cancelled';
const cancel_requested = 'dropship_order.cancel_requested';

export const dropshipMachine = defineMachine({
  name: 'dropship_order',
  title: 'Dropship order',
  states: DROPSHIP_STATUSES,
  rows: [
    move('route', [], 'queued', 'timer', {
      guard: 'the order has reserved units that a supplier counts',
      emits: ['dropship_order.created'],
    }),
    move('send', 'queued', ['sent', 'accepted', 'shipped', 'returned'], 'timer', {
      guard: '120 seconds after the order or its payment; with less than an hour for an answer units return',
      emits: ['dropship_order.sent', returned],
    }),
    move('accept', AFTER, AFTER, 'marketplace', {
      guard: 'units wait for the answer, or went back to the seller who has not touched them',
      emits: ['dropship_order.accepted', 'dropship_order.address_released'],
    }),
    move('reject', AFTER, AFTER, 'marketplace', { emits: [returned] }),
    move('no_answer', OPEN, AFTER, 'timer', {
      guard: '`respond_by` has passed',
      emits: [returned, cancel_requested],
    }),
    move('ship', AFTER, AFTER, 'marketplace', {
      guard: 'units that the order has no more are in no parcel',
      emits: ['dropship_order.shipped'],
    }),
    move('supplier_cancel', AFTER, AFTER, 'marketplace', { emits: [returned] }),
    move('order_closed', OPEN, AFTER, 'marketplace', {
      guard: 'the order has cancelled, rejected or delivered units of the supplier',
      emits: [cancelled, cancel_requested],
    }),
    move('take_over', 'queued', AFTER, 'seller', {
      guard: 'the supplier does not know of the units yet',
      emits: [cancelled],
    }),
  ],
});
