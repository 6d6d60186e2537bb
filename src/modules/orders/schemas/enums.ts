/** Enumerations that several schemas share; each is a type of its own in the API description. */

import { StringEnum } from '../../../kernel/schema.ts';
import { ACTIONS, REFUSED_BECAUSE } from '../domain/allowed.ts';
import { PAYMENT_STATUSES, REFUND_STATUSES } from '../domain/money-statuses.ts';
import {
  ATTENTIONS,
  CANCEL_REQUEST_STATUSES,
  DISPUTE_STATUSES,
  LINE_STATUSES,
  ORDER_STATUSES,
  REFUND_STATES,
  RETURN_STATUSES,
  SHIPMENT_STATUSES,
} from '../domain/order.ts';

export const OrderStatus = StringEnum(ORDER_STATUSES, {
  title: 'OrderStatus',
  description: 'State of an order; it follows from the quantities of its lines',
});
export const OrderLineStatus = StringEnum(LINE_STATUSES, {
  title: 'OrderLineStatus',
  description: 'State of an order line; it follows from its quantities',
});
export const OrderAttention = StringEnum(ATTENTIONS, {
  title: 'OrderAttention',
  description: 'Something about an order that the seller should look at',
});
export const OrderAction = StringEnum(ACTIONS, {
  title: 'OrderAction',
  description: 'Something that the seller does with an order',
});
export const RefusedBecause = StringEnum(REFUSED_BECAUSE, {
  title: 'RefusedBecause',
  description: 'Why an action is refused now; null when it is allowed',
});
export const PaymentStatus = StringEnum(PAYMENT_STATUSES, {
  title: 'PaymentStatus',
  description:
    'State of the buyer’s payment. `partially_refunded` and `refunded`: the buyer gets money back, by a refund that was made or because units were rejected, cancelled or lost. `voided`: the order ended before the payment was captured',
});
export const OrderRefundStatus = StringEnum(REFUND_STATUSES, {
  title: 'OrderRefundStatus',
  description: 'How much of the order was refunded, over all its refunds',
});
export const RefundStatus = StringEnum(REFUND_STATES, {
  title: 'RefundStatus',
  description: 'State of one refund',
});
export const ReturnStatus = StringEnum(RETURN_STATUSES, {
  title: 'ReturnStatus',
  description: 'State of a return',
});
export const ShipmentStatus = StringEnum(SHIPMENT_STATUSES, {
  title: 'ShipmentStatus',
  description: 'State of a parcel',
});
export const CancelRequestStatus = StringEnum(CANCEL_REQUEST_STATUSES, {
  title: 'CancelRequestStatus',
  description: 'State of a buyer’s request to cancel; `void`: no unit was left to decide on',
});
export const DisputeStatus = StringEnum(DISPUTE_STATUSES, {
  title: 'DisputeStatus',
  description: 'State of a dispute',
});
export const LineKind = StringEnum(['item', 'shipping'], {
  title: 'LineKind',
  description: 'A line for goods, or for shipping that the buyer paid',
});
export const ShipmentOrigin = StringEnum(['seller', 'marketplace', 'supplier'], {
  title: 'ShipmentOrigin',
  description: 'Who recorded the dispatch of a parcel',
});
export const Initiator = StringEnum(['seller', 'marketplace'], {
  title: 'Initiator',
  description: 'Who made it: the seller through this service, or the marketplace',
});
