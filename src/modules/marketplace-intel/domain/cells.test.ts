import { expect, test } from 'vitest';
import { categoryOf, lastPeriod, medianOf, prefixesOf, publishedValue, quarterOf } from './cells.ts';

test('golden values: prices are rounded to 50, indexes to 5, half up', () => {
  expect(publishedValue({ p25_minor: 2_250, p50_minor: 2_574, p75_minor: 2_946 })).toEqual({
    ...{ p25_minor: 2_250, p50_minor: 2_550, p75_minor: 2_950 },
  });
  expect([112, 113, 0].map(publishedValue)).toEqual([110, 115, 0]);
});

test('a category has one to five levels, without case and extra blanks', () => {
  expect(categoryOf(' Home  >Kitchen> Mugs ')).toBe('home > kitchen > mugs');
  expect([categoryOf(''), categoryOf('a > > b'), categoryOf('a>b>c>d>e>f')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(prefixesOf('Home > Kitchen > Mugs')).toEqual(['home', 'home > kitchen', 'home > kitchen > mugs']);
  expect(prefixesOf('a>b>c>d>e>f')).toHaveLength(5);
});

test('the last period that has ended', () => {
  expect([lastPeriod('price_band', '2026-08-01'), lastPeriod('price_band', '2026-03-31')]).toEqual([
    '2026-07',
    '2026-02',
  ]);
  expect([lastPeriod('demand_index', '2026-08-02'), lastPeriod('demand_index', '2026-08-03')]).toEqual([
    '2026-W30',
    '2026-W31',
  ]);
});

test('the own median counts units, and is null below five', () => {
  const sold = (...rows: readonly (readonly [number, number])[]) =>
    rows.map(([price_minor, units]) => ({ price_minor, units }));
  expect(medianOf(sold([2_000, 4]))).toBeNull();
  expect(medianOf(sold([3_000, 2], [2_000, 3]))).toBe(2_000);
  expect(medianOf(sold([3_000, 3], [2_000, 2]))).toBe(3_000);
});

test('the quarter of a price', () => {
  const band = { p25_minor: 1_000, p50_minor: 2_000, p75_minor: 3_000 };
  expect([999, 1_000, 1_999, 2_000, 3_000, 3_001].map((price) => quarterOf(price, band))).toEqual([
    ...['below_p25', 'p25_p50', 'p25_p50', 'p50_p75', 'p50_p75', 'above_p75'],
  ]);
});
