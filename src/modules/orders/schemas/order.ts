/**
 * The order on the wire. One call returns it with all its parts. Source: docs/design/orders.md#quantities.
 */
import Type, { type Static } from 'typebox';
import {
  described,
  documentedAs,
  Extended,
  Instant,
  Nullable,
  Page,
  StringEnum,
} from '../../../kernel/schema.ts';
import { DISPATCH_SOURCES, LabelStatus, Weekday } from '../../shipping/index.ts';
import {
  CancelRequestStatus,
  DisputeStatus,
  Initiator,
  OrderAction,
  OrderAttention,
  OrderRefundStatus,
  OrderStatus,
  PaymentStatus,
  RefundStatus,
  RefusedBecause,
  ReturnStatus,
  ShipmentOrigin,
  ShipmentStatus,
} from './enums.ts';
import { OrderLineSchema } from './order-line.ts';
import { NullableText, ShipTo } from './parts.ts';

const NullableInstant = Nullable(Instant());
const instantOrNull = (description: string) => Nullable(Instant({ description }));
const textOrNull = (description: string) => Nullable(Type.String({ description }));
const minorOrNull = (description: string) => Nullable(Type.Integer({ description }));
const minor = (description: string) => Type.Integer({ description });
const LineQuantity = Type.Object({
  order_line_id: Type.String(),
  quantity: Type.Integer({ description: 'Units of the line' }),
});

export const PackageSchema = Type.Object(
  {
    weight_g: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    length_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
    width_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
    height_mm: Type.Integer({ minimum: 1, maximum: 10_000 }),
  },
  { title: 'OrderPackage', description: 'Weight and outer dimensions of a package.' },
);

const ShipmentLabel = Type.Object(
  {
    label_id: Type.String(),
    status: LabelStatus,
    carrier: Type.String(),
    service: Type.String(),
    tracking_number: Type.String(),
    price_minor: minor('What the label costs, in minor units'),
    created_at: Instant(),
    voided_at: instantOrNull('When the label was voided; null while it can be used'),
  },
  { title: 'ShipmentLabel', description: 'The shipping label of a parcel.' },
);

const TrackingScan = Type.Object(
  {
    status: Type.String({ description: 'State that the scan reports, for example `in_transit`' }),
    at: Instant({ description: 'When the carrier scanned the parcel' }),
    location: textOrNull('Where the carrier scanned the parcel'),
    detail: textOrNull('What the carrier said about it'),
  },
  { title: 'TrackingScan', description: 'One scan of a parcel.' },
);

export const ShipmentSchema = Type.Object(
  {
    shipment_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    status: ShipmentStatus,
    origin: described(
      'Who recorded the dispatch; `marketplace`: it was recorded elsewhere, with the delivery. `supplier`: the supplier of a dropship order sent the parcel',
      ShipmentOrigin,
    ),
    lines: Type.Array(LineQuantity, { description: 'Units in the parcel, by line' }),
    packages: Type.Array(PackageSchema, { description: 'Packages of the parcel; empty when not known' }),
    carrier: NullableText,
    service: NullableText,
    tracking_number: NullableText,
    tracking_url: NullableText,
    label: Nullable(ShipmentLabel),
    tracking: Type.Array(TrackingScan, {
      description: 'Scans by the carrier, in the order of their instants',
    }),
    dispatched_at: NullableInstant,
    delivered_at: NullableInstant,
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Shipment', description: 'A parcel of an order: a draft until it is handed to the carrier.' },
);

const CancelRequestSchema = Type.Object(
  {
    request_id: Type.String({ description: 'Id of the request, `crq_…`' }),
    external_request_id: Type.String(),
    status: CancelRequestStatus,
    lines: Type.Array(
      Type.Object({
        ...LineQuantity.properties,
        undecided: Type.Integer({
          description: 'Units that the answer still decides on: not dispatched and not cancelled since',
        }),
      }),
      { description: 'Units that the buyer wants to cancel, by line' },
    ),
    reason: textOrNull('Why the buyer wants to cancel'),
    requested_at: Instant(),
    respond_by: Instant({
      description: 'Without an answer by this time, the request is granted automatically',
    }),
    answered_at: NullableInstant,
    automatic: Type.Boolean({ description: 'Whether the request was granted because of the deadline' }),
  },
  { title: 'CancelRequest', description: 'A buyer’s request to cancel units of an order.' },
);

const DispatchRuleSchema = Type.Object(
  {
    source: StringEnum(DISPATCH_SOURCES, {
      title: 'DispatchSource',
      description:
        '`marketplace`: it sent the deadline. `profile`: a shipping profile. `setting`: `default_handling_days`. `default`: 2 business days',
    }),
    profile_id: textOrNull('Shipping profile of the product that takes longest'),
    handling_days: Nullable(Type.Integer({ description: 'Working days from order to dispatch' })),
    cut_off: textOrNull('Orders from this time of day on count as of the next working day'),
    timezone: textOrNull('IANA name of the time zone of the days and the cut-off'),
    working_days: Nullable(
      Type.Array(Weekday, {
        description: 'Weekdays that count; a national public holiday never counts',
      }),
    ),
    closed_from: Nullable(
      Type.String({ format: 'date', description: 'First closed day that the deadline leaves out' }),
    ),
    closed_to: Nullable(
      Type.String({ format: 'date', description: 'Last closed day that it leaves out, inclusive' }),
    ),
  },
  {
    title: 'DispatchRule',
    description: 'The rule that the dispatch deadline follows, as it was when the order was placed.',
  },
);

export const ReturnSchema = Type.Object(
  {
    return_id: Type.String(),
    external_return_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    status: ReturnStatus,
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String(),
        quantity: Type.Integer({ description: 'Units that the buyer wants to send back' }),
        reason: textOrNull('Why the buyer sends the units back'),
        received: minorOrNull('Units that arrived; null until the receipt is recorded'),
        compliant: Nullable(
          Type.Boolean({ description: 'Whether the units can be sold again; null until inspected' }),
        ),
        restocked: Type.Integer({ description: 'Units put back into stock' }),
        note: textOrNull('What the inspection found'),
      }),
      { description: 'Units that come back, by line' },
    ),
    reason: textOrNull('Why the buyer sends the goods back: the reason of the first line'),
    refusal_reason: textOrNull('Why the seller refused the return; null when it was not refused'),
    detail: textOrNull('Message of the seller with the answer'),
    return_policy: textOrNull('Return policy of the seller when the buyer asked; null: the seller had none'),
    respond_by: NullableInstant,
    requested_at: Instant(),
    answered_at: NullableInstant,
    received_at: instantOrNull('When the goods arrived; null before'),
    inspected_at: instantOrNull('When the goods were inspected; null before'),
    closed_at: NullableInstant,
    version: Type.Integer(),
  },
  { title: 'OrderReturn', description: 'A return: delivered units that the buyer sends back.' },
);

export const RefundSchema = Type.Object(
  {
    refund_id: Type.String(),
    external_refund_id: NullableText,
    order_id: Type.String(),
    order_number: Type.String(),
    status: RefundStatus,
    requested_by: described('Who asked for the refund', Initiator),
    amount_minor: minor('Amount of the refund in minor units'),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String(),
        quantity: Type.Integer({ description: 'Units that the refund is for; only the amount counts' }),
        amount_minor: minor('Share of the refund on this line, in minor units'),
      }),
      { description: 'The refund by line' },
    ),
    reason: textOrNull('Why the buyer gets the money back'),
    failure_code: NullableText,
    created_at: Instant(),
    settled_at: instantOrNull('When the refund succeeded or failed; null before'),
    version: Type.Integer(),
  },
  { title: 'Refund', description: 'Money that goes back to the buyer.' },
);

export const DisputeSchema = Type.Object(
  {
    dispute_id: Type.String(),
    external_dispute_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    status: DisputeStatus,
    amount_minor: minor('Disputed amount in minor units'),
    provider_fee_minor: minor('Fee that the payment provider charges for the dispute, in minor units'),
    returned_fee_minor: minorOrNull('Fee that the provider returned, in minor units; null before'),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    respond_by: NullableInstant,
    opened_at: Instant({ description: 'When the buyer opened the dispute' }),
    decided_at: instantOrNull('When the dispute was decided; null before'),
    version: Type.Integer(),
  },
  { title: 'Dispute', description: 'A payment that the buyer disputes with the bank.' },
);

/** The order in events. */
export const OrderSchema = Type.Object(
  {
    order_id: Type.String(),
    external_order_id: NullableText,
    order_number: Type.String(),
    status: OrderStatus,
    payment_status: PaymentStatus,
    refund_status: OrderRefundStatus,
    attention: Type.Array(OrderAttention, {
      description: 'Reasons why somebody should look at the order; empty without one',
    }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    items_minor: minor('Sum of the item lines before the discount, in minor units'),
    shipping_minor: minor('Sum of the shipping lines, in minor units'),
    seller_discount_minor: minor('Discount that the seller bears, in minor units'),
    total_minor: minor('What the buyer pays: items + shipping − discount, in minor units'),
    captured_minor: minorOrNull('Captured payment, in minor units; null while pending'),
    refunded_minor: minor('Refunds that were made or are in progress, in minor units'),
    loyalty: Type.Boolean({ description: 'Whether the buyer collects loyalty points with the order' }),
    buyer: Type.Object(
      {
        buyer_id: textOrNull('Id of the buyer at this seller, `byr_…`'),
        alias: textOrNull('Name under which the buyer is shown; not their real name'),
        customer_ref: textOrNull('Reference of the buyer, the same for all orders with this seller'),
      },
      { title: 'OrderBuyer', description: 'The buyer, without personal data.' },
    ),
    ship_to: ShipTo,
    lines: Type.Array(OrderLineSchema, { description: 'Lines of the order' }),
    shipments: Type.Array(ShipmentSchema, { description: 'Parcels of the order' }),
    cancel_requests: Type.Array(CancelRequestSchema, { description: 'The buyer’s requests to cancel' }),
    returns: Type.Array(ReturnSchema, { description: 'Returns of the order' }),
    refunds: Type.Array(RefundSchema, { description: 'Refunds of the order' }),
    disputes: Type.Array(DisputeSchema, { description: 'Disputes about the order' }),
    deadlines: Type.Object(
      {
        accept_by: instantOrNull('Accept by this time; after it, waiting units are rejected automatically'),
        dispatch_by: instantOrNull(
          'Dispatch accepted units by this time; fixed when the order is placed, null when no unit is open',
        ),
        dispatch_rule: Nullable(DispatchRuleSchema),
        respond_by: instantOrNull('The next answer to a cancel request or return is due by this time'),
        closes_at: instantOrNull('End of the return window'),
      },
      { title: 'OrderDeadlines', description: 'Deadlines of the order; null: no such deadline.' },
    ),
    placed_at: Instant({ description: 'When the buyer placed the order' }),
    accepted_at: instantOrNull('When the first units were accepted; null before'),
    delivered_at: NullableInstant,
    closed_at: NullableInstant,
    created_at: Instant({ description: 'When the service recorded the order; deadlines count from then' }),
    updated_at: Instant(),
    version: Type.Integer(),
  },
  { title: 'Order', description: 'An order with all its parts.' },
);
const AllowedActions = Type.Array(
  Type.Object(
    {
      action: OrderAction,
      allowed: Type.Boolean({ description: 'Whether the action would be accepted now' }),
      reason: documentedAs(Nullable(RefusedBecause), NullableText),
    },
    { title: 'AllowedAction', description: 'Whether an action on the order is possible now.' },
  ),
  { description: 'Which actions are allowed now, and why the others are not' },
);
/** The order in answers. Its allowed actions depend on the time and the stock, so events do not have them. */
export const OrderView = Extended(
  OrderSchema,
  { allowed_actions: AllowedActions },
  { title: 'OrderView', description: 'An order with the actions that are allowed now.' },
);
export type WireOrder = Static<typeof OrderSchema>;
export type WireShipment = Static<typeof ShipmentSchema>;
export type WireReturn = Static<typeof ReturnSchema>;
export type WireRefund = Static<typeof RefundSchema>;
export type WireDispute = Static<typeof DisputeSchema>;

const orderState = {
  order_status: OrderStatus,
  order_version: Type.Integer({ description: 'Version of the order after the action' }),
};
/** Parts of an order as actions answer them, with the state of the order. */
export const ShipmentResult = Extended(ShipmentSchema, orderState, {
  title: 'ShipmentResult',
  description: 'A parcel and the state of its order.',
});
export const ReturnResult = Extended(ReturnSchema, orderState, {
  title: 'ReturnResult',
  description: 'A return and the state of its order.',
});
export const InspectionResult = Extended(
  ReturnSchema,
  {
    ...orderState,
    warnings: Type.Array(
      Type.Object(
        {
          order_line_id: Type.String(),
          code: Type.Literal('stock_mirrored', { description: 'What is unusual' }),
        },
        { title: 'InspectionWarning', description: 'A line that was recorded, with something to know.' },
      ),
      { description: '`stock_mirrored`: a supplier counts the product, so no stock has moved' },
    ),
  },
  { title: 'InspectionResult', description: 'An inspected return and the state of its order.' },
);
export const RefundResult = Extended(RefundSchema, orderState, {
  title: 'RefundResult',
  description: 'A refund and the state of its order.',
});

export const OrderPage = Page(
  OrderView,
  {
    applied: documentedAs(
      Type.Record(
        Type.String(),
        Type.Unsafe<unknown>({ type: ['string', 'array', 'boolean'], items: { type: 'string' } }),
        { description: 'The filters as the service understood them, by their names' },
      ),
      Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
    ),
    resume_since: Nullable(
      Instant({
        description:
          'After the last page, send it as the next `updated_since`. The next list has the orders that changed while ' +
          'this one was read; some orders may repeat with the same `version`. Only on first pages with `updated_since`',
      }),
    ),
  },
  'OrderPage',
);
