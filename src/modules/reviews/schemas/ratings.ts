import Type, { type Static } from 'typebox';
import { Redacted } from '../../../kernel/contact-data/redacted.ts';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { trackedExample, trackedSchema } from '../../../kernel/tracked.ts';
import { BUYER_EXAMPLE, Buyer } from '../../../platform/buyers/buyers.ts';
import { Contest, type WireContest } from '../../contests/index.ts';
import { FEEDBACK_STATUSES, FEEDBACK_TOPICS, RATING_SCOPES, RATING_STATUSES } from '../domain/ratings.ts';
import type { FeedbackRow, RatingRow } from '../store/ratings.ts';

export const scope = StringEnum(RATING_SCOPES, {
  title: 'RatingScope',
  description: 'Whether it rates a product, or the seller by an order',
});
export const status = StringEnum(RATING_STATUSES, {
  title: 'RatingStatus',
  description:
    '`excluded`: it does not count because a contest was upheld; `removed`: the marketplace took it away',
});
export const Stars = (description: string) => Type.Integer({ minimum: 1, maximum: 5, description });

const contested = {
  contest_until: Instant({ description: 'Until when it can be contested' }),
  contest: Nullable(Contest),
};
const ofBuyer = (description: string) => ({
  order_id: Type.String({ description }),
  buyer: Nullable(Buyer),
});

export const Rating = trackedSchema(
  'rating_id',
  { kind: 'rev_', one: 'rating', title: 'Rating', description: 'The stars that a buyer has given.' },
  {
    scope,
    product_id: Nullable(Type.String({ description: 'The rated product' })),
    order_id: Nullable(
      Type.String({
        description: 'The order, of a rating of the seller; of a product rating it is not shown',
      }),
    ),
    buyer: Nullable(Buyer),
    stars: Stars('The stars now'),
    posted_stars: Stars('The stars when it was posted'),
    posted_at: Instant({ description: 'When it was posted' }),
    posted_on: Type.String({ format: 'date', description: 'The Sydney day on which it counts' }),
    status,
    revisions: Type.Array(
      Type.Object(
        { stars: Stars('The new stars'), at: Instant({ description: 'When the buyer changed them' }) },
        { title: 'RatingRevision', description: 'A later value of a rating.' },
      ),
      { description: 'Its later values, oldest first' },
    ),
    ...contested,
  },
);
export type WireRating = Static<typeof Rating>;

const until = '2026-09-26T01:00:00.000Z';
export const RATING_EXAMPLE: WireRating = trackedExample('rating_id', 'rev_', {
  scope: 'seller' as const,
  product_id: null,
  order_id: 'ord_1002',
  buyer: BUYER_EXAMPLE,
  stars: 4,
  posted_stars: 4,
  posted_at: '2026-06-28T01:00:00.000Z',
  posted_on: '2026-06-28',
  status: 'counted' as const,
  revisions: [],
  contest_until: until,
  contest: null,
});

export const topic = StringEnum(FEEDBACK_TOPICS, { title: 'FeedbackTopic', description: 'What it is about' });
export const feedbackStatus = StringEnum(FEEDBACK_STATUSES, {
  title: 'FeedbackStatus',
  description: '`withdrawn`: by the buyer, or because a contest was upheld',
});
export const Feedback = trackedSchema(
  'feedback_id',
  {
    kind: 'fbk_',
    one: 'feedback',
    title: 'Feedback',
    description: 'What a buyer tells the seller alone.',
  },
  {
    ...ofBuyer('The order that it is about'),
    topic,
    text: Nullable(Type.String({ description: 'Its text; null after its redaction' })),
    masked: Type.Array(Type.String(), {
      description: 'Kinds of contact data that were removed from the text',
    }),
    redacted: Nullable(described('Null while the text is kept', Redacted)),
    posted_at: Instant({ description: 'When it was posted' }),
    status: feedbackStatus,
    acknowledged_at: Nullable(Instant({ description: 'When the seller acknowledged it; null before' })),
    acknowledged_by: Nullable(Type.String({ description: 'The team member who did' })),
    ...contested,
  },
);
export type WireFeedback = Static<typeof Feedback>;
export const FEEDBACK_EXAMPLE: WireFeedback = trackedExample('feedback_id', 'fbk_', {
  order_id: 'ord_1002',
  buyer: BUYER_EXAMPLE,
  topic: 'delivery' as const,
  text: 'The parcel was wet.',
  masked: [],
  redacted: null,
  posted_at: '2026-06-28T01:00:00.000Z',
  status: 'open' as const,
  acknowledged_at: null,
  acknowledged_by: null,
  contest_until: until,
  contest: null,
});

/** What a row is shown with. */
interface Beside {
  readonly buyer: Buyer | null;
  readonly contest: WireContest | null;
  /** Milliseconds. */
  readonly contest_until: number;
}
const shown = ({ contest_until, ...beside }: Beside) => ({
  ...beside,
  contest_until: new Date(contest_until).toISOString(),
});

export function toWireRating(row: RatingRow, beside: Beside): WireRating {
  const { external_review_id: _id, digest: _digest, revision: _revision, buyer_id: _buyer, ...fields } = row;
  return { ...fields, revisions: row.revisions.map((one) => ({ ...one })), ...shown(beside) };
}

export function toWireFeedback(row: FeedbackRow, beside: Beside): WireFeedback {
  const { external_feedback_id: _id, digest: _digest, buyer_id: _buyer, withdrawn_at: _at, ...fields } = row;
  return { ...fields, masked: [...row.masked], ...shown(beside) };
}
