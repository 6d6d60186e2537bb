/** The windows of an order. Source: docs/design/orders.md#deadlines. */
import { afterOpenTime, type Closing } from '../../../kernel/australia/closing.ts';
import type { Order } from './order.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCEPT_WINDOW_MS = 24 * HOUR_MS;
/** The warning comes this long before the acceptance window closes. */
const ACCEPT_WARNING_MS = 4 * HOUR_MS;
export const CANCEL_ANSWER_MS = 24 * HOUR_MS;
export const RETURN_ANSWER_MS = 2 * DAY_MS;
export const RETURN_WINDOW_MS = 30 * DAY_MS;
/** The warning comes this long before a dispute must be answered. */
const DISPUTE_WARNING_MS = 2 * DAY_MS;
/** Time after dispatch in which a tracking number can be corrected. */
export const TRACKING_CORRECTION_MS = 7 * DAY_MS;

/** The instant `ms` after another. */
export const after = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** The latest of RFC 3339 instants in UTC; null without any. */
export const latest = (instants: readonly (string | null)[]): string | null =>
  instants.reduce<string | null>((max, at) => (at !== null && (max === null || at > max) ? at : max), null);
export const earliest = (instants: readonly (string | null)[]): string | null =>
  instants.reduce<string | null>((min, at) => (at !== null && (min === null || at < min) ? at : min), null);

/** By when an order that is recorded now (milliseconds) must be answered; closed days do not count. */
export const acceptBy = (now: number, closing: Closing | null): string =>
  new Date(afterOpenTime(now, ACCEPT_WINDOW_MS, closing)).toISOString();

const OPEN_RETURNS: ReadonlySet<string> = new Set(['requested', 'accepted', 'received']);

/** Whether an open part keeps the order from closing. */
function isBusy({ returns, disputes, refunds, cancel_requests }: Order): boolean {
  return (
    returns.some(({ status }) => OPEN_RETURNS.has(status)) ||
    disputes.some(({ status }) => status === 'open') ||
    refunds.some(({ status }) => status === 'processing') ||
    cancel_requests.some(({ status }) => status === 'open')
  );
}

type TimerKind =
  | 'warn_acceptance'
  | 'expire'
  | 'flag_late'
  | 'grant_cancel_request'
  | 'warn_dispute'
  | 'close';
export interface Timer {
  readonly kind: TimerKind;
  readonly at: string;
  /** The request of `grant_cancel_request`, the dispute of `warn_dispute`. */
  readonly id?: string;
}

/** The timers of an order, the next first. */
export function timersOf(order: Order): Timer[] {
  const { head } = order;
  const timers: Timer[] = [];
  if (head.awaiting > 0) {
    if (head.acceptance_warned_at === null)
      timers.push({ kind: 'warn_acceptance', at: after(head.accept_by, -ACCEPT_WARNING_MS) });
    timers.push({ kind: 'expire', at: head.accept_by });
  }
  if (head.accepted_open > 0 && head.dispatch_by !== null && head.late_at === null)
    timers.push({ kind: 'flag_late', at: head.dispatch_by });
  for (const { status, respond_by, request_id } of order.cancel_requests)
    if (status === 'open') timers.push({ kind: 'grant_cancel_request', at: respond_by, id: request_id });
  for (const { status, respond_by, warned_at, dispute_id } of order.disputes)
    if (status === 'open' && respond_by !== null && warned_at === null)
      timers.push({ kind: 'warn_dispute', at: after(respond_by, -DISPUTE_WARNING_MS), id: dispute_id });
  if (head.closes_at !== null && head.closed_at === null && !isBusy(order))
    timers.push({ kind: 'close', at: head.closes_at });
  return timers.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
