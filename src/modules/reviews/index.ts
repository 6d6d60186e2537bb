/** Ratings and private feedback. See docs/design/reviews.md. */
import { defineModule } from '../../kernel/route.ts';
import { reviewEraser } from './actions/erase.ts';
import { feedbackMachine, ratingMachine } from './domain/ratings.ts';
import { reviewEvents } from './events.ts';
import { feedbackIntake } from './intake/feedback.ts';
import { ratingIntake } from './intake/ratings.ts';
import { forgetFeedback } from './jobs.ts';
import { figureRoutes } from './routes/figures.ts';
import { reviewRoutes } from './routes/ratings.ts';

export { reviewContests } from './actions/change.ts';

export const reviewsModule = defineModule({
  name: 'reviews',
  base: '/reviews',
  title: 'Reviews',
  summary: 'Ratings and private feedback; public review text and shopper-visible replies unsupported',
  availability: 'available',
  ids: ['rev_', 'fbk_'],
  machines: [ratingMachine, feedbackMachine],
  absentPaths: ['/ratings/{rating_id}/reply', '/ratings/{rating_id}/text', '/replies'].map((path) => ({
    path,
    availability: 'unavailable' as const,
    reason: 'Public review text and shopper-visible replies are unsupported.',
  })),
  routes: [...figureRoutes, ...reviewRoutes],
  events: Object.values(reviewEvents),
  marketplaceEvents: [...ratingIntake, ...feedbackIntake],
  jobs: [forgetFeedback],
  eraser: reviewEraser,
});
