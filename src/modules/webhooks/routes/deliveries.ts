import Type from 'typebox';
import { coreErrors } from '../../../kernel/errors.ts';
import { described, nameFilter } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { checkTypeQuery } from '../actions/check-types.ts';
import { readDelivery, retryDelivery } from '../actions/retry-delivery.ts';
import { errors } from '../errors.ts';
import {
  ATTEMPT_EXAMPLE,
  DELIVERY_EXAMPLE,
  Delivery,
  DeliveryDetail,
  DeliveryStatus,
  deliveryView,
  detailView,
} from '../schemas/delivery.ts';
import { listAttempts, listDeliveries } from '../store/deliveries.ts';

const list = pageRoute({
  id: 'webhooks.deliveries.list',
  path: '/deliveries',
  summary: 'List webhook deliveries',
  description: 'Filter by endpoint, event, status, type or replay.',
  access: reads('webhooks'),
  filters: {
    endpoint_id: nameFilter('Deliveries to this endpoint'),
    event_id: nameFilter('Deliveries of this event'),
    status: Type.Optional(described('Deliveries in this state', DeliveryStatus)),
    type: nameFilter('Deliveries of events of this type'),
    replay_id: nameFilter('Deliveries of this replay'),
  },
  schema: Delivery,
  example: DELIVERY_EXAMPLE,
  read: (ctx, { filters, after, limit }) => {
    checkTypeQuery(filters.type, ctx.services);
    return listDeliveries(ctx, filters, after, limit);
  },
  position: ({ delivery_id }) => [delivery_id],
  view: deliveryView,
});

const params = Type.Object({ delivery_id: Type.String({ description: 'Id of the delivery, `dlv_…`' }) });

const get = defineRoute({
  id: 'webhooks.deliveries.get',
  method: 'GET',
  path: '/deliveries/{delivery_id}',
  summary: 'Read a delivery with its attempts',
  description: 'Shows each attempt with the answer of the receiver.',
  access: reads('webhooks'),
  params,
  ok: okJson('The delivery with its attempts in order', DeliveryDetail, {
    ...DELIVERY_EXAMPLE,
    attempts: [ATTEMPT_EXAMPLE],
  }),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { delivery_id } }) => {
    const row = await readDelivery(ctx, delivery_id);
    const body = detailView(row, await listAttempts(ctx, row.delivery_id));
    return { body, etag: shownTag(row.delivery_id, body) };
  },
});

const retry = defineRoute({
  id: 'webhooks.deliveries.retry',
  method: 'POST',
  path: '/deliveries/{delivery_id}/retry',
  summary: 'Send a delivery again',
  description:
    'Sends the delivery at once, whatever its status, with the same `webhook-id`. If the attempt fails, its schedule begins again.',
  access: writes('webhooks'),
  params,
  ok: okJson('The delivery is in the queue', Delivery, DELIVERY_EXAMPLE, 202),
  errors: [coreErrors.not_found, errors.endpoint_not_active, errors.event_expired],
  handler: async (ctx, { params: { delivery_id } }) => ({
    body: deliveryView(await retryDelivery(ctx, delivery_id)),
  }),
});

export const deliveryRoutes = [list, get, retry];
