import Type from 'typebox';
import { coreErrors } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { writes } from '../../../platform/rest/access.ts';
import { lockEndpoint, pauseEndpoint, resumeEndpoint, rotateSecret } from '../actions/change-endpoint.ts';
import { sendTest } from '../actions/send-test.ts';
import { errors } from '../errors.ts';
import { DELIVERY_EXAMPLE, Delivery, deliveryView } from '../schemas/delivery.ts';
import {
  ENDPOINT_EXAMPLE,
  Endpoint,
  type EndpointView,
  EndpointWithSecret,
  endpointView,
  SECRET_EXAMPLE,
} from '../schemas/endpoint.ts';
import type { EndpointRow } from '../store/endpoints.ts';
import { answerWithSecret, tagOf } from './endpoints.ts';

const params = Type.Object({ endpoint_id: Type.String({ description: 'Id of the endpoint, `whe_…`' }) });
const answer = (row: EndpointRow): RouteResult<EndpointView> => ({
  body: endpointView(row),
  etag: shownTag(tagOf(row), endpointView(row)),
});

/** Receivers have a day to change over (docs/design/wire.md#webhook-deliveries). */
const OVERLAP_SECONDS = 86_400;

const rotate = defineRoute({
  id: 'webhooks.secrets.rotate',
  method: 'POST',
  path: '/endpoints/{endpoint_id}/rotate-secret',
  summary: 'Replace the secret',
  description:
    'The new secret is shown in this answer only. The old one signs too for a day, or for `overlap_seconds`.',
  access: writes('webhooks'),
  params,
  query: Type.Object({
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS,
        default: OVERLAP_SECONDS,
        description: 'How long replaced secrets sign; 0 for one that has leaked',
      }),
    ),
  }),
  ok: okJson('The endpoint and its new secret', EndpointWithSecret, {
    ...ENDPOINT_EXAMPLE,
    secret: SECRET_EXAMPLE,
  }),
  errors: [coreErrors.not_found, coreErrors.precondition_failed],
  cache: 'no-store',
  secretAnswer: true,
  handler: async (ctx, { params: { endpoint_id }, query, headers }) => {
    const before = await lockEndpoint(ctx, endpoint_id);
    checkIfMatch(headers, tagOf(before));
    const { row, secret } = await rotateSecret(ctx, before, query.overlap_seconds ?? OVERLAP_SECONDS);
    return answerWithSecret(row, secret);
  },
});

const pause = defineRoute({
  id: 'webhooks.endpoints.pause',
  method: 'POST',
  path: '/endpoints/{endpoint_id}/pause',
  summary: 'Pause deliveries',
  description: 'Events are kept, for 30 days; `resume` delivers them.',
  access: writes('webhooks'),
  params,
  ok: okJson('The endpoint', Endpoint, ENDPOINT_EXAMPLE),
  errors: [coreErrors.not_found, coreErrors.precondition_failed, errors.endpoint_not_active],
  handler: async (ctx, { params: { endpoint_id }, headers }) => {
    const row = await lockEndpoint(ctx, endpoint_id);
    checkIfMatch(headers, tagOf(row));
    return answer(await pauseEndpoint(ctx, row));
  },
});

const resume = defineRoute({
  id: 'webhooks.endpoints.resume',
  method: 'POST',
  path: '/endpoints/{endpoint_id}/resume',
  summary: 'Resume deliveries',
  description:
    'Resumes a disabled endpoint as well. Missed events are delivered first, the oldest first, unless `skip_missed` is true.',
  access: writes('webhooks'),
  params,
  query: Type.Object({
    skip_missed: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Skip missed events and start with new ones',
      }),
    ),
  }),
  ok: okJson('The endpoint', Endpoint, ENDPOINT_EXAMPLE),
  errors: [coreErrors.not_found, coreErrors.precondition_failed],
  handler: async (ctx, { params: { endpoint_id }, query, headers }) => {
    const row = await lockEndpoint(ctx, endpoint_id);
    checkIfMatch(headers, tagOf(row));
    return answer(await resumeEndpoint(ctx, row, query.skip_missed === true));
  },
});

const test = defineRoute({
  id: 'webhooks.endpoints.test',
  method: 'POST',
  path: '/endpoints/{endpoint_id}/test',
  summary: 'Send a test event',
  description:
    'Sends a signed `ping` with `test: true` once, also to an endpoint that is paused or disabled. The delivery record shows the answer.',
  access: writes('webhooks'),
  params,
  ok: okJson(
    'The delivery of the test event',
    Delivery,
    { ...DELIVERY_EXAMPLE, event_type: 'ping', trigger: 'test', test: true },
    202,
  ),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { endpoint_id } }) => {
    const delivery = await sendTest(ctx, await lockEndpoint(ctx, endpoint_id));
    return {
      body: deliveryView(delivery),
      headers: { location: `/api/v1/webhooks/deliveries/${delivery.delivery_id}` },
    };
  },
});

export const endpointActionRoutes = [rotate, pause, resume, test];
