/** The states of a settlement. Source: docs/design/money.md#settlement-close. */
import { defineMachine } from '../../../kernel/machine.ts';
import { SETTLEMENT_STATUSES } from './settlement.ts';

export const settlementMachine = defineMachine({
  name: 'settlement',
  title: 'Settlement',
  states: SETTLEMENT_STATUSES,
  rows: [
    {
      event: 'open',
      from: [],
      to: ['open'],
      by: 'timer',
      guard: 'its period begins; it is computed whenever it is read, under the id that it keeps',
      emits: [],
    },
    {
      event: 'close',
      from: ['open'],
      to: ['ready', 'on_hold', 'carried_forward', 'no_activity'],
      by: 'timer',
      guard:
        'at 02:00 in Sydney on the day after the period; carried forward below the smallest payout, no activity without lines and balance',
      emits: ['settlement.closed'],
    },
    {
      event: 'hold',
      from: ['ready', 'payment_failed'],
      to: ['on_hold'],
      by: 'marketplace',
      guard: 'a reason to hold it stands',
      emits: ['settlement.held'],
    },
    {
      event: 'release',
      from: ['on_hold'],
      to: ['ready'],
      by: 'marketplace',
      guard: 'the last reason is gone',
      emits: ['settlement.released'],
    },
    {
      event: 'send',
      from: ['ready', 'payment_failed'],
      to: ['processing'],
      by: 'marketplace',
      guard:
        'a payout of the whole amount was made, one at a time; a provider that sends automatically tries again on the next business day, three times at most',
      emits: ['payout.in_transit'],
    },
    {
      event: 'pay',
      from: ['processing'],
      to: ['paid'],
      by: 'marketplace',
      guard: 'the payout is paid',
      emits: ['payout.paid', 'settlement.paid'],
    },
    {
      event: 'fail',
      from: ['processing'],
      to: ['payment_failed'],
      by: 'marketplace',
      guard: 'the payout has failed or was canceled',
      emits: ['payout.failed'],
    },
    {
      event: 'return',
      from: ['paid'],
      to: ['payment_failed'],
      by: 'marketplace',
      guard: 'the bank has sent the money back',
      emits: ['payout.returned'],
    },
  ],
});
export type SettlementEvent = (typeof settlementMachine.rows)[number]['event'];
