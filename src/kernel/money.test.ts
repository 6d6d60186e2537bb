import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDecimal, lessMinor, minor, parseDecimal, splitMinor, sumMinor, timesUnits } from './money.ts';

const amount = (max: bigint) => fc.bigInt(0n, max).map((value) => minor(value));
const MAX = 10n ** 15n;

describe('an amount split by largest remainder', () => {
  test('the parts are the whole, each within one unit of its exact share, and nobody without weight has one', () => {
    const weights = fc
      .array(amount(MAX), { minLength: 1, maxLength: 30 })
      .filter((list) => sumMinor(list) > 0n);
    fc.assert(
      fc.property(amount(MAX), weights, (total, list) => {
        const whole = sumMinor(list);
        const parts = splitMinor(total, list);
        expect(sumMinor(parts)).toBe(total);
        for (const [index, part] of parts.entries()) {
          const exact = total * (list[index] ?? 0n);
          const distance = part * whole - exact;
          expect(distance < whole && distance > -whole).toBe(true);
          if (list[index] === 0n) expect(part).toBe(0n);
        }
      }),
    );
  });

  test('who weighs more never gets less, and of equals the first takes the odd unit', () => {
    fc.assert(
      fc.property(
        amount(MAX),
        fc.array(amount(1_000n), { minLength: 1 }).filter((l) => sumMinor(l) > 0n),
        (total, list) => {
          const parts = splitMinor(total, list);
          for (const [i, left] of list.entries())
            for (const [j, right] of list.entries())
              if (left > right || (left === right && i < j))
                expect((parts[i] ?? 0n) >= (parts[j] ?? 0n)).toBe(true);
        },
      ),
    );
  });

  test('as the design’s example has it', () => {
    expect(splitMinor(minor(500), [minor(2_500), minor(5_000)])).toEqual([167n, 333n]);
    expect(splitMinor(minor(205), [minor(3_333), minor(3_333), minor(3_334)])).toEqual([68n, 68n, 69n]);
  });

  test('of nothing is nothing, and something for nobody is refused', () => {
    expect(splitMinor(minor(0), [minor(0), minor(0)])).toEqual([0n, 0n]);
    expect(() => splitMinor(minor(1), [minor(0)])).toThrow(RangeError);
    expect(() => splitMinor(minor(1), [])).toThrow(RangeError);
    expect(() => splitMinor(minor(-1), [minor(1)])).toThrow(RangeError);
    expect(() => splitMinor(minor(1), [minor(-1), minor(3)])).toThrow(RangeError);
  });
});

test('units times a price, and what is left', () => {
  expect(timesUnits(minor(2_499), 3)).toBe(7_497n);
  expect(lessMinor(minor(10), minor(3), minor(4))).toBe(3n);
  expect(lessMinor(minor(10))).toBe(10n);
});

test('a decimal that is written is the amount that is read', () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX, MAX), fc.constantFrom(0, 2, 3), (value, exponent) => {
      expect(parseDecimal(formatDecimal(minor(value), exponent), exponent)).toBe(value);
    }),
  );
});
