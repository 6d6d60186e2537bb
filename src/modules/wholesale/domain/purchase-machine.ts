/** The states of a purchase order. Source: docs/design/wholesale.md#states. */
import { defineMachine, move } from '../../../kernel/machine.ts';
import type { PurchaseStatus } from './purchase.ts';

export const PURCHASE_STATUSES = [
  ...(['draft', 'submitted', 'confirmed', 'partially_received', 'received', 'cancelled'] as const),
] as const satisfies readonly PurchaseStatus[];

const SENT = ['submitted', 'confirmed', 'partially_received', 'received', 'cancelled'] as const;
const OPEN = ['submitted', 'confirmed', 'partially_received'] as const;
const BY_UNITS = 'the units decide the state';

export const purchaseMachine = defineMachine({
  name: 'purchase_order',
  title: 'Purchase order',
  states: PURCHASE_STATUSES,
  rows: [
    move('create', [], 'draft', 'seller'),
    move('change', 'draft', 'draft', 'seller'),
    move('submit', 'draft', 'submitted', 'seller', {
      guard:
        'the supplier is active, the prices are those of the draft, the freight is stated or capped; at most 500 are open',
      emits: ['purchase_order.submitted'],
    }),
    move('answer', SENT, SENT, 'marketplace', {
      guard: `made by answer_by, while units are owed; ${BY_UNITS}`,
      emits: ['purchase_order.answered'],
    }),
    move('ship', SENT, SENT, 'marketplace', {
      guard: `while units are owed; ${BY_UNITS}`,
      emits: ['purchase_order.shipped'],
    }),
    move('cancel_by_supplier', SENT, SENT, 'marketplace', {
      guard: `while units are owed; ${BY_UNITS}`,
      emits: ['purchase_order.cancelled'],
    }),
    move('cancel', ['submitted', 'confirmed'], ['submitted', 'confirmed', 'cancelled'], 'seller', {
      guard: 'unconfirmed units at once; the supplier decides about confirmed ones',
      emits: ['purchase_order.cancelled', 'purchase_order.cancel_requested'],
    }),
    move('not_answered', OPEN, SENT, 'timer', {
      guard: 'answer_by; unconfirmed units are cancelled',
      emits: ['purchase_order.answer_overdue', 'purchase_order.cancelled'],
    }),
    move('receive', OPEN, ['partially_received', 'received'], 'seller', {
      emits: ['purchase_order.received'],
    }),
    move('reverse', ['partially_received', 'received'], SENT, 'seller', {
      guard: `the latest receipt; ${BY_UNITS}`,
    }),
    move('close', ['confirmed', 'partially_received', 'received'], ['received', 'cancelled'], 'seller', {
      guard: 'what is owed is cancelled',
      emits: ['purchase_order.closed'],
    }),
  ],
});
