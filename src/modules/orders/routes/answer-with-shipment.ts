import type { Changed } from '../actions/change-order.ts';
import type { Order, Shipment } from '../domain/order.ts';
import { shipmentOf } from '../domain/shipments.ts';
import { shipmentToWire } from '../schemas/to-wire.ts';
import { orderStateOf } from './run-action.ts';

/** Entity tag of a shipment. */
export const shipmentTag =
  (shipmentId: string) =>
  (order: Order): string =>
    String(shipmentOf(order, shipmentId).version);

/** Answers an action with the shipment and the state of its order. */
export function answerWithShipment(_ctx: unknown, { order, result }: Changed<Shipment>) {
  const shipment = shipmentOf(order, result.shipment_id);
  return {
    body: { ...shipmentToWire(order, shipment), ...orderStateOf(order) },
    etag: String(shipment.version),
  };
}
