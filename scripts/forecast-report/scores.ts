/** Judges forecasts against what came: rolling origins over a series of days (docs/forecasting.md#how-good-it-is). */
import { usedDays } from '../../src/modules/facts/domain/series.ts';
import { quantile } from '../../src/modules/forecasting/domain/counts.ts';
import { chooseModel, needsOf } from '../../src/modules/forecasting/domain/forecast.ts';
import { type Days, expectedDays, WEEK } from '../../src/modules/forecasting/domain/methods.ts';
import { dispersionOver, weekdayOf } from '../../src/modules/forecasting/domain/reorder.ts';

export interface Series {
  readonly name: string;
  /** Date of the first day. */
  readonly from: string;
  /** Units of each day. */
  readonly units: readonly number[];
}

/** What is said before a horizon, and what came. */
export interface Forecast {
  /** Days from the begin of the series. */
  readonly origin: number;
  readonly horizon: number;
  readonly expected: number;
  readonly quantiles: readonly number[];
  /** Quantiles of the seasonal naive forecast. */
  readonly naive: readonly number[];
  readonly actual: number;
}

export interface Score {
  readonly forecasts: number;
  /** Share of the totals from p10 to p90. */
  readonly coverage: number;
  /** Mean pinball loss of the three quantiles, relative to the mean total. */
  readonly pinball: number;
  readonly naivePinball: number;
  readonly wape: number;
  readonly bias: number;
}

export const HORIZONS = [7, 14, 28] as const;
const SHARES = [0.1, 0.5, 0.9] as const;
/** The days that the service looks back. */
const HISTORY_DAYS = 182;
/** Eight weeks of the back-test, and four to learn from before the first of them. */
const FIRST_ORIGIN = 84;

const at = (values: readonly number[], index: number): number => values[index] ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const total = (units: readonly number[], from: number, days: number): number =>
  sum(units.slice(from, from + days));

/** The units of the last week, for each week of the horizon, and the quantiles of the errors that this made so far. */
function seasonalNaive(units: readonly number[], horizon: number): number[] {
  const naive = (end: number): number => (total(units, end - WEEK, WEEK) * horizon) / WEEK;
  const ends = Array.from({ length: units.length - horizon - WEEK + 1 }, (_, index) => WEEK + index);
  const errors = ends.map((end) => total(units, end, horizon) - naive(end)).sort((a, b) => a - b);
  return SHARES.map((share) =>
    Math.max(0, naive(units.length) + at(errors, Math.ceil(share * errors.length) - 1)),
  );
}

/** Forecasts of a series, a week apart. */
export function forecastsOf({ units, from }: Series, horizon: number): Forecast[] {
  const forecasts: Forecast[] = [];
  for (let origin = FIRST_ORIGIN; origin + horizon <= units.length; origin += WEEK) {
    const first = Math.max(0, origin - HISTORY_DAYS);
    const known = units.slice(first, origin);
    const days: Days = {
      units: known,
      exposure: known.map(() => 1),
      weekday: (weekdayOf(from) + first) % WEEK,
    };
    if (needsOf(usedDays(days)).length > 0) continue;
    const model = chooseModel(days);
    const expected = sum(expectedDays(model, (weekdayOf(from) + origin) % WEEK, horizon));
    const dispersion = dispersionOver(model, expected);
    forecasts.push({
      origin,
      horizon,
      expected,
      quantiles: SHARES.map((share) => quantile(expected, dispersion, share)),
      naive: seasonalNaive(known, horizon),
      actual: total(units, origin, horizon),
    });
  }
  return forecasts;
}

const pinball = (quantiles: readonly number[], actual: number): number =>
  sum(
    SHARES.map((share, index) => {
      const above = actual - at(quantiles, index);
      return Math.max(share * above, (share - 1) * above);
    }),
  ) / SHARES.length;

export function scoreOf(forecasts: readonly Forecast[]): Score {
  const mean = (of: (one: Forecast) => number): number => sum(forecasts.map(of)) / forecasts.length;
  const actual = mean((one) => one.actual);
  return {
    forecasts: forecasts.length,
    coverage: mean((one) =>
      one.actual >= at(one.quantiles, 0) && one.actual <= at(one.quantiles, SHARES.length - 1) ? 1 : 0,
    ),
    pinball: mean((one) => pinball(one.quantiles, one.actual)) / actual,
    naivePinball: mean((one) => pinball(one.naive, one.actual)) / actual,
    wape: mean((one) => Math.abs(one.expected - one.actual)) / actual,
    bias: mean((one) => one.expected - one.actual) / actual,
  };
}
