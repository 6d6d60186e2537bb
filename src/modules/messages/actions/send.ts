/** What the seller sends: the first message of a thread, and replies. */
import { checkSellerText } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { fail, missing, requireFound } from '../../../kernel/errors.ts';
import { useAttachments } from '../../../platform/attachments/attachments.ts';
import { holdBuyers } from '../../../platform/buyers/buyers.ts';
import { joinErasures } from '../../../platform/buyers/erasures.ts';
import { buyerErrors } from '../../../platform/buyers/errors.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { IN_ROW_MAX } from '../domain/allowed.ts';
import { answerTurn } from '../domain/turns.ts';
import { messageErrors } from '../errors.ts';
import { messageSent } from '../events.ts';
import type { Message } from '../schemas.ts';
import { type MessageRow, messages, type ThreadRow, type TurnRow, threads } from '../store/tables.ts';
import {
  countSent,
  lockSubject,
  lockThread,
  type OrderSubject,
  openThread,
  orderNamed,
  turnOf,
} from '../store/threads.ts';
import {
  calendarOf,
  currentPolicy,
  DAY_MS,
  requireContact,
  requireState,
  requireWindow,
  writeThread,
} from './change-thread.ts';
import { readKnown } from './known.ts';
import { closeThread } from './settle.ts';
import { factsOf, showMessages } from './show.ts';

interface Sending {
  readonly text: string;
  readonly attachment_ids?: readonly string[] | undefined;
}

/** Stores a message of the seller. @throws ApiError 422 for contact data and for files that cannot be used */
async function insertSent(
  ctx: Acting,
  thread: ThreadRow,
  { text, attachment_ids = [] }: Sending,
  ended_turn: number | null,
): Promise<MessageRow> {
  const { thread_id } = thread;
  const known = await readKnown(ctx, thread, await currentPolicy(ctx));
  const checked = checkSellerText(text, ['body', 'text'], { known });
  const used = attachment_ids.length === 0 ? 0 : (await countSent(ctx, thread_id)).files;
  const files = await useAttachments(ctx, attachment_ids, { used });
  const row: MessageRow = {
    message_id: ctx.ids.next('msg_'),
    thread_id,
    external_message_id: null,
    origin: 'seller',
    member_id: ctx.by.id,
    text: checked,
    masked: [],
    redacted: null,
    attachment_ids: files.map(({ attachment_id }) => attachment_id),
    ...{ status: 'queued', reasons: [], unread: false, ended_turn, reported_at: null },
    ...{ content_digest: null, decided_at: null, decided_version: null },
    ...{ sent_at: ctx.at(), recorded_at: ctx.at() },
  };
  await messages.appendMany(ctx, [row]);
  return row;
}

interface Sent {
  readonly thread: ThreadRow;
  readonly message: Message;
}

async function tellSent(ctx: Acting, thread: ThreadRow, row: MessageRow): Promise<Sent> {
  const [[facts], [message]] = await Promise.all([factsOf(ctx, [thread]), showMessages(ctx, [row])]);
  if (facts === undefined || message === undefined)
    throw new Error('a message and its thread are shown once');
  await ctx.emit(messageSent.of({ ...facts, message, report: null, changed_by: 'seller' }));
  ctx.audit({ target_type: 'message', target_id: message.message_id });
  return { thread, message };
}

/**
 * An order about which a thread begins. Its buyer is not erased until the transaction ends.
 *
 * @throws ApiError 404, 410 `buyer_erased`
 */
async function lockOrder(ctx: Acting, named: string): Promise<OrderSubject> {
  const found = await orderNamed(ctx, named);
  if (found === undefined) throw missing(`order ${named}`);
  await lockSubject(ctx, found.order_id);
  await holdBuyers(ctx, [found.order_id]);
  const order = requireFound(await orderNamed(ctx, found.order_id));
  if (order.erased_at !== null) throw fail(buyerErrors.buyer_erased);
  return order;
}

/**
 * Begins a thread with the buyer of an order.
 *
 * @throws ApiError 404, 409 `thread_exists|contact_window_passed`, 410 `buyer_erased`, 422
 */
export async function startThread(
  ctx: Acting,
  body: Sending & { readonly order_id: string; readonly topic: string },
): Promise<Sent> {
  const { order_id, buyer_id, ended_at } = await lockOrder(ctx, body.order_id);
  const existing = await openThread(ctx, { order_id, product_id: null, buyer_id });
  if (existing !== undefined)
    throw fail(messageErrors.thread_exists, { facts: { thread_id: existing.thread_id } });
  const { thread_open_days } = await currentPolicy(ctx);
  requireWindow(ctx, ended_at === null ? undefined : Date.parse(ended_at) + thread_open_days * DAY_MS);
  const begun = newThread(ctx, { order_id, product_id: null, buyer_id }, body.topic, {
    ...{ state: 'awaiting_buyer', message_count: 1, sent_in_row: 1 },
  });
  // The buyer of an order that is still to arrive may be erased.
  const erased_at =
    buyer_id === null ? await joinErasures(ctx, begun.thread_id, { object_ids: [order_id] }) : null;
  const thread = { ...begun, erased_at };
  await threads.insert(ctx, thread);
  return tellSent(ctx, thread, await insertSent(ctx, thread, body, null));
}

/** A thread without messages. */
export const newThread = (
  ctx: Acting,
  subject: Pick<ThreadRow, 'order_id' | 'product_id' | 'buyer_id'>,
  topic: string,
  more: Partial<ThreadRow> & Pick<ThreadRow, 'state'>,
): ThreadRow => ({
  thread_id: ctx.ids.next('thr_'),
  ...{ external_thread_id: null, ...subject, topic, locked: false },
  ...{ message_count: 0, unread_count: 0, sent_in_row: 0, turn_no: 0, missed: false },
  ...{ last_message_at: ctx.at(), respond_by: null, next_due_at: null, previous_thread_id: null },
  ...{ closed_at: null, closed_by: null, asked_at: null, heard_at: null, closed_upto: null },
  ...{ state_at: null, state_version: null, erased_at: null },
  ...more,
  ...firstVersion(ctx.at()),
});

/** The open turn, answered now; undefined if none is open. */
async function answered(ctx: Acting, thread: ThreadRow): Promise<TurnRow | undefined> {
  const turn = thread.state === 'awaiting_seller' ? await turnOf(ctx, thread) : undefined;
  return turn && answerTurn(turn, await calendarOf(ctx, turn), ctx.now());
}

/**
 * Replies in a thread; with `close` it is closed afterwards.
 *
 * @throws ApiError 404, 409 `thread_locked|awaiting_buyer_reply|contact_window_passed`, 422
 */
export async function reply(
  ctx: Acting,
  threadId: string,
  body: Sending & { readonly close?: boolean | undefined },
): Promise<Sent> {
  const before = requireFound(await lockThread(ctx, threadId));
  requireState(before, 'reply');
  requireContact(ctx, before, await currentPolicy(ctx));
  if (before.sent_in_row >= IN_ROW_MAX)
    throw fail(messageErrors.awaiting_buyer_reply, { facts: { limit: IN_ROW_MAX } });
  const turn = await answered(ctx, before);
  const row = await insertSent(ctx, before, body, turn?.turn_no ?? null);
  const change = {
    state: 'awaiting_buyer' as const,
    message_count: before.message_count + 1,
    sent_in_row: before.sent_in_row + 1,
    last_message_at: row.recorded_at,
    missed: before.missed || turn?.outcome === 'late',
  };
  const sent = await tellSent(ctx, await writeThread(ctx, before, change, turn), row);
  return body.close === true ? { ...sent, thread: await closeThread(ctx, sent.thread) } : sent;
}
