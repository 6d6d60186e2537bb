import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { goodsOfLines, totalOf, unitCosts } from './priced.ts';

const line = (ordered: number, pack_size: number, pack: number) => ({
  ...{ ordered, pack_size, pack_price_minor: minor(pack) },
});

test('golden 6.1: goods, total and the cost of a unit with its share of the freight', () => {
  const lines = [line(144, 12, 5_945), line(24, 6, 7_350)];
  expect(goodsOfLines(lines)).toBe(100_740n);
  expect(totalOf(goodsOfLines(lines), minor(3_850))).toBe(104_590n);
  expect(unitCosts(lines, minor(3_850), 'AUD').map(({ cost_micros }) => cost_micros)).toEqual([
    ...[5_143_472n, 12_718_333n],
  ]);
  expect(unitCosts(lines, null, 'AUD')).toEqual([
    { cost_micros: 4_954_167n, cost_missing: ['inbound_freight'] },
    { cost_micros: 12_250_000n, cost_missing: ['inbound_freight'] },
  ]);
});

test('the unit costs of all units together are the total, within the rounding of each line', () => {
  const some = fc.record({
    ...{ packs: fc.integer({ min: 1, max: 500 }), size: fc.integer({ min: 1, max: 144 }) },
    price: fc.integer({ min: 0, max: 1_000_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(some, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 100_000 }),
      (all, freight) => {
        const lines = all.map(({ packs, size, price }) => line(packs * size, size, price));
        const costs = unitCosts(lines, minor(freight), 'AUD');
        const paid = costs.reduce(
          (sum, { cost_micros }, index) => sum + cost_micros * BigInt(lines[index]?.ordered ?? 0),
          0n,
        );
        const total = (goodsOfLines(lines) + BigInt(freight)) * 10_000n;
        const most = lines.reduce((sum, { ordered }) => sum + BigInt(ordered), 0n);
        expect(paid - total <= most && total - paid <= most).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});
