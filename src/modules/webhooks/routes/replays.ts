import Type from 'typebox';
import { coreErrors, invalid } from '../../../kernel/errors.ts';
import { described } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { lockEndpoint } from '../actions/change-endpoint.ts';
import { typeProblems } from '../actions/check-types.ts';
import { readReplay, startReplay } from '../actions/replay.ts';
import { errors } from '../errors.ts';
import { endpointFields } from '../schemas/endpoint.ts';
import { REPLAY_EXAMPLE, Replay, replayView } from '../schemas/replay.ts';

const instant = (description: string) => Type.String({ maxLength: 40, description });

const endpoint_id = Type.String({ description: 'Id of the endpoint, `whe_…`' });
const replay_id = Type.String({ description: 'Id of the replay, `rpl_…`' });

const start = defineRoute({
  id: 'webhooks.replays.create',
  method: 'POST',
  path: '/endpoints/{endpoint_id}/replay',
  summary: 'Deliver the events of a range again',
  description:
    'Delivers the oldest event first, each with its earlier `webhook-id`, and also events that are older than the endpoint. `types` defaults to the types of the endpoint. Events are kept for 30 days.',
  access: writes('webhooks'),
  params: Type.Object({ endpoint_id }),
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        from: instant('First instant of the range, RFC 3339'),
        to: Type.Optional(instant('End of the range, not part of it; default: now')),
        types: Type.Optional(
          described('Types of events to repeat; defaults to all of the endpoint', endpointFields.event_types),
        ),
        only_failed: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Only deliveries that failed for good or were skipped',
          }),
        ),
      },
      { title: 'WebhookReplayInput', description: 'Which events to send again.' },
    ),
    example: { from: REPLAY_EXAMPLE.from, to: REPLAY_EXAMPLE.to, types: ['order.*'], only_failed: true },
  },
  ok: okJson('The replay has begun', Replay, REPLAY_EXAMPLE, 202),
  errors: [coreErrors.not_found, errors.endpoint_not_active],
  handler: async (ctx, { params: { endpoint_id }, body }) => {
    const problems = typeProblems(body.types ?? [], ctx.services, 'types');
    if (problems.length > 0) throw invalid(problems);
    const row = await startReplay(ctx, await lockEndpoint(ctx, endpoint_id), body);
    const location = `/api/v1/webhooks/endpoints/${row.endpoint_id}/replays/${row.replay_id}`;
    return { body: replayView(row, { all: 0, open: 0, cancelled: 0 }), headers: { location } };
  },
});

const get = defineRoute({
  id: 'webhooks.replays.get',
  method: 'GET',
  path: '/endpoints/{endpoint_id}/replays/{replay_id}',
  summary: 'Follow a replay',
  description: 'Shows how many of its events are sent.',
  access: reads('webhooks'),
  params: Type.Object({ endpoint_id, replay_id }),
  ok: okJson('The replay', Replay, REPLAY_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { endpoint_id, replay_id } }) => {
    const { row, unsent } = await readReplay(ctx, endpoint_id, replay_id);
    const body = replayView(row, unsent);
    return { body, etag: shownTag(row.replay_id, body) };
  },
});

export const replayRoutes = [start, get];
