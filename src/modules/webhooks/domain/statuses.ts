/** The statuses of endpoints and deliveries, as the database keeps them and the API shows them. */

export const ENDPOINT_STATUSES = ['active', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export const ORDERINGS = ['per_object', 'none'] as const;
export type Ordering = (typeof ORDERINGS)[number];

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_TRIGGERS = ['event', 'test', 'retry', 'replay'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];
