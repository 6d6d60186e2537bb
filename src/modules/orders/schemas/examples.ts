/**
 * Examples for the API description and the events. The rules of orders make them from one order.
 */
import type { IdKind } from '../../../kernel/ids.ts';
import { minor } from '../../../kernel/money.ts';
import { allowedActions } from '../domain/allowed.ts';
import { accept } from '../domain/answer-placement.ts';
import { track } from '../domain/delivery.ts';
import { deriveStatuses } from '../domain/derive-statuses.ts';
import { openDispute, requestRefund } from '../domain/money-moves.ts';
import type { Order } from '../domain/order.ts';
import { place } from '../domain/place.ts';
import { requestReturn } from '../domain/returns.ts';
import { dispatch, pack } from '../domain/shipments.ts';
import { openWork, type Work } from '../domain/work.ts';
import { disputeToWire, orderToWire, refundToWire, returnToWire, shipmentToWire } from './to-wire.ts';

const IDS: Partial<Record<IdKind, string>> = {
  oli_: 'oli_06fh5m2k9x0008m1q4t7v2w5y8',
  shp_: 'shp_06fh5m2k9x0008m1q4t7v2w5y8',
  rtn_: 'rtn_06fh5m2k9x0008m1q4t7v2w5y8',
  rfd_: 'rfd_06fh5m2k9x0008m1q4t7v2w5y8',
  dsp_: 'dsp_06fh5m2k9x0008m1q4t7v2w5y8',
};
const newId = (kind: IdKind): string => IDS[kind] ?? '';
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-06-28T01:00:00Z');

function step(order: Order, hours: number, rule: (work: Work) => void): Order {
  const work = openWork(order, START + hours * HOUR_MS, newId);
  rule(work);
  deriveStatuses(work);
  work.order.head.version += 1;
  work.order.head.updated_at = work.at;
  return work.order;
}

const placed = step(
  place(
    {
      order_id: 'ord_1002',
      external_order_id: null,
      order_number: '1002',
      currency: 'AUD',
      loyalty: true,
      seller_discount_minor: minor(500),
      buyer_id: 'byr_01j0000000000000000000000',
      buyer_alias: 'buyer_9f2',
      customer_ref: 'cus_77',
      ship_to: {
        name: 'Mia Chen',
        line1: '1 George Street',
        city: 'Sydney',
        state: 'NSW',
        postcode: '2000',
        country: 'AU',
      },
      placed_at: new Date(START).toISOString(),
      placed_facts: {},
      search_text: '',
      accept_by: '2026-06-29T01:00:00.000Z',
      dispatch_by: '2026-06-30T14:00:00.000Z',
      dispatch_rule: {
        source: 'default',
        profile_id: null,
        handling_days: 2,
        cut_off: null,
        timezone: 'Australia/Sydney',
        working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
        closed_from: null,
        closed_to: null,
      },
      lines: [
        {
          kind: 'item',
          quantity: 3,
          unit_price_minor: minor(2_499),
          seller_sku: 'MUG-BLU',
          title: 'Blue stoneware mug, 350 ml',
          category: null,
          gtin: '09312345678907',
          weight_g: 380,
          image_url: 'https://cdn.example.com/mug-blue.jpg',
          product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
          platform_fee_bps: 1_000,
        },
      ],
    },
    START,
    newId,
  ),
  0,
  ({ order }) => {
    for (const line of order.lines) line.reserved = line.ordered;
  },
);
const accepted = step(placed, 1, (work) => accept(work, undefined));
const packed = step(accepted, 2, (work) => {
  pack(work, undefined, [{ weight_g: 1_200, length_mm: 300, width_mm: 200, height_mm: 150 }]);
});
const sent = step(packed, 3, (work) => {
  const parcel = {
    carrier: 'auspost',
    service: null,
    tracking_number: '33XXX0012345',
    tracking_url: null,
  };
  dispatch(work, newId('shp_'), parcel);
});
const delivered = step(sent, 60, (work) => {
  track(work, newId('shp_'), { status: 'delivered', at: work.at, version: null });
});
/** With a return, a refund and a dispute. */
export const disputed = step(delivered, 80, (work) => {
  const [line] = work.order.lines;
  const lines = [{ line_no: 1, quantity: 1, reason: 'damaged' }];
  requestReturn(work, { id: 'rtn_ext_1', lines, respond_by: null, return_policy: null, time: work.at });
  if (line !== undefined) requestRefund(work, [{ line, quantity: 1, amount_minor: minor(1_995) }], 'damaged');
  openDispute(work, {
    id: 'dp_1',
    amount_minor: minor(2_499),
    provider_fee_minor: minor(2_500),
    respond_by: '2026-07-20T00:00:00.000Z',
    time: work.at,
  });
});

const view = (order: Order) => ({
  ...orderToWire(order),
  allowed_actions: allowedActions({ order, now: Date.parse(order.head.updated_at), available: new Map() }),
});
export const PLACED_EXAMPLE = orderToWire(placed);
export const ACCEPTED_EXAMPLE = orderToWire(accepted);
export const SENT_EXAMPLE = orderToWire(sent);
export const DELIVERED_EXAMPLE = orderToWire(delivered);
export const PLACED_VIEW = view(placed);
export const ACCEPTED_VIEW = view(accepted);

const shipmentIn = (order: Order) =>
  order.shipments.map((shipment) => shipmentToWire(order, shipment)).at(0) ?? null;
export const DRAFT_SHIPMENT = shipmentIn(packed);
export const SENT_SHIPMENT = shipmentIn(sent);
export const DELIVERED_SHIPMENT = shipmentIn(delivered);
export const RETURN_EXAMPLE = disputed.returns.map((found) => returnToWire(disputed, found)).at(0) ?? null;
export const REFUND_EXAMPLE = disputed.refunds.map((refund) => refundToWire(disputed, refund)).at(0) ?? null;
export const DISPUTE_EXAMPLE =
  disputed.disputes.map((dispute) => disputeToWire(disputed, dispute)).at(0) ?? null;
