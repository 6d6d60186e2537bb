import { expect, test } from 'vitest';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { firstInstant } from '../../../kernel/australia/sydney.ts';
import { exposureOf, mean28 } from './series.ts';

const HOUR = 3_600_000;
const days = (...names: string[]) =>
  names.map((day) => ({ start: firstInstant(day), next: firstInstant(addDays(day, 1)) }));

test('a day has 23, 24 or 25 hours, and overlaps count once', () => {
  const [short, plain, long] = days('2026-10-04', '2026-07-01', '2026-04-05');
  const noon = (start = 0) => ({ from: start + 12 * HOUR, to: start + 13 * HOUR });
  const share = (span = plain) => exposureOf(span ? [span] : [], [noon(span?.start)])[0];
  expect(share(short)).toBeCloseTo(22 / 23, 9);
  expect(share(plain)).toBeCloseTo(23 / 24, 9);
  expect(share(long)).toBeCloseTo(24 / 25, 9);
  const start = plain?.start ?? 0;
  const overlapping = [
    { from: start + 2 * HOUR, to: start + 6 * HOUR },
    { from: start, to: start + 4 * HOUR },
    { from: start + 6 * HOUR, to: start + 8 * HOUR },
    { from: start + 3 * HOUR, to: start + 5 * HOUR },
  ];
  expect(exposureOf(days('2026-07-01', '2026-07-02'), overlapping)).toEqual([1 - 8 / 24, 1]);
  expect(exposureOf(days('2026-06-30', '2026-07-01', '2026-07-02'), [{ from: start, to: Infinity }])).toEqual(
    [1, 0, 0],
  );
});

test('the mean reads the latest days back to 28 days of exposure', () => {
  const ones = Array<number>(27).fill(1);
  const exposure = [1, 1, ...ones];
  expect(mean28({ units: [9, 29, ...ones], exposure })).toEqual({ perDay: 2, isWhole: true, days: 28 });
  const early = { units: [28, 0, ...ones], exposure: [1, 0, ...ones] };
  expect(mean28(early)).toEqual({ perDay: 55 / 28, isWhole: true, days: 29 });
  expect(mean28({ units: ones, exposure: ones })).toEqual({ perDay: 1, isWhole: false, days: 27 });
  expect(mean28({ units: [], exposure: [] })).toEqual({ perDay: 0, isWhole: false, days: 0 });
});
