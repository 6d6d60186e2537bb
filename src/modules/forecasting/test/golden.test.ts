/** Golden figures of docs/forecasting.md. */
import { expect, test } from 'vitest';
import { usedDays } from '../../facts/domain/series.ts';
import { quantile } from '../domain/counts.ts';
import { chooseModel, needsOf } from '../domain/forecast.ts';
import { type Days, learn, METHODS, type Method, tsb } from '../domain/methods.ts';
import { expectedFrom, quantileFrom, supplyOutlook, totalFrom } from '../domain/reorder.ts';

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** `productC` of Hyndman and Athanasopoulos, Forecasting: Principles and Practice: 36 months. */
const PRODUCT_C = '0 2 0 1 0 11 0 0 0 0 2 0 6 3 0 0 0 0 0 7 0 0 0 0 0 0 0 3 1 0 0 1 0 1 0 0'
  .split(' ')
  .map(Number);

test('TSB on a published series', () => {
  const days: Days = { units: PRODUCT_C, exposure: PRODUCT_C.map(() => 1), weekday: 0 };
  const { size, chance } = tsb(days);
  expect([round(size, 7), round(chance, 7), round(size * chance, 7)]).toEqual([
    2.7502538, 0.2955971, 0.8129669,
  ]);
});

test('quantiles of counts', () => {
  const of = (mean: number, dispersion: number, ...shares: number[]) =>
    shares.map((share) => quantile(mean, dispersion, share));
  expect(of(14, 1, 0.1, 0.5, 0.9)).toEqual([9, 14, 19]);
  expect(of(14, 1.5, 0.1, 0.5, 0.9)).toEqual([8, 14, 20]);
  expect(of(5.2, 2.4, 0.1, 0.5, 0.9, 0.95)).toEqual([1, 5, 10, 12]);
});

/** Monday 2026-08-03 to Sunday 2026-10-25; from day 70 to day 76 there was no stock. */
const OUT = { from: 70, to: 76 };
const isOut = (day: number): boolean => day >= OUT.from && day <= OUT.to;
const MUG: Days = {
  units: Array.from({ length: 84 }, (_, day) =>
    isOut(day) ? 0 : ([2, 2, 3, 3, 4, 6, 5][day % 7] ?? 0) + (day % 3 === 0 ? 1 : 0),
  ),
  exposure: Array.from({ length: 84 }, (_, day) => (isOut(day) ? 0 : 1)),
  weekday: 0,
};

test('a product over 84 days', () => {
  expect(needsOf(usedDays(MUG))).toEqual([]);
  const model = chooseModel(MUG);
  expect(model).toMatchObject({
    method: 'dow_ses',
    source: 'product',
    dispersion: 1,
    ...{ exposure_days: 77, demand_units: 301, capped_days: 0 },
    backtest: { windows: 7, wape_bps: 192, bias_bps: -18, baseline_wape_bps: 183 },
  });
  expect(model.index.map((one) => round(one, 4))).toEqual([
    0.6792, 0.6792, 0.8679, 0.8868, 1.0943, 1.4906, 1.3019,
  ]);
  expect(round(model.base, 4)).toBe(3.8852);
  expect(round(learn('mean28', MUG, undefined).base, 4)).toBe(3.8929);
  const today = '2026-10-26';
  const horizon = (days: number) => {
    const mean = totalFrom(model, today, days);
    return [round(mean, 2), ...[0.1, 0.5, 0.9].map((share) => quantileFrom(model, today, days, share))];
  };
  expect(horizon(7)).toEqual([27.2, 21, 27, 34]);
  expect(horizon(14)).toEqual([54.39, 45, 54, 64]);
  expect(horizon(28)).toEqual([108.78, 96, 109, 122]);
  expect(round(expectedFrom(model, today, 1)[0] ?? 0, 2)).toBe(2.64);
  const supply = { available: 31, incoming: 12, lead_time_days: 10, review_days: 7 };
  expect([10, 17].map((days) => round(totalFrom(model, today, days), 2))).toEqual([35.85, 63.04]);
  expect(supplyOutlook(model, today, { ...supply, service_level_bps: 9_000, pack_size: 6 })).toEqual({
    stock: {
      available: 31,
      position: 43,
      days_of_cover: 11,
      stockout_on: '2026-11-06',
      stockout_risk_bps: 1_032,
    },
    reorder: { due: true, reorder_at: 44, order_up_to: 73, quantity: 30 },
  });
});

test('the weeks of the back-test, and the errors by which the method is chosen', () => {
  // The week of day 70 is left out, because there was no stock.
  const starts = [1, 3, 4, 5, 6, 7, 8].map((week) => MUG.units.length - 7 * week);
  const weekOf = (start: number) => MUG.units.slice(start, start + 7);
  const total = (units: readonly number[]) => units.reduce((sum, one) => sum + one, 0);
  expect(starts.map((start) => total(weekOf(start)))).toEqual([27, 28, 27, 27, 28, 27, 27]);
  const score = (method: Method) =>
    total(
      starts.flatMap((start) => {
        const { base, index } = learn(method, MUG, undefined, start);
        return weekOf(start).map((sold, day) => (sold - base * (index[day] ?? 0)) ** 2);
      }),
    ) /
    (7 * starts.length);
  expect(METHODS.map((method) => [method, round(score(method), 6)])).toEqual([
    ['mean28', 2.134111],
    ['dow_ses', 0.413124],
    ['tsb', 2.206263],
  ]);
  // A mean that counts the days without stock says less.
  expect(round(total(MUG.units.slice(-28)) / 28, 4)).toBe(2.9286);
});
