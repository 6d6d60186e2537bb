/**
 * Events that sellers receive from orders. `data.object` of order events is the whole order as `GET
 * /orders/{order_id}` shows it, but for what may be done with it, which depends on the moment.
 */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import {
  ACCEPTED_EXAMPLE,
  DELIVERED_EXAMPLE,
  DELIVERED_SHIPMENT,
  DISPUTE_EXAMPLE,
  DRAFT_SHIPMENT,
  PLACED_EXAMPLE,
  REFUND_EXAMPLE,
  RETURN_EXAMPLE,
  SENT_EXAMPLE,
  SENT_SHIPMENT,
} from './schemas/examples.ts';
import { DisputeSchema, OrderSchema, RefundSchema, ReturnSchema, ShipmentSchema } from './schemas/order.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace' | 'sellers'>;

const notify = (severity: Severity, title: string): More => ({ notification: { severity, title } });
/** What the seller did, and what its silence did: the marketplace acts on it. */
const told = { marketplace: true } as const;

const of =
  (schema: OutgoingEventDef['schema']) =>
  (type: string, summary: string, example: unknown, more: More = {}): OutgoingEventDef =>
    defineEvent({ type, summary, schema, example, ...more });
const ofOrder = of(OrderSchema);
const ofShipment = of(ShipmentSchema);
const ofReturn = of(ReturnSchema);
const ofRefund = of(RefundSchema);
const ofDispute = of(DisputeSchema);

const sentAs = (status: string) => ({ ...SENT_SHIPMENT, status });
const returnAs = (status: string) => ({ ...RETURN_EXAMPLE, status });
const refundAs = (status: string) => ({ ...REFUND_EXAMPLE, external_refund_id: 'rf_1', status });
const disputeAs = (status: string) => ({ ...DISPUTE_EXAMPLE, status });

const orderEvents: readonly OutgoingEventDef[] = [
  ofOrder(
    'order.created',
    'The marketplace has placed an order',
    PLACED_EXAMPLE,
    notify('info', 'Order {order_number} waits for your answer'),
  ),
  ofOrder('order.payment_captured', 'The buyer’s money for the order is there', ACCEPTED_EXAMPLE),
  ofOrder(
    'order.acceptance_due',
    'The acceptance window closes soon',
    PLACED_EXAMPLE,
    notify('warning', 'Order {order_number} is rejected by itself unless you answer soon'),
  ),
  ofOrder('order.accepted', 'Units of the order were accepted', ACCEPTED_EXAMPLE, told),
  ofOrder(
    'order.rejected',
    'Units of the order were rejected',
    { ...PLACED_EXAMPLE, status: 'rejected' },
    told,
  ),
  ofOrder(
    'order.stock_allocated',
    'Units that had been sold beyond the stock are held now',
    PLACED_EXAMPLE,
    notify('info', 'Order {order_number} has got stock that it was waiting for'),
  ),
  ofOrder(
    'order.expired',
    'Nobody answered in time; what waited is rejected',
    { ...PLACED_EXAMPLE, status: 'rejected' },
    {
      ...told,
      ...notify('critical', 'Order {order_number} was rejected: nobody answered in time'),
    },
  ),
  ofOrder(
    'order.cancel_requested',
    'The buyer asks to cancel; without an answer it is granted',
    ACCEPTED_EXAMPLE,
    notify('warning', 'The buyer of order {order_number} asks to cancel'),
  ),
  ofOrder(
    'order.cancelled',
    'Units of the order were cancelled',
    { ...ACCEPTED_EXAMPLE, status: 'cancelled' },
    notify('info', 'Units of order {order_number} were cancelled'),
  ),
  ofOrder(
    'order.cancelled_by_seller',
    'The seller has cancelled units, or granted a request to cancel; its own cancellations the marketplace knows',
    { ...ACCEPTED_EXAMPLE, status: 'cancelled' },
    { marketplace: true, sellers: false },
  ),
  ofOrder('order.cancel_denied', 'A request to cancel was denied', ACCEPTED_EXAMPLE, told),
  ofOrder('order.shipped', 'A parcel of the order was handed over', SENT_EXAMPLE, told),
  ofOrder(
    'order.late',
    'Accepted units were not dispatched in time',
    ACCEPTED_EXAMPLE,
    notify('critical', 'Order {order_number} is late: its dispatch was due'),
  ),
  ofOrder('order.delivered', 'All that was sent of the order has arrived', DELIVERED_EXAMPLE),
  ofOrder('order.closed', 'The return window is over', { ...DELIVERED_EXAMPLE, status: 'closed' }),
];

const shipmentEvents: readonly OutgoingEventDef[] = [
  ofShipment('shipment.created', 'Accepted units were packed', DRAFT_SHIPMENT),
  ofShipment('shipment.label_created', 'A shipment has a label', DRAFT_SHIPMENT),
  ofShipment('shipment.label_voided', 'The label of a shipment is void', DRAFT_SHIPMENT),
  ofShipment('shipment.cancelled', 'A shipment was unpacked: its units were cancelled', {
    ...DRAFT_SHIPMENT,
    status: 'cancelled',
  }),
  ofShipment('shipment.tracking_changed', 'The tracking number was corrected', SENT_SHIPMENT, told),
  ofShipment('shipment.in_transit', 'The parcel is on its way', sentAs('in_transit')),
  ofShipment('shipment.out_for_delivery', 'The parcel is in the van', sentAs('out_for_delivery')),
  ofShipment('shipment.delivered', 'The parcel has arrived', DELIVERED_SHIPMENT),
  ofShipment(
    'shipment.failed',
    'The parcel could not be delivered',
    sentAs('failed'),
    notify('warning', 'Parcel {tracking_number} of order {order_id} could not be delivered'),
  ),
  ofShipment(
    'shipment.returned_to_sender',
    'The parcel comes back undelivered',
    sentAs('returned_to_sender'),
    notify('warning', 'Parcel {tracking_number} of order {order_id} comes back undelivered'),
  ),
  ofShipment(
    'shipment.lost',
    'The parcel is lost',
    sentAs('lost'),
    notify('critical', 'Parcel {tracking_number} of order {order_id} is lost'),
  ),
];

const returnEvents: readonly OutgoingEventDef[] = [
  ofReturn(
    'return.requested',
    'The buyer wants to send units back',
    RETURN_EXAMPLE,
    notify('warning', 'A return of order {order_id} waits for your answer'),
  ),
  ofReturn('return.accepted', 'The return was accepted', returnAs('accepted'), told),
  ofReturn('return.refused', 'The return was refused', returnAs('refused'), told),
  ofReturn('return.received', 'The goods are back', returnAs('received'), told),
  ofReturn('return.inspected', 'The goods were inspected', returnAs('inspected'), told),
  ofReturn('return.closed', 'Nothing is left to do about the return', returnAs('closed')),
];

const moneyEvents: readonly OutgoingEventDef[] = [
  ofRefund('refund.requested', 'The seller asks the marketplace to give money back', REFUND_EXAMPLE, told),
  ofRefund('refund.created', 'The marketplace gives money back', refundAs('processing')),
  ofRefund('refund.succeeded', 'The buyer has the money', refundAs('succeeded')),
  ofRefund(
    'refund.failed',
    'The money could not be given back',
    refundAs('failed'),
    notify('warning', 'Refund {refund_id} of order {order_id} failed'),
  ),
  ofDispute(
    'dispute.opened',
    'The buyer disputes the charge',
    DISPUTE_EXAMPLE,
    notify('critical', 'The charge of order {order_id} is disputed'),
  ),
  ofDispute(
    'dispute.lost',
    'The dispute was lost',
    disputeAs('lost'),
    notify('warning', 'The dispute about order {order_id} was lost'),
  ),
  ofDispute(
    'dispute.won',
    'The dispute was won',
    disputeAs('won'),
    notify('info', 'The dispute about order {order_id} was won'),
  ),
];

export const events: readonly OutgoingEventDef[] = [
  ...orderEvents,
  ...shipmentEvents,
  ...returnEvents,
  ...moneyEvents,
];
