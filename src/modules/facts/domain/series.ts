/** The demand and the exposure of a product by day (docs/design/facts.md#exposure). */

/** A Sydney day: its first instant and that of the next day, in milliseconds. */
export interface Span {
  readonly start: number;
  readonly next: number;
}
/** A time in which the product could not be bought, in milliseconds. Infinity: it lasts. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** The days of a product, the oldest first. */
export interface Series {
  readonly units: readonly number[];
  /** From 0 to 1. */
  readonly exposure: readonly number[];
}

/** Outages without overlaps, in order. */
function merged(outages: readonly Outage[]): Outage[] {
  const found: Outage[] = [];
  for (const one of [...outages].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last === undefined || one.from > last.to) found.push(one);
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, one.to) };
  }
  return found;
}

/** The share of each day in which the product could be bought. */
export function exposureOf(days: readonly Span[], outages: readonly Outage[]): number[] {
  const apart = merged(outages);
  return days.map(({ start, next }) => {
    let out = 0;
    for (const { from, to } of apart) out += Math.max(0, Math.min(to, next) - Math.max(from, start));
    return 1 - out / (next - start);
  });
}

/** Sums of shares of days are not exact. */
export const EPSILON = 1e-9;
/** A day with less exposure is missing. */
const LEAST_EXPOSURE = 0.05;
const BULK_SELLING_DAYS = 10;
const BULK_UNITS_MIN = 10;
const BULK_TIMES = 4;
const BULK_SHARE = 0.9;
const MEAN_EXPOSURE = 28;

/** The days as means and forecasts use them: bulk orders are capped, and missing days say nothing. */
export function usedDays<S extends Series>(days: S): S & { readonly capped: number } {
  const exposure = days.exposure.map((share) => (share >= LEAST_EXPOSURE ? share : 0));
  const units = days.units.map((sold, day) => ((days.exposure[day] ?? 0) >= LEAST_EXPOSURE ? sold : 0));
  const selling = units.filter((sold) => sold > 0).sort((a, b) => a - b);
  const p90 = selling[Math.ceil(BULK_SHARE * selling.length) - 1] ?? 0;
  const cap = selling.length < BULK_SELLING_DAYS ? Infinity : Math.max(BULK_UNITS_MIN, BULK_TIMES * p90);
  return {
    ...days,
    units: units.map((sold) => Math.min(sold, cap)),
    exposure,
    capped: units.filter((sold) => sold > cap).length,
  };
}

/**
 * The units per day of exposure of the latest days, back until their exposure is 28 or none is left.
 *
 * @param end how many of the days count
 * @returns `isWhole`: the series has so much exposure; `days`: how many days count
 */
export function mean28({ units, exposure }: Series, end = units.length) {
  let [sold, exposed, days] = [0, 0, 0];
  for (; days < end && exposed < MEAN_EXPOSURE - EPSILON; days += 1) {
    const day = end - 1 - days;
    sold += units[day] ?? 0;
    exposed += exposure[day] ?? 0;
  }
  return { perDay: exposed > 0 ? sold / exposed : 0, isWhole: exposed >= MEAN_EXPOSURE - EPSILON, days };
}
