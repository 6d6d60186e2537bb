/** The states of a payout. Source: docs/design/money.md#payouts. */
import { defineMachine } from '../../../kernel/machine.ts';
import { PAYOUT_STATUSES } from '../../settlements/domain/payout-status.ts';

/** The marketplace or the provider reports each of these states. */
const REPORTED = { by: 'marketplace', guard: null } as const;

export const payoutMachine = defineMachine({
  name: 'payout',
  title: 'Payout',
  states: PAYOUT_STATUSES,
  rows: [
    {
      ...REPORTED,
      event: 'create',
      from: [],
      to: ['pending', 'in_transit'],
      guard:
        'the settlement is ready, or its last payout has failed; another attempt is another payout, pending until the provider accepts it',
      emits: ['payout.in_transit'],
    },
    { ...REPORTED, event: 'send', from: ['pending'], to: ['in_transit'], emits: ['payout.in_transit'] },
    {
      ...REPORTED,
      event: 'pay',
      from: ['in_transit'],
      to: ['paid'],
      emits: ['payout.paid', 'settlement.paid'],
    },
    { ...REPORTED, event: 'fail', from: ['pending', 'in_transit'], to: ['failed'], emits: ['payout.failed'] },
    {
      ...REPORTED,
      event: 'cancel',
      from: ['pending'],
      to: ['canceled'],
      guard: 'before it was sent',
      emits: ['payout.failed'],
    },
    {
      ...REPORTED,
      event: 'return',
      from: ['paid'],
      to: ['returned'],
      guard: 'returned, or failed after it was paid',
      emits: ['payout.returned'],
    },
  ],
});
export type PayoutEvent = (typeof payoutMachine.rows)[number]['event'];
