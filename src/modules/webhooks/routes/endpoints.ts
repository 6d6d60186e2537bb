import Type from 'typebox';
import type { RouteResult } from '../../../kernel/route.ts';
import { described } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { writes } from '../../../platform/rest/access.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { deleteEndpoint } from '../actions/change-endpoint.ts';
import { checkTarget } from '../actions/check-target.ts';
import { createEndpoint } from '../actions/create-endpoint.ts';
import {
  CONCURRENCY_DEFAULT,
  ENDPOINT_EXAMPLE,
  Endpoint,
  EndpointStatus,
  EndpointWithSecret,
  type EndpointWithSecretView,
  endpointFields,
  endpointView,
  SECRET_EXAMPLE,
} from '../schemas/endpoint.ts';
import { type EndpointRow, endpoints, findEndpoint, isFailing, notDeleted } from '../store/endpoints.ts';

export const tagOf = ({ endpoint_id, version }: EndpointRow): string => `${endpoint_id}.${version}`;
export const answerWithSecret = (row: EndpointRow, secret: string): RouteResult<EndpointWithSecretView> => ({
  body: { ...endpointView(row), secret },
  etag: shownTag(tagOf(row), endpointView(row)),
});

const { url, event_types, description, payload, ordering, max_concurrency } = endpointFields;
const optional = { description, payload, ordering, max_concurrency };

const endpointResource = resource({
  id: 'webhooks.endpoints',
  one: 'webhook endpoint',
  kind: 'whe_',
  area: 'webhooks',
  table: endpoints,
  schema: Endpoint,
  example: ENDPOINT_EXAMPLE,
  view: endpointView,
  only: notDeleted,
  // A change waits for the transactions that write deliveries of the endpoint.
  lock: (ctx, id) => findEndpoint(ctx, id, 'for update'),
});

const create = defineRoute({
  id: 'webhooks.endpoints.create',
  method: 'POST',
  path: '/endpoints',
  summary: 'Create a webhook endpoint',
  description:
    'The endpoint gets events from now on; `replay` delivers earlier ones. While the account may not use the API, the service sends nothing; afterwards it sends all missed events. The secret is shown in this answer only. Counts as `webhook_endpoints`.',
  access: { ...writes('webhooks'), limit: 'webhook_endpoints' },
  body: {
    kind: 'json',
    schema: Type.Object(
      { url, event_types, ...Type.Partial(Type.Object(optional)).properties },
      { title: 'WebhookEndpointInput', description: 'A new endpoint.' },
    ),
    example: { url: ENDPOINT_EXAMPLE.url, event_types: ENDPOINT_EXAMPLE.event_types },
  },
  ok: okJson(
    'The endpoint and its secret',
    EndpointWithSecret,
    { ...ENDPOINT_EXAMPLE, secret: SECRET_EXAMPLE },
    201,
  ),
  errors: [],
  cache: 'no-store',
  secretAnswer: true,
  handler: async (ctx, { body, path }) => {
    checkTarget(body, ctx.services);
    const { row, secret } = await createEndpoint(ctx, {
      description: null,
      payload: 'full',
      ordering: 'per_object',
      max_concurrency: CONCURRENCY_DEFAULT,
      ...body,
    });
    const location = `${path}/${row.endpoint_id}`;
    return { ...answerWithSecret(row, secret), status: 201, headers: { location } };
  },
});

export const endpointRoutes = [
  endpointResource.list({
    filters: {
      status: Type.Optional(described('Endpoints in this state', EndpointStatus)),
      failing: Type.Optional(
        Type.Boolean({
          description: 'Endpoints that refuse deliveries, or were disabled for it; or all others',
        }),
      ),
    },
    where: ({ failing }) => (failing === undefined ? undefined : isFailing(failing)),
  }),
  create,
  endpointResource.get(),
  endpointResource.update({
    description: 'Events that are not delivered yet go to the new address.',
    body: Type.Partial(Type.Object({ url, event_types, ...optional }), {
      title: 'WebhookEndpointChange',
      description: 'The fields of an endpoint to change.',
    }),
    example: { event_types: ['product.*'], payload: 'thin' },
    run: (ctx, _before, body) => {
      checkTarget(body, ctx.services);
      return body;
    },
  }),
  endpointResource.delete({
    description: 'Open deliveries are cancelled; delivery records stay.',
    remove: deleteEndpoint,
  }),
];
