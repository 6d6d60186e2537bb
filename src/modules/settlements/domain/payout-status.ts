/** The states of a payout, as far as its settlement needs them; `payouts` has the moves between them. */
export const PAYOUT_STATUSES = ['pending', 'in_transit', 'paid', 'failed', 'canceled', 'returned'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Attempts that move no money at the provider; null stands for a settlement without an attempt. */
const UNMOVED: readonly (PayoutStatus | null)[] = [null, 'failed', 'canceled'];

/** Whether money has left, or may have left, for the last attempt of a settlement. */
export const hasMoved = (payout: PayoutStatus | null): boolean => !UNMOVED.includes(payout);
