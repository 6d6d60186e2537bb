/** Topics that the service subscribes to at a store. Source: docs/design/channels.md#subscriptions. */

/** As deliveries name them. */
export const PRODUCT_TOPICS = ['products/create', 'products/update', 'products/delete'] as const;
export const CONNECTION_TOPICS = [
  'locations/create',
  'locations/update',
  'locations/delete',
  'app/uninstalled',
] as const;
export const LEVEL_TOPICS = ['inventory_levels/update', 'inventory_levels/disconnect'] as const;
export const ORDER_TOPICS = [
  'orders/create',
  'orders/updated',
  'orders/cancelled',
  'orders/fulfilled',
  'orders/paid',
] as const;

/** As the admin API names it: `locations/create` is `LOCATIONS_CREATE`. */
const topicName = (topic: string): string => topic.replace('/', '_').toUpperCase();

/** The topics that a channel needs, as the admin API names them. */
export const topicsOf = ({ order_visibility }: { readonly order_visibility: boolean }): string[] =>
  [...PRODUCT_TOPICS, ...CONNECTION_TOPICS, ...LEVEL_TOPICS, ...(order_visibility ? ORDER_TOPICS : [])].map(
    topicName,
  );

/** The scopes that the store must grant. The service never asks for one that writes. */
export const scopesOf = ({ order_visibility }: { readonly order_visibility: boolean }): string[] => [
  'read_products',
  'read_inventory',
  'read_locations',
  ...(order_visibility ? ['read_orders'] : []),
];
