/** Deletes texts of tickets: of a buyer who is erased, and long after the last entry. */
import type { Acting } from '../../../kernel/context.ts';
import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { withoutFilenames } from '../../../platform/attachments/attachment-schema.ts';
import { type Deletion, deleteContents } from '../../../platform/attachments/attachments.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { lockIfOld, lockTicketsOf, redactTickets } from '../store/tables.ts';

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The stored event without texts and names of files; for an erased buyer also without the subject. */
function withoutTexts(data: EventData, redacted: object, isWhole: boolean): EventData {
  const { object } = data;
  if (!isFields(object)) return data;
  const { entry, kind, topic } = object;
  if (!isWhole && !(isFields(entry) && entry['author'] === 'buyer')) return data;
  const subject = !isWhole || kind === 'seller_request' ? object['subject'] : topic;
  return {
    ...data,
    object: {
      ...object,
      ...{ subject, buyer: null },
      entry: isFields(entry)
        ? { ...entry, text: null, redacted, attachments: withoutFilenames(entry['attachments']) }
        : null,
    },
  };
}

async function erase(
  ctx: Acting,
  ticketIds: readonly string[],
  reason: 'erasure' | 'retention',
  why: Deletion,
  isWhole = true,
): Promise<void> {
  if (ticketIds.length === 0) return;
  const redacted = { reason, at: ctx.at() };
  const files = await redactTickets(ctx, ticketIds, redacted, isWhole ? undefined : 'buyer');
  await deleteContents(ctx, files, why);
  // Events are kept for less time than texts.
  if (reason === 'erasure')
    await rewriteEvents(ctx, ticketIds, (data) => withoutTexts(data, redacted, isWhole));
}

/** Deletes the texts of a ticket unless it has a newer entry. */
export async function forgetTicket(ctx: Acting, ticketId: string, before: string): Promise<void> {
  if (await lockIfOld(ctx, ticketId, before)) await erase(ctx, [ticketId], 'retention', 'attachment_expired');
}

export const ticketEraser: Eraser = {
  columns: ['ticket.subject', 'ticket_entry.text', 'ticket_entry.content_digest'],
  // No delivery needs a ticket, so those about open orders are erased at once.
  async erase(ctx, { buyer_id, order_ids, open_order_ids, thread_ids }) {
    const found = await lockTicketsOf(ctx, buyer_id, [...order_ids, ...open_order_ids], thread_ids);
    for (const isWhole of [true, false]) {
      const ids = found.flatMap(({ ticket_id, is_whole }) => (is_whole === isWhole ? [ticket_id] : []));
      await erase(ctx, ids, 'erasure', 'buyer_erased', isWhole);
    }
  },
};
