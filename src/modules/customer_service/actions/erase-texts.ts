/** Deletes texts of tickets: of a buyer who is erased, and long after the last entry. */
import type { Acting } from '../../../kernel/context.ts';
import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { asDeleted } from '../../../platform/attachments/attachment-schema.ts';
import { deleteContents } from '../../../platform/attachments/attachments.ts';
import { dropAliases } from '../../../platform/buyers/buyers.ts';
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
        ? {
            ...entry,
            ...{ text: null, redacted: entry['redacted'] ?? redacted },
            attachments: asDeleted(entry['attachments']),
          }
        : null,
    },
  };
}

/** Deletes the texts of a ticket unless it has a newer entry. Events are kept for less time than texts. */
export async function forgetTicket(ctx: Acting, ticketId: string, before: string): Promise<void> {
  if (!(await lockIfOld(ctx, ticketId, before))) return;
  const redacted = { reason: 'retention' as const, at: ctx.at() };
  await deleteContents(ctx, await redactTickets(ctx, [ticketId], redacted, null), 'attachment_expired');
}

async function erase(
  ctx: Acting,
  ticketIds: readonly string[],
  erasedAt: string,
  isWhole: boolean,
): Promise<void> {
  if (ticketIds.length === 0) return;
  const redacted = { reason: 'erasure' as const, at: ctx.at() };
  const files = await redactTickets(ctx, ticketIds, redacted, erasedAt, isWhole ? undefined : 'buyer');
  await deleteContents(ctx, files, 'buyer_erased');
  await rewriteEvents(ctx, ticketIds, (data) => withoutTexts(data, redacted, isWhole));
}

export const ticketEraser: Eraser = {
  columns: ['ticket.subject', 'ticket_entry.text', 'ticket_entry.content_digest'],
  // No delivery needs a ticket, so those about open orders are erased at once.
  async erase(ctx, erasing) {
    const { order_ids, open_order_ids, earlier_ids, erased_at } = erasing;
    const found = await lockTicketsOf(ctx, erasing, [...order_ids, ...open_order_ids, ...earlier_ids]);
    for (const isWhole of [true, false]) {
      const ids = found.flatMap(({ ticket_id, is_whole }) => (is_whole === isWhole ? [ticket_id] : []));
      await erase(ctx, ids, erased_at, isWhole);
    }
    // A ticket about a thread may have had the alias of the buyer.
    await dropAliases(
      ctx,
      found.map(({ buyer_id }) => ({ buyer_id })),
    );
    return found.map(({ ticket_id }) => ticket_id);
  },
};
