import Type, { type Static } from 'typebox';
import { described, Instant, Nullable } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { lastSequence } from '../../../platform/outbox/read-events.ts';
import { reads } from '../../../platform/rest/access.ts';
import { DisableReason, ENDPOINT_EXAMPLE, EndpointStatus, endpointView } from '../schemas/endpoint.ts';
import { BACKLOG_MAX, type HealthRow, readHealth } from '../store/health.ts';

const PERIOD_HOURS = 24;
const PERIOD_MS = PERIOD_HOURS * 3_600_000;

const Health = Type.Object(
  {
    attempts: Type.Integer({ description: 'Attempts of the period, at most the newest thousand' }),
    succeeded: Type.Integer({ description: 'Attempts that succeeded' }),
    failed: Type.Integer({ description: 'Attempts that failed' }),
    failure_rate: Nullable(
      Type.Number({ description: 'Share of attempts that failed, 0 to 1; null without attempts' }),
    ),
    p50_ms: Nullable(
      Type.Integer({ description: 'Half of the attempts took at most this long, in milliseconds' }),
    ),
    p95_ms: Nullable(
      Type.Integer({ description: '95 % of the attempts took at most this long, in milliseconds' }),
    ),
    last_success_at: Nullable(Instant({ description: 'When an attempt last succeeded' })),
    last_failure_at: Nullable(Instant({ description: 'When an attempt last failed' })),
    failing_since: Nullable(Instant({ description: 'Every attempt since then has failed' })),
    backlog: Type.Integer({
      description: `Open deliveries, counted up to ${BACKLOG_MAX}`,
    }),
  },
  { title: 'WebhookEndpointHealth', description: 'How deliveries to an endpoint went in the period.' },
);

const Overview = Type.Object(
  {
    period_hours: Type.Integer({ description: 'Length of the period in hours' }),
    last_sequence: Type.Integer({ description: 'The last number that was given to an event of the seller' }),
    endpoints: described(
      'The endpoints with their health',
      Type.Array(
        Type.Object({
          endpoint_id: Type.String(),
          url: Type.String({ description: 'Address of the endpoint' }),
          status: EndpointStatus,
          disabled_reason: Nullable(DisableReason),
          health: Health,
        }),
      ),
    ),
    counts: Type.Object(
      {
        active: Type.Integer({ description: 'Endpoints that are called' }),
        paused: Type.Integer({ description: 'Endpoints that the seller paused' }),
        disabled: Type.Integer({ description: 'Endpoints that the service disabled' }),
      },
      { description: 'Endpoints by status' },
    ),
    backlog: Type.Integer({ description: 'Deliveries that are due or waiting, over all endpoints' }),
  },
  { title: 'WebhooksOverview', description: 'The health of all deliveries.' },
);

function healthOf(row: HealthRow): Static<typeof Health> {
  const { attempts, succeeded } = row;
  return {
    attempts,
    succeeded,
    failed: attempts - succeeded,
    failure_rate: attempts === 0 ? null : Math.round(((attempts - succeeded) / attempts) * 1_000) / 1_000,
    p50_ms: row.p50_ms,
    p95_ms: row.p95_ms,
    last_success_at: row.last_success_at,
    last_failure_at: row.last_failure_at,
    failing_since: row.failing_since,
    backlog: row.backlog,
  };
}

function overviewOf(rows: readonly HealthRow[], last: bigint): Static<typeof Overview> {
  const endpoints = rows.map((row) => {
    const { endpoint_id, url, status, disabled_reason } = endpointView(row);
    return { endpoint_id, url, status, disabled_reason, health: healthOf(row) };
  });
  const count = (status: string): number => endpoints.filter((one) => one.status === status).length;
  return {
    period_hours: PERIOD_HOURS,
    last_sequence: Number(last),
    endpoints,
    counts: { active: count('active'), paused: count('paused'), disabled: count('disabled') },
    backlog: endpoints.reduce((sum, { health }) => sum + health.backlog, 0),
  };
}

export const overviewRoute = defineRoute({
  id: 'webhooks.overview.get',
  method: 'GET',
  path: '',
  summary: 'Read the health of the endpoints',
  description: 'Counts deliveries by result over some hours, with the backlog of each endpoint.',
  access: reads('webhooks'),
  tx: 'snapshot',
  ok: okJson('Every endpoint with the health of its deliveries', Overview, {
    period_hours: PERIOD_HOURS,
    last_sequence: 42,
    endpoints: [
      {
        endpoint_id: ENDPOINT_EXAMPLE.endpoint_id,
        url: ENDPOINT_EXAMPLE.url,
        status: 'active',
        disabled_reason: null,
        health: {
          attempts: 40,
          succeeded: 39,
          failed: 1,
          failure_rate: 0.025,
          p50_ms: 62,
          p95_ms: 210,
          last_success_at: '2026-06-28T01:00:00.000Z',
          last_failure_at: '2026-06-27T22:10:00.000Z',
          failing_since: null,
          backlog: 0,
        },
      },
    ],
    counts: { active: 1, paused: 0, disabled: 0 },
    backlog: 0,
  }),
  errors: [],
  handler: async (ctx) => {
    const rows = await readHealth(ctx, new Date(ctx.now() - PERIOD_MS).toISOString());
    return { body: overviewOf(rows, await lastSequence(ctx)) };
  },
});
