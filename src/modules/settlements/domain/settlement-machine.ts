/** The states of a settlement. Source: docs/design/money.md#settlement-close. */
import { defineMachine, move } from '../../../kernel/machine.ts';
import { SETTLEMENT_STATUSES } from './settlement.ts';

export const settlementMachine = defineMachine({
  name: 'settlement',
  title: 'Settlement',
  states: SETTLEMENT_STATUSES,
  rows: [
    move('open', [], 'open', 'timer', {
      guard: 'its period begins; it is computed whenever it is read, under the id that it keeps',
    }),
    move('close', 'open', ['ready', 'on_hold', 'carried_forward', 'no_activity'], 'timer', {
      guard:
        'at 02:00 in Sydney on the day after the period; carried forward below the smallest payout, no activity without lines and balance',
      emits: ['settlement.closed'],
    }),
    move('hold', ['ready', 'payment_failed'], 'on_hold', 'marketplace', {
      guard: 'a reason to hold it stands',
      emits: ['settlement.held'],
    }),
    move('release', 'on_hold', 'ready', 'marketplace', {
      guard: 'the last reason is gone',
      emits: ['settlement.released'],
    }),
    move('send', ['ready', 'payment_failed'], 'processing', 'marketplace', {
      guard:
        'a payout of the whole amount was made, one at a time; a provider that sends automatically tries again on the next business day, three times at most',
      emits: ['payout.in_transit'],
    }),
    move('pay', 'processing', 'paid', 'marketplace', {
      guard: 'the payout is paid',
      emits: ['payout.paid', 'settlement.paid'],
    }),
    move('fail', 'processing', 'payment_failed', 'marketplace', {
      guard: 'the payout has failed or was canceled',
      emits: ['payout.failed'],
    }),
    move('return', 'paid', 'payment_failed', 'marketplace', {
      guard: 'the bank has sent the money back',
      emits: ['payout.returned'],
    }),
  ],
});
export type SettlementEvent = (typeof settlementMachine.rows)[number]['event'];
