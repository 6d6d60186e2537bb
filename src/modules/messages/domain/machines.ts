/** The states of threads and of messages. Source: docs/design/conversations.md#threads. */
import { defineMachine } from '../../../kernel/machine.ts';

export const THREAD_STATES = ['awaiting_seller', 'awaiting_buyer', 'settled', 'closed'] as const;
export type ThreadState = (typeof THREAD_STATES)[number];

const OPEN = ['awaiting_seller', 'awaiting_buyer', 'settled'] as const;
const LOCK = 'not while the marketplace has locked the thread';
const WINDOW = 'a closed thread only within `thread_open_days` of its closing';

export const threadMachine = defineMachine({
  name: 'thread',
  title: 'Thread with a buyer',
  states: THREAD_STATES,
  rows: [
    {
      event: 'ask',
      from: [],
      to: ['awaiting_seller'],
      by: 'marketplace',
      guard: 'a message of the buyer; opens a turn',
      emits: ['message.received'],
    },
    {
      event: 'ask',
      from: THREAD_STATES,
      to: ['awaiting_seller', 'closed', 'settled'],
      by: 'marketplace',
      guard: `opens a turn unless one is open; a message from before the last closing opens none. ${WINDOW}; later it begins a new thread`,
      emits: ['message.received'],
    },
    {
      event: 'inform',
      from: [],
      to: ['settled'],
      by: 'marketplace',
      guard: 'a message of the marketplace, or an automatic one',
      emits: ['message.received'],
    },
    {
      event: 'inform',
      from: THREAD_STATES,
      to: THREAD_STATES,
      by: 'marketplace',
      guard: 'opens and ends no turn; a closed thread becomes settled',
      emits: ['message.received'],
    },
    {
      event: 'start',
      from: [],
      to: ['awaiting_buyer'],
      by: 'seller',
      guard: 'about an order of the seller that ended at most `thread_open_days` ago and has no open thread',
      emits: ['message.sent'],
    },
    {
      event: 'reply',
      from: THREAD_STATES,
      to: ['awaiting_buyer'],
      by: 'seller',
      guard: `ends the turn; at most three messages in a row; ${LOCK}; ${WINDOW}`,
      emits: ['message.sent'],
    },
    {
      event: 'no_reply_needed',
      from: ['awaiting_seller'],
      to: ['settled'],
      by: 'seller',
      guard: 'ends the turn',
      emits: ['thread.updated'],
    },
    {
      event: 'close',
      from: ['awaiting_buyer', 'settled'],
      to: ['closed'],
      by: 'seller',
      guard: null,
      emits: ['thread.updated'],
    },
    {
      event: 'reopen',
      from: ['closed'],
      to: ['settled'],
      by: 'seller',
      guard: `${LOCK}; ${WINDOW}`,
      emits: ['thread.updated'],
    },
    {
      event: 'withdraw',
      from: THREAD_STATES,
      to: ['closed', 'settled', 'awaiting_seller'],
      by: 'marketplace',
      guard: 'closes, and ends the turn; not if a later message came before',
      emits: ['thread.updated'],
    },
    {
      event: 'release',
      from: THREAD_STATES,
      to: THREAD_STATES,
      by: 'marketplace',
      guard: 'a closed thread becomes settled',
      emits: ['thread.updated'],
    },
    {
      event: 'reject_reply',
      from: THREAD_STATES,
      to: THREAD_STATES,
      by: 'marketplace',
      guard:
        'the rejected reply had ended the turn: it is open again, unless another reply stands or the marketplace has closed the thread',
      emits: ['message.status_changed'],
    },
    {
      event: 'warn',
      from: ['awaiting_seller'],
      to: ['awaiting_seller'],
      by: 'timer',
      guard: 'at five sixths of the target',
      emits: ['thread.response_due'],
    },
    {
      event: 'overdue',
      from: ['awaiting_seller'],
      to: ['awaiting_seller'],
      by: 'timer',
      guard: 'at `respond_by`',
      emits: ['thread.response_overdue'],
    },
  ],
});

export const isOpen = (state: ThreadState): boolean => OPEN.some((open) => open === state);

export const ORIGINS = ['buyer', 'seller', 'marketplace', 'automatic'] as const;
export type Origin = (typeof ORIGINS)[number];

export const MESSAGE_STATUSES = ['queued', 'held', 'delivered', 'received', 'rejected', 'removed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
export const DECISIONS = ['delivered', 'held', 'rejected', 'removed'] as const;
export type Decision = (typeof DECISIONS)[number];

const decided = (event: Decision, from: readonly MessageStatus[]) => ({
  ...{ event, from, to: [event], by: 'marketplace' as const, guard: null },
  emits: ['message.status_changed'],
});

export const messageMachine = defineMachine<Decision | 'send' | 'receive', MessageStatus>({
  name: 'message',
  title: 'Message',
  states: MESSAGE_STATUSES,
  rows: [
    { event: 'send', from: [], to: ['queued'], by: 'seller', guard: null, emits: ['message.sent'] },
    {
      event: 'receive',
      from: [],
      to: ['received'],
      by: 'marketplace',
      guard: null,
      emits: ['message.received'],
    },
    decided('delivered', ['queued', 'held']),
    decided('held', ['queued']),
    decided('rejected', ['queued', 'held']),
    decided('removed', ['delivered', 'received']),
  ],
});
