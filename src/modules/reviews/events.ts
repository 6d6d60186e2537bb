import { defineEvent } from '../../kernel/events.ts';
import { FEEDBACK_EXAMPLE, Feedback, RATING_EXAMPLE, Rating } from './schemas/ratings.ts';

const rating = { schema: Rating, id: 'rating_id', example: RATING_EXAMPLE } as const;
const feedback = { schema: Feedback, id: 'feedback_id', example: FEEDBACK_EXAMPLE } as const;
/** Only low stars that count are worth a notification. */
const low = { status: ['counted'], stars: [1, 2] };

export const reviewEvents = {
  posted: defineEvent({
    ...rating,
    type: 'rating.posted',
    summary: 'A buyer has rated a product, or the seller',
    notification: { severity: 'warning', when: low, title: 'A buyer has given {stars} of 5 stars' },
  }),
  changed: defineEvent({
    ...rating,
    type: 'rating.changed',
    summary: 'A rating was revised, excluded, counted again or removed',
    notification: { severity: 'warning', when: low, title: 'A rating has {stars} of 5 stars now' },
  }),
  received: defineEvent({
    ...feedback,
    type: 'feedback.received',
    summary: 'A buyer has sent private feedback',
    notification: { severity: 'warning', title: 'There is private feedback about order {order_id}: {topic}' },
  }),
  acknowledged: defineEvent({
    ...feedback,
    type: 'feedback.acknowledged',
    summary: 'The seller has acknowledged private feedback',
    marketplace: true,
  }),
};
