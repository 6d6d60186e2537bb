import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import type { AnyRoute, RouteResult } from '../../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { changeEndpoint, deleteEndpoint, heldEndpoint } from '../actions/change-endpoint.ts';
import { checkTarget } from '../actions/check-target.ts';
import type { KnownTypes } from '../actions/check-types.ts';
import { createEndpoint } from '../actions/create-endpoint.ts';
import {
  CONCURRENCY_DEFAULT,
  ENDPOINT_EXAMPLE,
  Endpoint,
  EndpointWithSecret,
  endpointFields,
  endpointView,
  SECRET_EXAMPLE,
} from '../schemas/endpoint.ts';
import { ENDPOINT_STATUSES, type EndpointRow } from '../store/endpoint-row.ts';
import { findEndpoint, listEndpoints } from '../store/endpoints.ts';

export const read = {
  auth: 'seller',
  permission: 'webhooks:read',
  rate: 'read',
  idempotency: 'none',
} as const;
export const write = {
  auth: 'seller',
  permission: 'webhooks:write',
  rate: 'write',
  idempotency: 'optional',
} as const;

export const endpointParams = Type.Object({ endpoint_id: Type.String() });
const ENDPOINT_ID = new RegExp(idPattern('whe_'));

export const tagOf = (row: EndpointRow): string => `${row.endpoint_id}.${row.version}`;
export const answer = (row: EndpointRow): RouteResult => ({ body: endpointView(row), etag: tagOf(row) });
export const answerWithSecret = (row: EndpointRow, secret: string): RouteResult => ({
  body: { ...endpointView(row), secret },
  etag: tagOf(row),
});

const { url, event_types, description, payload, ordering, max_concurrency } = endpointFields;

const list = defineRoute({
  id: 'webhooks.endpoints.list',
  method: 'GET',
  path: '/endpoints',
  summary: 'List the endpoints',
  access: read,
  query: Type.Object({ status: Type.Optional(StringEnum(ENDPOINT_STATUSES)), ...pageQuery }),
  ok: [
    {
      status: 200,
      description: 'Newest first',
      schema: Page(Endpoint),
      example: { data: [ENDPOINT_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
    const scope = { seller_id: ctx.seller.seller_id, route: 'webhooks.endpoints.list', filters };
    const { cursors } = ctx.services;
    const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
    const rows = await listEndpoints(ctx.db, ctx.seller.seller_id, { ...filters, before, limit });
    const { data, page } = pageOf(rows, limit, (last) => cursors.encode(scope, [last.endpoint_id]));
    return { body: { data: data.map(endpointView), page } };
  },
});

const create = (knownTypes: KnownTypes): AnyRoute =>
  defineRoute({
    id: 'webhooks.endpoints.create',
    method: 'POST',
    path: '/endpoints',
    summary: 'Add an endpoint',
    description:
      'It is told of what happens from now on; `replay` delivers what was before. While the account may not use the API nothing is sent; it comes afterwards. The secret is shown in this answer only. Counts as `webhook_endpoints`.',
    access: { ...write, limit: 'webhook_endpoints' },
    body: {
      kind: 'json',
      schema: Type.Object({
        url,
        event_types,
        description: Type.Optional(description),
        payload: Type.Optional(payload),
        ordering: Type.Optional(ordering),
        max_concurrency: Type.Optional(max_concurrency),
      }),
      example: { url: ENDPOINT_EXAMPLE.url, event_types: ENDPOINT_EXAMPLE.event_types },
    },
    ok: [
      {
        status: 201,
        description: 'The endpoint and its secret',
        schema: EndpointWithSecret,
        example: { ...ENDPOINT_EXAMPLE, secret: SECRET_EXAMPLE },
      },
    ],
    errors: [],
    cache: 'no-store',
    secretAnswer: true,
    handler: async (ctx, { body }) => {
      checkTarget(body, ctx.services.config, knownTypes());
      const { row, secret } = await createEndpoint(ctx, {
        description: null,
        payload: 'full',
        ordering: 'per_object',
        max_concurrency: CONCURRENCY_DEFAULT,
        ...body,
      });
      return {
        ...answerWithSecret(row, secret),
        status: 201,
        headers: { location: `/api/v1/webhooks/endpoints/${row.endpoint_id}` },
      };
    },
  });

const get = defineRoute({
  id: 'webhooks.endpoints.get',
  method: 'GET',
  path: '/endpoints/{endpoint_id}',
  summary: 'Read an endpoint',
  access: read,
  params: endpointParams,
  ok: [{ status: 200, description: 'The endpoint', schema: Endpoint, example: ENDPOINT_EXAMPLE }],
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { endpoint_id } }) => {
    const row = ENDPOINT_ID.test(endpoint_id)
      ? await findEndpoint(ctx.db, ctx.seller.seller_id, endpoint_id)
      : undefined;
    if (row === undefined) throw fail(coreErrors.not_found);
    return answer(row);
  },
});

const update = (knownTypes: KnownTypes): AnyRoute =>
  defineRoute({
    id: 'webhooks.endpoints.update',
    method: 'PATCH',
    path: '/endpoints/{endpoint_id}',
    summary: 'Change an endpoint',
    description: 'What is not delivered yet goes to the new address.',
    access: write,
    params: endpointParams,
    body: {
      kind: 'json',
      schema: Type.Partial(
        Type.Object({ url, event_types, description, payload, ordering, max_concurrency }),
      ),
      example: { event_types: ['product.*'], payload: 'thin' },
    },
    ok: [{ status: 200, description: 'The endpoint', schema: Endpoint, example: ENDPOINT_EXAMPLE }],
    errors: [coreErrors.not_found, coreErrors.precondition_failed],
    handler: async (ctx, { params, body, headers }) => {
      const row = await heldEndpoint(ctx, params.endpoint_id);
      checkIfMatch(headers, tagOf(row));
      checkTarget(body, ctx.services.config, knownTypes());
      return answer(await changeEndpoint(ctx, row, body));
    },
  });

const remove = defineRoute({
  id: 'webhooks.endpoints.delete',
  method: 'DELETE',
  path: '/endpoints/{endpoint_id}',
  summary: 'Delete an endpoint',
  description: 'What is not delivered yet is cancelled; delivery records stay.',
  access: { ...write, idempotency: 'none' },
  params: endpointParams,
  ok: [{ status: 204, description: 'Deleted' }],
  errors: [coreErrors.not_found, coreErrors.precondition_failed],
  handler: async (ctx, { params, headers }) => {
    const row = await heldEndpoint(ctx, params.endpoint_id);
    checkIfMatch(headers, tagOf(row));
    await deleteEndpoint(ctx, row);
    return { status: 204 };
  },
});

/** @param knownTypes every type that an endpoint may ask for */
export const endpointRoutes = (knownTypes: KnownTypes): AnyRoute[] => [
  list,
  create(knownTypes),
  get,
  update(knownTypes),
  remove,
];
