/** The machines of the parts of an order. Their states are stored; each row leads to one state. */
import { defineMachine, move } from '../../../kernel/machine.ts';
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
    move('create', [], ['draft', 'delivered'], 'seller', { emits: ['shipment.created'] }),
    move('buy_label', 'draft', 'draft', 'seller', {
      guard: 'it has no label',
      emits: ['shipment.label_created'],
    }),
    move('void_label', 'draft', 'draft', 'seller', {
      guard: 'it has a label',
      emits: ['shipment.label_voided'],
    }),
    move('dispatch', 'draft', 'dispatched', 'seller', {
      guard: 'the label is voided when the parcel has another tracking number',
      emits: ['shipment.label_voided', 'order.shipped'],
    }),
    move('drop', 'draft', 'cancelled', 'seller', {
      guard: 'units in it were cancelled',
      emits: ['shipment.cancelled'],
    }),
    move('change_tracking', ON_THE_WAY, ON_THE_WAY, 'seller', {
      guard: 'within seven days of dispatch',
      emits: ['shipment.tracking_changed'],
    }),
    tracked('in_transit'),
    tracked('out_for_delivery'),
    tracked('failed'),
    tracked('returned_to_sender'),
    tracked('lost'),
    move('deliver', ['draft', ...TRACKED], 'delivered', 'marketplace', {
      guard: 'a draft is delivered only with the whole order',
      emits: ['shipment.delivered'],
    }),
  ],
});
export type ShipmentEventName = (typeof shipmentMachine.rows)[number]['event'];

const cancelRequestMachine = defineMachine({
  name: 'cancel_request',
  title: 'Cancel request',
  states: CANCEL_REQUEST_STATUSES,
  rows: [
    move('request', [], ['open', 'void'], 'marketplace', { emits: ['order.cancel_requested'] }),
    move('accept', 'open', 'accepted', 'seller', { emits: ['order.cancelled', 'order.cancelled_by_seller'] }),
    move('deny', 'open', 'denied', 'seller', { emits: ['order.cancel_denied'] }),
    move('grant', 'open', 'accepted', 'timer', {
      guard: 'at respond_by',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    }),
    move('lapse', 'open', 'void', 'marketplace', {
      guard: 'none of its units is open, or a cancellation by the marketplace has answered it',
    }),
    move('reopen', 'void', 'open', 'marketplace', {
      guard: 'the cancellation that answered it answers an older request, which arrived later',
      emits: ['order.cancel_requested'],
    }),
  ],
});

export const returnMachine = defineMachine({
  name: 'return',
  title: 'Return',
  states: RETURN_STATUSES,
  rows: [
    move('request', [], 'requested', 'marketplace', {
      guard: 'delivered units',
      emits: ['return.requested'],
    }),
    move('accept', 'requested', 'accepted', 'seller', { emits: ['return.accepted'] }),
    move('refuse', 'requested', 'refused', 'seller', { emits: ['return.refused'] }),
    move('receive', 'accepted', 'received', 'seller', {
      guard: 'no more units than were announced',
      emits: ['return.received'],
    }),
    move('inspect', 'received', 'inspected', 'seller', {
      guard: 'restocks compliant units',
      emits: ['return.inspected'],
    }),
    move('close', 'inspected', 'closed', 'timer', { guard: 'the order closes', emits: ['return.closed'] }),
  ],
});
export type ReturnEventName = (typeof returnMachine.rows)[number]['event'];

export const refundMachine = defineMachine({
  name: 'refund',
  title: 'Refund',
  states: REFUND_STATES,
  rows: [
    move('request', [], 'requested', 'seller', { emits: ['refund.requested'] }),
    move('create', 'requested', 'processing', 'marketplace', {
      guard: 'with or without a request of the seller',
      emits: ['refund.created'],
    }),
    move('confirm', ['processing', 'failed', 'succeeded'], 'succeeded', 'marketplace', {
      guard: 'newer than the last outcome',
      emits: ['refund.succeeded'],
    }),
    move('fail', ['requested', 'processing', 'succeeded', 'failed'], 'failed', 'marketplace', {
      guard: 'newer than the last outcome; a request that fails is declined',
      emits: ['refund.failed'],
    }),
  ],
});

export const disputeMachine = defineMachine({
  name: 'dispute',
  title: 'Dispute',
  states: DISPUTE_STATUSES,
  rows: [
    move('open', [], 'open', 'marketplace', { emits: ['dispute.opened'] }),
    move('lose', DISPUTE_STATUSES, 'lost', 'marketplace', {
      guard: 'newer than the last outcome',
      emits: ['dispute.lost'],
    }),
    move('win', DISPUTE_STATUSES, 'won', 'marketplace', {
      guard: 'newer than the last outcome',
      emits: ['dispute.won'],
    }),
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
