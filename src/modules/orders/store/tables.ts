/**
 * The tables of an order. Their rows are read as JSON, all of an order in one statement, and written as JSON.
 */
import {
  boolean,
  type Column,
  instant,
  integer,
  json,
  money,
  nullable,
  text,
  texts,
  textsOf,
} from '../../../platform/db/columns.ts';
import { defineTable } from '../../../platform/db/table.ts';
import type { DispatchRule } from '../../shipping/index.ts';
import type {
  Attention,
  CancelRequest,
  Dispute,
  Label,
  Order,
  OrderHead,
  OrderLine,
  OrderReturn,
  Refund,
  RefundLine,
  ReturnLine,
  Scan,
  Shipment,
  ShipmentLine,
} from '../domain/order.ts';

type ColumnsOf<Row> = { readonly [K in keyof Row]: Column<Row[K]> };

const tableOf =
  <Row>() =>
  <const K extends keyof Row & string>(name: string, key: readonly K[], columns: ColumnsOf<Row>) =>
    defineTable<ColumnsOf<Row>, K>(name, key, columns, { many: 'json' });

/** A number that the marketplace gives a state. It may have any length, so the tables keep it as text. */
const digits: Column<bigint | null> = {
  sql: 'text',
  oids: text.oids,
  fromJson: (value: string) => BigInt(value),
  nullable: true,
};

/** What the store keeps of an order in addition to what the rules know. */
export interface StoredHead extends OrderHead {
  /** Names of the parts that it has; see {@link PARTS}. */
  readonly parts: readonly string[];
  /**
   * Version of the order at which `parts` was written; a release that does not know `parts` leaves it behind.
   */
  readonly parts_version: number | null;
}

export const ORDER = tableOf<StoredHead>()('sales_order', ['order_id'], {
  order_id: text,
  external_order_id: nullable(text),
  order_number: text,
  status: text,
  payment_status: text,
  refund_status: text,
  attention: textsOf<Attention>(),
  currency: text,
  loyalty: boolean,
  items_minor: money,
  shipping_minor: money,
  seller_discount_minor: money,
  total_minor: money,
  buyer_id: nullable(text),
  buyer_alias: nullable(text),
  customer_ref: nullable(text),
  ship_to: json<OrderHead['ship_to']>('json'),
  awaiting: integer,
  accepted_open: integer,
  placed_at: instant,
  recorded_at: instant,
  accept_by: instant,
  acceptance_warned_at: nullable(instant),
  accepted_at: nullable(instant),
  expired_at: nullable(instant),
  dispatch_by: nullable(instant),
  dispatch_rule: nullable(json<DispatchRule>('json')),
  late_at: nullable(instant),
  respond_by: nullable(instant),
  delivered_at: nullable(instant),
  closes_at: nullable(instant),
  closed_at: nullable(instant),
  next_due_at: nullable(instant),
  captured_minor: nullable(money),
  captured_at: nullable(instant),
  charge_id: nullable(text),
  provider_fee_minor: nullable(money),
  provider_transaction_id: nullable(text),
  charge_total_minor: nullable(money),
  charge_provider_fee_minor: nullable(money),
  share_of: nullable(json<readonly unknown[]>('json')),
  placed_facts: json<OrderHead['placed_facts']>('json'),
  search_text: text,
  erased_at: nullable(instant),
  version: integer,
  updated_at: instant,
  parts: texts,
  parts_version: nullable(integer),
});

const LINE = tableOf<OrderLine>()('order_line', ['order_line_id'], {
  order_line_id: text,
  order_id: text,
  line_no: integer,
  kind: text,
  product_id: nullable(text),
  seller_sku: nullable(text),
  title: nullable(text),
  category: nullable(text),
  gtin: nullable(text),
  weight_g: nullable(integer),
  image_url: nullable(text),
  status: text,
  unit_price_minor: money,
  gross_minor: money,
  discount_minor: money,
  net_minor: money,
  platform_fee_bps: nullable(integer),
  ordered: integer,
  awaiting: integer,
  accepted_open: integer,
  rejected: integer,
  cancelled: integer,
  in_transit: integer,
  delivered: integer,
  lost: integer,
  returned: integer,
  reserved: integer,
  supplied: integer,
  supplied_accepted: integer,
  was_supplied: boolean,
});

const SHIPMENT = tableOf<Shipment>()('order_shipment', ['shipment_id'], {
  shipment_id: text,
  order_id: text,
  status: text,
  origin: text,
  packages: json<Shipment['packages']>('json'),
  carrier: nullable(text),
  service: nullable(text),
  tracking_number: nullable(text),
  tracking_url: nullable(text),
  label_id: nullable(text),
  dispatched_at: nullable(instant),
  delivered_at: nullable(instant),
  tracked_at: nullable(instant),
  tracked_version: digits,
  version: integer,
  created_at: instant,
  updated_at: instant,
});

const SHIPMENT_LINE = tableOf<ShipmentLine>()('order_shipment_line', ['shipment_id', 'order_line_id'], {
  shipment_id: text,
  order_line_id: text,
  quantity: integer,
  held: integer,
});

const LABEL = tableOf<Label>()('order_label', ['label_id'], {
  label_id: text,
  shipment_id: text,
  status: text,
  carrier: text,
  service: text,
  tracking_number: text,
  price_minor: money,
  quote_id: nullable(text),
  option_id: nullable(text),
  content: json<Label['content']>('json'),
  created_at: instant,
  voided_at: nullable(instant),
});

const SCAN = tableOf<Scan>()('order_tracking', ['shipment_id', 'position'], {
  shipment_id: text,
  position: integer,
  status: text,
  at: instant,
  location: nullable(text),
  detail: nullable(text),
  recorded_at: instant,
});

const CANCEL_REQUEST = tableOf<CancelRequest>()('order_cancel_request', ['order_id', 'request_id'], {
  request_id: text,
  external_request_id: text,
  order_id: text,
  status: text,
  lines: json<CancelRequest['lines']>('json'),
  reason: nullable(text),
  respond_by: instant,
  requested_at: instant,
  answered_at: nullable(instant),
  automatic: boolean,
});

const RETURN = tableOf<OrderReturn>()('order_return', ['order_id', 'return_id'], {
  return_id: text,
  external_return_id: text,
  order_id: text,
  status: text,
  respond_by: nullable(instant),
  requested_at: instant,
  answered_at: nullable(instant),
  received_at: nullable(instant),
  inspected_at: nullable(instant),
  closed_at: nullable(instant),
  reason: nullable(text),
  refusal_reason: nullable(text),
  detail: nullable(text),
  return_policy: nullable(text),
  version: integer,
});

const RETURN_LINE = tableOf<ReturnLine>()('order_return_line', ['order_id', 'return_id', 'order_line_id'], {
  order_id: text,
  return_id: text,
  order_line_id: text,
  quantity: integer,
  reason: nullable(text),
  received: nullable(integer),
  compliant: nullable(boolean),
  restocked: integer,
  note: nullable(text),
});

const REFUND = tableOf<Refund>()('order_refund', ['order_id', 'refund_id'], {
  refund_id: text,
  external_refund_id: nullable(text),
  order_id: text,
  status: text,
  requested_by: text,
  amount_minor: money,
  reason: nullable(text),
  provider_transaction_id: nullable(text),
  failure_code: nullable(text),
  created_at: instant,
  made_at: nullable(instant),
  settled_at: nullable(instant),
  settled_version: digits,
  version: integer,
});

const REFUND_LINE = tableOf<RefundLine>()('order_refund_line', ['order_id', 'refund_id', 'order_line_id'], {
  order_id: text,
  refund_id: text,
  order_line_id: text,
  quantity: integer,
  amount_minor: money,
});

const DISPUTE = tableOf<Dispute>()('order_dispute', ['order_id', 'dispute_id'], {
  dispute_id: text,
  external_dispute_id: text,
  order_id: text,
  status: text,
  amount_minor: money,
  provider_fee_minor: money,
  returned_fee_minor: nullable(money),
  respond_by: nullable(instant),
  warned_at: nullable(instant),
  opened_at: instant,
  decided_at: nullable(instant),
  decided_version: digits,
  version: integer,
});

export type ChildName = Exclude<keyof Order, 'head'>;
export type ChildRow<K extends ChildName> = Order[K][number];

/** In the order in which they must be written: a table comes after those that it refers to. */
export const CHILDREN = {
  lines: LINE,
  shipments: SHIPMENT,
  shipment_lines: SHIPMENT_LINE,
  labels: LABEL,
  scans: SCAN,
  cancel_requests: CANCEL_REQUEST,
  returns: RETURN,
  return_lines: RETURN_LINE,
  refunds: REFUND,
  refund_lines: REFUND_LINE,
  disputes: DISPUTE,
} as const satisfies Readonly<Record<ChildName, unknown>>;
export const CHILD_NAMES = Object.keys(CHILDREN) as readonly ChildName[];

/** Parts that an order may have, each with the children that exist only with this part. */
export const PARTS = {
  shipments: ['shipments', 'shipment_lines', 'labels', 'scans'],
  cancel_requests: ['cancel_requests'],
  returns: ['returns', 'return_lines'],
  refunds: ['refunds', 'refund_lines'],
  disputes: ['disputes'],
} as const satisfies Partial<Record<ChildName, readonly ChildName[]>>;
type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];
