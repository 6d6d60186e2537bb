/** Statuses of an order's money, derived after every change. */
export const REFUND_STATUSES = ['none', 'requested', 'partially_refunded', 'refunded'] as const;
export type OrderRefundStatus = (typeof REFUND_STATUSES)[number];

export const PAYMENT_STATUSES = ['pending', 'captured', 'partially_refunded', 'refunded', 'voided'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
