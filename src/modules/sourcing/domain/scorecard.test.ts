import { expect, test } from 'vitest';
import { score } from './scorecard.ts';

test('49 units have counts and no rate; the fiftieth makes a figure', () => {
  const onTime = (numerator: number, denominator: number) =>
    score({ on_time: { numerator, denominator } }).find(({ metric }) => metric === 'on_time');
  expect(onTime(40, 49)).toEqual({
    ...{ metric: 'on_time', numerator: 40, denominator: 49, rate_bps: null, minimum: 50 },
  });
  expect(onTime(40, 50)).toMatchObject({ numerator: 40, denominator: 50, rate_bps: 8_000 });
  // Half up.
  expect(onTime(2, 60)?.rate_bps).toBe(333);
  expect(onTime(1, 64)?.rate_bps).toBe(156);
});

test('dropship is judged from 20 units on; without orders all counts are measured zeros', () => {
  expect(score({ dropship_accept: { numerator: 19, denominator: 20 } })).toContainEqual(
    expect.objectContaining({ metric: 'dropship_accept', rate_bps: 9_500, minimum: 20 }),
  );
  expect(
    score({}).map(({ metric, numerator, denominator, rate_bps }) => [
      metric,
      numerator,
      denominator,
      rate_bps,
    ]),
  ).toEqual([
    ['on_time', 0, 0, null],
    ['fill', 0, 0, null],
    ['rejected', 0, 0, null],
    ['dropship_accept', 0, 0, null],
  ]);
});
