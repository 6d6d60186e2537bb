import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  atRate,
  costOfUnits,
  currencyExponent,
  formatDecimal,
  isCurrency,
  lesserMinor,
  lessMinor,
  minor,
  negated,
  parseDecimal,
  percentChange,
  rateOf,
  shareBetween,
  shareToDate,
  splitMinor,
  sumMinor,
  tiersMinor,
  timesUnits,
} from './money.ts';

const amount = (max: bigint) => fc.bigInt(0n, max).map((value) => minor(value));
const MAX = 10n ** 15n;

describe('an amount split by largest remainder', () => {
  test('the parts sum to the whole, each within one unit of its exact share; a weight of zero gets nothing', () => {
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

  test('a larger weight never gets less, and of equal weights the first gets the odd unit', () => {
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

  test('the parts of a reversed amount are the original parts with the other sign', () => {
    fc.assert(
      fc.property(
        amount(MAX),
        fc.array(amount(1_000n), { minLength: 1 }).filter((l) => sumMinor(l) > 0n),
        (total, list) => {
          expect(splitMinor(negated(total), list)).toEqual(splitMinor(total, list).map(negated));
        },
      ),
    );
  });

  test('the odd units go to the largest remainders; of equal ones the first get them', () => {
    fc.assert(
      fc.property(
        amount(MAX),
        fc.array(amount(1_000n), { minLength: 1, maxLength: 12 }).filter((l) => sumMinor(l) > 0n),
        (total, list) => {
          const whole = sumMinor(list);
          const given = splitMinor(total, list).map((part, index) => {
            const exact = total * (list[index] ?? 0n);
            return { index, remainder: exact % whole, odd: part - exact / whole };
          });
          for (const { odd } of given) expect(odd === 0n || odd === 1n).toBe(true);
          for (const one of given.filter(({ odd }) => odd === 1n))
            for (const other of given.filter(({ odd }) => odd === 0n))
              expect(
                one.remainder > other.remainder ||
                  (one.remainder === other.remainder && one.index < other.index),
              ).toBe(true);
        },
      ),
    );
    expect(splitMinor(minor(100), [minor(1), minor(1), minor(4)])).toEqual([17n, 17n, 66n]);
    expect(splitMinor(minor(5), [minor(30), minor(30), minor(41)])).toEqual([2n, 1n, 2n]);
  });

  test('as in the example of the design', () => {
    expect(splitMinor(minor(500), [minor(2_500), minor(5_000)])).toEqual([167n, 333n]);
    expect(splitMinor(minor(205), [minor(3_333), minor(3_333), minor(3_334)])).toEqual([68n, 68n, 69n]);
  });

  test('zero splits into zeros; an amount with no weights is refused', () => {
    expect(splitMinor(minor(0), [minor(0), minor(0)])).toEqual([0n, 0n]);
    expect(() => splitMinor(minor(1), [minor(0)])).toThrow(RangeError);
    expect(() => splitMinor(minor(1), [])).toThrow(RangeError);
    expect(() => splitMinor(minor(1), [minor(-1), minor(3)])).toThrow(RangeError);
  });
});

test('the smaller of two amounts, and the negation of an amount', () => {
  expect([lesserMinor(minor(2), minor(3)), lesserMinor(minor(3), minor(2))]).toEqual([2n, 2n]);
  expect(lesserMinor(minor(-3), minor(2))).toBe(-3n);
  expect([negated(minor(5)), negated(minor(-5)), negated(minor(0))]).toEqual([-5n, 5n, 0n]);
  expect([sumMinor([]), sumMinor([minor(1), minor(-4)])]).toEqual([0n, -3n]);
});

test.each([
  [1_000, 2_500, 150],
  [1_000, 995, 0],
  [1_000, 1_019, 1],
  [1_000, 0, -100],
])('from %i to %i is %i per cent more, towards zero', (from, to, percent) => {
  expect(percentChange(minor(from), minor(to))).toBe(percent);
});

test('a unit of 5.143472 costs 154.30 in a purchase of thirty', () => {
  expect(costOfUnits(5_143_472n, 30, 'AUD')).toBe(15_430n);
});

test('units times a price, and the remainder', () => {
  expect(timesUnits(minor(2_499), 3)).toBe(7_497n);
  expect(lessMinor(minor(10), minor(3), minor(4))).toBe(3n);
  expect(lessMinor(minor(10))).toBe(10n);
});

test('a decimal that is written is the amount that is read', () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX, MAX), fc.constantFrom(0, 2, 3, 4), (value, exponent) => {
      expect(parseDecimal(formatDecimal(minor(value), exponent), exponent)).toBe(value);
    }),
  );
});

test.each([
  ['24.99', 2_499n],
  ['-5', -500n],
  ['1.990', 199n],
  ['0.1', 10n],
  ['10000000000000.00', MAX],
  ['10000000000000.01', 'out_of_range'],
  ['-10000000000000.01', 'out_of_range'],
  ['1.999', 'too_many_decimals'],
  ['1.001', 'too_many_decimals'],
  ['1,000', 'not_a_decimal'],
  ['1e3', 'not_a_decimal'],
  ['+1', 'not_a_decimal'],
  ['.5', 'not_a_decimal'],
  ['', 'not_a_decimal'],
])('%j is %s', (text, expected) => {
  expect(parseDecimal(text)).toBe(expected);
});

describe('a rate of an amount', () => {
  test.each([
    [5_985, 1_000, 599n],
    [-5_985, 1_000, -599n],
    [14_567, 1_250, 1_821n],
    [49_900, 1_250, 6_238n],
    [1, 4_999, 0n],
    [1, 5_000, 1n],
  ])('%i at %i bps is %s: halves go up on the magnitude', (of, bps, expected) => {
    expect(atRate(minor(of), bps)).toBe(expected);
  });

  test('is never more than half a unit from the exact one, and mirrors its sign', () => {
    fc.assert(
      fc.property(amount(MAX), fc.integer({ min: 0, max: 10_000 }), (of, bps) => {
        const fee = atRate(of, bps);
        const distance = 2n * (fee * 10_000n - of * BigInt(bps));
        expect(distance > -10_000n && distance <= 10_000n).toBe(true);
        expect(atRate(negated(of), bps)).toBe(negated(fee));
      }),
    );
  });

  test('from amounts back to a rate: fees of sales in bps, and null without sales', () => {
    expect(rateOf(minor(24_761), minor(218_626))).toBe(1_133);
    expect(rateOf(minor(5), minor(0))).toBeNull();
    expect(rateOf(minor(1), minor(20_000))).toBe(1);
    expect(rateOf(minor(0), minor(7))).toBe(0);
    fc.assert(
      fc.property(amount(MAX), amount(MAX), (part, whole) => {
        fc.pre(whole > 0n);
        const bps = rateOf(part, whole) ?? 0;
        const distance = 2n * (BigInt(bps) * whole - part * 10_000n);
        // No real rate is beyond the safe integers.
        fc.pre(Number.isSafeInteger(bps));
        expect(distance > -whole && distance <= whole).toBe(true);
        expect(rateOf(negated(part), whole)).toBe(bps === 0 ? 0 : -bps);
      }),
    );
  });
});

describe('the share of an amount that is due to date', () => {
  test('two units of three, refunded one by one: 2.00, then 1.99 of a fee of 5.99', () => {
    const fee = minor(599);
    expect(shareBetween(fee, 0n, minor(1_995), minor(5_985))).toBe(200n);
    expect(shareBetween(fee, minor(1_995), minor(3_990), minor(5_985))).toBe(199n);
    expect(shareToDate(fee, minor(5_985), minor(5_985))).toBe(599n);
  });

  test('instalments sum to the amount in any steps, never shrink and never exceed it', () => {
    fc.assert(
      fc.property(
        amount(10n ** 9n),
        fc
          .array(fc.bigInt(0n, 10n ** 6n), { minLength: 1, maxLength: 20 })
          .filter((steps) => steps.some(Boolean)),
        (total, steps) => {
          const whole = steps.reduce((sum, step) => sum + step, 0n);
          let reached = 0n;
          let due = 0n;
          for (const step of steps) {
            const part = shareBetween(total, reached, reached + step, whole);
            expect(part >= 0n).toBe(true);
            reached += step;
            due += part;
          }
          expect(due).toBe(total);
        },
      ),
    );
  });

  /** The credits after each of several refunds of a line. */
  const paths = fc
    .array(fc.bigInt(1n, 10n ** 6n), { minLength: 1, maxLength: 12 })
    .chain((steps) => fc.tuple(fc.constant(steps), fc.bigInt(0n, 10n ** 6n), amount(10n ** 9n)));
  const creditsOf = (fee: bigint, steps: readonly bigint[], whole: bigint): bigint[] => {
    let refunded = 0n;
    let credited = 0n;
    return steps.map((step) => {
      credited += shareBetween(minor(fee), refunded, refunded + step, whole);
      refunded += step;
      return credited;
    });
  };

  test('the credit to date is the share of the refunds to date, at most half a unit off, in any steps', () => {
    fc.assert(
      fc.property(paths, ([steps, rest, fee]) => {
        const refunded = steps.reduce((sum, step) => sum + step, 0n);
        const whole = refunded + rest;
        const credited = creditsOf(fee, steps, whole).at(-1) ?? 0n;
        expect(credited).toBe(creditsOf(fee, [refunded], whole)[0]);
        const distance = 2n * (credited * whole - fee * refunded);
        expect(distance > -whole && distance <= whole).toBe(true);
        expect(credited <= fee).toBe(true);
        if (rest === 0n) expect(credited).toBe(fee);
      }),
    );
  });

  test('for a reversed fee it has the opposite sign, and before anything is due it is zero', () => {
    fc.assert(
      fc.property(paths, ([steps, rest, fee]) => {
        const whole = steps.reduce((sum, step) => sum + step, rest);
        expect(creditsOf(-fee, steps, whole)).toEqual(creditsOf(fee, steps, whole).map((part) => -part));
        expect(shareToDate(fee, 0n, whole)).toBe(0n);
      }),
    );
    expect([shareToDate(minor(-3), 1n, 2n), shareToDate(minor(3), 1n, 2n)]).toEqual([-2n, 2n]);
  });
});

test('the parts of a stretch sum to it, and none is more than its own tier', () => {
  const stretch = fc.tuple(amount(1_000n), amount(1_000n), fc.array(amount(1_200n), { maxLength: 5 }));
  fc.assert(
    fc.property(stretch, ([start, length, given]) => {
      const marks = [...given].sort((a, b) => Number(a - b));
      const end = sumMinor([start, length]);
      const parts = tiersMinor(start, end, marks);
      expect(parts).toHaveLength(marks.length + 1);
      expect(sumMinor(parts)).toBe(length);
      for (const [index, part] of parts.entries()) {
        const [from, to] = [marks[index - 1] ?? 0n, marks[index] ?? end];
        const inside = (to < end ? to : end) - (from > start ? from : start);
        expect(part).toBe(inside > 0n ? inside : 0n);
      }
    }),
  );
});

test.each([
  [3, 12, [5, 10], [2, 5, 2]],
  [0, 10, [10, 10], [10, 0, 0]],
  [4, 4, [1, 2], [0, 0, 0]],
  [7, 9, [], [2]],
  [6, 8, [0, 6], [0, 0, 2]],
])('of the stretch from %i to %i over the marks %j the parts are %j', (start, end, marks, parts) => {
  expect(tiersMinor(minor(start), minor(end), marks.map(minor))).toEqual(parts.map(minor));
});

describe('currencies', () => {
  test('have the decimal places of ISO 4217', () => {
    const places = { AUD: 2, BHD: 3, JPY: 0, KWD: 3, CLF: 4, UYW: 4, ISK: 0, UGX: 0, MRU: 2, MGA: 2, IQD: 3 };
    for (const [code, exponent] of Object.entries(places))
      expect([code, currencyExponent(code), isCurrency(code)]).toEqual([code, exponent, true]);
  });

  test.each(['', 'aud', 'AUDX', 'A$', 'ZZZ', 'XXX', 'XTS', 'XAU', 'HRK', 'constructor'])(
    '%j is no currency',
    (code) => {
      expect(isCurrency(code)).toBe(false);
    },
  );
});
