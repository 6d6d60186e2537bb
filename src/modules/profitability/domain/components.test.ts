import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minor, sumMinor } from '../../../kernel/money.ts';
import { addAmounts, COST_COMPONENTS, shareOverLines, sumLines } from './components.ts';
import type { Posted } from './posted.ts';

const amount = fc.bigInt({ min: -5_000n, max: 5_000n }).map(minor);
const gross = fc.record({ order_line_id: fc.constantFrom('a', 'b', 'c', null), amount }).map(
  ({ order_line_id, amount: sold }): Posted => ({
    ...{ component: null, bucket: 'gross', order_line_id, seller_sku: order_line_id, amount: sold },
  }),
);
const other = fc
  .record({
    component: fc.constantFrom('platform_fee', 'payment_processing'),
    bucket: fc.constantFrom('fees' as const, 'adjustments' as const),
    order_line_id: fc.constantFrom('a', 'b', null),
    amount,
  })
  .map((line): Posted => ({ ...line, seller_sku: null }));

test('lines sum to their order for each component, whatever was sold, taken back and charged', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(gross, other), { maxLength: 12 }), (posted) => {
      const shares = shareOverLines(posted);
      const isSold = posted.some((line) => line.bucket === 'gross' && line.order_line_id !== null);
      if (shares.length === 0) return void expect(isSold).toBe(false);
      const sum = shares.map(({ amounts }) => amounts).reduce(addAmounts);
      expect(COST_COMPONENTS.map((name) => sum[name])).toEqual(
        COST_COMPONENTS.map((name) => sumLines(posted)[name]),
      );
      expect(sumMinor(Object.values(sum))).toBe(sumMinor(Object.values(sumLines(posted))));
    }),
  );
});
