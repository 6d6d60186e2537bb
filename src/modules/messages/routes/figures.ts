/** Counts of the inbox, how fast the seller answers, and what the marketplace asks for. */

import Type from 'typebox';
import { LastDays, lastDays, lastDaysQuery } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { frameFields, liveFrame, rateBps } from '../../../kernel/frame.ts';
import { described, Instant, Nullable } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { policyAt } from '../../../platform/service-policy/policies.ts';
import { Calendar, DEFAULT_POLICY, type ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { readMetrics, readSummary } from '../store/threads.ts';

const CONTRACT = 'messages.metrics.v1';
const MISSES = '/api/v1/messages/threads?missed=true';
/** Fewer answers than these make no rate. */
const RATE_MIN = 5;

const count = (description: string) => Type.Integer({ description });
const common = { method: 'GET', access: reads('support'), errors: [] } as const;

const summary = defineRoute({
  ...common,
  id: 'messages.summary.get',
  path: '/summary',
  summary: 'Count what waits in the inbox',
  description: 'Counts of this moment.',
  ok: okJson(
    'The counts',
    Type.Object(
      {
        threads_unread: count('Threads with unread messages'),
        messages_unread: count('Unread messages'),
        waiting_on_seller: count('Threads in which an answer is owed'),
        due_within_4h: count('Of those: due within four hours'),
        overdue: count('Of those: overdue'),
        oldest_waiting_at: Nullable(Instant({ description: 'Since when the oldest waits; null: none does' })),
      },
      { title: 'MessageSummary', description: 'What waits in the inbox.' },
    ),
    {
      ...{ threads_unread: 3, messages_unread: 4, waiting_on_seller: 2, due_within_4h: 1, overdue: 0 },
      oldest_waiting_at: '2026-04-02T04:00:00.000Z',
    },
  ),
  handler: async (ctx) => ({ body: await readSummary(ctx, ctx.at()) }),
});

const Figure = (description: string) => Nullable(Type.Integer({ description }));
const METRICS_EXAMPLE = {
  window: { from: '2026-03-03', to: '2026-04-01' },
  ...{ received: 23, in_time: 18, late: 1, overdue_open: 1, pending: 1, no_reply_needed: 2, withdrawn: 0 },
  ...{ in_time_rate_bps: 9000, median_business_minutes: 212 },
  links: { misses: MISSES },
  ...liveFrame('2026-04-02T04:00:00.000Z', CONTRACT, { facts_through_on: '2026-04-01' }),
};

const metrics = defineRoute({
  ...common,
  id: 'messages.metrics.get',
  path: '/metrics',
  summary: 'Read how fast buyers are answered',
  description:
    'Turns that were opened on the last Sydney days up to yesterday. `in_time_rate_bps` is in time of in time, late and overdue; null below five.',
  query: Type.Object(lastDaysQuery),
  ok: okJson(
    'The figures',
    Type.Object(
      {
        window: LastDays,
        received: Figure('Turns that were opened'),
        in_time: Figure('Answered by their deadline'),
        late: Figure('Answered after it'),
        overdue_open: Figure('Not answered, past their deadline'),
        pending: Figure('Not answered, before their deadline'),
        no_reply_needed: Figure('Ended by the seller without an answer'),
        withdrawn: Figure('Ended by the marketplace'),
        in_time_rate_bps: Figure('In time, in basis points; null: too few'),
        median_business_minutes: Figure('Open minutes to the answer, by nearest rank; null: no answer'),
        links: described(
          'Where the cases are read',
          Type.Object(
            { misses: Type.String({ description: 'Path of the threads that were missed' }) },
            { title: 'MessageMetricLinks', description: 'Where the cases of the figures are read.' },
          ),
        ),
        ...frameFields,
      },
      { title: 'MessageMetrics', description: 'How fast buyers are answered.' },
    ),
    METRICS_EXAMPLE,
  ),
  handler: async (ctx, { query }) => {
    const window = lastDays(sydneyDate(ctx.now()), query.window);
    const { ever, median_business_minutes, ...counts } = await readMetrics(ctx, window, ctx.at());
    const { in_time, late, overdue_open } = counts;
    const judged = in_time + late + overdue_open;
    const figures = {
      ...counts,
      in_time_rate_bps: rateBps(in_time, judged, RATE_MIN),
      median_business_minutes,
    };
    const nothing = Object.fromEntries(Object.keys(figures).map((name) => [name, null])) as Record<
      keyof typeof figures,
      null
    >;
    const semantic_status = !ever
      ? ('no_usable_report' as const)
      : judged < RATE_MIN
        ? ('insufficient_sample' as const)
        : ('complete' as const);
    return {
      body: {
        window,
        ...(ever ? figures : nothing),
        links: { misses: MISSES },
        ...liveFrame(ctx.at(), CONTRACT, { facts_through_on: window.to, semantic_status }),
      },
    };
  },
});

const shownPolicy = ({
  version,
  effective_from,
  messages,
  allowed_hosts,
  thread_open_days,
}: ServicePolicy) => ({
  ...{ version, effective_from },
  response_minutes: messages.response_minutes,
  calendar: messages.calendar,
  ...{ allowed_hosts, thread_open_days },
});

const policy = defineRoute({
  ...common,
  id: 'messages.policy.get',
  path: '/policy',
  summary: 'Read what the marketplace asks for',
  description: 'The policy in force. A turn keeps the version under which it was opened.',
  ok: okJson(
    'The policy',
    Type.Object(
      {
        version: Type.String({ description: 'Version of the policy' }),
        effective_from: Type.String({ format: 'date', description: 'Sydney day from which it holds' }),
        response_minutes: Type.Integer({ description: 'Open minutes for an answer' }),
        calendar: Calendar,
        allowed_hosts: Type.Array(Type.String(), { description: 'Hosts to which links may lead' }),
        thread_open_days: Type.Integer({ description: 'Days in which a closed thread can be continued' }),
      },
      { title: 'MessagePolicy', description: 'Targets for answers to buyers.' },
    ),
    shownPolicy(DEFAULT_POLICY),
  ),
  handler: async (ctx) => ({ body: shownPolicy(await policyAt(ctx.db, ctx.now())) }),
});

export const figureRoutes = [summary, metrics, policy];
