import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors } from '../../../kernel/errors.ts';
import type { AnyRoute } from '../../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { checkTypeQuery, type KnownTypes } from '../actions/check-types.ts';
import { readDelivery, retryDelivery } from '../actions/retry-delivery.ts';
import { errors } from '../errors.ts';
import {
  ATTEMPT_EXAMPLE,
  DELIVERY_EXAMPLE,
  Delivery,
  DeliveryDetail,
  deliveryView,
  detailView,
} from '../schemas/delivery.ts';
import { DELIVERY_STATUSES, listAttempts, listDeliveries } from '../store/deliveries.ts';
import { read, write } from './endpoints.ts';

const params = Type.Object({ delivery_id: Type.String() });

const list = (knownTypes: KnownTypes): AnyRoute =>
  defineRoute({
    id: 'webhooks.deliveries.list',
    method: 'GET',
    path: '/deliveries',
    summary: 'List deliveries',
    access: read,
    query: Type.Object({
      endpoint_id: Type.Optional(Type.String({ maxLength: 100 })),
      event_id: Type.Optional(Type.String({ maxLength: 100 })),
      status: Type.Optional(StringEnum(DELIVERY_STATUSES)),
      type: Type.Optional(Type.String({ maxLength: 100, description: 'Type of the event' })),
      replay_id: Type.Optional(Type.String({ maxLength: 100 })),
      ...pageQuery,
    }),
    ok: [
      {
        status: 200,
        description: 'Newest first',
        schema: Page(Delivery),
        example: { data: [DELIVERY_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
      },
    ],
    errors: [],
    handler: async (ctx, { query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
      checkTypeQuery(filters.type, knownTypes());
      const { seller_id } = ctx.seller;
      const scope = { seller_id, route: 'webhooks.deliveries.list', filters };
      const { cursors } = ctx.services;
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listDeliveries(ctx.db, seller_id, filters, before, limit);
      const { data, page } = pageOf(rows, limit, (last) => cursors.encode(scope, [last.delivery_id]));
      return { body: { data: data.map(deliveryView), page } };
    },
  });

const get = defineRoute({
  id: 'webhooks.deliveries.get',
  method: 'GET',
  path: '/deliveries/{delivery_id}',
  summary: 'Read a delivery with its attempts',
  access: read,
  params,
  ok: [
    {
      status: 200,
      description: 'The delivery, its first attempt first',
      schema: DeliveryDetail,
      example: { ...DELIVERY_EXAMPLE, attempts: [ATTEMPT_EXAMPLE] },
    },
  ],
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { delivery_id } }) => {
    const row = await readDelivery(ctx, delivery_id);
    const body = detailView(row, await listAttempts(ctx.db, ctx.seller.seller_id, row.delivery_id));
    return { body, etag: shownTag(row.delivery_id, body) };
  },
});

const retry = defineRoute({
  id: 'webhooks.deliveries.retry',
  method: 'POST',
  path: '/deliveries/{delivery_id}/retry',
  summary: 'Send a delivery again',
  description:
    'At once, whatever has become of it, with the same `webhook-id`; if it fails, its schedule begins anew.',
  access: write,
  params,
  ok: [{ status: 202, description: 'It is in the queue', schema: Delivery, example: DELIVERY_EXAMPLE }],
  errors: [coreErrors.not_found, errors.endpoint_not_active, errors.event_expired],
  handler: async (ctx, { params: { delivery_id } }) => ({
    body: deliveryView(await retryDelivery(ctx, delivery_id)),
  }),
});

export const deliveryRoutes = (knownTypes: KnownTypes): AnyRoute[] => [list(knownTypes), get, retry];
