/** The results of a delivery. Source: docs/design/channels.md#decisions. */
export const DELIVERY_STATUSES = [
  'received',
  'applied',
  'no_effect',
  'duplicate',
  'stale',
  'superseded',
  'skipped',
  'needs_action',
  'recorded',
  'unsupported',
  'malformed',
  'foreign',
  'failed',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** `sweep`: the service looks at the object itself. */
export const DELIVERY_ORIGINS = ['webhook', 'sweep'] as const;

/** The reasons of a result; null if the status says enough. */
export const DELIVERY_REASONS = [
  'topic_unsupported',
  'not_json',
  'id_invalid',
  'shape_of_another_topic',
  'instant_invalid',
  'another_shop',
  'same_body',
  'same_body_elsewhere',
  'linked_elsewhere',
  'same_state',
  'newer_waits',
  'newer_product_applied',
  'deleted_in_store',
  'product_unknown',
  'product_gone',
  'variants_unlinked',
  'newer_order_recorded',
  'order_erased',
  'order_visibility_off',
  'level_invalid',
  'level_known',
  'newer_level_applied',
  'quantity_unknown',
  'item_unknown',
  'link_ignored',
  'link_gone',
  'locations_unselected',
  'channel_paused',
  'channel_ended',
  'channel_not_ended',
  'token_works',
  'gave_up',
] as const;
export type DeliveryReason = (typeof DELIVERY_REASONS)[number];
