/** The machines of what belongs to an order: their states are kept, each row leads to one. */
import { defineMachine } from '../../../kernel/machine.ts';
import {
  CANCEL_REQUEST_STATUSES,
  DISPUTE_STATUSES,
  REFUND_STATES,
  RETURN_STATUSES,
  SHIPMENT_STATUSES,
} from './order.ts';
import { orderMachine } from './order-machine.ts';

const ON_THE_WAY = ['dispatched', 'in_transit', 'out_for_delivery', 'failed'] as const;
const TRACKED = [...ON_THE_WAY, 'returned_to_sender', 'delivered', 'lost'] as const;
const news = (event: 'in_transit' | 'out_for_delivery' | 'failed' | 'returned_to_sender' | 'lost') => ({
  event,
  from: TRACKED,
  to: [event],
  by: 'marketplace' as const,
  guard: 'newer than what is known; nothing of a delivered parcel is on its way back',
  emits: [`shipment.${event}`],
});

export const shipmentMachine = defineMachine({
  name: 'shipment',
  title: 'Shipment',
  states: SHIPMENT_STATUSES,
  rows: [
    {
      event: 'create',
      from: [],
      to: ['draft', 'delivered'],
      by: 'seller',
      guard: null,
      emits: ['shipment.created'],
    },
    {
      event: 'buy_label',
      from: ['draft'],
      to: ['draft'],
      by: 'seller',
      guard: 'it has no label',
      emits: ['shipment.label_created'],
    },
    {
      event: 'void_label',
      from: ['draft'],
      to: ['draft'],
      by: 'seller',
      guard: 'it has a label',
      emits: ['shipment.label_voided'],
    },
    {
      event: 'dispatch',
      from: ['draft'],
      to: ['dispatched'],
      by: 'seller',
      guard: 'a label is void when the parcel goes under another number',
      emits: ['shipment.label_voided', 'order.shipped'],
    },
    {
      event: 'drop',
      from: ['draft'],
      to: ['cancelled'],
      by: 'seller',
      guard: 'units in it were cancelled',
      emits: ['shipment.cancelled'],
    },
    {
      event: 'change_tracking',
      from: ON_THE_WAY,
      to: ON_THE_WAY,
      by: 'seller',
      guard: 'within seven days of dispatch',
      emits: ['shipment.tracking_changed'],
    },
    news('in_transit'),
    news('out_for_delivery'),
    news('failed'),
    news('returned_to_sender'),
    news('lost'),
    {
      event: 'deliver',
      from: ['draft', ...TRACKED],
      to: ['delivered'],
      by: 'marketplace',
      guard: 'a draft only with the whole order',
      emits: ['shipment.delivered'],
    },
  ],
});
export type ShipmentEventName = (typeof shipmentMachine.rows)[number]['event'];

export const cancelRequestMachine = defineMachine({
  name: 'cancel_request',
  title: 'Cancel request',
  states: CANCEL_REQUEST_STATUSES,
  rows: [
    {
      event: 'request',
      from: [],
      to: ['open', 'void'],
      by: 'marketplace',
      guard: null,
      emits: ['order.cancel_requested'],
    },
    {
      event: 'accept',
      from: ['open'],
      to: ['accepted'],
      by: 'seller',
      guard: null,
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    },
    {
      event: 'deny',
      from: ['open'],
      to: ['denied'],
      by: 'seller',
      guard: null,
      emits: ['order.cancel_denied'],
    },
    {
      event: 'grant',
      from: ['open'],
      to: ['accepted'],
      by: 'timer',
      guard: 'at respond_by',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    },
    {
      event: 'lapse',
      from: ['open'],
      to: ['void'],
      by: 'marketplace',
      guard: 'nothing of it is open any more, or a cancellation by the marketplace has answered it',
      emits: [],
    },
    {
      event: 'reopen',
      from: ['void'],
      to: ['open'],
      by: 'marketplace',
      guard: 'what had answered it answers an older request that is told of later',
      emits: ['order.cancel_requested'],
    },
  ],
});

export const returnMachine = defineMachine({
  name: 'return',
  title: 'Return',
  states: RETURN_STATUSES,
  rows: [
    {
      event: 'request',
      from: [],
      to: ['requested'],
      by: 'marketplace',
      guard: 'delivered units',
      emits: ['return.requested'],
    },
    {
      event: 'accept',
      from: ['requested'],
      to: ['accepted'],
      by: 'seller',
      guard: null,
      emits: ['return.accepted'],
    },
    {
      event: 'refuse',
      from: ['requested'],
      to: ['refused'],
      by: 'seller',
      guard: null,
      emits: ['return.refused'],
    },
    {
      event: 'receive',
      from: ['accepted'],
      to: ['received'],
      by: 'seller',
      guard: 'no more units than were asked for',
      emits: ['return.received'],
    },
    {
      event: 'inspect',
      from: ['received'],
      to: ['inspected'],
      by: 'seller',
      guard: 'restocks what is fit for sale',
      emits: ['return.inspected'],
    },
    {
      event: 'close',
      from: ['inspected'],
      to: ['closed'],
      by: 'timer',
      guard: 'the order closes',
      emits: ['return.closed'],
    },
  ],
});
export type ReturnEventName = (typeof returnMachine.rows)[number]['event'];

export const refundMachine = defineMachine({
  name: 'refund',
  title: 'Refund',
  states: REFUND_STATES,
  rows: [
    {
      event: 'request',
      from: [],
      to: ['requested'],
      by: 'seller',
      guard: null,
      emits: ['refund.requested'],
    },
    {
      event: 'create',
      from: ['requested'],
      to: ['processing'],
      by: 'marketplace',
      guard: 'also without a request',
      emits: ['refund.created'],
    },
    {
      event: 'confirm',
      from: ['processing', 'failed', 'succeeded'],
      to: ['succeeded'],
      by: 'marketplace',
      guard: 'newer than what is known',
      emits: ['refund.succeeded'],
    },
    {
      event: 'fail',
      from: ['requested', 'processing', 'succeeded', 'failed'],
      to: ['failed'],
      by: 'marketplace',
      guard: 'newer than what is known; a request that fails is declined',
      emits: ['refund.failed'],
    },
  ],
});

export const disputeMachine = defineMachine({
  name: 'dispute',
  title: 'Dispute',
  states: DISPUTE_STATUSES,
  rows: [
    { event: 'open', from: [], to: ['open'], by: 'marketplace', guard: null, emits: ['dispute.opened'] },
    {
      event: 'lose',
      from: DISPUTE_STATUSES,
      to: ['lost'],
      by: 'marketplace',
      guard: 'newer than what is known',
      emits: ['dispute.lost'],
    },
    {
      event: 'win',
      from: DISPUTE_STATUSES,
      to: ['won'],
      by: 'marketplace',
      guard: 'newer than what is known',
      emits: ['dispute.won'],
    },
  ],
});

export const MACHINES = [
  orderMachine,
  shipmentMachine,
  cancelRequestMachine,
  returnMachine,
  refundMachine,
  disputeMachine,
] as const;
