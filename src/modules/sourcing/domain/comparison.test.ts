import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { compare, type Quoted } from './comparison.ts';

const RUNS = 1_000;
type Break = readonly [min_quantity: number, pack_price_minor: number];

function line(pack_size: number, minimum_quantity: number, breaks: readonly Break[], more: object = {}) {
  const price_breaks = breaks.map(([min_quantity, pack_price_minor]) => ({ min_quantity, pack_price_minor }));
  return {
    ...{ line_no: 1, pack_size, minimum_quantity, maximum_quantity: null, price_breaks },
    ...{ lead_time_days: null, ...more },
  };
}
const quote = (
  quote_id: string,
  lines: Quoted['lines'],
  freight: number | null = 0,
  free: number | null = null,
): Quoted => ({
  ...{ quote_id, lines, freight_minor: freight === null ? null : minor(freight) },
  free_freight_from_minor: free === null ? null : minor(free),
});
const WANTED = [{ line_no: 1, quantity: 100 }];

const GOLDEN = [
  quote(
    'S1',
    [
      line(12, 24, [
        [24, 5_940],
        [144, 5_520],
      ]),
    ],
    3_850,
    90_000,
  ),
  quote('S2', [line(10, 50, [[50, 5_200]])], null),
  quote('S3', [line(50, 200, [[200, 21_000]])]),
];

test('three quotes for 100 units, to the micro; the one without freight has no rank', () => {
  const { lines, quotes } = compare(WANTED, GOLDEN, 'AUD');
  const shown = lines[0]?.options.map((option) => [
    ...[option.quote_id, option.quantity, option.goods_minor, option.freight_share_minor],
    ...[option.landed_minor, option.landed_unit_micros, option.goods_unit_micros],
    ...[option.excess_units, option.rank],
  ]);
  expect(shown).toEqual([
    ['S3', 200, 84_000n, 0n, 84_000n, 4_200_000n, 4_200_000n, 100, 1],
    ['S1', 108, 53_460n, 3_850n, 57_310n, 5_306_481n, 4_950_000n, 8, 2],
    ['S2', 100, 52_000n, null, null, null, 5_200_000n, 0, null],
  ]);
  // The whole of S1 costs less than that of S3, which delivers 200.
  expect(quotes.map(({ quote_id, landed_minor, rank }) => [quote_id, landed_minor, rank])).toEqual([
    ['S1', 57_310n, 1],
    ['S3', 84_000n, 2],
    ['S2', null, null],
  ]);
});

test('equal figures share a rank, the shorter lead time first; the next rank is 3', () => {
  const equal = (id: string, price: number, lead_time_days: number | null) =>
    quote(id, [line(1, 1, [[1, price]], { lead_time_days })]);
  const { lines } = compare(
    WANTED,
    [equal('c', 7, 1), equal('a', 5, 9), equal('d', 5, null), equal('b', 5, 2)],
    'AUD',
  );
  expect(lines[0]?.options.map(({ quote_id, rank }) => [quote_id, rank])).toEqual([
    ['b', 1],
    ['a', 1],
    ['d', 1],
    ['c', 4],
  ]);
  const two = compare(WANTED, [equal('a', 5, 1), equal('b', 5, 1), equal('c', 7, 1)], 'AUD');
  expect(two.lines[0]?.options.map(({ rank }) => rank)).toEqual([1, 1, 3]);
});

test('a quantity above the maximum is not available, and its quote does not cover all', () => {
  const wanted = [...WANTED, { line_no: 2, quantity: 10 }];
  const small = line(12, 12, [[12, 100]], { maximum_quantity: 96 });
  const quotes = [
    quote('part', [small, line(1, 1, [[1, 10]], { line_no: 2 })], 500),
    quote('whole', [line(1, 1, [[1, 10]]), line(1, 1, [[1, 10]], { line_no: 2 })], 500),
  ];
  const { lines, quotes: wholes } = compare(wanted, quotes, 'AUD');
  expect(lines[0]?.options.find(({ quote_id }) => quote_id === 'part')).toEqual({
    ...{ quote_id: 'part', is_available: false, lead_time_days: null, quantity: null, excess_units: null },
    ...{ goods_minor: null, goods_unit_micros: null, freight_share_minor: null, landed_minor: null },
    ...{ landed_unit_micros: null, rank: null },
  });
  expect(wholes).toEqual([
    { quote_id: 'whole', lines_quoted: 2, covers_all: true, landed_minor: 1_600n, rank: 1 },
    { quote_id: 'part', lines_quoted: 1, covers_all: false, landed_minor: 600n, rank: null },
  ]);
});

const amount = fc.integer({ min: 0, max: 100_000 });
const someLine = (line_no: number) =>
  fc
    .record({
      ...{ pack: fc.integer({ min: 1, max: 24 }), least: fc.integer({ min: 1, max: 10 }), price: amount },
      ...{ drop: amount, most: fc.option(fc.integer({ min: 1, max: 60 })) },
      lead_time_days: fc.option(fc.integer({ min: 0, max: 30 })),
    })
    .map(({ pack, least, price, drop, most, lead_time_days }) =>
      line(
        pack,
        pack * least,
        [
          [pack * least, price],
          [pack * least * 3, Math.max(0, price - drop)],
        ],
        { line_no, lead_time_days, maximum_quantity: most === null ? null : pack * (least + most) },
      ),
    );
const someQuote = fc
  .record({
    lines: fc.tuple(...[1, 2, 3].map((line_no) => fc.option(someLine(line_no)))),
    ...{ freight: fc.option(amount), free: fc.option(amount) },
  })
  .map(
    ({ lines, freight, free }) =>
      (id: string) =>
        quote(
          id,
          lines.filter((one) => one !== null),
          freight,
          free,
        ),
  );
const someQuotes = fc
  .array(someQuote, { maxLength: 6 })
  .map((makers) => makers.map((make, index) => make(`q${index}`)));
const someWanted = fc
  .array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 3 })
  .map((quantities) => quantities.map((quantity, index) => ({ line_no: index + 1, quantity })));

test('the comparison does not depend on the order of the quotes', () => {
  const shuffled = someQuotes.chain((quotes) =>
    fc.tuple(fc.constant(quotes), fc.shuffledSubarray(quotes, { minLength: quotes.length })),
  );
  fc.assert(
    fc.property(someWanted, shuffled, (wanted, [quotes, other]) => {
      expect(compare(wanted, other, 'AUD')).toEqual(compare(wanted, quotes, 'AUD'));
    }),
    { numRuns: RUNS },
  );
});

test('ranks count the lower figures, and what has no landed cost has none; freight is shared whole', () => {
  fc.assert(
    fc.property(someWanted, someQuotes, (wanted, quotes) => {
      const { lines, quotes: wholes } = compare(wanted, quotes, 'AUD');
      for (const { options } of lines)
        for (const { landed_unit_micros: own, rank } of options) {
          const below = options.filter(
            ({ landed_unit_micros: other }) => other !== null && own !== null && other < own,
          );
          expect(rank).toBe(own === null ? null : below.length + 1);
        }
      for (const { quote_id, covers_all, landed_minor, rank } of wholes) {
        expect(rank !== null).toBe(covers_all && landed_minor !== null);
        const own = lines.flatMap(({ options }) => options.filter((one) => one.quote_id === quote_id));
        const shares = own.flatMap((one): Minor[] => (one.landed_minor === null ? [] : [one.landed_minor]));
        expect(landed_minor ?? 0n).toBe(sumMinor(shares));
      }
    }),
    { numRuns: RUNS },
  );
});
