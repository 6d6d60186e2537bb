/** The states of a purchase order. Source: docs/design/wholesale.md#states. */
import { type Cause, defineMachine, type Transition } from '../../../kernel/machine.ts';
import type { PurchaseStatus } from './purchase.ts';

export const PURCHASE_STATUSES = [
  ...(['draft', 'submitted', 'confirmed', 'partially_received', 'received', 'cancelled'] as const),
] as const satisfies readonly PurchaseStatus[];

const row = <const E extends string>(
  event: E,
  from: readonly PurchaseStatus[],
  to: readonly PurchaseStatus[],
  by: Cause,
  emits: readonly string[],
  guard: string | null = null,
): Transition<E, PurchaseStatus> => ({
  ...{ event, from, to, by, guard },
  emits: emits.map((name) => `purchase_order.${name}`),
});

const SENT = ['submitted', 'confirmed', 'partially_received', 'received', 'cancelled'] as const;
const OPEN = ['submitted', 'confirmed', 'partially_received'] as const;
const BY_UNITS = 'the units decide the state';

export const purchaseMachine = defineMachine({
  name: 'purchase_order',
  title: 'Purchase order',
  states: PURCHASE_STATUSES,
  rows: [
    row('create', [], ['draft'], 'seller', []),
    row('change', ['draft'], ['draft'], 'seller', []),
    row(
      'submit',
      ['draft'],
      ['submitted'],
      'seller',
      ['submitted'],
      'the supplier is active, the prices are those of the draft, the freight is stated or capped; at most 500 are open',
    ),
    row(
      'answer',
      SENT,
      SENT,
      'marketplace',
      ['answered'],
      `made by answer_by, while units are owed; ${BY_UNITS}`,
    ),
    row('ship', SENT, SENT, 'marketplace', ['shipped'], `while units are owed; ${BY_UNITS}`),
    row('cancel_by_supplier', SENT, SENT, 'marketplace', ['cancelled'], `while units are owed; ${BY_UNITS}`),
    row(
      'cancel',
      ['submitted', 'confirmed'],
      ['submitted', 'confirmed', 'cancelled'],
      'seller',
      ['cancelled', 'cancel_requested'],
      'unconfirmed units at once; the supplier decides about confirmed ones',
    ),
    row(
      'not_answered',
      OPEN,
      SENT,
      'timer',
      ['answer_overdue', 'cancelled'],
      'answer_by; unconfirmed units are cancelled',
    ),
    row('receive', OPEN, ['partially_received', 'received'], 'seller', ['received']),
    row('reverse', ['partially_received', 'received'], SENT, 'seller', [], `the latest receipt; ${BY_UNITS}`),
    row(
      'close',
      ['confirmed', 'partially_received', 'received'],
      ['received', 'cancelled'],
      'seller',
      ['closed'],
      'what is owed is cancelled',
    ),
  ],
});
