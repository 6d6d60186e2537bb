/** How settlements and payouts move. Source: docs/design/money.md#payouts. */
import { defineMachine } from '../../../kernel/machine.ts';
import { SETTLEMENT_STATUSES } from './settlement.ts';

export const PAYOUT_STATUSES = ['pending', 'in_transit', 'paid', 'failed', 'canceled', 'returned'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

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
        'a payout of the whole amount was made, one at a time; a provider that sends by itself tries again on the next business day, three times at most',
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
