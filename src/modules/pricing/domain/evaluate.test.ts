/** Recommended prices and margin prices: golden figures, every reason that blocks, and properties. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { DEFAULT_SCHEDULE } from '../../fees/domain/schedule.ts';
import { evaluate, type Facts } from './evaluate.ts';
import { type Fees, feesOf, marginPrice } from './margin.ts';
import { type Rule, ruleFinder } from './rules.ts';
import { breakEven, outcomeOf } from './simulate.ts';

const NOW = Date.parse('2026-07-20T00:00:00Z');
const HOUR_MS = 3_600_000;
const fees = (processing_bps: number | null = null, rate = 1_000, order = 30): Fees => ({
  schedule: {
    ...DEFAULT_SCHEDULE,
    platform_fee_default_bps: rate,
    category_overrides: [],
    seller_order_fee_minor: minor(order),
  },
  processing_bps,
});
const cost = (amount: number) => ({ category: null, unit_micros: BigInt(amount) * 10_000n });

describe('margin price', () => {
  test.each([
    [2_000, null, 1_614n],
    [2_000, 205, 1_663n],
    [0, null, 1_256n],
  ])('golden figures: margin %i with processing %s', (margin, processing, price) => {
    expect(marginPrice(fees(processing), cost(1_100), margin)).toBe(price);
  });

  test('there is none when rates and margin are 100 % or more', () => {
    expect(marginPrice(fees(null), cost(1_100), 9_000)).toBeNull();
    expect(marginPrice(fees(0), cost(1_100), 8_999)).not.toBeNull();
  });

  test('it leaves the margin at each price from it on, and not one unit below', () => {
    const some = fc.record({
      unit: fc.integer({ min: 1, max: 20_000 }),
      rate: fc.integer({ min: 0, max: 3_000 }),
      order: fc.integer({ min: 0, max: 100 }),
      processing: fc.option(fc.integer({ min: 0, max: 500 })),
      margin: fc.integer({ min: 0, max: 6_000 }),
    });
    fc.assert(
      fc.property(some, ({ unit, rate, order, processing, margin }) => {
        const of = fees(processing, rate, order);
        const found = marginPrice(of, cost(unit), margin) ?? minor(0);
        const holds = (price: bigint): boolean => {
          const sale = { quantity: 1, category: null, shipping: minor(0), discount: minor(0) };
          const { net } = feesOf(of, { ...sale, price: minor(price) });
          return (net - BigInt(unit)) * 10_000n >= BigInt(margin) * price;
        };
        for (let price = found; price <= found + 10_000n; price = minor(price + 1n))
          if (!holds(price)) return false;
        return found === 1n || !holds(found - 1n);
      }),
      { numRuns: 60 },
    );
  });
});

const RULE: Rule = {
  rule_id: 'prr_1',
  priority: 1,
  scope: { all: true },
  strategy: 'match_lowest',
  params: { below_minor: 1 },
  active: true,
};
const HOLD: Rule = { ...RULE, strategy: 'hold_margin', params: { margin_bps: 2_000 } };
const FACTS: Facts = {
  category: null,
  price_minor: minor(2_499),
  is_visible: true,
  floor_minor: minor(1_900),
  ceiling_minor: null,
  min_margin_bps: null,
  competition: { observed_at: '2026-07-19T23:00:00Z', offers_count: 7, lowest_minor: minor(2_299) },
  unit_micros: null,
};
const offers = (more: object): Partial<Facts> => ({
  competition: {
    observed_at: '2026-07-19T23:00:00Z',
    offers_count: 7,
    lowest_minor: minor(2_299),
    ...more,
  },
});

describe('evaluation', () => {
  test('the steps lead to the recommendation', () => {
    expect(evaluate(FACTS, RULE, fees(), NOW)).toEqual({
      rule_id: 'prr_1',
      status: 'recommended',
      code: null,
      target_minor: 2_298n,
      effective_floor_minor: 1_900n,
      steps: [
        { code: 'live_price', value: 2_499 },
        { code: 'lowest_offer', value: 2_299 },
        { code: 'floor', value: 1_900 },
        { code: 'wanted_price', value: 2_298 },
        { code: 'effective_floor', value: 1_900 },
        { code: 'ceiling', value: null },
        { code: 'target_price', value: 2_298 },
      ],
    });
    expect(evaluate(FACTS, undefined, fees(), NOW)).toMatchObject({ status: 'no_rule', code: null });
  });

  test.each<[string, Partial<Facts>, Rule]>([
    ['price_missing', { price_minor: null }, RULE],
    ['product_not_visible', { is_visible: false }, RULE],
    ['competition_missing', { competition: null }, RULE],
    ['competition_stale', offers({ observed_at: new Date(NOW - 25 * HOUR_MS).toISOString() }), RULE],
    ['no_other_offers', offers({ lowest_minor: null }), RULE],
    ['no_other_offers', offers({ offers_count: 0 }), RULE],
    ['outlier_price', offers({ lowest_minor: minor(1_249) }), RULE],
    ['floor_missing', { floor_minor: null }, RULE],
    ['floor_missing', { floor_minor: null, unit_micros: 11_000_000n }, HOLD],
    ['margin_not_evaluable', {}, HOLD],
    ['margin_not_evaluable', { floor_minor: null, min_margin_bps: 2_000 }, RULE],
    ['margin_not_evaluable', { min_margin_bps: 2_000 }, RULE],
    ['margin_not_evaluable', { min_margin_bps: 9_000, unit_micros: 11_000_000n }, RULE],
    [
      'floor_above_ceiling',
      { min_margin_bps: 5_000, unit_micros: 11_000_000n, ceiling_minor: minor(2_000) },
      RULE,
    ],
  ])('%s blocks', (code, more, rule) => {
    const { status, steps, ...result } = evaluate({ ...FACTS, ...more }, rule, fees(), NOW);
    expect([status, result.code, steps.at(-1)?.code]).toEqual(['blocked', code, code]);
  });

  test.each<[string, Partial<Facts>, Rule, bigint, string]>([
    ['the floor', { floor_minor: minor(2_400) }, RULE, 2_400n, 'recommended'],
    [
      'the price of the least margin',
      { min_margin_bps: 4_800, unit_micros: 11_000_000n },
      RULE,
      2_691n,
      'recommended',
    ],
    ['the ceiling', { ceiling_minor: minor(2_200) }, RULE, 2_200n, 'recommended'],
    ['a margin', { unit_micros: 11_000_000n, floor_minor: minor(1_000) }, HOLD, 1_614n, 'recommended'],
    ['a small difference', offers({ lowest_minor: minor(2_488) }), RULE, 2_487n, 'no_change'],
    ['half a per cent', offers({ lowest_minor: minor(2_487) }), RULE, 2_486n, 'recommended'],
    [
      'a higher price without a cost',
      { min_margin_bps: 2_000, ...offers({ lowest_minor: minor(2_600) }) },
      RULE,
      2_599n,
      'recommended',
    ],
    [
      'the floor above the live price, without a cost',
      { min_margin_bps: 2_000, floor_minor: minor(2_600), ...offers({ lowest_minor: minor(2_000) }) },
      RULE,
      2_600n,
      'recommended',
    ],
    ['half of the price is no outlier', offers({ lowest_minor: minor(1_250) }), RULE, 1_900n, 'recommended'],
  ])('%s', (_what, more, rule, target, status) => {
    expect(evaluate({ ...FACTS, ...more }, rule, fees(), NOW)).toMatchObject({
      status,
      target_minor: target,
    });
  });

  test('a recommendation is within its limits, needs a floor, and follows a competitor down only', () => {
    const amount = fc.integer({ min: 1, max: 10_000 });
    const some = fc.record({
      price: amount,
      lowest: amount,
      drop: fc.integer({ min: 0, max: 3_000 }),
      below: fc.integer({ min: 0, max: 500 }),
      floor: fc.option(amount),
      ceiling: fc.option(amount),
      margin: fc.option(fc.integer({ min: 0, max: 9_000 })),
      unit: fc.option(amount),
    });
    fc.assert(
      fc.property(some, ({ price, lowest, drop, below, floor, ceiling, margin, unit }) => {
        const rule = { ...RULE, params: { below_minor: below } };
        const at = (offer: number) =>
          evaluate(
            {
              ...FACTS,
              ...offers({ lowest_minor: minor(offer) }),
              price_minor: minor(price),
              floor_minor: floor === null ? null : minor(floor),
              ceiling_minor: ceiling === null ? null : minor(ceiling),
              min_margin_bps: margin,
              unit_micros: unit === null ? null : BigInt(unit) * 10_000n,
            },
            rule,
            fees(),
            NOW,
          );
        const [before, after] = [at(lowest), at(Math.max(1, lowest - drop))];
        for (const { status, target_minor, effective_floor_minor } of [before, after]) {
          if (status !== 'recommended') continue;
          expect(effective_floor_minor).not.toBeNull();
          expect((target_minor ?? 0n) >= (effective_floor_minor ?? 0n)).toBe(true);
          if (ceiling !== null) expect((target_minor ?? 0n) <= BigInt(ceiling)).toBe(true);
        }
        if (before.status === 'recommended' && after.status === 'recommended')
          expect((after.target_minor ?? 0n) <= (before.target_minor ?? 0n)).toBe(true);
      }),
    );
  });
});

test('of the active rules of a product the one with the smallest priority applies, of two the older one', () => {
  const rule = (rule_id: string, priority: number, scope: Rule['scope'], active = true): Rule => ({
    ...RULE,
    ...{ rule_id, priority, scope, active },
  });
  const find = ruleFinder([
    rule('prr_5', 9, { all: true }),
    rule('prr_4', 2, { categories: ['home >  kitchen'] }),
    rule('prr_3', 2, { categories: ['Home > Kitchen > Mugs'] }),
    rule('prr_2', 1, { skus: ['MUG'] }),
    rule('prr_1', 1, { all: true }, false),
    rule('prr_0', 1, { categories: ['>', ' / '] }),
  ]);
  const of = (seller_sku: string | null, category: string | null) => find({ seller_sku, category })?.rule_id;
  expect([
    of('MUG', null),
    of('CUP', 'Home > Kitchen > Mugs'),
    of('CUP', 'Home > Kitchen > Bowls'),
    of('CUP', 'home/kitchen'),
    of('CUP', 'Home > Kitchenware'),
    of(null, null),
  ]).toEqual(['prr_2', 'prr_3', 'prr_4', 'prr_4', 'prr_5', 'prr_5']);
});

test('golden figures of a simulation', () => {
  const sale = (price: number) =>
    outcomeOf(
      fees(),
      { price: minor(price), quantity: 1, category: null, shipping: minor(0), discount: minor(0) },
      11_000_000n,
    );
  const [now, then] = [sale(2_499), sale(2_299)];
  expect([now.net, then.net, now.contribution, then.contribution]).toEqual([2_219n, 2_039n, 1_119n, 939n]);
  expect(breakEven(now, then)).toBe(1_917);
  expect(breakEven(now, sale(1_200))).toBeNull();
});
