/**
 * Three ways to say what a product sells on a day. Their constants are not fitted: short series cannot carry it.
 * Source: docs/forecasting.md#methods.
 */
import { EPSILON, mean28 } from '../../facts/domain/series.ts';

/** A series of days, the oldest first. */
export interface Days {
  /** Units; 0 where a day is missing. */
  readonly units: readonly number[];
  /** From 0 to 1; 0 where a day is missing. */
  readonly exposure: readonly number[];
  /** Weekday of the first day: 0 is Monday. */
  readonly weekday: number;
}

export const METHODS = ['mean28', 'dow_ses', 'tsb'] as const;
export type Method = (typeof METHODS)[number];

/** Expected units of a day of this weekday: `base × index[weekday]`. */
export interface Rule {
  readonly method: Method;
  readonly base: number;
  readonly index: readonly number[];
  readonly source: 'product' | 'seller' | 'none';
}

export const WEEK = 7;
const FLAT: readonly number[] = Array<number>(WEEK).fill(1);
const CHANCE_EXPOSURE = 28;
const LEVEL_EXPOSURE = 14;
const LEVEL_STEP = 0.1;
const SIZE_STEP = 0.1;
const CHANCE_STEP = 0.05;
/** Pulls the index of a weekday to 1: as if each had ten more units. */
const PRIOR_UNITS = 10;
const OWN_INDEX_UNITS = 56;
const SELLER_INDEX_UNITS = 280;

export const at = (values: readonly number[], index: number): number => values[index] ?? 0;
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Units and exposure by weekday. */
interface WeekdaySums {
  readonly units: number[];
  readonly exposure: number[];
}
const noSums = (): WeekdaySums => ({ units: FLAT.map(() => 0), exposure: FLAT.map(() => 0) });

/** Adds the days of a series between two to sums by weekday. */
function addByWeekday(
  sums: WeekdaySums,
  { units, exposure, weekday }: Days,
  { from, to }: { readonly from: number; readonly to: number },
): WeekdaySums {
  for (let day = from; day < to; day += 1) {
    const on = (weekday + day) % WEEK;
    sums.units[on] = at(sums.units, on) + at(units, day);
    sums.exposure[on] = at(sums.exposure, on) + at(exposure, day);
  }
  return sums;
}

/** The index of each weekday, with a mean of 1. @returns undefined for fewer units than asked for */
function indexOf({ units, exposure }: WeekdaySums, least: number): readonly number[] | undefined {
  const [all, exposed] = [sum(units), sum(exposure)];
  if (all < least || exposed === 0) return undefined;
  const rate = all / exposed;
  const raw = FLAT.map((_, on) => (at(units, on) + PRIOR_UNITS) / (rate * at(exposure, on) + PRIOR_UNITS));
  const mean = sum(raw) / WEEK;
  return raw.map((one) => one / mean);
}

/** How the weekdays of all products of a seller differ: at n, without the last n weeks, as it was known before them. */
export type SellerIndex = readonly (readonly number[] | undefined)[];

/** The index of all series that are given to `add`. They end on the same day. */
export function sellerIndex(weeks: number) {
  // At n what the days of week n from the end add; at the end all days before them.
  const parts = Array.from({ length: weeks + 1 }, noSums);
  return {
    add: (days: Days): void => {
      for (const [left, part] of parts.entries()) {
        const to = Math.max(0, days.units.length - WEEK * left);
        addByWeekday(part, days, { from: left === weeks ? 0 : Math.max(0, to - WEEK), to });
      }
    },
    read: (): SellerIndex => {
      const sums = noSums();
      return parts
        .toReversed()
        .map((part) => {
          for (const on of FLAT.keys()) {
            sums.units[on] = at(sums.units, on) + at(part.units, on);
            sums.exposure[on] = at(sums.exposure, on) + at(part.exposure, on);
          }
          return indexOf(sums, SELLER_INDEX_UNITS);
        })
        .toReversed();
    },
  };
}

/** Simple exponential smoothing of the level beneath the index of the weekdays. */
function smoothedLevel({ units, exposure, weekday }: Days, index: readonly number[], end: number): number {
  const share = (day: number): number => at(exposure, day) * at(index, (weekday + day) % WEEK);
  let [sold, exposed, shares] = [0, 0, 0];
  for (let day = 0; day < end && exposed < LEVEL_EXPOSURE - EPSILON; day += 1) {
    sold += at(units, day);
    exposed += at(exposure, day);
    shares += share(day);
  }
  let level = shares > 0 ? sold / shares : 0;
  for (let day = 0; day < end; day += 1) {
    const e = at(exposure, day);
    if (e > 0) level += LEVEL_STEP * e * (at(units, day) / share(day) - level);
  }
  return level;
}

/** Size of a sale and chance of one, as Teunter, Syntetos and Babai (2011) smooth them. */
export function tsb(
  { units, exposure }: Days,
  end = units.length,
): { readonly size: number; readonly chance: number } {
  const first = units.findIndex((sold) => sold > 0);
  let size = first < end ? at(units, first) : 0;
  let [selling, exposed] = [0, 0];
  for (let day = 0; day < end && exposed < CHANCE_EXPOSURE - EPSILON; day += 1) {
    if (at(units, day) > 0) selling += 1;
    exposed += at(exposure, day);
  }
  let chance = exposed > 0 ? Math.min(1, selling / exposed) : 0;
  for (let day = 0; day < end; day += 1) {
    const sold = at(units, day);
    if (sold > 0) {
      size += SIZE_STEP * (sold - size);
      chance += CHANCE_STEP * (1 - chance);
    } else chance -= CHANCE_STEP * at(exposure, day) * chance;
  }
  return { size, chance };
}

/**
 * What a method learns from a series.
 *
 * @param ofSeller index of all products of the seller, which stands in for products that sell little
 * @param end how many of the days it knows
 */
export function learn(
  method: Method,
  days: Days,
  ofSeller: readonly number[] | undefined,
  end = days.units.length,
): Rule {
  if (method === 'mean28') return { method, base: mean28(days, end).perDay, index: FLAT, source: 'none' };
  if (method === 'tsb') {
    const { size, chance } = tsb(days, end);
    return { method, base: size * chance, index: FLAT, source: 'none' };
  }
  const own = indexOf(addByWeekday(noSums(), days, { from: 0, to: end }), OWN_INDEX_UNITS);
  const index = own ?? ofSeller ?? FLAT;
  const source = own !== undefined ? 'product' : ofSeller !== undefined ? 'seller' : 'none';
  return { method, base: smoothedLevel(days, index, end), index, source };
}

/** Expected units of the days after a series, each counted whole. @param weekday of the first of them */
export const expectedDays = ({ base, index }: Pick<Rule, 'base' | 'index'>, weekday: number, days: number) =>
  Array.from({ length: days }, (_, day) => base * at(index, (weekday + day) % WEEK));
