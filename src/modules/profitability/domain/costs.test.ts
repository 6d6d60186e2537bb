import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { costsOf, coverageOf, type GoodsLine, isCovered, statusOf } from './costs.ts';

/** Three units of a product whose unit cost is 2.00 and was entered by the seller. */
const line = (more: Partial<GoodsLine> = {}): GoodsLine => ({
  ...{
    order_line_id: 'a',
    shipped: 3,
    units: 3,
    unit_micros: 2_000_000n,
    unit_bought: false,
    unit_part: false,
  },
  ...{ freight_micros: 5_000_000n, supplied_units: null, supplied_minor: null, supplied_lacks: null },
  ...more,
});
const found = (one: GoodsLine) => {
  const costs = costsOf([one], [], 'AUD');
  const covered = coverageOf(costs, 'a');
  return [costs.goods.get('a')?.cost, statusOf(covered.supplier_cost), isCovered(covered)];
};
const bought = { unit_bought: true };
const supplied = { supplied_units: 2, supplied_minor: minor(700), supplied_lacks: [] };
const lacking = ['inbound_freight'];

test.each<[string, Partial<GoodsLine>, unknown[]]>([
  ['entered', {}, [600n, 'seller_supplied', true]],
  ['of a purchase', bought, [600n, 'known', true]],
  ['of a purchase without freight', { ...bought, unit_part: true }, [600n, 'partial', false]],
  ['of a supplier and a purchase', { ...bought, ...supplied }, [900n, 'known', true]],
  ['of a supplier and entered', supplied, [900n, 'seller_supplied', true]],
  [
    'of a supplier without freight, and a purchase',
    { ...bought, ...supplied, supplied_lacks: lacking },
    [900n, 'partial', false],
  ],
  [
    'of a supplier, and a purchase without freight',
    { ...bought, ...supplied, unit_part: true },
    [900n, 'partial', false],
  ],
  [
    'of a supplier alone, whatever the purchase lacks',
    { ...bought, ...supplied, unit_part: true, units: 2 },
    [700n, 'known', true],
  ],
  [
    'of a supplier alone without freight',
    { ...supplied, supplied_units: 3, supplied_lacks: lacking },
    [700n, 'partial', false],
  ],
  ['unknown', { unit_micros: null, unit_bought: null, unit_part: null }, [null, 'missing', false]],
  [
    'of a supplier, with own units of unknown cost',
    { ...supplied, unit_micros: null, unit_bought: null, unit_part: null },
    [null, 'missing', false],
  ],
])('a cost %s', (_, more, expected) => {
  expect(found(line(more))).toEqual(expected);
});
