import Type, { type Static, type TObject } from 'typebox';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { csvWriter } from '../../kernel/csv-writer.ts';
import { liveFrame, snapshotFields } from '../../kernel/frame.ts';
import { currencyExponent } from '../../kernel/money.ts';
import type { RouteResult } from '../../kernel/route.ts';
import { EXPORT_TYPES } from '../../kernel/write-rows.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads } from '../../platform/rest/access.ts';
import { ListFormat } from '../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { answerKept, readSnapshot } from '../facts/index.ts';
import {
  COHORT_COLUMNS,
  Cohorts,
  cohortRows,
  EXAMPLES,
  LifetimeValue,
  NOTHING,
  Segments,
  Summary,
} from './schemas.ts';

type Name = keyof typeof NOTHING;

const contractOf = (name: Name): string => `customer-analytics.${name}.v1`;

async function nothingOf<N extends Name>(ctx: HandlerCtx, name: N) {
  const { currency } = await ctx.standing();
  return { ...NOTHING[name], currency, currency_exponent: currencyExponent(currency) };
}
/** What the last night has computed. */
const kept = (ctx: HandlerCtx, name: Name): Promise<RouteResult<never>> =>
  answerKept(
    ctx,
    contractOf(name),
    ({ generated_at }) => generated_at,
    () => nothingOf(ctx, name),
  );

/** What the routes have in common. */
function payload(name: Name, schema: TObject, title: string, description: string) {
  const frame = {
    ...liveFrame('2026-07-27T18:02:11.000Z', contractOf(name), { facts_through_on: '2026-07-27' }),
    cache_status: 'fresh',
  };
  return {
    method: 'GET',
    path: `/${name}`,
    tagged: true,
    access: { ...reads('growth'), plan: 'customer_analytics' },
    cache: 'no-store',
    errors: [],
    description: `${description} Computed at night from all orders; the first request makes that due, and is answered \`not_computed\`.`,
    ok: okJson(
      'The figures of the last night',
      Type.Object({ ...schema.properties, ...snapshotFields }, { title, description }),
      { ...EXAMPLES[name], ...frame },
    ),
  } as const;
}

const summary = defineRoute({
  ...payload('summary', Summary, 'CustomerSummary', 'Buyers, and how many come back.'),
  id: 'customer_analytics.summary.get',
  summary: 'Read how many buyers there are, and how many come back',
  handler: (ctx) => kept(ctx, 'summary'),
});

const segments = defineRoute({
  ...payload('segments', Segments, 'CustomerSegments', 'Buyers of the last 365 days by their last order.'),
  id: 'customer_analytics.segments.get',
  summary: 'Read the buyers by segments',
  handler: (ctx) => kept(ctx, 'segments'),
});

const { ok: cohortAnswers, ...cohortPayload } = payload(
  'cohorts',
  Cohorts,
  'CustomerCohorts',
  'Buyers by the month of their first order, and how many ordered in the months after it.',
);
const writer = csvWriter(COHORT_COLUMNS);
const cohortFile = (body: Static<typeof Cohorts>): string =>
  writer.header + cohortRows(body).map(writer.line).join('');

const cohorts = defineRoute({
  ...cohortPayload,
  id: 'customer_analytics.cohorts.get',
  summary: 'Read how many buyers of a month came back',
  query: Type.Object({
    months: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 24, default: 12, description: 'The newest cohorts' }),
    ),
    format: Type.Optional(ListFormat),
  }),
  ok: [
    {
      ...cohortAnswers[0],
      contentTypes: ['text/csv'],
      media: { 'text/csv': { example: cohortFile(EXAMPLES.cohorts) } },
    },
  ],
  handler: async (ctx, { query: { months = 12, format } }): Promise<RouteResult<never>> => {
    const { frame, body: found } = await readSnapshot(ctx, contractOf('cohorts'), Cohorts);
    const all = found ?? (await nothingOf(ctx, 'cohorts'));
    const body = { ...all, cohorts: all.cohorts.slice(-months), ...frame };
    if (format !== 'csv') return { body: body as never, etag: { version: frame.generated_at, shown: body } };
    const name = `cohorts-${sydneyDate(ctx.now())}.csv`;
    return {
      headers: { 'content-disposition': `attachment; filename="${name}"` },
      content: { type: EXPORT_TYPES.csv, data: cohortFile(body) },
    };
  },
});

const lifetimeValue = defineRoute({
  ...payload('lifetime-value', LifetimeValue, 'LifetimeValue', 'What a buyer has brought so far.'),
  id: 'customer_analytics.lifetime_value.get',
  summary: 'Read what a buyer has brought so far',
  handler: (ctx) => kept(ctx, 'lifetime-value'),
});

export const customerRoutes = [summary, segments, cohorts, lifetimeValue];
