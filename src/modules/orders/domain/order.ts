/** An order and its parts as rows. Rules read and change them; the store keeps them. */
import type { Minor } from '../../../kernel/money.ts';
import type { DispatchRule } from '../../shipping/domain/dispatch-rule.ts';
import type { PrintedAddress } from '../../shipping/domain/label.ts';
import type { OrderRefundStatus, PaymentStatus } from './money-statuses.ts';

export const ORDER_STATUSES = [
  'awaiting_acceptance',
  'accepted',
  'partially_shipped',
  'shipped',
  'delivered',
  'closed',
  'rejected',
  'cancelled',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const LINE_STATUSES = [
  'awaiting_acceptance',
  'accepted',
  'partially_shipped',
  'shipped',
  'delivered',
  'returned',
  'lost',
  'rejected',
  'cancelled',
] as const;
export type LineStatus = (typeof LINE_STATUSES)[number];

export const ATTENTIONS = [
  'acceptance_due',
  'late',
  'oversold',
  'unknown_sku',
  'cancel_requested',
  'return_requested',
  'delivery_failed',
  'returned_to_sender',
  'lost',
  'dispute_open',
  'payment_pending',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Instants are RFC 3339 texts, amounts minor units of the order's currency. */
export interface OrderHead {
  order_id: string;
  external_order_id: string | null;
  order_number: string;
  status: OrderStatus;
  payment_status: PaymentStatus;
  refund_status: OrderRefundStatus;
  attention: readonly Attention[];
  currency: string;
  loyalty: boolean;
  items_minor: Minor;
  shipping_minor: Minor;
  seller_discount_minor: Minor;
  total_minor: Minor;
  buyer_id: string | null;
  buyer_alias: string | null;
  customer_ref: string | null;
  ship_to: Readonly<Record<string, unknown>>;
  awaiting: number;
  accepted_open: number;
  placed_at: string;
  recorded_at: string;
  accept_by: string;
  acceptance_warned_at: string | null;
  accepted_at: string | null;
  expired_at: string | null;
  dispatch_by: string | null;
  dispatch_rule: DispatchRule | null;
  late_at: string | null;
  respond_by: string | null;
  delivered_at: string | null;
  closes_at: string | null;
  closed_at: string | null;
  next_due_at: string | null;
  captured_minor: Minor | null;
  captured_at: string | null;
  charge_id: string | null;
  provider_fee_minor: Minor | null;
  provider_transaction_id: string | null;
  charge_total_minor: Minor | null;
  charge_provider_fee_minor: Minor | null;
  share_of: readonly unknown[] | null;
  placed_facts: Readonly<Record<string, unknown>>;
  search_text: string;
  /** When its personal data were erased; null: they were not. */
  erased_at: string | null;
  version: number;
  updated_at: string;
}

/** The buckets of a line's units. Each unit is in exactly one of the first seven. */
export const BUCKETS = [
  'awaiting',
  'accepted_open',
  'rejected',
  'cancelled',
  'in_transit',
  'delivered',
  'lost',
] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface OrderLine {
  order_line_id: string;
  order_id: string;
  line_no: number;
  kind: 'item' | 'shipping';
  product_id: string | null;
  seller_sku: string | null;
  title: string | null;
  category: string | null;
  /** GTIN, weight and picture of the product when the order was placed; null when it had none. */
  gtin: string | null;
  weight_g: number | null;
  image_url: string | null;
  status: LineStatus;
  unit_price_minor: Minor;
  gross_minor: Minor;
  discount_minor: Minor;
  net_minor: Minor;
  platform_fee_bps: number | null;
  ordered: number;
  awaiting: number;
  accepted_open: number;
  rejected: number;
  cancelled: number;
  in_transit: number;
  delivered: number;
  lost: number;
  returned: number;
  reserved: number;
  /** Open units that a supplier sends, those of them that it has accepted, and whether it ever had some. */
  supplied: number;
  supplied_accepted: number;
  was_supplied: boolean;
}

export const SHIPMENT_STATUSES = [
  'draft',
  'dispatched',
  'in_transit',
  'out_for_delivery',
  'failed',
  'returned_to_sender',
  'delivered',
  'lost',
  'cancelled',
] as const;
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number];

export interface Package {
  readonly weight_g: number;
  readonly length_mm: number;
  readonly width_mm: number;
  readonly height_mm: number;
}

export interface Shipment {
  shipment_id: string;
  order_id: string;
  status: ShipmentStatus;
  origin: 'seller' | 'marketplace' | 'supplier';
  packages: readonly Package[];
  carrier: string | null;
  service: string | null;
  tracking_number: string | null;
  tracking_url: string | null;
  label_id: string | null;
  dispatched_at: string | null;
  delivered_at: string | null;
  tracked_at: string | null;
  tracked_version: bigint | null;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface ShipmentLine {
  shipment_id: string;
  order_line_id: string;
  quantity: number;
  /** Units that were taken from stock; 0 until the dispatch. */
  held: number;
}

/** What a label shows; stored, so that every print is the same. */
interface LabelContent {
  readonly from: PrintedAddress;
  readonly to: PrintedAddress;
  readonly order_number: string;
  readonly reference: string;
  /** One for each package. */
  readonly tracking_numbers: readonly string[];
  readonly packages: readonly Package[];
  readonly authority_to_leave: boolean;
  /** The carrier's own reference of the shipment. */
  readonly carrier_reference: string | null;
  /** The receiver was erased; such a label is not printed. */
  readonly erased?: true;
}

/** The content of a label before the carrier's answer. */
export type LabelOrder = Omit<LabelContent, 'tracking_numbers' | 'carrier_reference'>;

export interface Label {
  label_id: string;
  shipment_id: string;
  status: 'purchased' | 'voided';
  carrier: string;
  service: string;
  tracking_number: string;
  price_minor: Minor;
  quote_id: string | null;
  option_id: string | null;
  content: LabelContent;
  created_at: string;
  voided_at: string | null;
}

/** One tracking update of the carrier. */
export interface Scan {
  shipment_id: string;
  position: number;
  status: string;
  at: string;
  location: string | null;
  detail: string | null;
  recorded_at: string;
}

export interface LineQuantity {
  readonly order_line_id: string;
  readonly quantity: number;
}

export const CANCEL_REQUEST_STATUSES = ['open', 'accepted', 'denied', 'void'] as const;
/** Units of a line that a cancel request is about. */
export interface RequestedUnits extends LineQuantity {
  /** Units that the marketplace has cancelled itself since the request; none if it is absent. */
  readonly cancelled?: number;
}

/** Units that the marketplace has not cancelled since the request. */
export const undecidedOf = ({ quantity, cancelled = 0 }: RequestedUnits): number => quantity - cancelled;

export interface CancelRequest {
  request_id: string;
  external_request_id: string;
  order_id: string;
  status: (typeof CANCEL_REQUEST_STATUSES)[number];
  lines: readonly RequestedUnits[];
  reason: string | null;
  respond_by: string;
  requested_at: string;
  answered_at: string | null;
  automatic: boolean;
}

export const RETURN_STATUSES = [
  'requested',
  'accepted',
  'refused',
  'received',
  'inspected',
  'closed',
] as const;
type ReturnStatus = (typeof RETURN_STATUSES)[number];
export interface OrderReturn {
  return_id: string;
  external_return_id: string;
  order_id: string;
  status: ReturnStatus;
  respond_by: string | null;
  requested_at: string;
  answered_at: string | null;
  received_at: string | null;
  inspected_at: string | null;
  closed_at: string | null;
  reason: string | null;
  refusal_reason: string | null;
  detail: string | null;
  return_policy: string | null;
  version: number;
}

export interface ReturnLine {
  order_id: string;
  return_id: string;
  order_line_id: string;
  quantity: number;
  reason: string | null;
  received: number | null;
  compliant: boolean | null;
  restocked: number;
  note: string | null;
}

export const REFUND_STATES = ['requested', 'processing', 'succeeded', 'failed'] as const;
type RefundState = (typeof REFUND_STATES)[number];
export interface Refund {
  refund_id: string;
  external_refund_id: string | null;
  order_id: string;
  status: RefundState;
  requested_by: 'seller' | 'marketplace';
  amount_minor: Minor;
  reason: string | null;
  provider_transaction_id: string | null;
  failure_code: string | null;
  created_at: string;
  /** When the marketplace made it; null while it is only requested. */
  made_at: string | null;
  settled_at: string | null;
  settled_version: bigint | null;
  version: number;
}

export interface RefundLine {
  order_id: string;
  refund_id: string;
  order_line_id: string;
  quantity: number;
  amount_minor: Minor;
}

export const DISPUTE_STATUSES = ['open', 'lost', 'won'] as const;
type DisputeStatus = (typeof DISPUTE_STATUSES)[number];
export interface Dispute {
  dispute_id: string;
  external_dispute_id: string;
  order_id: string;
  status: DisputeStatus;
  amount_minor: Minor;
  provider_fee_minor: Minor;
  returned_fee_minor: Minor | null;
  respond_by: string | null;
  warned_at: string | null;
  opened_at: string;
  decided_at: string | null;
  decided_version: bigint | null;
  version: number;
}

export interface Order {
  readonly head: OrderHead;
  readonly lines: OrderLine[];
  readonly shipments: Shipment[];
  shipment_lines: ShipmentLine[];
  readonly labels: Label[];
  readonly scans: Scan[];
  readonly cancel_requests: CancelRequest[];
  readonly returns: OrderReturn[];
  readonly return_lines: ReturnLine[];
  readonly refunds: Refund[];
  refund_lines: RefundLine[];
  readonly disputes: Dispute[];
}

/** Units of a line that have left the seller. */
export const shippedOf = ({ in_transit, delivered, lost }: OrderLine): number =>
  in_transit + delivered + lost;

/** Units of a line that are waiting or accepted: stock is reserved for them. */
export const openOf = ({ awaiting, accepted_open }: OrderLine): number => awaiting + accepted_open;

/** Units of a cancel request that its answer still decides on. */
export const decidable = ({ lines }: Order, asked: RequestedUnits): number => {
  const line = lines.find(({ order_line_id }) => order_line_id === asked.order_line_id);
  return line === undefined ? 0 : Math.min(undecidedOf(asked), openOf(line));
};

/** Units of a line in draft parcels. */
export function packedOf(order: Order, orderLineId: string): number {
  const drafts = new Set(
    order.shipments.filter(({ status }) => status === 'draft').map(({ shipment_id }) => shipment_id),
  );
  return order.shipment_lines
    .filter((line) => line.order_line_id === orderLineId && drafts.has(line.shipment_id))
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

export const linesOfShipment = (order: Order, shipmentId: string): ShipmentLine[] =>
  order.shipment_lines.filter(({ shipment_id }) => shipment_id === shipmentId);

/** Units of a line in returns: the received units, or the announced ones before the receipt. */
export function inReturns(order: Order, orderLineId: string): number {
  const counted = new Set(
    order.returns.filter(({ status }) => status !== 'refused').map(({ return_id }) => return_id),
  );
  return order.return_lines
    .filter((line) => line.order_line_id === orderLineId && counted.has(line.return_id))
    .reduce((sum, { quantity, received }) => sum + (received ?? quantity), 0);
}
