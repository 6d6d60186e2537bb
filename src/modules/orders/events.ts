/**
 * Events of orders. `data.object` of an order event is the order as `GET /orders/{order_id}` shows it,
 * without `allowed_actions`, which depend on the time.
 */
import type { Static, TSchema } from 'typebox';
import { defineEvent, type EventOf, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import type { EventType, ObjectKind } from './domain/work.ts';
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
import {
  DisputeSchema,
  OrderSchema,
  RefundSchema,
  ReturnSchema,
  ShipmentSchema,
  type WireDispute,
  type WireOrder,
  type WireRefund,
  type WireReturn,
  type WireShipment,
} from './schemas/order.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace' | 'sellers' | 'clears'>;

const notify = (severity: Severity, title: string): More => ({
  notification: { severity, title, href: '/orders/{order_id}' },
});
/** The marketplace reads the event too, because the seller has acted, or a deadline for the seller. */
const FOR_MARKETPLACE = { marketplace: true } as const;

/** The object of the events of each kind. */
export interface WireOf {
  order: WireOrder;
  shipment: WireShipment;
  return: WireReturn;
  refund: WireRefund;
  dispute: WireDispute;
}

type Declaration = readonly [summary: string, example: unknown, more?: More];

/** Declares the events of one kind, by their types. */
function declare<T extends string, S extends TSchema>(
  schema: S,
  events: Readonly<Record<T, Declaration>>,
): Readonly<Record<T, EventOf<Static<S>>>> {
  const declared = Object.entries<Declaration>(events).map(([type, [summary, example, more]]) => [
    type,
    defineEvent({ type, summary, schema, example, ...more }),
  ]);
  return Object.fromEntries(declared) as Readonly<Record<T, EventOf<Static<S>>>>;
}

const sentAs = (status: string) => ({ ...SENT_SHIPMENT, status });
const returnAs = (status: string) => ({ ...RETURN_EXAMPLE, status });
const refundAs = (status: string) => ({ ...REFUND_EXAMPLE, external_refund_id: 'rf_1', status });
const disputeAs = (status: string) => ({ ...DISPUTE_EXAMPLE, status });

export const declarations: {
  readonly [K in ObjectKind]: Readonly<Record<EventType<K>, EventOf<WireOf[K]>>>;
} = {
  order: declare(OrderSchema, {
    'order.created': [
      'A buyer has placed an order',
      PLACED_EXAMPLE,
      notify(
        'info',
        'New order {order_number} of {total_minor}: accept or reject it by {deadlines.accept_by}',
      ),
    ],
    'order.payment_captured': ['The buyer’s payment was captured', ACCEPTED_EXAMPLE],
    'order.acceptance_due': [
      'The acceptance window closes in four hours',
      PLACED_EXAMPLE,
      notify('warning', 'Order {order_number} will be rejected automatically at {deadlines.accept_by}'),
    ],
    'order.accepted': [
      'Units of the order were accepted',
      ACCEPTED_EXAMPLE,
      { ...FOR_MARKETPLACE, clears: { types: ['order.acceptance_due'] } },
    ],
    'order.rejected': [
      'Units of the order were rejected',
      { ...PLACED_EXAMPLE, status: 'rejected' },
      FOR_MARKETPLACE,
    ],
    'order.stock_allocated': [
      'Stock was reserved for oversold units',
      PLACED_EXAMPLE,
      notify('info', 'Stock has come in for order {order_number}'),
    ],
    'order.expired': [
      'The acceptance window closed without an answer; waiting units were rejected',
      { ...PLACED_EXAMPLE, status: 'rejected' },
      {
        ...FOR_MARKETPLACE,
        ...notify('critical', 'Order {order_number} was rejected automatically: it was not accepted in time'),
      },
    ],
    'order.cancel_requested': [
      'The buyer asks to cancel units; without an answer, the request is granted',
      ACCEPTED_EXAMPLE,
      notify('warning', 'The buyer of order {order_number} asks to cancel'),
    ],
    'order.cancelled': [
      'Units of the order were cancelled',
      { ...ACCEPTED_EXAMPLE, status: 'cancelled' },
      notify('info', 'Units of order {order_number} were cancelled'),
    ],
    'order.cancelled_by_seller': [
      'The seller has cancelled units or granted a request to cancel',
      { ...ACCEPTED_EXAMPLE, status: 'cancelled' },
      { marketplace: true, sellers: false },
    ],
    'order.cancel_denied': ['The seller has denied a request to cancel', ACCEPTED_EXAMPLE, FOR_MARKETPLACE],
    'order.shipped': ['A parcel of the order was dispatched', SENT_EXAMPLE, FOR_MARKETPLACE],
    'order.late': [
      'Accepted units were not dispatched in time',
      ACCEPTED_EXAMPLE,
      notify('critical', 'Order {order_number} is late: its dispatch is overdue'),
    ],
    'order.delivered': ['All dispatched units of the order were delivered', DELIVERED_EXAMPLE],
    'order.closed': ['The return window has ended', { ...DELIVERED_EXAMPLE, status: 'closed' }],
  }),
  shipment: declare(ShipmentSchema, {
    'shipment.created': ['Accepted units were packed into a parcel', DRAFT_SHIPMENT],
    'shipment.label_created': ['A shipment has a label', DRAFT_SHIPMENT],
    'shipment.label_voided': ['The label of a shipment was voided', DRAFT_SHIPMENT],
    'shipment.cancelled': [
      'A draft parcel was cancelled, because its units were cancelled',
      { ...DRAFT_SHIPMENT, status: 'cancelled' },
    ],
    'shipment.tracking_changed': ['The tracking number was corrected', SENT_SHIPMENT, FOR_MARKETPLACE],
    'shipment.in_transit': ['The parcel is on its way', sentAs('in_transit')],
    'shipment.out_for_delivery': ['The parcel is out for delivery', sentAs('out_for_delivery')],
    'shipment.delivered': ['The parcel was delivered', DELIVERED_SHIPMENT],
    'shipment.failed': [
      'The parcel could not be delivered',
      sentAs('failed'),
      notify('warning', 'Parcel {tracking_number} of order {order_number} could not be delivered'),
    ],
    'shipment.returned_to_sender': [
      'The parcel is returned to the sender undelivered',
      sentAs('returned_to_sender'),
      notify('warning', 'Parcel {tracking_number} of order {order_number} is being returned to you'),
    ],
    'shipment.lost': [
      'The parcel is lost',
      sentAs('lost'),
      notify('critical', 'Parcel {tracking_number} of order {order_number} is lost'),
    ],
  }),
  return: declare(ReturnSchema, {
    'return.requested': [
      'The buyer asks to return units',
      RETURN_EXAMPLE,
      notify(
        'warning',
        'The buyer of order {order_number} asks to return units: accept or refuse the return',
      ),
    ],
    'return.accepted': ['The return was accepted', returnAs('accepted'), FOR_MARKETPLACE],
    'return.refused': ['The return was refused', returnAs('refused'), FOR_MARKETPLACE],
    'return.received': ['The returned goods were received', returnAs('received'), FOR_MARKETPLACE],
    'return.inspected': ['The returned goods were inspected', returnAs('inspected'), FOR_MARKETPLACE],
    'return.closed': ['The return was closed', returnAs('closed')],
  }),
  refund: declare(RefundSchema, {
    'refund.requested': ['The seller has requested a refund', REFUND_EXAMPLE, FOR_MARKETPLACE],
    'refund.created': ['The marketplace is making a refund', refundAs('processing')],
    'refund.succeeded': ['The refund has reached the buyer', refundAs('succeeded')],
    'refund.failed': [
      'The refund failed',
      refundAs('failed'),
      notify('warning', 'The refund of {amount_minor} for order {order_number} failed'),
    ],
  }),
  dispute: declare(DisputeSchema, {
    'dispute.opened': [
      'The buyer disputes the payment',
      DISPUTE_EXAMPLE,
      notify('critical', 'The buyer of order {order_number} disputes {amount_minor}'),
    ],
    'dispute.action_needed': [
      'An open dispute must be answered within two days',
      DISPUTE_EXAMPLE,
      notify('critical', 'Answer the dispute of {amount_minor} about order {order_number} by {respond_by}'),
    ],
    'dispute.lost': [
      'The dispute was lost',
      disputeAs('lost'),
      notify('warning', 'The dispute of {amount_minor} about order {order_number} was lost'),
    ],
    'dispute.won': [
      'The dispute was won',
      disputeAs('won'),
      notify('info', 'The dispute of {amount_minor} about order {order_number} was won'),
    ],
  }),
};
