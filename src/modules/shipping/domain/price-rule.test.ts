import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINOR_MAX, type Minor, minor } from '../../../kernel/money.ts';
import { type Basket, priceOf } from './price-rule.ts';
import type { PriceRule } from './profile.ts';

const amount = fc.bigInt({ min: 0n, max: MINOR_MAX }).map((value) => minor(value));
const grams = fc.integer({ min: 0, max: 100_000_000 });
const basket = (weight_g: number, goods: Minor): Basket => ({ weight_g, goods, exponent: 2 });

/** Rising bounds with prices, and whether the last one is open. */
const tiers = <Bound extends bigint | number>(bound: fc.Arbitrary<Bound>) =>
  fc
    .tuple(
      fc.uniqueArray(bound, { minLength: 1, maxLength: 12 }),
      fc.array(amount, { minLength: 13, maxLength: 13 }),
      fc.boolean(),
    )
    .map(([bounds, prices, open]) => {
      const rising = [...bounds].sort((one, two) => (one < two ? -1 : 1));
      return { rising, prices, open };
    });

/** A second computation of the answer: the lowest of all bounds that are not exceeded. */
function expected<Bound extends bigint | number>(
  { rising, prices, open }: { rising: Bound[]; prices: Minor[]; open: boolean },
  value: Bound,
): Minor | undefined {
  const reached = rising.filter((bound) => bound < value).length;
  return reached < rising.length || open ? prices[reached] : undefined;
}

function weightRule({
  rising,
  prices,
  open,
}: {
  rising: number[];
  prices: Minor[];
  open: boolean;
}): PriceRule {
  const bounds: (number | null)[] = open ? [...rising, null] : rising;
  const list = bounds.map((up_to_g, index) => ({ up_to_g, price_minor: prices[index] ?? minor(0) }));
  return { kind: 'weight_tiers', tiers: list, free_over_minor: null };
}
function priceRule({ rising, prices, open }: { rising: Minor[]; prices: Minor[]; open: boolean }): PriceRule {
  const bounds: (Minor | null)[] = open ? [...rising, null] : rising;
  const list = bounds.map((up_to_minor, index) => ({ up_to_minor, price_minor: prices[index] ?? minor(0) }));
  return { kind: 'price_tiers', tiers: list, free_over_minor: null };
}
const paid = (rule: PriceRule, of: Basket): Minor | undefined => {
  const answer = priceOf(rule, of);
  return answer.ok ? answer.price : undefined;
};

describe('for any tiers', () => {
  test('a weight pays the lowest tier that includes it, at and next to every bound', () => {
    fc.assert(
      fc.property(tiers(fc.integer({ min: 1, max: 100_000_000 })), grams, amount, (given, weight, goods) => {
        const rule = weightRule(given);
        const values = [weight, 0, ...given.rising.flatMap((bound) => [bound - 1, bound, bound + 1])];
        for (const value of values) expect(paid(rule, basket(value, goods))).toBe(expected(given, value));
      }),
    );
  });

  test('goods pay the lowest tier that includes them, at and next to every bound', () => {
    fc.assert(
      fc.property(tiers(amount), amount, grams, (given, goods, weight) => {
        const rule = priceRule(given);
        const around = given.rising.flatMap((bound) => [
          bound,
          minor(bound + 1n),
          minor(bound === 0n ? 0n : bound - 1n),
        ]);
        for (const value of [goods, minor(0), ...around])
          expect(paid(rule, basket(weight, value))).toBe(expected(given, value));
      }),
    );
  });

  test('goods that reach the free amount pay nothing, one cent less pays the rule', () => {
    fc.assert(
      fc.property(
        tiers(fc.integer({ min: 1, max: 100_000_000 })),
        grams,
        amount,
        amount,
        (given, weight, free, goods) => {
          const rule = weightRule(given);
          const withFree: PriceRule = { ...rule, free_over_minor: free };
          const at = priceOf(withFree, basket(weight, free));
          expect(at).toMatchObject({ ok: true, price: 0n, matched: 'free_over', tier: null });
          for (const value of [goods, ...(free === 0n ? [] : [minor(free - 1n)])])
            expect(paid(withFree, basket(weight, value))).toBe(
              value >= free ? 0n : paid(rule, basket(weight, value)),
            );
        },
      ),
    );
  });

  test('a flat price is the same for every basket', () => {
    fc.assert(
      fc.property(amount, grams, amount, (price_minor, weight, goods) => {
        const rule: PriceRule = { kind: 'flat', price_minor, free_over_minor: null };
        expect(priceOf(rule, basket(weight, goods))).toMatchObject({
          ok: true,
          price: price_minor,
          matched: 'flat',
        });
      }),
    );
  });
});

test('the reason names the bound in the currency’s own decimals', () => {
  const rule: PriceRule = {
    kind: 'price_tiers',
    tiers: [{ up_to_minor: minor(5_000), price_minor: minor(1) }],
    free_over_minor: null,
  };
  expect(priceOf(rule, { weight_g: 1, goods: minor(4_999), exponent: 2 })).toMatchObject({
    tier: 0,
    why: 'Goods of 49.99 fall into the tier up to 50.00.',
  });
  expect(priceOf(rule, { weight_g: 1, goods: minor(5_001), exponent: 0 })).toMatchObject({
    ok: false,
    why: 'Goods of 5001 are more than the last tier takes.',
  });
});
