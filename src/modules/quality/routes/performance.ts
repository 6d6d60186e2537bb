import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, invalid, requireFound } from '../../../kernel/errors.ts';
import { snapshotFields } from '../../../kernel/frame.ts';
import { withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { contestRoute, contestRoutes, factsOfOrder } from '../../contests/index.ts';
import { DAYS_KEPT } from '../../facts/index.ts';
import { showEvents } from '../actions/contests.ts';
import { nightFrame } from '../actions/glance.ts';
import { metricsOf, windowOf } from '../actions/performance.ts';
import { CONTEST_MS, isMetric, type Metric } from '../domain/performance.ts';
import {
  EVENT_COLUMNS,
  EVENT_EXAMPLE,
  Event,
  FRAME_EXAMPLE,
  History,
  METRIC_EXAMPLE,
  Performance,
  window,
} from '../schemas/performance.ts';
import { countedEvents, daysBetween, pageOfEvents } from '../store/performance.ts';

const read = reads('orders');
const DAYS_MAX = 400;
const DAYS_DEFAULT = 30;
const REASONS = ['carrier_fault', 'buyer_request', 'marketplace_outage', 'wrong_data', 'other'] as const;

const windowFilter = { window: Type.Optional(withDefault('30', window)) };
const metricParam = Type.Object({
  metric: Type.String({ description: 'A metric, such as `late_dispatch`' }),
});
/** @throws ApiError 404 for a metric that does not exist */
const requireMetric = (name: string | undefined): Metric =>
  requireFound(name !== undefined && isMetric(name) ? name : undefined);

const metrics = defineRoute({
  id: 'quality.seller_metrics.get',
  method: 'GET',
  path: '/seller-metrics',
  summary: 'Read how well the seller serves its orders',
  description:
    'Counted every night. Each metric names the orders that count against the seller, and each of them can be contested. The service reports; it suspends no seller.',
  access: read,
  query: Type.Object(windowFilter),
  ok: okJson('The metrics', Performance, { window: '30', metrics: [METRIC_EXAMPLE], ...FRAME_EXAMPLE }),
  errors: [],
  handler: async (ctx, { query: { window: days = '30' } }) => {
    const { frame, through } = await nightFrame(ctx);
    if (through === undefined) return { body: { window: days, metrics: [], ...frame } };
    const found = await metricsOf(ctx, through, Number(days));
    const few = found.every(({ status }) => status === 'insufficient');
    const judged = few ? { ...frame, semantic_status: 'insufficient_sample' as const } : frame;
    return { body: { window: days, metrics: found, ...judged } };
  },
});

/** @throws ApiError 422 `window_too_long`, `date_too_old` */
function requireKept(from: string, to: string, today: string): void {
  requireDays({ from, to }, addDays(today, -DAYS_KEPT));
  if (addDays(from, DAYS_MAX) > to) return;
  const msg = `A history has at most ${DAYS_MAX} days; ask for fewer.`;
  throw invalid([{ loc: ['query', 'from'], msg, type: 'window_too_long', input: from }]);
}

const dayParam = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }));
const history = defineRoute({
  id: 'quality.history.list',
  method: 'GET',
  path: '/seller-metrics/{metric}/history',
  params: metricParam,
  summary: 'Read a metric by day',
  description: `At most ${DAYS_MAX} days. Days that are not counted yet are left out.`,
  access: read,
  query: Type.Object({
    from: dayParam('First Sydney day, such as 2026-07-01; default: 29 days before the last one'),
    to: dayParam('Last Sydney day; default: the last one that is counted'),
  }),
  ok: okJson('The days', History, {
    data: [{ day: '2026-07-27', numerator: 1, denominator: 12 }],
    ...FRAME_EXAMPLE,
  }),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params, query }) => {
    const metric = requireMetric(params.metric);
    requireDays(query);
    const { frame, through } = await nightFrame(ctx);
    const to = query.to ?? through ?? addDays(sydneyDate(ctx.now()), -1);
    const from = query.from ?? addDays(to, 1 - DAYS_DEFAULT);
    requireKept(from, to, sydneyDate(ctx.now()));
    if (through === undefined) return { body: { data: [], ...frame } };
    const rows = await daysBetween(ctx, metric, from, to);
    const byDay = new Map(rows.map((row) => [row.day, row]));
    const data = [];
    for (let day = from; day <= to && day <= through; day = addDays(day, 1)) {
      const { numerator = 0, denominator = 0 } = byDay.get(day) ?? {};
      data.push({ day, numerator, denominator });
    }
    return { body: { data, ...frame } };
  },
});

const events = pageRoute({
  id: 'quality.events.list',
  path: '/seller-metrics/{metric}/events',
  params: metricParam,
  summary: 'List the orders that count against the seller',
  description: 'The newest day first. With `counted=true` they are the numerator of the metric.',
  access: read,
  filters: {
    ...windowFilter,
    counted: Type.Optional(
      Type.Boolean({ description: 'Orders that count, or orders whose contests were upheld' }),
    ),
    contested: Type.Optional(
      Type.Boolean({ description: 'Orders with an undecided contest, or all others' }),
    ),
  },
  schema: Event,
  example: EVENT_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { filters, ...page }, params) => {
    const metric = requireMetric(params['metric']);
    const { through } = await nightFrame(ctx);
    if (through === undefined) return [];
    const { window: days = '30', counted, contested } = filters;
    const asked = { metric, ...windowOf(through, Number(days)), counted, contested };
    return showEvents(ctx, await pageOfEvents(ctx, asked, page));
  },
  position: ({ day, event_id }) => [day, event_id],
  view: (row) => row,
  csv: { name: 'performance-events', columns: EVENT_COLUMNS },
  more: {
    properties: snapshotFields,
    example: FRAME_EXAMPLE,
    read: async (ctx) => (await nightFrame(ctx)).frame,
  },
});

const contest = contestRoute({
  id: 'quality.events.contest',
  path: '/seller-metrics/events/{event_id}/contest',
  params: Type.Object({ event_id: Type.String({ description: 'Id of the event, `qev_…`' }) }),
  summary: 'Contest that an order counts against the seller',
  area: 'orders',
  title: 'PerformanceContest',
  reasons: REASONS,
  target: async (ctx, { event_id = '' }, reason) => {
    const event = await countedEvents.find(ctx, { event_id });
    const { order_id, since_at, metric, fact } = requireFound(event?.gone === true ? undefined : event);
    const facts = { ...(await factsOfOrder(ctx, order_id)), metric, cause: fact.cause };
    const contest_until = Date.parse(since_at) + CONTEST_MS;
    const contested = { kind: 'performance' as const, id: event_id, revision: 0, contest_until, facts };
    // No carrier takes part in a cancellation by the seller.
    const isApart = reason === 'carrier_fault' && metric === 'seller_cancel';
    return { contested, against: isApart ? { name: 'metric', value: metric } : undefined };
  },
});

export const performanceRoutes = [
  metrics,
  history,
  events,
  contest,
  ...contestRoutes({ id: 'quality.contests', area: 'orders', kinds: ['performance'] }),
];
