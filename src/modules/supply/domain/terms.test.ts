import { describe, expect, test } from 'vitest';
import { microsOfUnit, minor, sumMinor } from '../../../kernel/money.ts';
import { breaksProblem, freightOf, goodsOf, type ItemTerms, orderable, quantityProblem } from './terms.ts';

const terms = (more: Partial<ItemTerms> = {}): ItemTerms => ({
  ...{ pack_size: 24, minimum_quantity: 48, maximum_quantity: null },
  price_breaks: [
    { min_quantity: 48, pack_price_minor: 6_180 },
    { min_quantity: 72, pack_price_minor: 5_945 },
  ],
  ...more,
});
const breaks = (...pairs: readonly (readonly [number, number])[]) => ({
  price_breaks: pairs.map(([min_quantity, pack_price_minor]) => ({ min_quantity, pack_price_minor })),
});

describe('a quantity', () => {
  test('that is not a multiple of the pack shows the nearest below and above', () => {
    expect(quantityProblem(terms(), 50)).toEqual({
      code: 'quantity_not_in_packs',
      facts: {
        ...{ quantity: 50, minimum_quantity: 48, maximum_quantity: null, pack_size: 24 },
        nearest: { down: 48, up: 72 },
      },
    });
    expect(quantityProblem(terms(), 72)).toBeUndefined();
  });

  test('below the minimum or above the maximum shows what is left to choose', () => {
    expect(quantityProblem(terms(), 24)).toMatchObject({
      code: 'quantity_below_minimum',
      facts: { nearest: { down: null, up: 48 } },
    });
    expect(quantityProblem(terms({ maximum_quantity: 100 }), 120)).toMatchObject({
      code: 'quantity_above_maximum',
      facts: { nearest: { down: 96, up: null } },
    });
    // No multiple of the pack is between the two.
    expect(quantityProblem(terms({ minimum_quantity: 50, maximum_quantity: 60 }), 55)).toMatchObject({
      code: 'quantity_not_in_packs',
      facts: { nearest: { down: null, up: null } },
    });
  });

  test('is raised to packs and to the minimum', () => {
    expect([1, 48, 49, 100].map((wanted) => orderable(terms(), wanted))).toEqual([48, 48, 72, 120]);
    expect(orderable(terms({ maximum_quantity: 100 }), 100)).toBeNull();
  });
});

test('the price of the whole quantity holds for each of its packs', () => {
  expect([48, 72, 144].map((quantity) => goodsOf(terms(), quantity))).toEqual([12_360n, 17_835n, 35_670n]);
});

test('breaks ascend in packs from the minimum on, and prices do not rise', () => {
  const ok = [terms(), terms(breaks([24, 100], [48, 100]))];
  expect(ok.map(breaksProblem)).toEqual([undefined, undefined]);
  const wrong = [
    breaks(),
    breaks([72, 1]),
    breaks([48, 1], [60, 1]),
    breaks([48, 1], [48, 1]),
    breaks([48, 1], [72, 2]),
  ];
  expect(wrong.map((more) => breaksProblem(terms(more)))).toEqual([
    'the first must count from minimum_quantity on or before',
    'the first must count from minimum_quantity on or before',
    '60 is not a multiple of pack_size',
    'min_quantity must ascend',
    'prices must not rise',
  ]);
});

test('three quotes for 100 units: landed cost to the micro, and none without freight', () => {
  const quotes = [
    [terms({ pack_size: 12, minimum_quantity: 24, ...breaks([24, 5_940], [144, 5_520]) }), 3_850, 90_000],
    [terms({ pack_size: 10, minimum_quantity: 50, ...breaks([50, 5_200]) }), null, null],
    [terms({ pack_size: 50, minimum_quantity: 200, ...breaks([200, 21_000]) }), 0, null],
  ] as const;
  const found = quotes.map(([item, flat, free]) => {
    const quantity = orderable(item, 100) ?? 0;
    const goods = goodsOf(item, quantity);
    const amount = (value: number | null) => (value === null ? null : minor(value));
    const freight = freightOf({ flat: amount(flat), free_from: amount(free) }, goods);
    const landed = freight === null ? null : sumMinor([goods, freight]);
    return [quantity, goods, freight, microsOfUnit(landed ?? goods, quantity, 'AUD')];
  });
  expect(found).toEqual([
    [108, 53_460n, 3_850n, 5_306_481n],
    [100, 52_000n, null, 5_200_000n],
    [200, 84_000n, 0n, 4_200_000n],
  ]);
});

test('freight is free from an amount on', () => {
  const stated = { flat: minor(1_450), free_from: minor(90_000) };
  expect([89_999, 90_000].map((goods) => freightOf(stated, minor(goods)))).toEqual([1_450n, 0n]);
});
