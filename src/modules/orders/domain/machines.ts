/** The machines of the parts of an order. Their states are stored; each row leads to one state. */
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
const tracked = (event: 'in_transit' | 'out_for_delivery' | 'failed' | 'returned_to_sender' | 'lost') => ({
  event,
  from: TRACKED,
  to: [event],
  by: 'marketplace' as const,
  guard: 'newer than the last update; a delivered parcel stays delivered',
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
      guard: 'the label is voided when the parcel has another tracking number',
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
    tracked('in_transit'),
    tracked('out_for_delivery'),
    tracked('failed'),
    tracked('returned_to_sender'),
    tracked('lost'),
    {
      event: 'deliver',
      from: ['draft', ...TRACKED],
      to: ['delivered'],
      by: 'marketplace',
      guard: 'a draft is delivered only with the whole order',
      emits: ['shipment.delivered'],
    },
  ],
});
export type ShipmentEventName = (typeof shipmentMachine.rows)[number]['event'];

const cancelRequestMachine = defineMachine({
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
      guard: 'none of its units is open, or a cancellation by the marketplace has answered it',
      emits: [],
    },
    {
      event: 'reopen',
      from: ['void'],
      to: ['open'],
      by: 'marketplace',
      guard: 'the cancellation that answered it answers an older request, which arrived later',
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
      guard: 'no more units than were announced',
      emits: ['return.received'],
    },
    {
      event: 'inspect',
      from: ['received'],
      to: ['inspected'],
      by: 'seller',
      guard: 'restocks compliant units',
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
      guard: 'with or without a request of the seller',
      emits: ['refund.created'],
    },
    {
      event: 'confirm',
      from: ['processing', 'failed', 'succeeded'],
      to: ['succeeded'],
      by: 'marketplace',
      guard: 'newer than the last outcome',
      emits: ['refund.succeeded'],
    },
    {
      event: 'fail',
      from: ['requested', 'processing', 'succeeded', 'failed'],
      to: ['failed'],
      by: 'marketplace',
      guard: 'newer than the last outcome; a request that fails is declined',
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
      guard: 'newer than the last outcome',
      emits: ['dispute.lost'],
    },
    {
      event: 'win',
      from: DISPUTE_STATUSES,
      to: ['won'],
      by: 'marketplace',
      guard: 'newer than the last outcome',
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
