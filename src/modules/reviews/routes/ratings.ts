import Type from 'typebox';
import { requireFound } from '../../../kernel/errors.ts';
import { moveErrors, requireMove } from '../../../kernel/moves.ts';
import { Instant } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resource } from '../../../platform/rest/resource.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { type Contested, contestRoute, contestRoutes, factsOfOrder, NO_FACTS } from '../../contests/index.ts';
import { feedbackUntil, ratingUntil, showFeedback, showOne, showRatings } from '../actions/show.ts';
import { feedbackMachine, ratingMachine } from '../domain/ratings.ts';
import { reviewEvents } from '../events.ts';
import {
  FEEDBACK_EXAMPLE,
  Feedback,
  feedbackStatus,
  RATING_EXAMPLE,
  Rating,
  Stars,
  scope,
  status,
  topic,
} from '../schemas/ratings.ts';
import { feedback, pageOfFeedback, pageOfRatings, ratings } from '../store/ratings.ts';

const read = reads('support');
const REASONS = [
  'obscene',
  'personal_information',
  'not_about_seller',
  'delivery_by_marketplace_label',
  'wrong_order',
  'duplicate',
  'off_topic',
  'threat',
  'other',
] as const;

const id = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const since = Type.Optional(Instant({ description: 'Posted at or after this instant' }));

/** The facts that the marketplace's label is to blame. */
const LABEL_FACTS = ['label_bought_here', 'dispatched_in_time'] as const;

/** The fact that speaks against a reason; undefined if none does. */
function against(reason: string, { kind, facts }: Pick<Contested, 'kind' | 'facts'>) {
  const isOfProduct = kind === 'rating' && facts.order_id === null;
  if (reason === 'not_about_seller' && isOfProduct) return { name: 'scope', value: 'product' };
  if (reason !== 'delivery_by_marketplace_label') return undefined;
  const name = LABEL_FACTS.find((fact) => facts[fact] !== true);
  return name && { name, value: facts[name] };
}

const ratingRoutes = resource({
  id: 'reviews.ratings',
  one: 'rating',
  kind: 'rev_',
  area: 'support',
  table: ratings,
  schema: Rating,
  example: RATING_EXAMPLE,
  view: (row, ctx) => showOne(showRatings, ctx, row),
});
const feedbackRoutes = resource({
  id: 'reviews.feedback',
  one: 'feedback',
  kind: 'fbk_',
  area: 'support',
  table: feedback,
  schema: Feedback,
  example: FEEDBACK_EXAMPLE,
  view: (row, ctx) => showOne(showFeedback, ctx, row),
});

const listRatings = pageRoute({
  id: 'reviews.ratings.list',
  path: '/ratings',
  summary: 'List ratings',
  description: 'Newest first. Texts, titles and names of reviews are not here: the service stores none.',
  access: read,
  filters: {
    scope: Type.Optional(scope),
    stars: Type.Optional(Stars('Ratings with so many stars')),
    product_id: id('Ratings of this product'),
    order_id: id('Ratings of the seller by this order'),
    status: Type.Optional(status),
    since,
    updated_since: Type.Optional(Instant({ description: 'Changed at or after this instant' })),
  },
  schema: Rating,
  example: RATING_EXAMPLE,
  read: async (ctx, { filters, ...page }) => {
    const rows = await pageOfRatings(ctx, filters, page);
    return showRatings(ctx, rows);
  },
  position: ({ rating_id }) => [rating_id],
  view: (row) => row,
});

const listFeedback = pageRoute({
  id: 'reviews.feedback.list',
  path: '/feedback',
  summary: 'List private feedback',
  description: 'Newest first. Only the seller sees it.',
  access: read,
  cache: 'no-store',
  filters: {
    topic: Type.Optional(topic),
    status: Type.Optional(feedbackStatus),
    order_id: id('Feedback about this order'),
    since,
  },
  schema: Feedback,
  example: FEEDBACK_EXAMPLE,
  read: async (ctx, { filters, ...page }) => {
    const rows = await pageOfFeedback(ctx, filters, page);
    return showFeedback(ctx, rows);
  },
  position: ({ feedback_id }) => [feedback_id],
  view: (row) => row,
});

const factsOf = (ctx: HandlerCtx, orderId: string | null) =>
  orderId === null ? NO_FACTS : factsOfOrder(ctx, orderId);

const contestRating = contestRoute({
  id: 'reviews.ratings.contest',
  path: '/ratings/{rating_id}/contest',
  params: Type.Object({ rating_id: Type.String({ description: 'Id of the rating, `rev_…`' }) }),
  summary: 'Contest a rating',
  area: 'support',
  title: 'RatingContest',
  reasons: REASONS,
  target: async (ctx, { rating_id = '' }, reason) => {
    const row = requireFound(await ratings.find(ctx, { rating_id }));
    if (row.status === 'removed') requireMove(ratingMachine, 'exclude', row.status);
    const facts = { ...(await factsOf(ctx, row.order_id)), stars: row.stars };
    const contested = { kind: 'rating' as const, id: rating_id, revision: row.revision, facts };
    const contest_until = await ratingUntil(ctx, row);
    const { version } = row;
    return { contested: { ...contested, contest_until }, against: against(reason, contested), version };
  },
});

const contestFeedback = contestRoute({
  id: 'reviews.feedback.contest',
  path: '/feedback/{feedback_id}/contest',
  params: Type.Object({ feedback_id: Type.String({ description: 'Id of the feedback, `fbk_…`' }) }),
  summary: 'Contest private feedback',
  area: 'support',
  title: 'FeedbackContest',
  reasons: REASONS,
  target: async (ctx, { feedback_id = '' }, reason) => {
    const row = requireFound(await feedback.find(ctx, { feedback_id }));
    if (row.withdrawn_at !== null) requireMove(feedbackMachine, 'withdraw', row.status);
    const facts = await factsOf(ctx, row.order_id);
    const contested = { kind: 'feedback' as const, id: feedback_id, revision: 0, facts };
    const contest_until = await feedbackUntil(ctx, row);
    const { version } = row;
    return { contested: { ...contested, contest_until }, against: against(reason, contested), version };
  },
});

export const reviewRoutes = [
  listRatings,
  ratingRoutes.get({ description: 'With its revisions and its newest contest.' }),
  contestRating,
  listFeedback,
  feedbackRoutes.get({ description: 'With its newest contest.' }),
  feedbackRoutes.move({
    verb: 'acknowledge',
    summary: 'Acknowledge private feedback',
    description: 'Tells the marketplace that the seller has read it.',
    errors: [moveErrors.invalid_transition],
    emits: reviewEvents.acknowledged,
    run: (ctx, row) => {
      requireMove(feedbackMachine, 'acknowledge', row.status);
      if (row.status === 'acknowledged') return {};
      return { status: 'acknowledged', acknowledged_at: ctx.at(), acknowledged_by: ctx.seller.member_id };
    },
  }),
  contestFeedback,
  ...contestRoutes({ id: 'reviews.contests', area: 'support', kinds: ['rating', 'feedback'] }),
];
