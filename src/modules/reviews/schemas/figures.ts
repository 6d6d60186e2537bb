import Type, { type Static } from 'typebox';
import { frameFields, liveFrame, SampleStatus } from '../../../kernel/frame.ts';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { figuresOf, type Histogram, SAMPLE_MIN } from '../domain/ratings.ts';

export const AT = '2026-07-28T01:00:00.000Z';
const count = (description: string) => Type.Integer({ minimum: 0, description });
const histogram = {
  n1: count('Ratings with one star'),
  n2: count('With two stars'),
  n3: count('With three stars'),
  n4: count('With four stars'),
  n5: count('With five stars'),
};
const figures = {
  ...histogram,
  count: count('All that count'),
  average_hundredths: Nullable(
    Type.Integer({ description: 'Mean of the stars times 100, half up; null without ratings' }),
  ),
};
const totals = {
  ...figures,
  low_share_bps: Nullable(
    Type.Integer({ description: 'Share of ratings with one or two stars, in basis points; null without' }),
  ),
  excluded_count: count('Ratings that do not count because a contest was upheld'),
  removed_count: count('Ratings that the marketplace took away'),
  status: described('`insufficient_sample`: fewer than 5 ratings, too few to judge', SampleStatus),
};

const Totals = Type.Object(totals, { title: 'RatingTotals', description: 'Ratings and their mean.' });
type Totals = Static<typeof Totals>;

/** The numbers as sums of days have them. */
interface Sums {
  readonly n1: number;
  readonly n2: number;
  readonly n3: number;
  readonly n4: number;
  readonly n5: number;
  readonly excluded_count: number;
  readonly removed_count: number;
}
export const NONE: Sums = { n1: 0, n2: 0, n3: 0, n4: 0, n5: 0, excluded_count: 0, removed_count: 0 };
const histogramOf = ({ n1, n2, n3, n4, n5 }: Sums): Histogram => [n1, n2, n3, n4, n5];

export function totalsOf(sums: Sums): Totals {
  const { n1, n2, n3, n4, n5, excluded_count, removed_count } = sums;
  const figures = figuresOf(histogramOf(sums));
  const status = figures.count < SAMPLE_MIN ? 'insufficient_sample' : 'complete';
  return { n1, n2, n3, n4, n5, ...figures, excluded_count, removed_count, status };
}

export const RatingWindow = StringEnum(['30', '90', '365', 'all'], {
  title: 'RatingWindow',
  description: 'Days up to today, or all time',
});
export const Summary = Type.Object(
  {
    window: RatingWindow,
    from_on: Nullable(Type.String({ format: 'date', description: 'First Sydney day; null: from the first' })),
    to_on: Type.String({ format: 'date', description: 'Last Sydney day, today' }),
    seller: Nullable(Totals),
    product: Nullable(Totals),
    rated_share_bps: Nullable(
      Type.Integer({
        description:
          'Ratings of the seller to orders delivered in these days, in basis points; null without orders',
      }),
    ),
    ...frameFields,
  },
  { title: 'RatingSummary', description: 'How buyers rate the seller and its products.' },
);
/** Golden figures of docs/design/reviews.md. */
const SUMS: Sums = { n1: 1, n2: 0, n3: 2, n4: 5, n5: 12, excluded_count: 0, removed_count: 0 };
export const SUMMARY_EXAMPLE: Static<typeof Summary> = {
  window: '30',
  from_on: '2026-06-29',
  to_on: '2026-07-28',
  seller: totalsOf(SUMS),
  product: totalsOf(NONE),
  rated_share_bps: 4_000,
  ...liveFrame(AT, 'reviews.summary.v1', { facts_through_on: '2026-07-27' }),
};

const Point = Type.Object(
  {
    start_on: Type.String({ format: 'date', description: 'First Sydney day of the period' }),
    end_on: Type.String({ format: 'date', description: 'Its last day' }),
    ...figures,
  },
  { title: 'RatingPoint', description: 'The ratings that were posted in a day or a month.' },
);
type Point = Static<typeof Point>;

export function pointOf(start_on: string, end_on: string, sums: Sums): Point {
  const { n1, n2, n3, n4, n5 } = sums;
  const { count, average_hundredths } = figuresOf(histogramOf(sums));
  return { start_on, end_on, n1, n2, n3, n4, n5, count, average_hundredths };
}

export const Series = Type.Object(
  { data: Type.Array(Point, { description: 'Every period, also those without ratings' }), ...frameFields },
  { title: 'RatingSeries', description: 'Ratings by the day of their posting.' },
);
export const SERIES_EXAMPLE: Static<typeof Series> = {
  data: [pointOf('2026-07-01', '2026-07-31', SUMS)],
  ...liveFrame(AT, 'reviews.series.v1', { facts_through_on: '2026-07-27' }),
};

export const ProductTotals = Type.Object(
  { product_id: Type.String({ description: 'The product' }), ...totals },
  { title: 'ProductRatings', description: 'The ratings of a product.' },
);
export const PRODUCT_EXAMPLE: Static<typeof ProductTotals> = {
  product_id: 'prd_01j0000000000000000000000',
  ...totalsOf(SUMS),
};
