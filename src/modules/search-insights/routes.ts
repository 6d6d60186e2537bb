import Type, { type Static } from 'typebox';
import { addWeeks, mondayOf, weekOf } from '../../kernel/australia/iso-week.ts';
import { addDays } from '../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { invalid } from '../../kernel/errors.ts';
import { lacking } from '../../kernel/frame.ts';
import { nameFilter, StringEnum, withDefault } from '../../kernel/schema.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { shownTag } from '../../platform/http/etag.ts';
import { reads } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { type PeriodState, stateOf } from './domain/periods.ts';
import { queryOf } from './domain/report.ts';
import {
  frameExample,
  frameOf,
  PRODUCT_EXAMPLE,
  ProductFigures,
  QUERY_CHARS_MAX,
  QUERY_COLUMNS,
  QUERY_EXAMPLE,
  QueryFigures,
  REPORT_EXAMPLE,
  Report,
  TREND_EXAMPLE,
  Trend,
  toPoint,
  toProduct,
  toQuery,
  toReport,
  week,
  weekFields,
} from './schemas.ts';
import {
  countsByWeek,
  type Figures,
  figuresOf,
  type Order,
  type ReportRow,
  reportFor,
  reportsBetween,
} from './store.ts';

const access = reads('growth');
/** Weeks of the default list. */
const WEEKS_DEFAULT = 26;
/** As long as reports are kept: 25 months. */
const WEEKS_MAX = 110;

const lastWeek = (ctx: HandlerCtx): string => weekOf(addDays(sydneyDate(ctx.now()), -7));
const firstWeek = (ctx: HandlerCtx): string => addWeeks(lastWeek(ctx), 1 - WEEKS_MAX);

/** @throws ApiError 422 for a week that its year does not have, and for one whose report would be deleted */
function requireWeek(ctx: HandlerCtx, field: string, asked: string): string {
  const refuse = (type: string, msg: string) => invalid([{ loc: ['query', field], msg, type, input: asked }]);
  if (mondayOf(asked) === undefined) throw refuse('format_invalid', 'The year has no such week.');
  if (asked < firstWeek(ctx))
    throw refuse('date_too_old', 'Reports are kept for 25 months; ask for a later week.');
  return asked;
}

/** The weeks between two that have a state, the newest first. */
async function statesOf(ctx: HandlerCtx, from: string, to: string) {
  const today = sydneyDate(ctx.now());
  const reported = new Map((await reportsBetween(ctx, from, to)).map((row) => [row.period, row]));
  const weeks: { period: string; state: PeriodState; row: ReportRow | undefined }[] = [];
  for (let period = to; period >= from; period = addWeeks(period, -1)) {
    const row = reported.get(period);
    const state = stateOf(period, row?.status, today);
    if (state !== undefined) weeks.push({ period, state, row });
  }
  return weeks;
}

const reports = pageRoute({
  id: 'search_insights.reports.list',
  path: '/reports',
  summary: 'List the weekly search reports',
  description:
    'The newest week first. A week without a report is a row too: `pending` or `not_generated` means that nothing is known of it, which is not zero.',
  access,
  filters: {
    from: Type.Optional(week(`First week; default: ${WEEKS_DEFAULT - 1} weeks before the last one`)),
    to: Type.Optional(week('Last week; default: the last one that has ended')),
  },
  schema: Report,
  example: REPORT_EXAMPLE,
  read: async (ctx, { filters, after, limit }) => {
    const asked = requireWeek(ctx, 'to', filters.to ?? lastWeek(ctx));
    const [to = asked] = [asked, weekOf(sydneyDate(ctx.now()))].sort();
    const usual = [addWeeks(to, 1 - WEEKS_DEFAULT), firstWeek(ctx)].sort()[1] ?? to;
    const from = requireWeek(ctx, 'from', filters.from ?? usual);
    if (from > to) {
      const msg = 'The first week is after the last one; swap them.';
      throw invalid([{ loc: ['query', 'from'], msg, type: 'window_empty', input: from }]);
    }
    const weeks = await statesOf(ctx, from, after === undefined ? to : addWeeks(String(after[0]), -1));
    return weeks.slice(0, limit + 1);
  },
  position: ({ period }) => [period],
  view: ({ period, state, row }) => toReport(period, state, row),
});

/**
 * The week of a request: by default the newest with rows.
 *
 * @throws ApiError 422 for a week that cannot be read
 */
async function weekFor(ctx: HandlerCtx, asked: string | undefined) {
  if (asked !== undefined) requireWeek(ctx, 'period', asked);
  const row = await reportFor(ctx, asked);
  const period = asked ?? row?.period ?? lastWeek(ctx);
  const state = stateOf(period, row?.status, sydneyDate(ctx.now()));
  if (state !== undefined) return { period, state, row };
  const msg = 'The week has not ended; ask for an earlier one.';
  throw invalid([{ loc: ['query', 'period'], msg, type: 'period_not_closed', input: period }]);
}

const inWeek = {
  period: Type.Optional(week('Default: the newest week with rows')),
  sort: Type.Optional(
    withDefault(
      '-impressions',
      StringEnum(['-impressions', '-clicks', '-purchases'], { description: 'The largest first' }),
    ),
  ),
};
type InWeek = Static<Type.TObject<typeof inWeek>> & {
  readonly product_id?: string | undefined;
  readonly q?: string | undefined;
};

/** With its week, and with what it is sorted by. */
type Placed = Figures & { readonly week: Awaited<ReturnType<typeof weekFor>>; readonly place: number };

/** What both lists of a week share. Their cursors name the week, because a newer report may come between two pages. */
const listOfWeek = (by: 'queries' | 'products') => ({
  access,
  read: async (
    ctx: HandlerCtx,
    {
      filters,
      after,
      limit,
    }: { filters: InWeek; after: readonly (string | number)[] | undefined; limit: number },
  ) => {
    const [known, ...place] = after ?? [];
    const { product_id, q, sort = '-impressions' } = filters;
    const order = sort.slice(1) as Order;
    const asked = { by, order, product_id, q: q === undefined ? undefined : queryOf(q) };
    const week = await weekFor(ctx, known === undefined ? filters.period : String(known));
    const weeks = { period: week.period, before: addWeeks(week.period, -1) };
    const rows = await figuresOf(ctx, weeks, asked, after && place, limit + 1);
    return rows.map((row) => ({ ...row, week, place: -row[order] }));
  },
  position: ({ week, place, query, product_id }: Placed) => [week.period, place, query, product_id],
  more: {
    properties: weekFields,
    example: { period: '2026-W30', state: 'available', ...frameExample(by) },
    read: async (ctx: HandlerCtx, filters: InWeek, rows: Promise<readonly Placed[]>) => {
      const [first] = await rows;
      const { period, state, row } = first?.week ?? (await weekFor(ctx, filters.period));
      return { period, state, ...frameOf(ctx.at(), by, state, row) };
    },
  },
});

const queries = pageRoute({
  id: 'search_insights.queries.list',
  path: '/queries',
  summary: 'List the searches that showed the seller’s products',
  description:
    'Of one week. Searches by fewer than 20 people are held back; `GET /search-insights/reports` has their sums.',
  ...listOfWeek('queries'),
  filters: {
    ...inWeek,
    product_id: nameFilter('Searches that showed this product'),
    q: Type.Optional(
      Type.String({ maxLength: QUERY_CHARS_MAX, description: 'Searches with this text in them' }),
    ),
  },
  schema: QueryFigures,
  example: QUERY_EXAMPLE,
  view: toQuery,
  csv: { name: 'searches', columns: QUERY_COLUMNS },
});

const products = pageRoute({
  id: 'search_insights.products.list',
  path: '/products',
  summary: 'List the products that searches showed',
  description: 'Of one week: the sums of the searches that are shown.',
  ...listOfWeek('products'),
  filters: inWeek,
  schema: ProductFigures,
  example: PRODUCT_EXAMPLE,
  view: toProduct,
});

const trends = defineRoute({
  id: 'search_insights.trends.list',
  method: 'GET',
  path: '/trends',
  tagged: true,
  summary: 'Read a search week by week',
  description:
    'The oldest week first, up to the last one that has ended. A week without a report is a row too.',
  access,
  query: Type.Object({
    query: Type.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'The search' }),
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 26, default: 12, description: 'Number of weeks' }),
    ),
  }),
  ok: okJson('The weeks', Trend, TREND_EXAMPLE),
  errors: [],
  handler: async (ctx, { query: { query, periods = 12 } }) => {
    const to = lastWeek(ctx);
    const from = addWeeks(to, 1 - periods);
    const [weeks, counts] = await Promise.all([
      statesOf(ctx, from, to),
      countsByWeek(ctx, queryOf(query), from, to),
    ]);
    const byWeek = new Map(counts.map((one) => [one.period, one]));
    const data = weeks.map(({ period, state }) => toPoint(period, state, byWeek.get(period))).reverse();
    const best = weeks.find(({ state }) => state === 'available') ?? weeks.find(({ row }) => row) ?? weeks[0];
    const frame = frameOf(ctx.at(), 'trends', best?.state ?? 'pending', best?.row);
    const lacks = weeks.some(({ row }) => row === undefined) ? (['search_report'] as const) : [];
    const body = { data, ...lacking(frame, lacks) };
    // The time of the answer is no difference.
    return { body, etag: shownTag(to, { ...body, generated_at: null }) };
  },
});

export const searchRoutes = [reports, queries, products, trends];
