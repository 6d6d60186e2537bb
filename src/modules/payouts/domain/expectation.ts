/** Whether an expected payout will be paid, and why not. */
export const EXPECTATIONS = [
  'in_transit',
  'scheduled',
  'on_hold',
  'waiting_for_retry',
  'estimated',
  'not_expected',
] as const;
export type Expectation = (typeof EXPECTATIONS)[number];
