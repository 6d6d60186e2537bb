/** The states of a payout. The module `payouts` has the moves between them. */
export const PAYOUT_STATUSES = ['pending', 'in_transit', 'paid', 'failed', 'canceled', 'returned'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The states of attempts that move no money at the provider; null for a settlement without an attempt. */
const UNMOVED: readonly (PayoutStatus | null)[] = [null, 'failed', 'canceled'];

/** Whether the last attempt to pay a settlement has moved money, or may have. */
export const hasMoved = (payout: PayoutStatus | null): boolean => !UNMOVED.includes(payout);
