import { expect, test } from 'vitest';
import type { IdKind } from '../../../kernel/ids.ts';
import { minor } from '../../../kernel/money.ts';
import { accept, reject, shortOf } from './answer-placement.ts';
import { deriveStatuses } from './derive-statuses.ts';
import type { Order, OrderLine } from './order.ts';
import { place } from './place.ts';
import { changeTracking, pack } from './shipments.ts';
import { canSettle, dispatchSupplied, sendableUnits, settleSupplied } from './supplied.ts';
import { openWork, type Work } from './work.ts';

const NOW = Date.parse('2026-06-28T01:00:00Z');
let serial = 0;
const newId = (kind: IdKind): string => {
  serial += 1;
  return `${kind}${serial}`;
};
const LINE = {
  ...{ kind: 'item' as const, quantity: 12, unit_price_minor: minor(2_000), seller_sku: 'MUG', title: 'Mug' },
  ...{
    category: null,
    gtin: null,
    weight_g: null,
    image_url: null,
    product_id: 'prd_1',
    platform_fee_bps: null,
  },
} as const;
const facts = {
  ...{ order_id: 'ord_1', external_order_id: null, order_number: '1', currency: 'AUD', loyalty: false },
  ...{ seller_discount_minor: minor(0), buyer_id: null, buyer_alias: null, customer_ref: null, ship_to: {} },
  ...{ placed_at: '2026-06-28T01:00:00Z', placed_facts: {}, search_text: '', dispatch_rule: null },
  ...{ accept_by: '2026-06-29T01:00:00.000Z', dispatch_by: '2026-06-30T01:00:00.000Z' },
};

/** An order of 12 units, of which 11 hold stock and are with a supplier. */
function work(): { work: Work; line: OrderLine; id: string } {
  const order: Order = place({ ...facts, lines: [LINE] }, NOW, newId);
  const opened = openWork(order, NOW, newId);
  const [line] = opened.order.lines;
  if (line === undefined) throw new Error('no line');
  Object.assign(line, { reserved: 11, supplied: 11 });
  deriveStatuses(opened);
  return { work: opened, line, id: line.order_line_id };
}
const unitsOf = ({ awaiting, accepted_open, in_transit, supplied, supplied_accepted }: OrderLine) => [
  ...[awaiting, accepted_open, in_transit, supplied, supplied_accepted],
];
const codeOf = (run: () => unknown): unknown => {
  try {
    run();
    return null;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};
const settle = (of: Work, id: string, accept: number, waiting: number, accepted: number): boolean => {
  const units = { order_line_id: id, accept, waiting, accepted };
  if (!canSettle(of.order, units)) return false;
  settleSupplied(of, [units], 'sup_1');
  return true;
};
const PARCEL = {
  ...{ carrier: 'australia_post', service: null, tracking_number: 'T1', tracking_url: null },
  dispatched_at: '2026-06-28T01:00:00.000Z',
};

test('the seller can reject supplied units, and cannot accept, pack or correct them', () => {
  const { work: of, line, id } = work();
  const some = (quantity: number) => [{ order_line_id: id, quantity }];
  expect(codeOf(() => shortOf(of.order, some(2), NOW))).toBe('supplied_by_dropship');
  expect(codeOf(() => accept(of, some(12)))).toBe('supplied_by_dropship');
  expect(codeOf(() => accept(of, some(13)))).toBe('quantity_exceeds_open');
  // The unit beyond the stock is not in stock.
  expect(codeOf(() => accept(of, undefined))).toBe('insufficient_stock');
  expect(settle(of, id, 9, 2, 9)).toBe(true);
  deriveStatuses(of);
  expect(unitsOf(line)).toEqual([3, 9, 0, 11, 9]);
  expect(codeOf(() => pack(of, undefined, []))).toBe('supplied_by_dropship');
  const shipment = dispatchSupplied(of, { ...PARCEL, lines: some(4) }, 'sup_1');
  expect(codeOf(() => changeTracking(of, shipment, PARCEL, undefined))).toBe('supplied_by_dropship');
  expect(unitsOf(line)).toEqual([3, 5, 4, 7, 5]);
  reject(of, { reason: 'out_of_stock' }, undefined);
  deriveStatuses(of);
  expect(unitsOf(line)).toEqual([0, 5, 4, 5, 5]);
  expect(line).toMatchObject({ rejected: 3, reserved: 5 });
});

test('returned units are ordinary units of the seller, until it touches them also of the supplier', () => {
  const { work: of, line, id } = work();
  expect(settle(of, id, 0, 0, 0)).toBe(true);
  expect(unitsOf(line)).toEqual([12, 0, 0, 0, 0]);
  expect(sendableUnits(of.order, id, 11)).toBe(11);
  accept(of, [{ order_line_id: id, quantity: 8 }]);
  deriveStatuses(of);
  pack(of, [{ order_line_id: id, quantity: 8 }], []);
  expect(sendableUnits(of.order, id, 11)).toBe(3);
  expect(settle(of, id, 4, 0, 4)).toBe(false);
  expect(settle(of, id, 3, 0, 4)).toBe(false);
  expect(settle(of, id, 3, 0, 3)).toBe(true);
  expect(unitsOf(line)).toEqual([1, 11, 0, 3, 3]);
  deriveStatuses(of);
  // The seller's parcel stays packed.
  expect(of.order.shipments).toMatchObject([{ status: 'draft' }]);
});

test('a parcel takes accepted units, then waiting ones, then returned ones', () => {
  const { work: of, line, id } = work();
  settle(of, id, 4, 2, 3);
  expect(unitsOf(line)).toEqual([8, 4, 0, 5, 3]);
  expect(sendableUnits(of.order, id, 6)).toBe(11);
  dispatchSupplied(of, { ...PARCEL, lines: [{ order_line_id: id, quantity: 7 }] }, 'sup_1');
  deriveStatuses(of);
  expect(unitsOf(line)).toEqual([4, 1, 7, 0, 0]);
  expect(of.moves).toEqual([{ kind: 'consume', product_id: 'prd_1', quantity: 7 }]);
  expect(of.order.shipments).toMatchObject([{ origin: 'supplier', status: 'dispatched' }]);
});
