/** What the marketplace brings into a thread: messages, closings, and what becomes of the seller's messages. */
import type { Acting } from '../../../kernel/context.ts';
import type { EventOrder } from '../../../kernel/event-order.ts';
import { laterOf } from '../../../kernel/instant.ts';
import type { ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { windowEnd } from '../domain/allowed.ts';
import { answerTurn, endTurn, reopenTurn } from '../domain/turns.ts';
import { messageReceived, messageStatusChanged } from '../events.ts';
import { type MessageRow, messages, type ThreadRow, type TurnRow, threads } from '../store/tables.ts';
import { countSent, nextReply, successorOf, turnOf } from '../store/threads.ts';
import { calendarOf, ended, nextTurn, writeThread } from './change-thread.ts';
import { newThread } from './send.ts';
import { tellUpdated } from './settle.ts';
import { factsWhile, showMessages } from './show.ts';

/**
 * Emits an event about a message, with its thread.
 *
 * @param named the thread, with its newest turn and its buyer after the write
 */
async function tellMessage(
  ctx: Acting,
  event: typeof messageReceived,
  named: Parameters<typeof factsWhile>[1],
  writing: Promise<ThreadRow>,
  row: MessageRow,
): Promise<void> {
  const [facts, [message]] = await Promise.all([factsWhile(ctx, named, writing), showMessages(ctx, [row])]);
  if (facts !== undefined && message !== undefined)
    await ctx.emit(event.of({ ...facts, message, report: null, changed_by: 'marketplace' }));
}

/** Whether a thread was closed too long ago to go on at an instant. */
export const isOver = (thread: ThreadRow, { thread_open_days }: ServicePolicy, now: number): boolean =>
  now > (windowEnd(thread, thread_open_days) ?? Infinity);

/**
 * Follows a thread to the one that continues it. A thread that was closed too long ago is continued by a new one.
 *
 * @param thread undefined: there is none yet
 * @param now the instant at which the message comes, milliseconds
 * @returns a row that is stored
 */
export async function threadToContinue(
  ctx: Acting,
  thread: ThreadRow | undefined,
  begin: (previous: ThreadRow | undefined) => ThreadRow,
  policy: ServicePolicy,
  now: number,
): Promise<ThreadRow> {
  let found = thread;
  while (found !== undefined && isOver(found, policy, now)) {
    const next = await successorOf(ctx, found);
    if (next === undefined) break;
    found = next;
  }
  if (found !== undefined && !isOver(found, policy, now)) {
    const locked = await threads.find(ctx, { thread_id: found.thread_id }, 'for update');
    if (locked !== undefined) return locked;
  }
  const fresh = begin(found);
  await threads.insert(ctx, fresh);
  return fresh;
}

/** Begins a thread with a message of the buyer or of the marketplace. */
export const beginThread = (
  ctx: Acting,
  subject: Parameters<typeof newThread>[1],
  topic: string,
  named: Pick<ThreadRow, 'external_thread_id' | 'previous_thread_id'>,
): ThreadRow => newThread(ctx, subject, topic, { state: 'settled', ...named });

/**
 * Records a message of the buyer or of the marketplace. A buyer's message opens a turn unless one is open. A
 * late message, from before the newest closing, opens nothing.
 *
 * @param time by the marketplace's clock, RFC 3339
 * @param named the marketplace's name of the thread, and whose thread it is from then on, so that an erasure finds the
 *   text
 */
export async function receive(
  ctx: Acting,
  thread: ThreadRow,
  row: MessageRow,
  time: string,
  named: Pick<ThreadRow, 'external_thread_id' | 'buyer_id' | 'erased_at'>,
  policy: ServicePolicy,
): Promise<void> {
  const asks = row.origin === 'buyer';
  const isPast = thread.closed_upto !== null && time <= thread.closed_upto;
  const opens = asks && !isPast && thread.state !== 'awaiting_seller';
  const turn = opens ? nextTurn(ctx, thread, policy) : undefined;
  const reopened = thread.state === 'closed' && !isPast ? { state: 'settled' as const } : {};
  const change = {
    ...named,
    external_thread_id: thread.external_thread_id ?? named.external_thread_id,
    message_count: thread.message_count + 1,
    unread_count: thread.unread_count + 1,
    last_message_at: row.recorded_at,
    heard_at: laterOf(thread.heard_at, time),
    ...(asks && { asked_at: laterOf(thread.asked_at, time), sent_in_row: 0 }),
    ...(turn === undefined ? reopened : { state: 'awaiting_seller' as const, turn_no: turn.turn_no }),
  };
  const { thread_id } = thread;
  const { turn_no } = turn ?? thread;
  await Promise.all([
    messages.appendMany(ctx, [row]),
    tellMessage(
      ctx,
      messageReceived,
      { thread_id, turn_no, buyer_id: named.buyer_id },
      writeThread(ctx, thread, change, turn),
      row,
    ),
  ]);
}

interface ThreadUpdate {
  readonly status?: 'open' | 'closed' | undefined;
  readonly locked?: boolean | undefined;
}

/**
 * Follows what the marketplace says about a thread. A closing withdraws the turn of every message before it, however
 * late it comes; a message after it has opened the thread again.
 *
 * @param order of the event
 * @param isStale the thread follows a newer event
 * @returns whether anything has changed
 */
export async function update(
  ctx: Acting,
  thread: ThreadRow,
  { status, locked }: ThreadUpdate,
  order: EventOrder & { readonly at: string },
  isStale: boolean,
): Promise<boolean> {
  const closes = status === 'closed';
  const withdraws = closes && (thread.asked_at === null || thread.asked_at <= order.at);
  const turn = withdraws ? await ended(ctx, thread, 'withdrawn') : undefined;
  const isClosed = closes && !isStale && (thread.heard_at === null || thread.heard_at <= order.at);
  if (isStale && turn === undefined && !closes) return false;
  const state = isClosed
    ? { state: 'closed' as const, closed_at: thread.closed_at ?? ctx.at(), closed_by: 'marketplace' as const }
    : turn !== undefined || (status === 'open' && !isStale && thread.state === 'closed')
      ? { state: 'settled' as const }
      : {};
  const change = {
    ...state,
    ...(closes && { closed_upto: laterOf(thread.closed_upto, order.at) }),
    ...(!isStale && { state_at: order.at, state_version: order.version, locked: locked ?? thread.locked }),
  };
  const after = await writeThread(ctx, thread, change, turn);
  const isApplied = !isStale || turn !== undefined;
  if (isApplied) await tellUpdated(ctx, after, 'marketplace');
  return isApplied;
}

/** The turn that a rejected reply had ended, as it is now; undefined if nothing changes. */
async function afterRejection(
  ctx: Acting,
  thread: ThreadRow,
  row: MessageRow,
): Promise<{ readonly turn: TurnRow; readonly change: Partial<ThreadRow> } | undefined> {
  const turn = row.ended_turn === null ? undefined : await turnOf(ctx, thread);
  // The buyer has asked again meanwhile, so a newer turn waits for the seller.
  if (turn === undefined || turn.turn_no !== row.ended_turn) return undefined;
  const calendar = await calendarOf(ctx, turn);
  const other = await nextReply(ctx, row);
  if (other !== undefined) {
    await messages.replace(ctx, { ...other, ended_turn: turn.turn_no });
    return { turn: answerTurn(turn, calendar, Date.parse(other.recorded_at)), change: {} };
  }
  if (thread.closed_by === 'marketplace')
    return { turn: endTurn(turn, 'withdrawn', calendar, ctx.now()), change: {} };
  return { turn: reopenTurn(turn, calendar, ctx.now()), change: { state: 'awaiting_seller' } };
}

/** Writes the decision about a message, and its effect on the thread. */
export async function decide(
  ctx: Acting,
  thread: ThreadRow,
  row: MessageRow,
  decided: Pick<MessageRow, 'status' | 'reasons' | 'decided_at' | 'decided_version'>,
): Promise<void> {
  const after = { ...row, ...decided };
  await messages.replace(ctx, after);
  const follows = decided.status === 'rejected' ? await afterRejection(ctx, thread, after) : undefined;
  const sent_in_row =
    decided.status === 'rejected' ? (await countSent(ctx, thread.thread_id)).sent_in_row : thread.sent_in_row;
  const writing = writeThread(ctx, thread, { sent_in_row, ...follows?.change }, follows?.turn);
  await tellMessage(ctx, messageStatusChanged, thread, writing, after);
}
