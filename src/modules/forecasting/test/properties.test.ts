/** What holds for every series, and the quantiles of an oracle. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usedDays } from '../../facts/domain/series.ts';
import { chanceAbove, quantile } from '../domain/counts.ts';
import { chooseModel, needsOf } from '../domain/forecast.ts';
import { type Days, learn, METHODS, sellerIndex } from '../domain/methods.ts';
import { dispersionOver, quantileFrom, totalFrom } from '../domain/reorder.ts';
import ORACLE from './count-quantiles.json' with { type: 'json' };

const SHARES = [0.1, 0.5, 0.9];
const mean = fc.double({ min: 0, max: 3_000, noNaN: true });
const dispersion = fc.oneof(fc.constant(1), fc.double({ min: 1, max: 30, noNaN: true }));

describe('quantiles', () => {
  test('equal those of the oracle', () => {
    const shares = ORACLE.columns.slice(2).map(Number);
    const wrong = ORACLE.rows.filter(([mu = 0, phi = 1, ...expected]) =>
      shares.some((share, at) => quantile(mu, phi, share) !== expected[at]),
    );
    expect(wrong).toEqual([]);
    expect(ORACLE.rows.length).toBeGreaterThan(90);
  });

  test('of two thousand million units take as many steps as have a probability', () => {
    for (const phi of [1, 3]) {
      expect(chanceAbove(40, phi, 2_000_000_000)).toBeCloseTo(0, 12);
      expect(chanceAbove(40, phi, 2_000_000_000)).toBe(chanceAbove(40, phi, 5_000));
      expect(chanceAbove(500, phi, 499)).toBeGreaterThan(0.45);
    }
    expect(chanceAbove(5, 1, 0)).toBeCloseTo(1 - Math.exp(-5), 12);
  });

  test('are in order, grow with the mean, and leave the probability that they say', () => {
    fc.assert(
      fc.property(mean, mean, dispersion, (a, b, phi) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const [p10 = 0, p50 = 0, p90 = 0] = SHARES.map((share) => quantile(low, phi, share));
        expect(p10 <= p50 && p50 <= p90).toBe(true);
        for (const share of SHARES)
          expect(quantile(high, phi, share)).toBeGreaterThanOrEqual(quantile(low, phi, share));
        expect(chanceAbove(low, phi, p90)).toBeLessThan(0.1 + 1e-3);
      }),
      { numRuns: 2_000 },
    );
  });
});

const series = fc
  .array(fc.tuple(fc.oneof(fc.constant(0), fc.nat(40)), fc.constantFrom(0, 0.04, 0.5, 1, 1)), {
    minLength: 60,
    maxLength: 182,
  })
  .map(
    (days): Days => ({ units: days.map(([units]) => units), exposure: days.map(([, e]) => e), weekday: 3 }),
  );

test('what stands on a day that is missing changes nothing, and no figure is below zero', () => {
  fc.assert(
    fc.property(series, fc.nat(1_000), (days, other) => {
      const changed = {
        ...days,
        units: days.units.map((sold, at) => ((days.exposure[at] ?? 0) < 0.05 ? other : sold)),
      };
      const model = chooseModel(days);
      expect(chooseModel(changed)).toEqual(model);
      expect(needsOf(usedDays(changed))).toEqual(needsOf(usedDays(days)));
      expect(model.base).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(model.dispersion) && model.dispersion >= 1).toBe(true);
      for (const share of SHARES) {
        const bounds = [1, 3, 7, 8, 9, 10, 14, 21, 28, 90].map((days) =>
          quantileFrom(model, '2026-10-26', days, share),
        );
        expect(bounds.toSorted((a, b) => a - b)).toEqual(bounds);
      }
    }),
    { numRuns: 300 },
  );
});

test('an error of a week lasts, so the variance of longer horizons grows faster than their mean', () => {
  const over = (dispersion: number, weeks: number) => dispersionOver({ base: 2, dispersion }, 14 * weeks);
  expect([0.5, 1, 2, 4].map((weeks) => over(3, weeks))).toEqual([3, 3, 4, 6]);
  // Chance alone does not last.
  expect(over(1, 12)).toBe(1);
  expect(dispersionOver({ base: 0, dispersion: 3 }, 0)).toBe(3);
});

const steady = (units: (day: number) => number, days = 182): Days => ({
  units: Array.from({ length: days }, (_, day) => units(day)),
  exposure: Array<number>(days).fill(1),
  weekday: 0,
});
const perDay = (days: Days): number => totalFrom(chooseModel(days), '2026-10-26', 28) / 28;

test('one order of 500 units does not triple the forecast', () => {
  const plain = steady((day) => 3 + (day % 2));
  for (const bulk of [100, 170, 181]) {
    const days = { ...plain, units: plain.units.map((sold, day) => (day === bulk ? 500 : sold)) };
    expect(usedDays(days).capped).toBe(1);
    expect(perDay(days)).toBeLessThan(3 * perDay(plain));
  }
});

test('a product that stops selling is forecast at 0 within 60 days', () => {
  const days = steady((day) => (day < 122 ? 4 : 0));
  for (const method of METHODS) expect(learn(method, days, undefined).base).toBeLessThan(0.2);
  expect(perDay(days)).toBeLessThan(0.1);
});

test('weeks in which nothing was sold measure no error', () => {
  const unmeasured = { windows: 8, wape_bps: null, bias_bps: null, baseline_wape_bps: null };
  expect(chooseModel(steady((day) => (day < 60 ? 4 : 0))).backtest).toMatchObject(unmeasured);
});

test('too little history is named with both numbers', () => {
  expect(needsOf(steady(() => 1, 28))).toEqual([]);
  expect(needsOf(steady(() => 1, 27))).toEqual([{ what: 'exposure_days', have: 27, required: 28 }]);
  expect(needsOf(steady((day) => (day < 9 ? 1 : 0), 28))).toEqual([
    { what: 'demand_units', have: 9, required: 10 },
  ]);
});

test('a product that sells little has the weekdays of its seller', () => {
  const index = [2, 0.5, 0.5, 1, 1, 1, 1];
  expect(
    learn(
      'dow_ses',
      steady((day) => (day < 55 ? 1 : 0)),
      index,
    ),
  ).toMatchObject({ index, source: 'seller' });
  expect(
    learn(
      'dow_ses',
      steady((day) => (day < 56 ? 1 : 0)),
      index,
    ).source,
  ).toBe('product');
  expect(
    learn(
      'dow_ses',
      steady((day) => (day < 55 ? 1 : 0)),
      undefined,
    ).source,
  ).toBe('none');
});

test('a week of the back-test is forecast with the weekdays of the seller from before that week', () => {
  const indexWith = (last: number) => {
    const index = sellerIndex(2);
    index.add(steady((day) => (day < 175 ? 5 + (day % 7) : last * (day % 2))));
    return index.read();
  };
  const [plain = [], changed = []] = [indexWith(1), indexWith(90)];
  expect(changed[0]).not.toEqual(plain[0]);
  expect(changed.slice(1)).toEqual(plain.slice(1));

  const onSaturdays = steady((day) => (day % 7 === 5 ? 1 : 0));
  const [saturdays, flat] = [
    [0.2, 0.2, 0.2, 0.2, 0.2, 5.8, 0.2],
    [1, 1, 1, 1, 1, 1, 1],
  ];
  const weeks = Array<number[]>(8);
  expect(chooseModel(onSaturdays, [saturdays, ...weeks.fill(saturdays)]).method).toBe('dow_ses');
  // What is known today does not help the weeks of the back-test.
  expect(chooseModel(onSaturdays, [saturdays, ...weeks.fill(flat)]).method).not.toBe('dow_ses');
});
