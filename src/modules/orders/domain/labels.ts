/** Labels of parcels that are not dispatched yet. */
import type { Minor } from '../../../kernel/money.ts';
import type { Label, LabelOrder, Order, Shipment } from './order.ts';
import { Refusal } from './refusal.ts';
import { bumpVersion, requireShipmentMove, shipmentOf } from './shipments.ts';
import { emit, type Work } from './work.ts';

/** @throws Refusal `not_found`, `already_dispatched`, `invalid_transition`, `label_exists` */
export function requireUnlabelled(order: Order, shipmentId: string): Shipment {
  const shipment = shipmentOf(order, shipmentId);
  requireShipmentMove(shipment, 'buy_label');
  if (shipment.label_id !== null)
    throw new Refusal('label_exists', 'The shipment already has a label. Void it first.', {
      facts: { label_id: shipment.label_id },
    });
  return shipment;
}

/** The valid label of a shipment; undefined without one. */
export function labelOf(order: Order, shipment: Shipment): Label | undefined {
  return order.labels.find(
    ({ label_id, status }) => label_id === shipment.label_id && status === 'purchased',
  );
}

/** A label to buy. Its id is the reference for the carrier too. */
export interface WantedLabel {
  readonly label_id: string;
  readonly order_id: string;
  readonly shipment_id: string;
  readonly carrier: string;
  readonly service: string;
  readonly quote_id: string | null;
  readonly option_id: string | null;
  /** The price of the quote. If it is null, the price that the carrier answers counts. */
  readonly price: Minor | null;
  readonly content: LabelOrder;
}

/** The label as the carrier made it. */
export interface MadeLabel {
  readonly tracking_numbers: readonly string[];
  readonly carrier_reference: string | null;
  readonly price: Minor;
}

/** @param at RFC 3339 */
export function labelFrom(wanted: WantedLabel, made: MadeLabel, at: string): Label {
  const { label_id, shipment_id, carrier, service, quote_id, option_id, price, content } = wanted;
  const { tracking_numbers, carrier_reference } = made;
  return {
    label_id,
    shipment_id,
    status: 'purchased',
    carrier,
    service,
    tracking_number: tracking_numbers[0] ?? '',
    price_minor: price ?? made.price,
    quote_id,
    option_id,
    content: { ...content, tracking_numbers, carrier_reference },
    created_at: at,
    voided_at: null,
  };
}

export function attachLabel(work: Work, label: Label, trackingUrl: string | null): Shipment {
  const shipment = requireUnlabelled(work.order, label.shipment_id);
  work.order.labels.push(label);
  Object.assign(shipment, {
    label_id: label.label_id,
    carrier: label.carrier,
    service: label.service,
    tracking_number: label.tracking_number,
    tracking_url: trackingUrl,
  });
  bumpVersion(work, shipment);
  const { label_id, carrier, service, tracking_number, shipment_id } = label;
  work.notes.push({
    action: 'label_created',
    facts: { shipment_id, label_id, carrier, service, tracking_number },
  });
  emit(work, 'shipment.label_created', 'shipment', shipment_id);
  return shipment;
}

/** @throws Refusal `not_found`, `already_dispatched`, `label_missing` */
export function voidLabel(work: Work, shipmentId: string): Label {
  const shipment = shipmentOf(work.order, shipmentId);
  requireShipmentMove(shipment, 'void_label');
  const label = labelOf(work.order, shipment);
  if (label === undefined) {
    const facts = { shipment_ids: [shipmentId] };
    throw new Refusal('label_missing', 'The shipment has no label.', { facts });
  }
  label.status = 'voided';
  label.voided_at = work.at;
  Object.assign(shipment, {
    label_id: null,
    carrier: null,
    service: null,
    tracking_number: null,
    tracking_url: null,
  });
  bumpVersion(work, shipment);
  work.notes.push({
    action: 'label_voided',
    facts: { shipment_id: shipmentId, label_id: label.label_id, tracking_number: label.tracking_number },
  });
  emit(work, 'shipment.label_voided', 'shipment', shipmentId);
  return label;
}
