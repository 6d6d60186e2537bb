/** The states of a payout. Source: docs/design/money.md#payouts. */
import { defineMachine, move } from '../../../kernel/machine.ts';
import { PAYOUT_STATUSES } from '../../settlements/domain/payout-status.ts';

/** The marketplace or the provider reports each of these states. */
export const payoutMachine = defineMachine({
  name: 'payout',
  title: 'Payout',
  states: PAYOUT_STATUSES,
  rows: [
    move('create', [], ['pending', 'in_transit'], 'marketplace', {
      guard:
        'the settlement is ready, or its last payout has failed; another attempt is another payout, pending until the provider accepts it',
      emits: ['payout.in_transit'],
    }),
    move('send', 'pending', 'in_transit', 'marketplace', { emits: ['payout.in_transit'] }),
    move('pay', 'in_transit', 'paid', 'marketplace', { emits: ['payout.paid', 'settlement.paid'] }),
    move('fail', ['pending', 'in_transit'], 'failed', 'marketplace', { emits: ['payout.failed'] }),
    move('cancel', 'pending', 'canceled', 'marketplace', {
      guard: 'before it was sent',
      emits: ['payout.failed'],
    }),
    move('return', 'paid', 'returned', 'marketplace', {
      guard: 'returned, or failed after it was paid',
      emits: ['payout.returned'],
    }),
  ],
});
export type PayoutEvent = (typeof payoutMachine.rows)[number]['event'];
