/** Ratings and their numbers. Source: docs/design/reviews.md. */
import { rateBps } from '../../../kernel/frame.ts';
import { defineMachine, move } from '../../../kernel/machine.ts';

export const RATING_SCOPES = ['product', 'seller'] as const;
export type RatingScope = (typeof RATING_SCOPES)[number];
export const RATING_STATUSES = ['counted', 'excluded', 'removed'] as const;
export type RatingStatus = (typeof RATING_STATUSES)[number];
export const FEEDBACK_STATUSES = ['open', 'acknowledged', 'withdrawn'] as const;
export const FEEDBACK_TOPICS = [
  'delivery',
  'packaging',
  'item_condition',
  'description',
  'service',
  'price',
  'other',
] as const;

export const ratingMachine = defineMachine({
  name: 'rating',
  title: 'Rating',
  states: RATING_STATUSES,
  rows: [
    move('post', [], 'counted', 'marketplace', { emits: ['rating.posted'] }),
    move('revise', ['counted', 'excluded'], 'counted', 'marketplace', {
      guard: 'newer than the known revisions; an older one is only added to them',
      emits: ['rating.changed'],
    }),
    move('exclude', 'counted', 'excluded', 'marketplace', {
      guard: 'a contest of the present revision is upheld',
      emits: ['rating.changed'],
    }),
    move('count', 'excluded', 'counted', 'marketplace', {
      guard: 'the same contest is declined later',
      emits: ['rating.changed'],
    }),
    move('remove', ['counted', 'excluded'], 'removed', 'marketplace', { emits: ['rating.changed'] }),
  ],
});

export const feedbackMachine = defineMachine({
  name: 'feedback',
  title: 'Private feedback',
  states: FEEDBACK_STATUSES,
  rows: [
    move('post', [], 'open', 'marketplace', { emits: ['feedback.received'] }),
    move('acknowledge', ['open', 'acknowledged'], 'acknowledged', 'seller', {
      emits: ['feedback.acknowledged'],
    }),
    move('withdraw', ['open', 'acknowledged'], 'withdrawn', 'marketplace', {
      guard: 'also when a contest is upheld',
    }),
    move('restore', 'withdrawn', ['open', 'acknowledged'], 'marketplace', {
      guard: 'the contest is declined later, and the buyer has not withdrawn it',
    }),
  ],
});

/** A later value of a rating. */
export interface Revision {
  readonly stars: number;
  readonly at: string;
}

const byTime = (a: Revision, b: Revision): number => Date.parse(a.at) - Date.parse(b.at) || a.stars - b.stars;

/**
 * The revisions of a rating with one more, in their order, so that revisions end alike in any order of arrival.
 *
 * @returns undefined if it is known already
 */
export function withRevision(revisions: readonly Revision[], added: Revision): Revision[] | undefined {
  if (revisions.some((one) => byTime(one, added) === 0)) return undefined;
  return [...revisions, added].sort(byTime);
}

/** Ratings by their stars, from one to five. */
export type Histogram = readonly [number, number, number, number, number];

/** Below so many ratings the figures are shown, but not judged. */
export const SAMPLE_MIN = 5;

/** The figures of a histogram, by exact arithmetic. */
export function figuresOf(histogram: Histogram) {
  const count = histogram.reduce((sum, number) => sum + number, 0);
  const stars = histogram.reduce((sum, number, index) => sum + number * (index + 1), 0);
  const [n1, n2] = histogram;
  return {
    count,
    average_hundredths: count === 0 ? null : Math.floor((200 * stars + count) / (2 * count)),
    low_share_bps: rateBps(n1 + n2, count),
  };
}
