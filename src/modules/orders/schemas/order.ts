/** The order on the wire: docs/design/orders.md#quantities. One call returns all of it. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import {
  ATTENTIONS,
  CANCEL_REQUEST_STATUSES,
  DISPUTE_STATUSES,
  LINE_STATUSES,
  ORDER_STATUSES,
  REFUND_STATES,
  REFUND_STATUSES,
  RETURN_STATUSES,
  SHIPMENT_STATUSES,
} from '../domain/order.ts';
import { NullableInteger, NullableText, Units } from './parts.ts';

const NullableInstant = Nullable(Instant());
const LineQuantity = Type.Object({ order_line_id: Type.String(), quantity: Type.Integer() });
const Open = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true });

export const Quantities = Type.Object(
  {
    ordered: Units('awaiting + accepted_open + rejected + cancelled + shipped'),
    awaiting: Units('Waiting for the seller’s answer'),
    accepted_open: Units('Accepted, not dispatched yet'),
    rejected: Type.Integer(),
    cancelled: Type.Integer(),
    shipped: Units('in_transit + delivered + lost'),
    in_transit: Type.Integer(),
    delivered: Type.Integer(),
    lost: Units('Lost, or returned to the sender undelivered'),
    returned: Units('Of the delivered units, those that came back'),
  },
  { title: 'OrderQuantities' },
);

const Line = Type.Object(
  {
    order_line_id: Type.String(),
    line_no: Units('From 1, in the marketplace’s order'),
    kind: StringEnum(['item', 'shipping']),
    product_id: Nullable(Type.String({ description: 'Null: the SKU is none of the catalogue’s' })),
    seller_sku: NullableText,
    title: NullableText,
    status: StringEnum(LINE_STATUSES),
    quantity: Units('Units ordered; 1 of a shipping line'),
    unit_price_minor: Type.Integer(),
    gross_minor: Type.Integer(),
    discount_minor: Units('Share of the order-level discount'),
    net_minor: Type.Integer(),
    platform_fee_bps: NullableInteger,
    refundable_minor: Units('What may still be refunded'),
    quantities: Quantities,
    quantity_packed: Units('Accepted units in shipments that are not dispatched'),
    quantity_reserved: Units('Units of the stock that the line holds'),
  },
  { title: 'OrderLine' },
);

export const PackageSchema = Type.Object(
  {
    weight_g: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    length_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
    width_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
    height_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
  },
  { title: 'OrderPackage' },
);

const shipmentFields = {
  shipment_id: Type.String(),
  order_id: Type.String(),
  status: StringEnum(SHIPMENT_STATUSES),
  origin: StringEnum(['seller', 'marketplace'], {
    description: 'marketplace: dispatch and delivery were recorded elsewhere',
  }),
  lines: Type.Array(LineQuantity),
  packages: Type.Array(PackageSchema),
  carrier: NullableText,
  service: NullableText,
  tracking_number: NullableText,
  tracking_url: NullableText,
  label: Nullable(
    Type.Object({
      label_id: Type.String(),
      status: StringEnum(['purchased', 'voided']),
      carrier: Type.String(),
      service: Type.String(),
      tracking_number: Type.String(),
      price_minor: Type.Integer(),
      created_at: Instant(),
      voided_at: NullableInstant,
    }),
  ),
  tracking: Type.Array(
    Type.Object({ status: Type.String(), at: Instant(), location: NullableText, detail: NullableText }),
  ),
  dispatched_at: NullableInstant,
  delivered_at: NullableInstant,
  version: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
};
export const ShipmentSchema = Type.Object(shipmentFields, { title: 'Shipment' });

const CancelRequestSchema = Type.Object(
  {
    request_id: Type.String(),
    external_request_id: Type.String(),
    status: StringEnum(CANCEL_REQUEST_STATUSES),
    lines: Type.Array(
      Type.Object({
        ...LineQuantity.properties,
        undecided: Type.Integer({
          description: 'Of them, what an answer decides on: not sent, and not cancelled otherwise since',
        }),
      }),
    ),
    reason: NullableText,
    requested_at: Instant(),
    respond_by: Instant({ description: 'Without an answer by then it is granted' }),
    answered_at: NullableInstant,
    automatic: Type.Boolean({ description: 'Granted by the deadline' }),
  },
  { title: 'CancelRequest' },
);

export const ReturnSchema = Type.Object(
  {
    return_id: Type.String(),
    external_return_id: Type.String(),
    order_id: Type.String(),
    status: StringEnum(RETURN_STATUSES),
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String(),
        quantity: Type.Integer(),
        reason: NullableText,
        received: NullableInteger,
        compliant: Nullable(Type.Boolean()),
        restocked: Type.Integer(),
        note: NullableText,
      }),
    ),
    reason: NullableText,
    detail: NullableText,
    respond_by: NullableInstant,
    requested_at: Instant(),
    answered_at: NullableInstant,
    received_at: NullableInstant,
    inspected_at: NullableInstant,
    closed_at: NullableInstant,
    version: Type.Integer(),
  },
  { title: 'Return' },
);

export const RefundSchema = Type.Object(
  {
    refund_id: Type.String(),
    external_refund_id: NullableText,
    order_id: Type.String(),
    status: StringEnum(REFUND_STATES),
    requested_by: StringEnum(['seller', 'marketplace']),
    amount_minor: Type.Integer(),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String(),
        quantity: Type.Integer(),
        amount_minor: Type.Integer(),
      }),
    ),
    reason: NullableText,
    failure_code: NullableText,
    created_at: Instant(),
    settled_at: NullableInstant,
    version: Type.Integer(),
  },
  { title: 'Refund' },
);

export const DisputeSchema = Type.Object(
  {
    dispute_id: Type.String(),
    external_dispute_id: Type.String(),
    order_id: Type.String(),
    status: StringEnum(DISPUTE_STATUSES),
    amount_minor: Type.Integer(),
    provider_fee_minor: Type.Integer(),
    returned_fee_minor: NullableInteger,
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    respond_by: NullableInstant,
    opened_at: Instant(),
    decided_at: NullableInstant,
    version: Type.Integer(),
  },
  { title: 'Dispute' },
);

const fields = {
  order_id: Type.String(),
  external_order_id: NullableText,
  order_number: Type.String(),
  status: StringEnum(ORDER_STATUSES),
  payment_status: StringEnum(['pending', 'captured']),
  refund_status: StringEnum(REFUND_STATUSES),
  attention: Type.Array(StringEnum(ATTENTIONS)),
  currency: Type.String(),
  currency_exponent: Type.Integer(),
  items_minor: Type.Integer(),
  shipping_minor: Type.Integer(),
  seller_discount_minor: Type.Integer(),
  total_minor: Type.Integer(),
  captured_minor: NullableInteger,
  refunded_minor: Units('Refunds that were made or are being made'),
  loyalty: Type.Boolean(),
  buyer: Type.Object({ alias: NullableText, customer_ref: NullableText }),
  ship_to: Open,
  lines: Type.Array(Line),
  shipments: Type.Array(ShipmentSchema),
  cancel_requests: Type.Array(CancelRequestSchema),
  returns: Type.Array(ReturnSchema),
  refunds: Type.Array(RefundSchema),
  disputes: Type.Array(DisputeSchema),
  deadlines: Type.Object({
    accept_by: Nullable(Instant({ description: 'While units wait; then they are rejected' })),
    dispatch_by: Nullable(Instant({ description: 'While accepted units are not dispatched' })),
    respond_by: Nullable(Instant({ description: 'The next answer that is asked for' })),
    closes_at: Nullable(Instant({ description: 'End of the return window' })),
    calendar: Type.String({ description: 'How business days are counted' }),
  }),
  placed_at: Instant(),
  accepted_at: NullableInstant,
  delivered_at: NullableInstant,
  closed_at: NullableInstant,
  created_at: Instant({ description: 'When the order came to be known here; windows run from then' }),
  updated_at: Instant(),
  version: Type.Integer(),
};

/** As events carry it. */
export const OrderSchema = Type.Object(fields, { title: 'Order' });
export const AllowedActions = Type.Array(
  Type.Object({ action: Type.String(), allowed: Type.Boolean(), reason: NullableText }),
);
/** As the API shows it: what may be done depends on the moment. */
export const OrderView = Type.Object({ ...fields, allowed_actions: AllowedActions }, { title: 'OrderView' });
export type WireOrder = Static<typeof OrderSchema>;
export type WireShipment = Static<typeof ShipmentSchema>;
export type WireReturn = Static<typeof ReturnSchema>;
export type WireRefund = Static<typeof RefundSchema>;
export type WireDispute = Static<typeof DisputeSchema>;

const beside = {
  order_status: StringEnum(ORDER_STATUSES),
  order_version: Type.Integer(),
};
/** A part of an order as the action on it is answered: with where the order stands. */
export const ShipmentResult = Type.Object({ ...shipmentFields, ...beside }, { title: 'ShipmentResult' });
export const ReturnResult = Type.Object({ ...ReturnSchema.properties, ...beside }, { title: 'ReturnResult' });
export const RefundResult = Type.Object({ ...RefundSchema.properties, ...beside }, { title: 'RefundResult' });

export const OrderPage = Type.Object({
  ...Page(OrderView).properties,
  applied: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description: 'The filters as they were understood',
  }),
  resume_since: Nullable(
    Instant({
      description:
        'The `updated_since` to ask with next time, once the last page is read: what was being changed while this was ' +
        'read comes then, and some orders again, with the `version` that is known. On first pages with `updated_since`',
    }),
  ),
});
