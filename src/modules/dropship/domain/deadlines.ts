/** When a supplier is asked, and by when it answers. Source: docs/design/supply.md#dropship-orders. */
import type { OrderHead } from '../../orders/domain/order.ts';

const HOUR_MS = 3_600_000;
/** In this time buyers cancel what they have ordered by mistake. */
const SEND_AFTER_MS = 120_000;
const ANSWER_MS = 12 * HOUR_MS;
/** So long the seller has for units that the supplier gives back. */
const LEFT_FOR_SELLER_MS = 4 * HOUR_MS;
/** With less time left no supplier is asked. */
const ANSWER_MIN_MS = HOUR_MS;

/** Milliseconds. An order is paid when it is accepted, unless the payment is captured before. */
export const sendAt = ({ recorded_at, captured_at }: OrderHead): number =>
  Math.max(Date.parse(recorded_at), captured_at === null ? 0 : Date.parse(captured_at)) + SEND_AFTER_MS;

/** By when a supplier that is asked now answers, in milliseconds; undefined: there is no time to ask. */
export function respondBy({ accept_by }: OrderHead, now: number): number | undefined {
  const by = Math.min(now + ANSWER_MS, Date.parse(accept_by) - LEFT_FOR_SELLER_MS);
  return by - now < ANSWER_MIN_MS ? undefined : by;
}
