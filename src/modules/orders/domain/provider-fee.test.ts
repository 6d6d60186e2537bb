import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { providerFeeOf } from './provider-fee.ts';

const none = {
  order_id: 'ord_a',
  external_order_id: null,
  provider_fee_minor: null,
  charge_provider_fee_minor: null,
  share_of: null,
};
const shared = (order_id: string, ...gross: (readonly [string, number])[]) =>
  providerFeeOf({
    ...none,
    order_id,
    external_order_id: `ext_${order_id}`,
    charge_provider_fee_minor: minor(205),
    share_of: gross.map(([id, gross_minor]) => ({ order_id: id, gross_minor })),
  });

test('the fee of a charge is split over its orders, in their order, to the cent', () => {
  const orders = [
    ['ord_1003', 3_333],
    ['ext_ord_b', 3_333],
    ['ord_c', 3_334],
  ] as const;
  expect(['ord_1003', 'ord_b', 'ord_c'].map((id) => shared(id, ...orders))).toEqual([68n, 68n, 69n]);
});

test('the order’s own fee wins over a share; without either there is no fee', () => {
  expect(providerFeeOf({ ...none, provider_fee_minor: minor(7), charge_provider_fee_minor: minor(9) })).toBe(
    7n,
  );
  expect(providerFeeOf(none)).toBe(0n);
  expect(providerFeeOf({ ...none, charge_provider_fee_minor: minor(0) })).toBe(0n);
});

test('without the order’s share, or with shares of zero, the fee is unknown', () => {
  expect(shared('ord_a', ['ord_b', 1])).toBeUndefined();
  expect(shared('ord_a', ['ord_a', 0])).toBeUndefined();
});
