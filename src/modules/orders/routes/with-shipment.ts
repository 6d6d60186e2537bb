import type { Changed } from '../actions/change-order.ts';
import type { Order, Shipment } from '../domain/order.ts';
import { shipmentOf } from '../domain/shipments.ts';
import { shipmentToWire } from '../schemas/to-wire.ts';
import { beside } from './act.ts';

/** Entity tag of a shipment, for what is done with it. */
export const shipmentTag =
  (shipmentId: string) =>
  (order: Order): string =>
    String(shipmentOf(order, shipmentId).version);

/** Answers an action with the shipment, and where its order stands. */
export function withShipment(_ctx: unknown, { order, result }: Changed<Shipment>) {
  const shipment = shipmentOf(order, result.shipment_id);
  return {
    body: { ...shipmentToWire(order, shipment), ...beside(order) },
    etag: String(shipment.version),
  };
}
