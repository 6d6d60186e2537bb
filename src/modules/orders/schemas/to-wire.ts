/** The wire form of orders and their parts, in answers and events. */
import { currencyExponent, jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { byInstant } from '../domain/delivery.ts';
import { refundedOf } from '../domain/derive-statuses.ts';
import { refundable } from '../domain/money-moves.ts';
import {
  type Dispute,
  decidable,
  type Label,
  linesOfShipment,
  type Order,
  type OrderLine,
  type OrderReturn,
  packedOf,
  type Refund,
  type Shipment,
  shippedOf,
} from '../domain/order.ts';
import type { WireDispute, WireOrder, WireRefund, WireReturn, WireShipment } from './order.ts';
import { shipToWire } from './parts.ts';

function lineToWire(order: Order, line: OrderLine): WireOrder['lines'][number] {
  const { ordered, awaiting, accepted_open, rejected, cancelled, in_transit, delivered, lost, returned } =
    line;
  return {
    order_line_id: line.order_line_id,
    line_no: line.line_no,
    kind: line.kind,
    product_id: line.product_id,
    seller_sku: line.seller_sku,
    title: line.title,
    gtin: line.gtin,
    weight_g: line.weight_g,
    image_url: line.image_url,
    status: line.status,
    quantity: line.kind === 'item' ? ordered : 1,
    unit_price_minor: minorToJson(line.unit_price_minor),
    gross_minor: minorToJson(line.gross_minor),
    discount_minor: minorToJson(line.discount_minor),
    net_minor: minorToJson(line.net_minor),
    platform_fee_bps: line.platform_fee_bps,
    refundable_minor: minorToJson(refundable(order, line.order_line_id)),
    quantities: {
      ordered,
      awaiting,
      accepted_open,
      rejected,
      cancelled,
      shipped: shippedOf(line),
      in_transit,
      delivered,
      lost,
      returned,
    },
    quantity_packed: packedOf(order, line.order_line_id),
    quantity_reserved: line.reserved,
    quantity_supplied: line.supplied,
  };
}

const labelToWire = (label: Label): WireShipment['label'] => ({
  label_id: label.label_id,
  status: label.status,
  carrier: label.carrier,
  service: label.service,
  tracking_number: label.tracking_number,
  price_minor: minorToJson(label.price_minor),
  created_at: label.created_at,
  voided_at: label.voided_at,
});

export function shipmentToWire(order: Order, shipment: Shipment): WireShipment {
  const { shipment_id, label_id } = shipment;
  const label = order.labels.find((one) => one.label_id === label_id);
  return {
    shipment_id,
    order_id: shipment.order_id,
    order_number: order.head.order_number,
    status: shipment.status,
    origin: shipment.origin,
    lines: linesOfShipment(order, shipment_id)
      .filter(({ quantity }) => quantity > 0)
      .map(({ order_line_id, quantity }) => ({ order_line_id, quantity })),
    packages: [...shipment.packages],
    carrier: shipment.carrier,
    service: shipment.service,
    tracking_number: shipment.tracking_number,
    tracking_url: shipment.tracking_url,
    label: label === undefined ? null : labelToWire(label),
    tracking: order.scans
      .filter((scan) => scan.shipment_id === shipment_id)
      .sort(byInstant)
      .map(({ status, at, location, detail }) => ({ status, at, location, detail })),
    dispatched_at: shipment.dispatched_at,
    delivered_at: shipment.delivered_at,
    version: shipment.version,
    created_at: shipment.created_at,
    updated_at: shipment.updated_at,
  };
}

export function returnToWire({ head, return_lines }: Order, found: OrderReturn): WireReturn {
  return {
    ...found,
    order_number: head.order_number,
    lines: return_lines
      .filter(({ return_id }) => return_id === found.return_id)
      .map(({ order_id: _order, return_id: _return, ...line }) => line),
  };
}

const moneyOf = ({ head }: Order) => ({
  currency: head.currency,
  currency_exponent: currencyExponent(head.currency),
});

export function refundToWire(order: Order, refund: Refund): WireRefund {
  return {
    refund_id: refund.refund_id,
    external_refund_id: refund.external_refund_id,
    order_id: refund.order_id,
    order_number: order.head.order_number,
    status: refund.status,
    requested_by: refund.requested_by,
    amount_minor: minorToJson(refund.amount_minor),
    ...moneyOf(order),
    lines: order.refund_lines
      .filter(({ refund_id }) => refund_id === refund.refund_id)
      .map(({ order_line_id, quantity, amount_minor }) => ({
        order_line_id,
        quantity,
        amount_minor: minorToJson(amount_minor),
      })),
    reason: refund.reason,
    failure_code: refund.failure_code,
    created_at: refund.created_at,
    settled_at: refund.settled_at,
    version: refund.version,
  };
}

export function disputeToWire(order: Order, dispute: Dispute): WireDispute {
  return {
    dispute_id: dispute.dispute_id,
    external_dispute_id: dispute.external_dispute_id,
    order_id: dispute.order_id,
    order_number: order.head.order_number,
    status: dispute.status,
    amount_minor: minorToJson(dispute.amount_minor),
    provider_fee_minor: minorToJson(dispute.provider_fee_minor),
    returned_fee_minor: jsonOrNull(dispute.returned_fee_minor),
    ...moneyOf(order),
    respond_by: dispute.respond_by,
    opened_at: dispute.opened_at,
    decided_at: dispute.decided_at,
    version: dispute.version,
  };
}

/** When the order was accepted. A dispatched order was accepted before, even if both were recorded elsewhere. */
function acceptedAt({ head, shipments }: Order): string | null {
  const sent = shipments.flatMap(({ status, dispatched_at }) =>
    status === 'cancelled' || dispatched_at === null ? [] : [dispatched_at],
  );
  return head.accepted_at ?? sent.sort()[0] ?? null;
}

/** Sorts rows by when they happened, not by when they arrived. */
function sortedBy<T>(rows: readonly T[], key: (row: T) => readonly [at: string, name: string]): T[] {
  const keyed = rows.map((row) => ({ row, key: key(row).join(' ') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}

export function orderToWire(order: Order): WireOrder {
  const { head } = order;
  const isOpen = head.awaiting + head.accepted_open > 0;
  // A delivery that was recorded elsewhere and then cancelled was never a parcel.
  const parcels = order.shipments.filter(
    ({ origin, status }) => origin === 'seller' || status !== 'cancelled',
  );
  return {
    order_id: head.order_id,
    external_order_id: head.external_order_id,
    order_number: head.order_number,
    status: head.status,
    payment_status: head.payment_status,
    refund_status: head.refund_status,
    attention: [...head.attention],
    ...moneyOf(order),
    items_minor: minorToJson(head.items_minor),
    shipping_minor: minorToJson(head.shipping_minor),
    seller_discount_minor: minorToJson(head.seller_discount_minor),
    total_minor: minorToJson(head.total_minor),
    captured_minor: jsonOrNull(head.captured_minor),
    refunded_minor: minorToJson(refundedOf(order)),
    loyalty: head.loyalty,
    buyer: { buyer_id: head.buyer_id, alias: head.buyer_alias, customer_ref: head.customer_ref },
    ship_to: shipToWire(head.ship_to),
    lines: order.lines.map((line) => lineToWire(order, line)),
    shipments: parcels.map((shipment) => shipmentToWire(order, shipment)),
    cancel_requests: sortedBy(order.cancel_requests, (one) => [
      one.requested_at,
      one.external_request_id,
    ]).map(({ order_id: _, ...request }) => ({
      ...request,
      lines: request.lines.map((units) => ({
        order_line_id: units.order_line_id,
        quantity: units.quantity,
        undecided: request.status === 'open' ? decidable(order, units) : 0,
      })),
    })),
    returns: sortedBy(order.returns, (one) => [one.requested_at, one.external_return_id]).map((found) =>
      returnToWire(order, found),
    ),
    refunds: sortedBy(order.refunds, ({ made_at, created_at, external_refund_id, refund_id }) => [
      made_at ?? created_at,
      external_refund_id ?? refund_id,
    ]).map((refund) => refundToWire(order, refund)),
    disputes: sortedBy(order.disputes, (one) => [one.opened_at, one.external_dispute_id]).map((dispute) =>
      disputeToWire(order, dispute),
    ),
    deadlines: {
      accept_by: head.awaiting > 0 ? head.accept_by : null,
      dispatch_by: isOpen ? head.dispatch_by : null,
      dispatch_rule: isOpen ? (head.dispatch_rule as WireOrder['deadlines']['dispatch_rule']) : null,
      respond_by: head.respond_by,
      closes_at: head.closes_at,
    },
    placed_at: head.placed_at,
    accepted_at: acceptedAt(order),
    delivered_at: head.delivered_at,
    closed_at: head.closed_at,
    created_at: head.recorded_at,
    updated_at: head.updated_at,
    version: head.version,
  };
}
