import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import {
  addMonths,
  cohortsOf,
  gapOf,
  lifetimeOf,
  SEGMENTS,
  segmentOf,
  segmentsOf,
  summaryOf,
} from './figures.ts';
import { type BuyerOrder, Tallying } from './tally.ts';

const THROUGH = '2026-08-31';
const tallyOf = (orders: readonly BuyerOrder[], through = THROUGH) => {
  const tallying = new Tallying(through);
  for (const order of orders) tallying.add(order);
  return tallying.end();
};
const order = (buyer: string | number, day: string, net_minor = 0): BuyerOrder => ({
  buyer: String(buyer),
  day,
  net_minor,
});

test.each([
  [10, 6, 'champions'],
  [15, 4, 'champions'],
  [40, 5, 'loyal'],
  [44, 3, 'loyal'],
  [20, 2, 'returning'],
  [5, 1, 'new'],
  [45, 1, 'new'],
  [46, 1, 'one_time'],
  [60, 2, 'at_risk'],
  [90, 2, 'at_risk'],
  [91, 3, 'lapsed'],
] as const)('with a gap of 30 days, %i days and %i orders are %s', (days, orders, segment) => {
  expect(segmentOf(days, orders, 30)).toBe(segment);
});

test('the gap is the median of 50 or more gaps, between 14 and 180 days', () => {
  expect(gapOf(new Map([[30, 49]]))).toBe(60);
  expect(gapOf(new Map([[30, 50]]))).toBe(30);
  // Half up between the two in the middle.
  expect(
    gapOf(
      new Map([
        [40, 25],
        [31, 25],
      ]),
    ),
  ).toBe(36);
  expect(gapOf(new Map([[1, 50]]))).toBe(14);
  expect(gapOf(new Map([[300, 50]]))).toBe(180);
});

/** Eight buyers of May and ten of June. */
const GOLDEN: readonly BuyerOrder[] = [
  ...Array.from({ length: 8 }, (_, n) => [
    order(`m${n}`, '2026-05-10', 5_000),
    ...(n < 3 ? [order(`m${n}`, '2026-06-10', 3_000)] : []),
    ...(n < 2 ? [order(`m${n}`, '2026-07-10', 2_500)] : []),
  ]).flat(),
  ...Array.from({ length: 10 }, (_, n) => [
    order(`n${n}`, '2026-06-10', 6_200),
    ...(n < 4 ? [order(`n${n}`, '2026-07-10', 3_500)] : []),
  ]).flat(),
];

test('golden cohorts and lifetime value', () => {
  const tally = tallyOf(GOLDEN, '2026-07-31');
  const { cohorts, average_retained_bps } = cohortsOf(tally, '2026-08');
  const ended = { complete: true };
  const running = { buyers: null, retained_bps: null, net_minor: null, complete: false };
  expect(cohorts).toEqual([
    {
      ...{ month: '2026-05', buyers: 8, status: 'complete' },
      cells: [
        { m: 0, buyers: 8, retained_bps: 10_000, net_minor: 40_000, ...ended },
        { m: 1, buyers: 3, retained_bps: 3_750, net_minor: null, ...ended },
        { m: 2, buyers: 2, retained_bps: 2_500, net_minor: null, ...ended },
        { m: 3, ...running },
      ],
    },
    {
      ...{ month: '2026-06', buyers: 10, status: 'complete' },
      cells: [
        { m: 0, buyers: 10, retained_bps: 10_000, net_minor: 62_000, ...ended },
        { m: 1, buyers: 4, retained_bps: 4_000, net_minor: null, ...ended },
        { m: 2, ...running },
      ],
    },
  ]);
  expect(average_retained_bps).toEqual([10_000, 3_889, 2_500]);
  expect(lifetimeOf(tally, '2026-08')).toMatchObject({
    by_cohort: [{ value_minor: [5_000, 6_125, 6_750] }, { value_minor: [6_200, 7_600] }],
    overall: [5_667, 6_944, 6_750],
  });
});

test('a month of a cohort in which few buyers came back has no money, one in which none came back has zero', () => {
  const back = { '2026-03-10': 9, '2026-04-10': 5, '2026-05-10': 4, '2026-06-10': 1 };
  const tally = tallyOf(
    Array.from({ length: 9 }, (_, n) =>
      Object.entries(back).flatMap(([day, buyers]) => (n < buyers ? [order(n, day, 100)] : [])),
    ).flat(),
  );
  expect(
    cohortsOf(tally, '2026-08').cohorts[0]?.cells.map(({ buyers, net_minor }) => [buyers, net_minor]),
  ).toEqual([
    ...[
      [9, 900],
      [5, 500],
      [4, null],
      [1, null],
      [0, 0],
      [null, null],
    ],
  ]);
});

test('fewer than five buyers have counts, and neither averages nor money', () => {
  const few = Array.from({ length: 4 }, (_, n) => order(n, '2026-07-10', 1_000));
  const tally = tallyOf(few);
  const { cohorts } = cohortsOf(tally, '2026-09');
  expect(cohorts[0]).toMatchObject({ buyers: 4, status: 'insufficient_sample' });
  expect(cohorts[0]?.cells[0]).toMatchObject({ buyers: 4, retained_bps: null, net_minor: null });
  expect(lifetimeOf(tally, '2026-09')).toMatchObject({
    by_cohort: [{ buyers: 4, value_minor: [null, null] }],
    overall: [null, null],
  });
  expect(segmentsOf(tally).find(({ segment }) => segment === 'new')).toMatchObject({
    ...{ buyers: 4, share_bps: 10_000, orders: 4, mean_net_minor: null, status: 'insufficient_sample' },
  });
});

test('the overall value of a night less that of the night before is not the money of one buyer', () => {
  const many = (count: number, month: string, net_minor: number) =>
    Array.from({ length: count }, (_, n) => order(`${month}-${n}`, `${month}-10`, net_minor));
  const before = [...many(3, '2026-05', 1_000), ...many(3, '2026-06', 2_000)];
  const overall = (orders: readonly BuyerOrder[], through: string, present: string) =>
    lifetimeOf(tallyOf(orders, through), present).overall[0];
  expect(overall(before, '2026-06-30', '2026-07')).toBe(1_500);
  const one = [...before, ...many(1, '2026-07', 77_777)];
  expect(overall(one, '2026-07-31', '2026-08')).toBe(1_500);
  // Five of two cohorts count together.
  const five = [...one, ...many(4, '2026-08', 1_000)];
  expect(overall(five, '2026-08-31', '2026-09')).toBe(Math.round((9_000 + 77_777 + 4_000) / 11));
});

test('the window ends with segments, not with cohorts; first orders are new for 90 days', () => {
  const tally = tallyOf([
    order('a', '2024-01-10', 700),
    order('b', addDays(THROUGH, -364), 10),
    order('c', addDays(THROUGH, -365), 10),
    order('d', addDays(THROUGH, -89), 10),
    order('e', addDays(THROUGH, -88), 10),
  ]);
  expect(summaryOf(tally, 10_000)).toMatchObject({ buyers: 3, new_buyers_90d: 1, repeat_rate_bps: null });
  expect(tally).toMatchObject({ older_buyers: 4, repeated: 0 });
  expect(cohortsOf(tally, '2026-09').cohorts[0]).toMatchObject({ month: '2024-01', buyers: 1 });
});

describe('for any orders', () => {
  const orders = fc
    .array(fc.record({ buyer: fc.nat(40), back: fc.nat(800), net_minor: fc.nat(20_000) }), { maxLength: 200 })
    .map((list) =>
      list
        .map(({ buyer, back, net_minor }) => order(buyer, addDays(THROUGH, -back), net_minor))
        .sort((a, b) => (a.buyer + a.day < b.buyer + b.day ? -1 : 1)),
    );

  test('every buyer is in exactly one segment, and the sums of the segments are those of the summary', () => {
    fc.assert(
      fc.property(orders, (list) => {
        const tally = tallyOf(list);
        const rows = segmentsOf(tally);
        expect(rows.map(({ segment }) => segment)).toEqual(SEGMENTS);
        const { buyers } = summaryOf(tally, null);
        const recent = list.filter(({ day }) => day > addDays(THROUGH, -365));
        expect(buyers).toBe(new Set(recent.map(({ buyer }) => buyer)).size);
        expect(rows.reduce((sum, row) => sum + row.buyers, 0)).toBe(buyers);
        expect(rows.reduce((sum, row) => sum + row.orders, 0)).toBe(recent.length);
      }),
    );
  });

  test('cohorts hold every buyer once, and all months together every order’s money', () => {
    fc.assert(
      fc.property(orders, (list) => {
        const { cohorts } = tallyOf(list);
        const all = new Set(list.map(({ buyer }) => buyer)).size;
        expect(cohorts.reduce((sum, { buyers }) => sum + buyers, 0)).toBe(all);
        const money = cohorts.flatMap(({ months }) => [...months.values()].map(({ net_minor }) => net_minor));
        const total = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + one, 0);
        expect(total(money)).toBe(total(list.map(({ net_minor }) => net_minor)));
      }),
    );
  });

  test('the overall values of two nights differ by no cohort or by cohorts of five buyers and more', () => {
    const nights = ['2026-06-30', '2026-07-31', '2026-08-31'].map((through) => ({
      through,
      present: addDays(through, 1).slice(0, 7),
    }));
    const rare = fc
      .array(fc.record({ buyer: fc.nat(14), back: fc.nat(300), net_minor: fc.nat(20_000) }), {
        maxLength: 30,
      })
      .map((list) =>
        list
          .map(({ buyer, back, net_minor }) => order(buyer, addDays(THROUGH, -back), net_minor))
          .sort((a, b) => (a.buyer + a.day < b.buyer + b.day ? -1 : 1)),
      );
    fc.assert(
      fc.property(rare, (list) => {
        const overallOn = ({ through, present }: (typeof nights)[number], orders: readonly BuyerOrder[]) =>
          lifetimeOf(
            tallyOf(
              orders.filter(({ day }) => day <= through),
              through,
            ),
            present,
          ).overall;
        const first = new Map<string, string>();
        for (const { buyer, day } of list) if (!first.has(buyer)) first.set(buyer, day.slice(0, 7));
        const cohorts = Map.groupBy(first, ([, month]) => month);
        const small = [...cohorts].filter(([, buyers]) => buyers.length < 5);
        // The small cohorts whose money changes the figure of a night.
        const shown = nights.map((night) => {
          const overall = overallOn(night, list);
          const others = small.map(([month]) =>
            overallOn(
              night,
              list.map((one) =>
                first.get(one.buyer) === month ? { ...one, net_minor: one.net_minor + 1_000_000 } : one,
              ),
            ),
          );
          return overall.map((value, m) => small.filter((_, index) => others[index]?.[m] !== value));
        });
        const buyersOf = (some: typeof small) => some.reduce((sum, [, buyers]) => sum + buyers.length, 0);
        for (const [index, night] of shown.entries())
          for (const [m, now] of night.entries())
            for (const earlier of shown.slice(0, index)) {
              const before = earlier[m] ?? [];
              const difference = [
                ...now.filter((one) => !before.includes(one)),
                ...before.filter((one) => !now.includes(one)),
              ];
              expect([1, 2, 3, 4]).not.toContain(buyersOf(difference));
            }
      }),
      { numRuns: 300 },
    );
  });

  test('the money of cohorts of fewer than five buyers together changes no figure', () => {
    const present = '2026-09';
    fc.assert(
      fc.property(orders, fc.nat(9_000), (list, more) => {
        const tally = tallyOf(list);
        const small = tally.cohorts.filter(({ buyers }) => buyers < 5);
        const months = new Set(small.map(({ month }) => month));
        fc.pre(small.length > 0 && small.reduce((sum, { buyers }) => sum + buyers, 0) < 5);
        const first = new Map<string, string>();
        for (const { buyer, day } of list) if (!first.has(buyer)) first.set(buyer, day.slice(0, 7));
        const other = list.map((one) =>
          months.has(first.get(one.buyer) ?? '') ? { ...one, net_minor: one.net_minor + more } : one,
        );
        const shown = (of: readonly BuyerOrder[]) => {
          const { by_cohort, overall } = lifetimeOf(tallyOf(of), present);
          return { by_cohort, overall, ...cohortsOf(tallyOf(of), present) };
        };
        expect(shown(other)).toEqual(shown(list));
      }),
    );
  });
});

test('memory does not grow with buyers: what is kept are sums by day and month', () => {
  const tallying = new Tallying(THROUGH);
  for (let buyer = 0; buyer < 50_000; buyer += 1)
    for (const back of [buyer % 300, buyer % 100].sort((a, b) => b - a))
      tallying.add(order(buyer, addDays(THROUGH, -back), 100));
  const { buckets, gaps, cohorts } = tallying.end();
  expect(buckets.length).toBeLessThanOrEqual(365 * 4);
  expect(gaps.size).toBeLessThanOrEqual(365);
  expect(cohorts.length).toBeLessThanOrEqual(13);
});

test('months cross years', () => {
  expect([addMonths('2026-12', 1), addMonths('2026-01', -1), addMonths('2026-05', 20)]).toEqual([
    '2027-01',
    '2025-12',
    '2028-01',
  ]);
});
