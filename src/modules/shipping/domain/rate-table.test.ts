import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chargeableGrams,
  ownRate,
  type Parcel,
  type RateRequest,
  rateOf,
  TABLE_END_G,
} from './rate-table.ts';

const parcel = (weight_g: number, side_mm = 10): Parcel => ({
  weight_g,
  length_mm: side_mm,
  width_mm: side_mm,
  height_mm: side_mm,
});
const ask = (to: string, packages: Parcel[], from = '2000'): RateRequest => ({
  from_postcode: from,
  to: { postcode: to, country: 'AU' },
  packages,
});
const priceOf = (service: string, request: RateRequest): bigint => {
  const rate = ownRate(service, request);
  if (!rate.ok) throw new Error(rate.reason);
  return rate.price;
};

test.each([
  ['2010', 745n],
  ['2500', 895n],
  ['3000', 975n],
  ['6000', 1095n],
  ['7000', 1095n],
  ['0800', 1095n],
])('from Sydney to %s', (to, price) => {
  expect(priceOf('standard', ask(to, [parcel(500)]))).toBe(price);
  expect(priceOf('standard', { ...ask('2000', [parcel(500)], to) })).toBe(price);
});

test('a weight at the bound of two classes is in the lower one', () => {
  for (const [weight, price] of [
    [500, 745n],
    [501, 895n],
    [1_000, 895n],
    [1_001, 1045n],
    [22_000, 1995n],
  ] as const)
    expect(priceOf('standard', ask('2010', [parcel(weight)]))).toBe(price);
});

test('a heavier parcel costs as much as full ones and one of the rest; length and volume have no limit', () => {
  for (const [grams, price] of [
    [TABLE_END_G + 1, 1995n + 745n],
    [2 * TABLE_END_G, 2n * 1995n],
    [1_000_000, 45n * 1995n + 1495n],
  ] as const)
    expect(priceOf('standard', ask('2010', [parcel(grams)]))).toBe(price);
  const plank = { weight_g: 900, length_mm: 10_000, width_mm: 10, height_mm: 10 };
  expect(priceOf('standard', ask('2010', [plank]))).toBe(895n);
  expect(priceOf('express', ask('6000', [parcel(1, 10_000)]))).toBeGreaterThan(100_000_000n);
});

test('a light parcel that is large counts by its size', () => {
  expect(chargeableGrams(parcel(1, 200))).toBe(2_000);
  expect(chargeableGrams(parcel(1, 201))).toBe(2_031);
  expect(priceOf('standard', ask('2010', [parcel(1, 460)]))).toBe(1995n + 1045n);
});

test('more weight never costs less, express never less than standard, and parcels cost what each does alone', () => {
  const postcode = fc.constantFrom('2000', '2010', '2500', '3000', '6000', '7000', '0800', '0872', '9999');
  const weight = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(
      postcode,
      postcode,
      fc.array(weight, { minLength: 2, maxLength: 20 }),
      (from, to, weights) => {
        const prices = weights.map((grams) => priceOf('standard', ask(to, [parcel(grams)], from)));
        const all = priceOf(
          'standard',
          ask(
            to,
            weights.map((grams) => parcel(grams)),
            from,
          ),
        );
        expect(all).toBe(prices.reduce((sum, price) => sum + price, 0n));
        const [one = 1, two = 1] = weights;
        const [cheap = 0n, dear = 0n] = one <= two ? prices : [prices[1], prices[0]];
        expect(dear).toBeGreaterThanOrEqual(cheap);
        expect(cheap).toBeGreaterThan(0n);
        expect(priceOf('express', ask(to, [parcel(one)], from))).toBeGreaterThanOrEqual(prices[0] ?? 0n);
      },
    ),
  );
});

test('unknown services, countries and carriers have no price', () => {
  const request = ask('2010', [parcel(1)]);
  expect(ownRate('toString', request)).toEqual({ ok: false, reason: 'service_unknown' });
  expect(ownRate('standard', { ...request, to: { country: 'NZ' } })).toEqual({
    ok: false,
    reason: 'country_not_served',
  });
  expect(rateOf({ carrier: 'toll', service: 'priority' }, request)).toEqual({
    ok: false,
    reason: 'service_unknown',
  });
  expect(rateOf({ carrier: 'own', service: 'standard' }, request)).toMatchObject({ ok: true, price: 745n });
});
