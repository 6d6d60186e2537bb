/**
 * The machine of a dropship order. Quantities decide between the states; a part of the units may move.
 * Source: docs/design/supply.md#dropship-orders.
 */
import { defineMachine } from '../../../kernel/machine.ts';
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
    {
      ...{ event: 'route', from: [], to: ['queued'], by: 'timer' },
      guard: 'the order has reserved units that a supplier counts',
      emits: ['dropship_order.created'],
    },
    {
      ...{ event: 'send', from: ['queued'], to: ['sent', 'accepted', 'shipped', 'returned'], by: 'timer' },
      guard: '120 seconds after the order or its payment; with less than an hour for an answer units return',
      emits: ['dropship_order.sent', returned],
    },
    {
      ...{ event: 'accept', from: AFTER, to: AFTER, by: 'marketplace' },
      guard: 'units wait for the answer, or went back to the seller who has not touched them',
      emits: ['dropship_order.accepted', 'dropship_order.address_released'],
    },
    {
      ...{ event: 'reject', from: AFTER, to: AFTER, by: 'marketplace' },
      guard: null,
      emits: [returned],
    },
    {
      ...{ event: 'no_answer', from: OPEN, to: AFTER, by: 'timer' },
      guard: '`respond_by` has passed',
      emits: [returned, cancel_requested],
    },
    {
      ...{ event: 'ship', from: AFTER, to: AFTER, by: 'marketplace' },
      guard: 'units that the order has no more are in no parcel',
      emits: ['dropship_order.shipped'],
    },
    {
      ...{ event: 'supplier_cancel', from: AFTER, to: AFTER, by: 'marketplace' },
      guard: null,
      emits: [returned],
    },
    {
      ...{ event: 'order_closed', from: OPEN, to: AFTER, by: 'marketplace' },
      guard: 'the order has cancelled, rejected or delivered units of the supplier',
      emits: [cancelled, cancel_requested],
    },
    {
      ...{ event: 'take_over', from: ['queued'], to: AFTER, by: 'seller' },
      guard: 'the supplier does not know of the units yet',
      emits: [cancelled],
    },
  ],
});
