import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { eraseContests, withoutTexts } from '../../contests/index.ts';
import { detachRatings, eraseFeedback, type Redacted } from '../store/ratings.ts';

interface Shown {
  readonly contest?: object | null;
}
/** An event with other values of some fields, and without the texts of the contest. */
function withFields(data: EventData, fields: object): EventData {
  if (data.object === null) return data;
  const { contest = null, ...object } = data.object as Shown;
  return { ...data, object: { ...object, ...fields, contest: contest && withoutTexts(contest) } };
}

/** What an event about feedback shows after the erasure; the first deletion of the text stays. */
const withoutOpinion = ({ object }: EventData, redacted: Redacted) => ({
  ...{ buyer: null, text: null },
  redacted: (object as { readonly redacted?: Redacted | null } | null)?.redacted ?? redacted,
});

/** Stars stay; the text of feedback and the pseudonym go. */
export const reviewEraser: Eraser = {
  columns: ['feedback.text', 'contest.detail', 'contest.decision_detail'],
  // No delivery needs an opinion, so those about open orders are erased at once.
  erase: async (ctx, { buyer_id, earlier_ids, ...orders }) => {
    const order_ids = [...orders.order_ids, ...orders.open_order_ids, ...earlier_ids];
    const erasing = { buyer_id, order_ids, earlier_ids };
    const redacted = { reason: 'erasure' as const, at: ctx.at() };
    const feedback = await eraseFeedback(ctx, erasing, redacted);
    const ofFeedback = await eraseContests(ctx, 'feedback', feedback);
    await rewriteEvents(ctx, feedback, (data) => withFields(data, withoutOpinion(data, redacted)));
    const ratings = await detachRatings(ctx, erasing, redacted.at);
    const ofRatings = await eraseContests(ctx, 'rating', ratings);
    await rewriteEvents(ctx, ratings, (data) => withFields(data, { buyer: null }));
    return [...feedback, ...ratings, ...ofFeedback, ...ofRatings];
  },
};
