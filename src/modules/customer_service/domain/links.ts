/** What a ticket may be about. A request is named by its `X-Request-Id`, which is not looked up. */
export const LINK_NAMES = [
  'order_id',
  'return_id',
  'refund_id',
  'dispute_id',
  'shipment_id',
  'product_id',
  'thread_id',
  'settlement_id',
  'payout_id',
  'invoice_id',
  'feed_run_id',
  'rating_id',
  'request_id',
] as const;
export type LinkName = (typeof LINK_NAMES)[number];
export type Links = Readonly<Partial<Record<LinkName, string>>>;
