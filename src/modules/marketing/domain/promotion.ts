/** What a promotion covers, what it takes off, and what is due. Source: docs/design/marketing.md. */
import { atRate, lesserMinor, lessMinor, type Minor, minor, timesUnits } from '../../../kernel/money.ts';
import { estimateItem } from '../../fees/domain/estimate.ts';
import type { FeeSchedule } from '../../fees/domain/schedule.ts';
import type { EndReason, PromotionStatus } from './promotion-machine.ts';

export const PROMOTION_KINDS = ['percent_off', 'amount_off'] as const;

interface Promotion {
  readonly value_bps: number | null;
  readonly value_minor: Minor | null;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly currency: string;
  readonly budget_minor: Minor;
  readonly status: PromotionStatus;
  readonly submitted_at: string | null;
  readonly ended_at: string | null;
  readonly used_minor: Minor;
}

/** The discount on units of one price: the rate of their gross, or the amount of each unit, at most the gross. */
export function discountOf(
  { value_bps, value_minor }: Pick<Promotion, 'value_bps' | 'value_minor'>,
  price: Minor,
  units: number,
): Minor {
  const gross = timesUnits(price, units);
  const off = value_bps === null ? timesUnits(value_minor ?? minor(0), units) : atRate(gross, value_bps);
  return lesserMinor(off, gross);
}

/** What a discount costs the seller: the fees on the smaller gross are smaller too. */
export function trueCost(
  schedule: FeeSchedule,
  { price, quantity, category }: { price: Minor; quantity: number; category: string | null },
  discount: Minor,
) {
  const item = { reference: null, price, quantity, category, shipping: minor(0), loyalty: false };
  const fees = (off: Minor) => estimateItem(schedule, { ...item, discount: off }).fees;
  const fees_saved = lessMinor(fees(minor(0)), fees(discount));
  return { fees_saved, true_cost: lessMinor(discount, fees_saved) };
}

/** The columns of a promotion that ends; the end is never after its planned one. */
export const endedBy = ({ ends_at }: Pick<Promotion, 'ends_at'>, end_reason: EndReason, at: number) => ({
  status: 'ended' as const,
  end_reason,
  ended_at: new Date(Math.min(at, Date.parse(ends_at))).toISOString(),
});

/** The move that is due by itself; undefined if there is none. */
export function dueMove(row: Promotion, now: number) {
  const { status, starts_at, ends_at } = row;
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (status !== 'scheduled' && status !== 'running') return undefined;
  if (now >= end) return { event: 'ended' as const, change: endedBy(row, 'time', end) };
  if (status === 'scheduled')
    return now < start ? undefined : { event: 'started' as const, change: { status: 'running' as const } };
  if (row.used_minor < row.budget_minor) return undefined;
  return { event: 'ended' as const, change: endedBy(row, 'budget', now) };
}

/**
 * Whether an order counts for a promotion: the marketplace knew the promotion, and it had not ended when the order was
 * placed. The answer does not depend on when the order is told.
 */
export const countsFor = (
  { submitted_at, ends_at, ended_at, currency }: Promotion,
  order: { readonly currency: string; readonly placed_at: string },
): boolean =>
  submitted_at !== null &&
  currency === order.currency &&
  Date.parse(order.placed_at) <= Date.parse(ended_at ?? ends_at);
