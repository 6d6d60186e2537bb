/**
 * Erases a buyer in threads, messages, their files and their stored events (docs/design/buyers.md#erasure), and deletes
 * the texts of old threads.
 */
import type { Acting } from '../../../kernel/context.ts';
import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { asDeleted } from '../../../platform/attachments/attachment-schema.ts';
import { deleteContents } from '../../../platform/attachments/attachments.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { detachBuyer, noteForgotten, redactMessages } from '../store/erase.ts';
import type { Redacted } from '../store/tables.ts';

type Shown = Readonly<Record<string, unknown>> | null;

/** An event as it would be written now. */
function withoutTexts(data: EventData, redacted: Redacted): EventData {
  const object = data.object as Shown;
  if (object === null) return data;
  const message = object['message'] as Shown;
  const report = object['report'] as Shown;
  return {
    ...data,
    object: {
      ...object,
      buyer: null,
      message: message && {
        ...message,
        ...{ text: null, redacted: message['redacted'] ?? redacted },
        attachments: asDeleted(message['attachments']),
      },
      report: report && { ...report, detail: null },
    },
  };
}

/** Deletes the texts, files and names in threads of an erased buyer, also in their stored events. */
export async function eraseThreads(ctx: Acting, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const redacted = { reason: 'erasure' as const, at: ctx.at() };
  await deleteContents(ctx, await redactMessages(ctx, ids, redacted), 'buyer_erased');
  await rewriteEvents(ctx, ids, (data) => withoutTexts(data, redacted));
}

export const messageEraser: Eraser = {
  columns: ['thread_message.text', 'thread_message.content_digest'],
  // No delivery needs a message, so those about open orders are erased at once.
  erase: async (ctx, erasing) => {
    const { order_ids, open_order_ids, earlier_ids } = erasing;
    const threads = await detachBuyer(ctx, erasing, [...order_ids, ...open_order_ids, ...earlier_ids]);
    await eraseThreads(ctx, threads);
    return threads;
  },
};

/** Deletes the texts and files of a thread unless it has a newer message. Events are kept for less time than texts. */
export async function forgetThread(ctx: Acting, threadId: string, before: string): Promise<void> {
  if (!(await noteForgotten(ctx, threadId, before))) return;
  const files = await redactMessages(ctx, [threadId], { reason: 'retention', at: ctx.at() });
  await deleteContents(ctx, files, 'attachment_expired');
}
