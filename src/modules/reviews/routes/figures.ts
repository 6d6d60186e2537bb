import { Temporal } from 'temporal-polyfill';
import Type from 'typebox';
import { firstInstant, sydneyDate } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { frameFields, liveFrame, rateBps } from '../../../kernel/frame.ts';
import { allows, StringEnum, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { periodsOf } from '../domain/periods.ts';
import { SAMPLE_MIN } from '../domain/ratings.ts';
import {
  AT,
  NONE,
  PRODUCT_EXAMPLE,
  ProductTotals,
  pointOf,
  RatingWindow,
  SERIES_EXAMPLE,
  Series,
  SUMMARY_EXAMPLE,
  Summary,
  totalsOf,
} from '../schemas/figures.ts';
import { scope } from '../schemas/ratings.ts';
import { countDelivered, hasRatings, sumsByPeriod, sumsByProduct, sumsByScope } from '../store/figures.ts';

const read = reads('support');
const POINTS_MAX = 400;

const daysBefore = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).subtract({ days }).toString();

/** The frame of figures that go up to now. @param sample number of ratings; undefined: not judged together */
function frameOf(ctx: HandlerCtx, contract: string, known: boolean, sample = SAMPLE_MIN) {
  if (!known) return liveFrame(ctx.at(), contract, { semantic_status: 'no_usable_report' });
  return liveFrame(ctx.at(), contract, {
    facts_through_on: daysBefore(sydneyDate(ctx.now()), 1),
    ...(sample < SAMPLE_MIN && { semantic_status: 'insufficient_sample' as const }),
  });
}

const summary = defineRoute({
  id: 'reviews.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Read how buyers rate the seller and its products',
  description:
    'By the days on which ratings were posted. Before the first rating the figures are null: that is not a measured zero.',
  access: read,
  query: Type.Object({
    window: Type.Optional(withDefault('30', RatingWindow)),
  }),
  ok: okJson('The figures', Summary, SUMMARY_EXAMPLE),
  errors: [],
  handler: async (ctx, { query: { window = '30' } }) => {
    const to_on = sydneyDate(ctx.now());
    const from_on = window === 'all' ? null : daysBefore(to_on, Number(window) - 1);
    const contract = 'reviews.summary.v1';
    if (!(await hasRatings(ctx))) {
      const nothing = { seller: null, product: null, rated_share_bps: null };
      return { body: { window, from_on, to_on, ...nothing, ...frameOf(ctx, contract, false) } };
    }
    const sums = await sumsByScope(ctx, from_on ?? undefined, to_on);
    const of = (wanted: string) => totalsOf(sums.find((one) => one.scope === wanted) ?? NONE);
    const [seller, product] = [of('seller'), of('product')];
    const from = from_on === null ? undefined : new Date(firstInstant(from_on)).toISOString();
    const rated_share_bps = rateBps(seller.count, await countDelivered(ctx, from));
    const frame = frameOf(ctx, contract, true, Math.max(seller.count, product.count));
    return { body: { window, from_on, to_on, seller, product, rated_share_bps, ...frame } };
  },
});

/** The calendar library reads it, so a day of another millennium is refused. */
const YEARS = allows('^2', 'Use a day from the year 2000 on, such as 2026-08-31.');
const day = (description: string) => Type.Optional(Type.String({ format: 'date', ...YEARS, description }));

/** @throws ApiError 422 `window_too_long` */
function requirePoints(from: string, to: string, granularity: 'day' | 'month') {
  const refuse = (type: string, msg: string) => invalid([{ loc: ['query', 'from'], msg, type, input: from }]);
  if (from > to) throw refuse('window_empty', 'The first day is after the last one; swap them.');
  const periods = periodsOf(from, to, granularity, POINTS_MAX);
  if (periods !== undefined) return periods;
  throw refuse(
    'window_too_long',
    `A series has at most ${POINTS_MAX} points; ask for fewer days, or by month.`,
  );
}

const series = defineRoute({
  id: 'reviews.series.list',
  method: 'GET',
  path: '/series',
  summary: 'Read ratings by day or month',
  description: `By the day of their posting, at most ${POINTS_MAX} points. A revision changes the day of the posting.`,
  access: read,
  query: Type.Object({
    scope: Type.Optional(scope),
    product_id: Type.Optional(Type.String({ maxLength: 100, description: 'Ratings of this product' })),
    granularity: Type.Optional(
      withDefault('day', StringEnum(['day', 'month'], { description: 'Length of a period' })),
    ),
    from: day('First Sydney day; default: 29 days before the last one'),
    to: day('Last Sydney day; default: today'),
  }),
  ok: okJson('The series', Series, SERIES_EXAMPLE),
  errors: [],
  handler: async (ctx, { query }) => {
    const { granularity = 'day', to = sydneyDate(ctx.now()), product_id } = query;
    const from = query.from ?? daysBefore(to, 29);
    const asked = { scope: product_id === undefined ? (query.scope ?? 'seller') : 'product' } as const;
    const periods = requirePoints(from, to, granularity);
    const contract = 'reviews.series.v1';
    if (!(await hasRatings(ctx))) return { body: { data: [], ...frameOf(ctx, contract, false) } };
    const sums = await sumsByPeriod(ctx, { ...asked, product_id, granularity, from, to });
    const byPeriod = new Map(sums.map((one) => [one.period, one]));
    const data = periods.map(({ key, start, end }) => pointOf(start, end, byPeriod.get(key) ?? NONE));
    const sample = data.reduce((sum, { count }) => sum + count, 0);
    return { body: { data, ...frameOf(ctx, contract, true, sample) } };
  },
});

const products = pageRoute({
  id: 'reviews.products.list',
  path: '/products',
  summary: 'List the ratings of each product',
  description: 'Over all time; the most low ratings, or the most ratings, first.',
  access: read,
  filters: {
    sort: Type.Optional(
      withDefault('low_share', StringEnum(['low_share', 'count'], { description: 'What comes first' })),
    ),
  },
  schema: ProductTotals,
  example: PRODUCT_EXAMPLE,
  read: (ctx, { filters, after, limit }) => sumsByProduct(ctx, filters.sort ?? 'low_share', after, limit + 1),
  position: ({ place, product_id }) => [place, product_id],
  view: ({ product_id, place: _, ...sums }) => ({ product_id, ...totalsOf(sums) }),
  more: {
    properties: frameFields,
    example: liveFrame(AT, 'reviews.products.v1', { facts_through_on: '2026-07-27' }),
    read: async (ctx) => frameOf(ctx, 'reviews.products.v1', await hasRatings(ctx)),
  },
});

export const figureRoutes = [summary, series, products];
