/** The forecasts keep their aims on made series, and the page says what they score. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCovered, isNoWorse, tableOf } from './page.ts';
import { forecastsOf, HORIZONS, type Score, scoreOf } from './scores.ts';
import { bikeSharing, madeSeries, onlineRetail } from './series.ts';

const judged = madeSeries().flatMap((series) =>
  HORIZONS.map((days, index) => ({ series, days, forecasts: [92, 91, 89][index] })),
);
test.each(judged)('$series.name: the next $days days', ({ series, days, forecasts }) => {
  const score = scoreOf(forecastsOf(series, days));
  expect({ ...score, isCovered: isCovered(score), isNoWorse: isNoWorse(score) }).toMatchObject({
    ...{ forecasts, isCovered: true, isNoWorse: true },
  });
});

test('the page has the figures of the made series', () => {
  const page = readFileSync(new URL('../../docs/forecasting.md', import.meta.url), 'utf8');
  expect(page, 'run "npm run report:forecasts"').toContain(
    tableOf(madeSeries().map((series) => ({ name: series.name, series: [series] }))),
  );
});

test('scores', () => {
  const one = { origin: 84, horizon: 7, expected: 10, quantiles: [8, 10, 12], naive: [0, 10, 30] };
  const score = scoreOf([
    { ...one, actual: 12 },
    { ...one, actual: 18 },
  ]);
  const rounded = Object.entries(score).map(([name, value]) => [name, Number(value.toFixed(4))]);
  // Pinball: (0.4 + 1 + 0) / 3 and (1 + 4 + 5.4) / 3 of a mean of 15; naive: (1.2 + 1 + 1.8) / 3 and (1.8 + 4 + 1.2) / 3.
  expect(Object.fromEntries(rounded)).toEqual({
    ...{ forecasts: 2, coverage: 0.5, pinball: 0.1311, naivePinball: 0.1222, wape: 0.3333, bias: -0.3333 },
  } satisfies Score);
});

test('a forecast knows nothing of what comes', () => {
  const units = Array.from({ length: 140 }, (_, day) => (day * 5) % 11);
  const of = (later: number) =>
    forecastsOf(
      { name: '', from: '2024-01-01', units: units.map((sold, day) => (day < 112 ? sold : later)) },
      28,
    ).at(-1);
  const { actual, ...said } = of(0) ?? { actual: NaN };
  expect(said).toMatchObject({ origin: 112, horizon: 28 });
  expect(of(50)).toEqual({ ...said, actual: 50 * 28 });
  expect(actual).toBe(0);
});

test('public series are read', () => {
  const csv = [
    'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country',
    '536365,22423,"CAKESTAND, 3 TIER",6,12/1/2010 8:26,2.55,17850,United Kingdom',
    '536366,22423,CAKESTAND,2,12/3/2010 8:26,2.55,17850,United Kingdom',
    '536367,85099b,BAG,4,12/1/2010 9:00,2.55,17850,United Kingdom',
    'C536368,22423,CAKESTAND,-6,12/2/2010 9:00,2.55,17850,United Kingdom',
    '536369,POST,POSTAGE,1,12/1/2010 9:00,18,17850,France',
  ].join('\n');
  expect(onlineRetail(csv)).toEqual([
    { name: 'Online Retail 22423', from: '2010-12-01', units: [6, 0, 2] },
    { name: 'Online Retail 85099B', from: '2010-12-01', units: [4, 0, 0] },
  ]);
  expect(bikeSharing('dteday,casual,registered\n2011-01-01,331,654\n2011-01-02,131,670\n')).toEqual([
    { name: 'Bike Sharing casual', from: '2011-01-01', units: [331, 131] },
    { name: 'Bike Sharing registered', from: '2011-01-01', units: [654, 670] },
  ]);
});
