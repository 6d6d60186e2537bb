/** Chooses a method by back-tests and measures how far it is off (docs/forecasting.md#choice). */
import { EPSILON, usedDays } from '../../facts/domain/series.ts';
import {
  at,
  type Days,
  expectedDays,
  learn,
  METHODS,
  type Method,
  type Rule,
  type SellerIndex,
  sum,
  WEEK,
} from './methods.ts';

const EXPOSURE_DAYS_MIN = 28;
const UNITS_MIN = 10;
export const WINDOWS = 8;
const WINDOWS_MIN = 2;
const TRAINING_EXPOSURE = 21;
const WINDOW_EXPOSURE = 3.5;
/** A method takes the place of a simpler one when its error is below this share of the other's. */
const BETTER = 0.98;
const DISPERSION_DAYS = 56;
const FORECAST_LEAST = 0.5;

interface Backtest {
  readonly windows: number;
  /** Null: nothing was sold in the weeks, so an error has no measure. */
  readonly wape_bps: number | null;
  readonly bias_bps: number | null;
  readonly baseline_wape_bps: number | null;
  readonly compared: Method[];
}

/** What is known of a product after a night. */
export interface Model extends Rule {
  readonly dispersion: number;
  readonly exposure_days: number;
  readonly demand_units: number;
  readonly capped_days: number;
  readonly backtest: Backtest | null;
}

export interface Need {
  readonly what: 'exposure_days' | 'demand_units';
  readonly have: number;
  readonly required: number;
}

/** What a series lacks for a forecast. */
export function needsOf(days: Days): Need[] {
  const have = { exposure_days: sum(days.exposure), demand_units: sum(days.units) };
  const required = { exposure_days: EXPOSURE_DAYS_MIN, demand_units: UNITS_MIN };
  return (['exposure_days', 'demand_units'] as const)
    .filter((what) => have[what] < required[what] - EPSILON)
    .map((what) => ({ what, have: Math.floor(have[what] * 100 + EPSILON) / 100, required: required[what] }));
}

/** The first days of the weeks that are forecast from the days before them. */
function windowsOf({ exposure }: Days): number[] {
  return Array.from({ length: WINDOWS }, (_, week) => exposure.length - WEEK * (week + 1)).filter(
    (start) =>
      start > 0 &&
      sum(exposure.slice(0, start)) >= TRAINING_EXPOSURE - EPSILON &&
      sum(exposure.slice(start, start + WEEK)) >= WINDOW_EXPOSURE - EPSILON,
  );
}

interface Tested {
  readonly method: Method;
  /** Mean squared error of the days. */
  readonly score: number;
  /** Forecast and actual units of each window. */
  readonly weeks: readonly (readonly [forecast: number, actual: number])[];
}

function backtest(method: Method, days: Days, windows: readonly number[], ofSeller: SellerIndex): Tested {
  let [squares, counted] = [0, 0];
  const weeks = windows.map((start): readonly [number, number] => {
    const { base, index } = learn(method, days, ofSeller[(days.units.length - start) / WEEK], start);
    let [forecast, actual] = [0, 0];
    for (let day = start; day < start + WEEK; day += 1) {
      const whole = base * at(index, (days.weekday + day) % WEEK);
      const sold = at(days.units, day);
      const share = at(days.exposure, day);
      forecast += whole * share;
      actual += sold;
      if (share === 0) continue;
      squares += (sold - whole * share) ** 2;
      counted += 1;
    }
    return [forecast, actual];
  });
  return { method, score: squares / counted, weeks };
}

/** A ratio in basis points; null: there is no whole. */
const bps = (part: number, whole: number): number | null =>
  whole > 0 ? Math.round((10_000 * part) / whole) : null;
const errorBps = ({ weeks }: Tested): number | null =>
  bps(
    sum(weeks.map(([forecast, actual]) => Math.abs(forecast - actual))),
    sum(weeks.map(([, actual]) => actual)),
  );

/** How much larger than the mean the variance of units is, by the weeks and by the latest days. */
function dispersionOf(days: Days, rule: Rule, weeks: Tested['weeks']): number {
  const byWeek = weeks.map(
    ([forecast, actual]) => (actual - forecast) ** 2 / Math.max(forecast, FORECAST_LEAST),
  );
  const first = Math.max(0, days.units.length - DISPERSION_DAYS);
  const whole = expectedDays(rule, (days.weekday + first) % WEEK, days.units.length - first);
  const byDay = whole.flatMap((value, offset) => {
    const expected = value * at(days.exposure, first + offset);
    return expected > 0 ? [(at(days.units, first + offset) - expected) ** 2 / expected] : [];
  });
  return Math.max(
    1,
    ...[byWeek, byDay].filter(({ length }) => length > 0).map((all) => sum(all) / all.length),
  );
}

/**
 * Chooses the method of a product.
 *
 * @param raw with enough history (`needsOf`)
 */
export function chooseModel(raw: Days, ofSeller: SellerIndex = []): Model {
  const { capped, ...days } = usedDays(raw);
  const windows = windowsOf(days);
  const tested = METHODS.map((method) => backtest(method, days, windows, ofSeller));
  const [plain, ...others] = tested as [Tested, ...Tested[]];
  let best = plain;
  if (windows.length >= WINDOWS_MIN)
    for (const one of others) if (one.score < BETTER * best.score) best = one;
  const rule = learn(best.method, days, ofSeller[0]);
  const { weeks } = best;
  const bias = bps(
    sum(weeks.map(([forecast, actual]) => forecast - actual)),
    sum(weeks.map(([, actual]) => actual)),
  );
  return {
    ...rule,
    dispersion: dispersionOf(days, rule, weeks),
    exposure_days: Math.round(sum(days.exposure)),
    demand_units: sum(days.units),
    capped_days: capped,
    backtest:
      windows.length < WINDOWS_MIN
        ? null
        : {
            windows: windows.length,
            wape_bps: errorBps(best),
            bias_bps: bias,
            baseline_wape_bps: errorBps(plain),
            compared: [...METHODS],
          },
  };
}
