/** What counts for and against a seller, order by order, and how the sums are judged. Source: docs/design/quality.md#performance. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { rateBps } from '../../../kernel/frame.ts';
import { reasonCode } from '../../../kernel/reason-code.ts';

export const METRICS = ['late_dispatch', 'seller_cancel', 'defect'] as const;
export type Metric = (typeof METRICS)[number];
export const isMetric = (text: string): text is Metric => (METRICS as readonly string[]).includes(text);

export const CAUSES = [
  'not_dispatched',
  'dispatched_late',
  'cancelled_late',
  'rejected',
  'expired',
  'cancelled',
  'dispute_lost',
  'returned',
  'low_rating',
] as const;

/** Why an order counts against the seller. */
export interface Fact {
  readonly cause: (typeof CAUSES)[number];
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string | null;
  /** Of the dispute, the return or the rating. */
  readonly id: string | null;
}

/** Until when an event can be contested, from the instant since which it counts. */
export const CONTEST_MS = 30 * 86_400_000;
/** Fewer orders are not judged. */
const SAMPLE_MIN = 30;
/** The seller cancels for the buyer's sake. */
const EXCUSED: ReadonlySet<unknown> = new Set([
  'customer_requested',
  'suspected_fraud',
  'address_not_serviceable',
]);
const FAULTS: ReadonlySet<unknown> = new Set(['damaged', 'defective', 'not_as_described', 'wrong_item']);
const LOW_STARS = 2;

interface Happened {
  readonly id: string;
  readonly at: string;
}
/** How an order was served. Instants are RFC 3339. */
export interface Served {
  readonly accept_by: string;
  readonly dispatch_by: string | null;
  readonly expired_at: string | null;
  readonly delivered_at: string | null;
  /** When its last parcel was dispatched. */
  readonly dispatched_at: string | null;
  readonly units: { readonly open: number; readonly sent: number; readonly rejected: number };
  readonly given_up: readonly {
    readonly action: 'rejected' | 'cancelled' | 'cancel_request_accepted';
    readonly by_seller: boolean;
    readonly reason: string | null;
    readonly at: string;
    readonly units: number;
  }[];
  readonly lost_disputes: readonly Happened[];
  readonly returned: readonly (Happened & { readonly reason: string | null })[];
  /** Ratings of the seller that count. */
  readonly ratings: readonly (Happened & { readonly stars: number })[];
}

/** Of an order for a metric: the day on which it is counted, and what counts against the seller. */
interface Counted {
  readonly metric: Metric;
  readonly day: string;
  readonly fact: Fact | null;
}

const factOf = (cause: Fact['cause'], at: string, more: Partial<Fact> = {}): Fact => ({
  ...{ cause, at: new Date(at).toISOString(), reason: null, id: null },
  ...more,
});

/** An accepted unit was not dispatched in time: it is open, it was sent late, or it was cancelled late. */
function lateness({ dispatch_by, dispatched_at, units, given_up }: Served, now: number): Fact | null {
  if (dispatch_by === null) return null;
  const due = Date.parse(dispatch_by);
  const isLate = (at: string) => Date.parse(at) > due;
  if (units.open > 0 && now > due) return factOf('not_dispatched', dispatch_by);
  if (dispatched_at !== null && isLate(dispatched_at)) return factOf('dispatched_late', dispatched_at);
  const cancelled = given_up.find(({ action, at }) => action !== 'rejected' && isLate(at));
  return cancelled === undefined
    ? null
    : factOf('cancelled_late', cancelled.at, { reason: reasonCode(cancelled.reason) });
}

function cancellation({ expired_at, units, given_up }: Served): Fact | null {
  const own = given_up.find(({ by_seller, reason }) => by_seller && !EXCUSED.has(reason));
  if (own !== undefined)
    return factOf(own.action === 'rejected' ? 'rejected' : 'cancelled', own.at, { reason: own.reason });
  const rejected = given_up.filter(({ action }) => action === 'rejected').map((one) => one.units);
  const unanswered = units.rejected - rejected.reduce((sum, count) => sum + count, 0);
  return expired_at !== null && unanswered > 0 ? factOf('expired', expired_at) : null;
}

function fault({ lost_disputes, returned, ratings }: Served): Fact | null {
  const facts = [
    ...lost_disputes.map(({ id, at }) => factOf('dispute_lost', at, { id })),
    ...returned
      .filter(({ reason }) => FAULTS.has(reason))
      .map(({ id, at, reason }) => factOf('returned', at, { id, reason })),
    ...ratings
      .filter(({ stars }) => stars <= LOW_STARS)
      .map(({ id, at, stars }) => factOf('low_rating', at, { id, reason: `stars_${stars}` })),
  ];
  return facts.toSorted((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
}

/** What an order counts for. @param now milliseconds */
export function countOrder(order: Served, now: number): Counted[] {
  const { accept_by, dispatch_by, delivered_at, units } = order;
  const dayOf = (at: string) => sydneyDate(Date.parse(at));
  const late = lateness(order, now);
  const isDue = units.open + units.sent > 0 || late !== null;
  return [
    ...(dispatch_by !== null && isDue
      ? [{ metric: 'late_dispatch' as const, day: dayOf(dispatch_by), fact: late }]
      : []),
    { metric: 'seller_cancel', day: dayOf(accept_by), fact: cancellation(order) },
    ...(delivered_at === null
      ? []
      : [{ metric: 'defect' as const, day: dayOf(delivered_at), fact: fault(order) }]),
  ];
}

export interface Target {
  readonly version: string;
  readonly metric: Metric;
  /** First Sydney day. */
  readonly effective_from: string;
  readonly max_bps: number;
}

export const DEFAULT_TARGETS: readonly Target[] = [
  { version: 'default-1', metric: 'late_dispatch', effective_from: '0001-01-01', max_bps: 400 },
  { version: 'default-1', metric: 'seller_cancel', effective_from: '0001-01-01', max_bps: 200 },
  { version: 'default-1', metric: 'defect', effective_from: '0001-01-01', max_bps: 100 },
];

/** A day, or days with one target. */
interface Day {
  readonly day: string;
  readonly numerator: number;
  readonly denominator: number;
}
export const STATUSES = ['insufficient', 'met', 'missed'] as const;

/**
 * Judges the days of a window. Each day has the target that was in force on it; several targets are averaged by the
 * orders of their days, so a new one never judges earlier days.
 *
 * @param targets of the metric, the newest last
 * @param end last day of the window
 */
export function judge(days: readonly Day[], targets: readonly Target[], end: string) {
  const numerator = days.reduce((sum, day) => sum + day.numerator, 0);
  const denominator = days.reduce((sum, day) => sum + day.denominator, 0);
  const inForce = (day: string) => targets.findLast(({ effective_from }) => effective_from <= day);
  const allowed = days.reduce((sum, { day, denominator: of }) => sum + of * (inForce(day)?.max_bps ?? 0), 0);
  const last = inForce(end);
  const max_bps = denominator === 0 ? (last?.max_bps ?? 0) : Math.round(allowed / denominator);
  const rate_bps = rateBps(numerator, denominator, SAMPLE_MIN);
  const status: (typeof STATUSES)[number] =
    rate_bps === null ? 'insufficient' : rate_bps <= max_bps ? 'met' : 'missed';
  return { numerator, denominator, rate_bps, target: { max_bps, version: last?.version ?? '' }, status };
}
