import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { detachRatings, eraseFeedback } from '../store/ratings.ts';

/** An event with other values of some fields. */
const withFields = (data: EventData, fields: object): EventData =>
  data.object === null ? data : { ...data, object: { ...(data.object as object), ...fields } };

/** Stars stay; the text of feedback and the pseudonym go. */
export const reviewEraser: Eraser = {
  columns: ['feedback.text'],
  // No delivery needs an opinion, so those about open orders are erased at once.
  erase: async (ctx, { buyer_id, ...orders }) => {
    const erasing = { buyer_id, order_ids: [...orders.order_ids, ...orders.open_order_ids] };
    const redacted = { reason: 'erasure' as const, at: ctx.at() };
    const feedback = await eraseFeedback(ctx, erasing, redacted);
    await rewriteEvents(ctx, feedback, (data) => withFields(data, { buyer: null, text: null, redacted }));
    const ratings = await detachRatings(ctx, erasing);
    await rewriteEvents(ctx, ratings, (data) => withFields(data, { buyer: null }));
  },
};
