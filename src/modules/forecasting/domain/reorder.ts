/** When stock runs out, and how much to order (docs/forecasting.md#stock). */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { chanceAbove, quantile } from './counts.ts';
import { expectedDays, type Rule, sum, WEEK } from './methods.ts';

/** Days of cover are counted up to a year. */
const COVER_DAYS_MAX = 365;
const FULL_BPS = 10_000;

/** The part of a model that says what comes. */
type Outlook = Pick<Rule, 'base' | 'index'> & { readonly dispersion: number };

/** The weekday of a Sydney date: 0 is Monday. */
export const weekdayOf = (date: string): number =>
  (new Date(`${date}T00:00:00Z`).getUTCDay() + WEEK - 1) % WEEK;

/** Expected units of the days from a date on. */
export const expectedFrom = (outlook: Outlook, today: string, days: number): number[] =>
  expectedDays(outlook, weekdayOf(today), days);
export const totalFrom = (outlook: Outlook, today: string, days: number): number =>
  sum(expectedFrom(outlook, today, days));

/** Of what a week is off beyond chance, so much comes again in each further week. Not fitted, like all constants. */
const COMES_AGAIN = 0.5;

/**
 * How much larger than the mean the variance of units is. Weeks are counted in units: with days, a quiet day would widen
 * the bounds by more than it adds, and a longer horizon could have a smaller quantile.
 *
 * @param mean of a horizon
 */
export function dispersionOver({ base, dispersion }: Omit<Outlook, 'index'>, mean: number): number {
  const week = WEEK * base;
  return mean <= week ? dispersion : 1 + (dispersion - 1) * (1 + COMES_AGAIN * (mean / week - 1));
}

/** The units that are enough for some days with this probability. @param share between 0 and 1 */
export function quantileFrom(outlook: Outlook, today: string, days: number, share: number): number {
  const mean = totalFrom(outlook, today, days);
  return quantile(mean, dispersionOver(outlook, mean), share);
}

export interface Supply {
  /** Units that can be sold now; null where stock is not counted. */
  readonly available: number | null;
  readonly incoming: number;
  /** Null: unknown, and then nothing is said about orders. */
  readonly lead_time_days: number | null;
  readonly review_days: number;
  readonly service_level_bps: number;
  readonly pack_size: number;
}

/** @param today the first day that is forecast */
export function supplyOutlook(outlook: Outlook, today: string, supply: Supply) {
  const { available, incoming, lead_time_days, review_days, service_level_bps, pack_size } = supply;
  if (available === null) return { stock: null, reorder: null };
  const position = available + incoming;
  let [cover, sold] = [0, 0];
  for (const expected of expectedFrom(outlook, today, COVER_DAYS_MAX)) {
    sold += expected;
    if (sold > position) break;
    cover += 1;
  }
  const stock = {
    ...{ available, position, days_of_cover: cover },
    stockout_on: cover === COVER_DAYS_MAX ? null : addDays(today, cover),
  };
  if (lead_time_days === null) return { stock: { ...stock, stockout_risk_bps: null }, reorder: null };
  const level = service_level_bps / FULL_BPS;
  const duringLead = totalFrom(outlook, today, lead_time_days);
  const dispersion = dispersionOver(outlook, duringLead);
  const reorder_at = quantileFrom(outlook, today, lead_time_days, level);
  const order_up_to = quantileFrom(outlook, today, lead_time_days + review_days, level);
  const missing = Math.max(0, order_up_to - position);
  return {
    stock: {
      ...stock,
      stockout_risk_bps: Math.round(FULL_BPS * chanceAbove(duringLead, dispersion, position)),
    },
    reorder: {
      due: position <= reorder_at,
      reorder_at,
      order_up_to,
      quantity: Math.ceil(missing / pack_size) * pack_size,
    },
  };
}
