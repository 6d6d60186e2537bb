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

/**
 * Units per day of exposure over the latest days, back until their exposure reaches so many days.
 *
 * @returns null if the series has less exposure
 */
export function meanOfLatest({ units, exposure }: Series, exposedDays: number): number | null {
  let [sold, exposed] = [0, 0];
  for (let at = units.length - 1; at >= 0; at -= 1) {
    sold += units[at] ?? 0;
    exposed += exposure[at] ?? 0;
    if (exposed >= exposedDays - EPSILON) return sold / exposed;
  }
  return null;
}

/** Sums of shares of days are not exact. */
export const EPSILON = 1e-9;
