/** What the seller does with a thread besides writing. */
import type { Acting } from '../../../kernel/context.ts';
import { fail, missing, requireFound } from '../../../kernel/errors.ts';
import { messageErrors } from '../errors.ts';
import { messageReported, threadUpdated } from '../events.ts';
import { messages, type ThreadRow } from '../store/tables.ts';
import { lockThread, markRead } from '../store/threads.ts';
import { currentPolicy, ended, requireContact, requireState, writeThread } from './change-thread.ts';
import { factsOf, showMessages } from './show.ts';

export async function tellUpdated(
  ctx: Acting,
  thread: ThreadRow,
  changed_by: 'seller' | 'marketplace',
): Promise<void> {
  for (const facts of await factsOf(ctx, [thread]))
    await ctx.emit(threadUpdated.of({ ...facts, message: null, report: null, changed_by }));
}

const lock = async (ctx: Acting, id: string): Promise<ThreadRow> => requireFound(await lockThread(ctx, id));

/** @throws ApiError 404, 409 `invalid_transition` */
export async function endWithoutReply(ctx: Acting, id: string): Promise<ThreadRow> {
  const before = await lock(ctx, id);
  requireState(before, 'no_reply_needed');
  const after = await writeThread(
    ctx,
    before,
    { state: 'settled' },
    await ended(ctx, before, 'no_reply_needed'),
  );
  await tellUpdated(ctx, after, 'seller');
  return after;
}

/** Closes a locked row. @throws ApiError 409 `reply_expected|invalid_transition` */
export async function closeThread(ctx: Acting, before: ThreadRow): Promise<ThreadRow> {
  const { state, respond_by } = before;
  if (state === 'awaiting_seller') throw fail(messageErrors.reply_expected, { facts: { respond_by } });
  requireState(before, 'close');
  const change = { state: 'closed' as const, closed_at: ctx.at(), closed_by: 'seller' as const };
  const after = await writeThread(ctx, before, change);
  await tellUpdated(ctx, after, 'seller');
  return after;
}
export const close = async (ctx: Acting, id: string): Promise<ThreadRow> =>
  closeThread(ctx, await lock(ctx, id));

/** @throws ApiError 404, 409 `invalid_transition|thread_locked|contact_window_passed` */
export async function reopen(ctx: Acting, id: string): Promise<ThreadRow> {
  const before = await lock(ctx, id);
  requireState(before, 'reopen');
  requireContact(ctx, before, await currentPolicy(ctx));
  const after = await writeThread(ctx, before, { state: 'settled' });
  await tellUpdated(ctx, after, 'seller');
  return after;
}

/** Marks messages as read, up to one or all. @throws ApiError 404 */
export async function read(ctx: Acting, id: string, upTo: string | null): Promise<ThreadRow> {
  const before = await lock(ctx, id);
  if (upTo !== null && (await messages.find(ctx, { message_id: upTo }))?.thread_id !== id)
    throw missing(`message ${upTo} in this thread`);
  const count = await markRead(ctx, id, upTo);
  if (count === 0) return before;
  return writeThread(ctx, before, { unread_count: before.unread_count - count });
}

/** Reports a message to the marketplace, once. @throws ApiError 404, 409 `already_reported` */
export async function report(
  ctx: Acting,
  named: { readonly thread_id: string; readonly message_id: string },
  about: { readonly reason: string; readonly detail: string | null },
): Promise<string> {
  const before = await lock(ctx, named.thread_id);
  const row = requireFound(await messages.find(ctx, { message_id: named.message_id }));
  requireFound(row.thread_id === before.thread_id ? row : undefined);
  const { reported_at } = row;
  if (reported_at !== null) throw fail(messageErrors.already_reported, { facts: { reported_at } });
  const at = ctx.at();
  await messages.replace(ctx, { ...row, reported_at: at });
  const after = await writeThread(ctx, before, {});
  const [[facts], [message]] = await Promise.all([factsOf(ctx, [after]), showMessages(ctx, [row])]);
  if (facts !== undefined && message !== undefined)
    await ctx.emit(messageReported.of({ ...facts, message, report: about, changed_by: 'seller' }));
  return at;
}
