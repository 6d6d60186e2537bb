import Type from 'typebox';
import { addWeeks, mondayOf, WEEK_PATTERN } from '../../kernel/australia/iso-week.ts';
import { addDays } from '../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { fail, invalid } from '../../kernel/errors.ts';
import { lacking, type MissingComponent } from '../../kernel/frame.ts';
import { allows } from '../../kernel/schema.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { shownTag } from '../../platform/http/etag.ts';
import { reads } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { DAYS_KEPT, readFactsFrame } from '../facts/index.ts';
import {
  categoryOf,
  isMonth,
  lastDayOf,
  lastPeriod,
  MEASURES,
  type Measure,
  measuresOf,
  medianOf,
  type PriceBand,
  prefixesOf,
  quarterOf,
} from './domain/cells.ts';
import { intelErrors } from './errors.ts';
import {
  CATEGORY_EXAMPLE,
  frameOf,
  measure,
  moneyOf,
  OwnCategory,
  REPORT_EXAMPLE,
  Report,
  statusOf,
  TREND_EXAMPLE,
  Trend,
  toCell,
} from './schemas.ts';
import { type Cell, cellsOf, newestCells, ownPaths, pathsInOtherCurrencies, soldByPrice } from './store.ts';

const access = { ...reads('growth'), plan: 'marketplace_intel' } as const;
const SOLD_WITHIN_DAYS = 90;

const todayOf = (ctx: HandlerCtx): string => sydneyDate(ctx.now());

/** The categories in which the seller has an active product or has sold one, and those above them. */
async function ownCategories(ctx: HandlerCtx): Promise<string[]> {
  const paths = await ownPaths(ctx, addDays(todayOf(ctx), -SOLD_WITHIN_DAYS));
  return [...new Set(paths.flatMap(prefixesOf))].sort();
}

/** @throws ApiError 404 `category_not_yours`, whether the marketplace has the category or not */
async function requireOwn(ctx: HandlerCtx, asked: string): Promise<string> {
  const category = categoryOf(asked);
  if (category === undefined || !(await ownCategories(ctx)).includes(category))
    throw fail(intelErrors.category_not_yours);
  return category;
}

const categories = pageRoute({
  id: 'marketplace_intel.categories.list',
  path: '/categories',
  summary: 'List the categories in which the seller sells',
  description:
    'With an active product, or one that was sold in the last 90 days; also the categories above them. By name.',
  access,
  schema: OwnCategory,
  example: CATEGORY_EXAMPLE,
  read: async (ctx, { after, limit }) => {
    const all = await ownCategories(ctx);
    const shown = all
      .filter((category) => after === undefined || category > String(after[0]))
      .slice(0, limit + 1);
    const today = todayOf(ctx);
    const { currency } = await ctx.standing();
    const last = MEASURES.map((one) => [one, lastPeriod(one, today)] as const);
    const cells = Map.groupBy(await newestCells(ctx.db, currency, shown, last), (cell) => cell.category);
    return shown.map((category) => ({ category, cells: cells.get(category) ?? [] }));
  },
  position: ({ category }) => [category],
  view: ({ category, cells }) => ({
    category,
    measures: MEASURES.map((one) => {
      const cell = cells.find((found) => found.measure === one);
      return { measure: one, latest_period: cell?.period ?? null, status: statusOf(cell) };
    }),
  }),
});

const category = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'Category such as `Home > Kitchen`, of `GET /marketplace-intel/categories`',
});
const MONTH_PATTERN = '^2\\d{3}-(?:0[1-9]|1[0-2])$';

/** @throws ApiError 422 for a week that its year does not have, and for a period that has not ended */
function requireClosed(ctx: HandlerCtx, period: string): string {
  const refuse = (type: string, msg: string) =>
    invalid([{ loc: ['query', 'period'], msg, type, input: period }]);
  if (!isMonth(period) && mondayOf(period) === undefined)
    throw refuse('format_invalid', 'The year has no such week.');
  if (lastDayOf(period) >= todayOf(ctx))
    throw refuse('period_not_closed', 'The period has not ended; ask for an earlier one.');
  return period;
}

/** The time of the answer is no difference. */
const tagOf = (version: string, body: object) => shownTag(version, { ...body, generated_at: null });

const REPORT = 'marketplace-intel.report.v1';
const NO_POSITION = { own_position: null, lacks: [] };

/** What the seller sold in a month, as the facts of now have it. */
async function soldIn(ctx: HandlerCtx, period: string) {
  const [first, last] = [`${period}-01`, lastDayOf(period)];
  const [{ facts_through_on: through }, sold, others] = await Promise.all([
    readFactsFrame(ctx, REPORT, []),
    soldByPrice(ctx, first, last),
    pathsInOtherCurrencies(ctx, first, last),
  ]);
  const isKnown = through !== null && first >= addDays(todayOf(ctx), -DAYS_KEPT);
  return { through, isKnown, last, sold, others };
}

/** The own prices of a month beside the band of the market. */
function positionOf(
  own: string,
  { through, isKnown, last, sold, others }: Awaited<ReturnType<typeof soldIn>>,
  cell: Cell | undefined,
) {
  const isOwn = (path: string): boolean => prefixesOf(path).includes(own);
  const own_median_minor = isKnown ? medianOf(sold.filter((row) => isOwn(row.category))) : null;
  const band = cell?.value ?? null;
  const quarter =
    own_median_minor === null || band === null ? null : quarterOf(own_median_minor, band as PriceBand);
  const lacks: MissingComponent[] = [
    ...(others.some(isOwn) ? (['other_currencies'] as const) : []),
    ...(isKnown ? [] : (['sales_history'] as const)),
    ...(through !== null && through < last ? (['recent_days'] as const) : []),
  ];
  return { own_position: { own_median_minor, quarter }, lacks };
}

const report = defineRoute({
  id: 'marketplace_intel.report.get',
  method: 'GET',
  path: '/categories/report',
  tagged: true,
  summary: 'Read the market of a category in a period',
  description:
    'Published once and never changed. Values are rounded; those that would say too much about single sellers are held back.',
  access,
  cache: 'no-store',
  query: Type.Object({
    category,
    period: Type.Optional(
      Type.String({
        ...allows(
          `${WEEK_PATTERN}|${MONTH_PATTERN}`,
          'Use a month such as 2026-07, or a week such as 2026-W30.',
        ),
        description: 'Month for prices, week for indexes; default: the last month that has ended',
      }),
    ),
  }),
  ok: okJson('The cells', Report, REPORT_EXAMPLE),
  errors: [intelErrors.category_not_yours],
  handler: async (ctx, { query }) => {
    const period = requireClosed(ctx, query.period ?? lastPeriod('price_band', todayOf(ctx)));
    const own = await requireOwn(ctx, query.category);
    const { currency } = await ctx.standing();
    const measures = measuresOf(period);
    const [cells, month] = await Promise.all([
      cellsOf(ctx.db, { currency, category: own, measures, from: period, to: period }),
      isMonth(period) ? soldIn(ctx, period) : undefined,
    ]);
    const shown = measures.map((one) =>
      toCell(
        one,
        cells.find((cell) => cell.measure === one),
      ),
    );
    const statuses = shown.map(({ status }) => status);
    const market = frameOf(ctx.at(), 'report', statuses, cells.length > 0 ? lastDayOf(period) : null);
    const { own_position, lacks } = month === undefined ? NO_POSITION : positionOf(own, month, cells[0]);
    const frame = lacking(market, lacks);
    const body = { category: own, period, measures: shown, own_position, ...moneyOf(currency), ...frame };
    return { body, etag: tagOf(period, body) };
  },
});

const monthBefore = (month: string): string => addDays(`${month}-01`, -1).slice(0, 'YYYY-MM'.length);
const before = (period: string): string => (isMonth(period) ? monthBefore(period) : addWeeks(period, -1));

/** A number of periods of a measure up to the last one that has ended, oldest first. */
function periodsOf(of: Measure, today: string, count: number): string[] {
  const periods = [lastPeriod(of, today)];
  while (periods.length < count) periods.unshift(before(periods[0] ?? ''));
  return periods;
}

const trend = defineRoute({
  id: 'marketplace_intel.trend.get',
  method: 'GET',
  path: '/categories/trend',
  tagged: true,
  summary: 'Read a measure of a category over time',
  description: 'Up to the last period that has ended. What is held back or was not sent is a row too.',
  access,
  cache: 'no-store',
  query: Type.Object({
    category,
    measure,
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 26, default: 12, description: 'Number of months or weeks' }),
    ),
  }),
  ok: okJson('The periods', Trend, TREND_EXAMPLE),
  errors: [intelErrors.category_not_yours],
  handler: async (ctx, { query }) => {
    const own = await requireOwn(ctx, query.category);
    const { currency } = await ctx.standing();
    const periods = periodsOf(query.measure, todayOf(ctx), query.periods ?? 12);
    const [from = '', to = ''] = [periods[0], periods.at(-1)];
    const cells = await cellsOf(ctx.db, { currency, category: own, measures: [query.measure], from, to });
    const byPeriod = new Map(cells.map((cell) => [cell.period, cell]));
    const data = periods.map((period) => {
      const cell = byPeriod.get(period);
      return { period, status: statusOf(cell), value: cell?.value ?? null };
    });
    const newest = periods.findLast((period) => byPeriod.has(period));
    const statuses = data.map(({ status }) => status);
    const frame = frameOf(ctx.at(), 'trend', statuses, newest === undefined ? null : lastDayOf(newest));
    const body = { category: own, measure: query.measure, data, ...moneyOf(currency), ...frame };
    return { body, etag: tagOf(to, body) };
  },
});

export const intelRoutes = [categories, report, trend];
