/** What stores sent: the decision log, and their orders. */

import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { allows, Instant, nameFilter } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { DELIVERY_EXAMPLE, DeliveryStatusSchema, deliveryView, StoreDelivery } from '../schemas/delivery.ts';
import { STORE_ORDER_EXAMPLE, StoreOrder, StoreOrderStatus, storeOrderView } from '../schemas/store-order.ts';
import { deliveries, deliveryFilter } from '../store/deliveries.ts';
import { orderFilter, storeOrders, withProducts } from '../store/orders.ts';

const between = {
  from: Type.Optional(Instant({ description: 'Not before this instant' })),
  to: Type.Optional(Instant({ description: 'Before this instant' })),
};
const channel_id = nameFilter('Of this channel');

const deliveryFilters = {
  channel_id,
  topic: nameFilter('Of this topic'),
  status: Type.Optional(DeliveryStatusSchema),
  external_id: Type.Optional(
    Type.String({
      ...allows('^\\d{1,30}$', 'Use the digits of an id of the store.'),
      description: 'About the order or the product with this id in the store',
    }),
  ),
  product_id: nameFilter('About the variants that are this product, and their stock'),
  ...between,
};
const orderFilters = { channel_id, status: Type.Optional(StoreOrderStatus), ...between };

export const logRoutes = [
  pageRoute({
    id: 'channels.deliveries.list',
    path: '/deliveries',
    summary: 'List deliveries of connected stores',
    description: 'Every delivery with its decision, newest first. Kept 400 days.',
    access: reads('catalogue'),
    filters: deliveryFilters,
    schema: StoreDelivery,
    example: DELIVERY_EXAMPLE,
    read: (ctx, { filters, ...page }) =>
      deliveries.page(ctx, {
        ...page,
        where: deliveryFilter(ctx.seller_id, filters),
        order: ['delivery_id'],
        descending: true,
      }),
    position: ({ delivery_id }) => [delivery_id],
    view: deliveryView,
  }),
  defineRoute({
    id: 'channels.deliveries.get',
    method: 'GET',
    path: '/deliveries/{delivery_id}',
    summary: 'Read a delivery of a connected store',
    description: 'With its decision.',
    access: reads('catalogue'),
    params: Type.Object({ delivery_id: Type.String({ description: 'Id of the delivery, `cdl_…`' }) }),
    ok: okJson('The delivery', StoreDelivery, DELIVERY_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const row = requireFound(await deliveries.find(ctx, params));
      const body = deliveryView(row);
      return { body, etag: { version: row.status, shown: body } };
    },
  }),
  pageRoute({
    id: 'channels.orders.list',
    path: '/orders',
    summary: 'List orders of connected stores',
    description:
      'For visibility only: they are not accepted, reserved, fulfilled or counted here. Of channels with `order_visibility`, newest first, kept 90 days.',
    access: reads('orders'),
    filters: orderFilters,
    schema: StoreOrder,
    example: STORE_ORDER_EXAMPLE,
    read: async (ctx, { filters, ...page }) =>
      withProducts(
        ctx,
        await storeOrders.page(ctx, {
          ...page,
          where: orderFilter(filters),
          order: ['store_order_id'],
          descending: true,
        }),
      ),
    position: ({ store_order_id }) => [store_order_id],
    view: storeOrderView,
  }),
  defineRoute({
    id: 'channels.orders.get',
    method: 'GET',
    path: '/orders/{store_order_id}',
    summary: 'Read an order of a connected store',
    description: 'For visibility only.',
    access: reads('orders'),
    params: Type.Object({ store_order_id: Type.String({ description: 'Id of the record, `sor_…`' }) }),
    ok: okJson('The order', StoreOrder, STORE_ORDER_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const row = requireFound(await storeOrders.find(ctx, params));
      const shown = requireFound((await withProducts(ctx, [row]))[0]);
      const body = storeOrderView(shown);
      return { body, etag: { version: shown.recorded_at, shown: body } };
    },
  }),
];
