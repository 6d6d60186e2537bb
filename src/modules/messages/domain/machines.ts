/** The states of threads and of messages. Source: docs/design/conversations.md#threads. */
import { defineMachine, move } from '../../../kernel/machine.ts';

const THREAD_STATES = ['awaiting_seller', 'awaiting_buyer', 'settled', 'closed'] as const;
export type ThreadState = (typeof THREAD_STATES)[number];

const LOCK = 'not while the marketplace has locked the thread';
const WINDOW = 'a closed thread only within `thread_open_days` of its closing';

export const threadMachine = defineMachine({
  name: 'thread',
  title: 'Thread with a buyer',
  states: THREAD_STATES,
  rows: [
    move('ask', [], 'awaiting_seller', 'marketplace', {
      guard: 'a message of the buyer; opens a turn',
      emits: ['message.received'],
    }),
    move('ask', THREAD_STATES, ['awaiting_seller', 'closed', 'settled'], 'marketplace', {
      guard: `opens a turn unless one is open; a message from before the last closing opens none. ${WINDOW}; later it begins a new thread`,
      emits: ['message.received'],
    }),
    move('inform', [], 'settled', 'marketplace', {
      guard: 'a message of the marketplace, or an automatic one',
      emits: ['message.received'],
    }),
    move('inform', THREAD_STATES, THREAD_STATES, 'marketplace', {
      guard: 'opens and ends no turn; a closed thread becomes settled',
      emits: ['message.received'],
    }),
    move('start', [], 'awaiting_buyer', 'seller', {
      guard: 'about an order of the seller that ended at most `thread_open_days` ago and has no open thread',
      emits: ['message.sent'],
    }),
    move('reply', THREAD_STATES, 'awaiting_buyer', 'seller', {
      guard: `ends the turn; at most three messages in a row; ${LOCK}; ${WINDOW}`,
      emits: ['message.sent'],
    }),
    move('no_reply_needed', 'awaiting_seller', 'settled', 'seller', {
      guard: 'ends the turn',
      emits: ['thread.updated'],
    }),
    move('close', ['awaiting_buyer', 'settled'], 'closed', 'seller', { emits: ['thread.updated'] }),
    move('reopen', 'closed', 'settled', 'seller', { guard: `${LOCK}; ${WINDOW}`, emits: ['thread.updated'] }),
    move('withdraw', THREAD_STATES, ['closed', 'settled', 'awaiting_seller'], 'marketplace', {
      guard: 'closes, and ends the turn; not if a later message came before',
      emits: ['thread.updated'],
    }),
    move('release', THREAD_STATES, THREAD_STATES, 'marketplace', {
      guard: 'a closed thread becomes settled',
      emits: ['thread.updated'],
    }),
    move('reject_reply', THREAD_STATES, THREAD_STATES, 'marketplace', {
      guard:
        'the rejected reply had ended the turn: it is open again, unless another reply stands or the marketplace has closed the thread',
      emits: ['message.status_changed'],
    }),
    move('warn', 'awaiting_seller', 'awaiting_seller', 'timer', {
      guard: 'at five sixths of the target',
      emits: ['thread.response_due'],
    }),
    move('overdue', 'awaiting_seller', 'awaiting_seller', 'timer', {
      guard: 'at `respond_by`',
      emits: ['thread.response_overdue'],
    }),
  ],
});

export const ORIGINS = ['buyer', 'seller', 'marketplace', 'automatic'] as const;
export type Origin = (typeof ORIGINS)[number];

export const MESSAGE_STATUSES = ['queued', 'held', 'delivered', 'received', 'rejected', 'removed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
export const DECISIONS = ['delivered', 'held', 'rejected', 'removed'] as const;
type Decision = (typeof DECISIONS)[number];

const decided = (event: Decision, from: readonly MessageStatus[]) => ({
  ...{ event, from, to: [event], by: 'marketplace' as const, guard: null },
  emits: ['message.status_changed'],
});

export const messageMachine = defineMachine<Decision | 'send' | 'receive', MessageStatus>({
  name: 'message',
  title: 'Message',
  states: MESSAGE_STATUSES,
  rows: [
    move('send', [], 'queued', 'seller', { emits: ['message.sent'] }),
    move('receive', [], 'received', 'marketplace', { emits: ['message.received'] }),
    decided('delivered', ['queued', 'held']),
    decided('held', ['queued']),
    decided('rejected', ['queued', 'held']),
    decided('removed', ['delivered', 'received']),
  ],
});
