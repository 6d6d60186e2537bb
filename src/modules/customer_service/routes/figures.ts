/** Present counts, and how the clocks of some days ended. */

import Type, { type Static } from 'typebox';
import { LastDays, lastDays, lastDaysQuery } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { frameFields, liveFrame, rateBps } from '../../../kernel/frame.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { Metric, TicketSide } from '../schemas.ts';
import { countClocks, countOpen, countWaiting, type Figures } from '../store/list-tickets.ts';

const HOURS_4_MS = 4 * 3_600_000;
const MINUTE_MS = 60_000;
/** Fewer cases are too few to judge. */
const CASES_MIN = 5;
const CONTRACT = 'customer_service.metrics.v1';
const count = (description: string) => Type.Integer({ description });

const Summary = Type.Object(
  {
    open: Type.Object(
      {
        pending_seller: count('Tickets that wait for the seller'),
        pending_marketplace: count('Tickets that wait for the marketplace'),
        pending_buyer: count('Tickets that wait for a buyer'),
      },
      { description: 'Tickets that are not resolved, by state' },
    ),
    due_within_4h: count('Tickets with a deadline of the seller in the next four hours'),
    breached_by_seller: count('Tickets in which the seller is overdue'),
    breached_by_marketplace: count('Tickets in which the marketplace is overdue'),
    claims_to_answer: count('Claims that the seller has not answered'),
  },
  { title: 'TicketSummary', description: 'What waits for whom.' },
);

const summary = defineRoute({
  id: 'customer_service.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Count the tickets that wait',
  description: 'Counts of this moment.',
  access: reads('support'),
  ok: okJson('The counts', Summary, {
    open: { pending_seller: 2, pending_marketplace: 1, pending_buyer: 0 },
    ...{ due_within_4h: 1, breached_by_seller: 0, breached_by_marketplace: 0, claims_to_answer: 1 },
  }),
  errors: [],
  handler: async (ctx) => {
    const until = new Date(ctx.now() + HOURS_4_MS).toISOString();
    const [open, waiting] = await Promise.all([countOpen(ctx), countWaiting(ctx, until)]);
    const of = (status: string) => open.find((row) => row.status === status)?.tickets ?? 0;
    const [seller, marketplace, buyer] = ['seller', 'marketplace', 'buyer'].map((side) =>
      of(`pending_${side}`),
    );
    const states = {
      pending_seller: seller ?? 0,
      pending_marketplace: marketplace ?? 0,
      pending_buyer: buyer ?? 0,
    };
    return { body: { open: states, ...waiting } };
  },
});

const SideMetric = Type.Object(
  {
    metric: Metric,
    obligated: TicketSide,
    met: count('Clocks that were stopped in time'),
    breached: count('Clocks whose deadline has passed'),
    running: count('Clocks that are not stopped'),
    met_rate_bps: Nullable(
      Type.Integer({
        description: `Share of met clocks among met and breached ones, in hundredths of a percent; null below ${CASES_MIN} of them`,
      }),
    ),
    median_business_minutes: Nullable(
      Type.Integer({ description: 'Median of the business time until they were stopped' }),
    ),
  },
  { title: 'TicketMetric', description: 'How the clocks of a metric and a side ended.' },
);

const view = ({ median_ms, met, breached, ...figures }: Figures): Static<typeof SideMetric> => ({
  ...{ ...figures, met, breached },
  met_rate_bps: rateBps(met, met + breached, CASES_MIN),
  median_business_minutes: median_ms === null ? null : Math.floor(median_ms / MINUTE_MS),
});
const METRIC_EXAMPLE = {
  ...{ metric: 'response' as const, obligated: 'seller' as const, met: 18, breached: 2, running: 1 },
  ...{ met_rate_bps: 9_000, median_business_minutes: 190 },
};

const metrics = defineRoute({
  id: 'customer_service.metrics.get',
  method: 'GET',
  path: '/metrics',
  summary: 'Read how deadlines of tickets were met',
  description:
    'Counts the clocks that began in the window of Sydney days up to yesterday, without cancelled ones.',
  access: reads('support'),
  query: Type.Object(lastDaysQuery),
  ok: okJson(
    'The figures',
    Type.Object(
      {
        window: LastDays,
        data: Type.Array(SideMetric, { description: 'By metric and side; without clocks there is no row' }),
        ...frameFields,
      },
      { title: 'TicketMetrics', description: 'How deadlines of tickets were met.' },
    ),
    {
      window: { from: '2026-06-01', to: '2026-06-30' },
      data: [METRIC_EXAMPLE],
      ...liveFrame('2026-07-01T01:00:00.000Z', CONTRACT, { facts_through_on: '2026-06-30' }),
    },
  ),
  errors: [],
  handler: async (ctx, { query }) => {
    const today = sydneyDate(ctx.now());
    const window = lastDays(today, query.window);
    const { from, to } = window;
    const rows = (await countClocks(ctx, window)).map(view);
    const few = rows.every(({ met, breached }) => met + breached < CASES_MIN);
    const frame = liveFrame(ctx.at(), CONTRACT, {
      facts_through_on: to,
      ...(rows.length === 0
        ? {
            semantic_status: 'no_usable_report' as const,
            status_reason: `No clock began between ${from} and ${to}; today is ${today}.`,
          }
        : few
          ? {
              semantic_status: 'insufficient_sample' as const,
              status_reason: `Fewer than ${CASES_MIN} cases.`,
            }
          : {}),
    });
    return { body: { window, data: rows, ...frame } };
  },
});

export const figureRoutes = [summary, metrics];
