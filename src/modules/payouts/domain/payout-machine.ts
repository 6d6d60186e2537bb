/** The states of a payout. Source: docs/design/money.md#payouts. */
import { defineMachine } from '../../../kernel/machine.ts';
import { PAYOUT_STATUSES } from '../../settlements/domain/payout-status.ts';

export const payoutMachine = defineMachine({
  name: 'payout',
  title: 'Payout',
  states: PAYOUT_STATUSES,
  rows: [
    {
      event: 'create',
      from: [],
      to: ['pending', 'in_transit'],
      by: 'marketplace',
      guard:
        'the settlement is ready, or its last payout has failed; another attempt is another payout, pending until the provider has taken it',
      emits: ['payout.in_transit'],
    },
    {
      event: 'send',
      from: ['pending'],
      to: ['in_transit'],
      by: 'marketplace',
      guard: null,
      emits: ['payout.in_transit'],
    },
    {
      event: 'pay',
      from: ['in_transit'],
      to: ['paid'],
      by: 'marketplace',
      guard: null,
      emits: ['payout.paid', 'settlement.paid'],
    },
    {
      event: 'fail',
      from: ['pending', 'in_transit'],
      to: ['failed'],
      by: 'marketplace',
      guard: null,
      emits: ['payout.failed'],
    },
    {
      event: 'cancel',
      from: ['pending'],
      to: ['canceled'],
      by: 'marketplace',
      guard: 'before it was sent',
      emits: ['payout.failed'],
    },
    {
      event: 'return',
      from: ['paid'],
      to: ['returned'],
      by: 'marketplace',
      guard: 'returned, or failed after it was paid',
      emits: ['payout.returned'],
    },
  ],
});
export type PayoutEvent = (typeof payoutMachine.rows)[number]['event'];
