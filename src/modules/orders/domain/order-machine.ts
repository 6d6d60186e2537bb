/**
 * The machine of an order. The states of an order follow from quantities. So a row says in which states an event is
 * allowed and which states can follow, and the quantities decide between them. Source: docs/design/orders.md#machine,
 * docs/design/marketplace-events.md#order.
 */
import { defineMachine } from '../../../kernel/machine.ts';
import { ORDER_STATUSES } from './order.ts';

/** States with open units. */
const OPEN = ['awaiting_acceptance', 'accepted', 'partially_shipped'] as const;
/** States with waiting units: a waiting line keeps an order partially shipped. */
const WAITING = ['awaiting_acceptance', 'partially_shipped'] as const;
const SENT = ['partially_shipped', 'shipped', 'delivered', 'closed'] as const;
const ALL = ORDER_STATUSES;
const IN_TIME = 'before accept_by';

export const orderMachine = defineMachine({
  name: 'order',
  title: 'Order',
  states: ORDER_STATUSES,
  rows: [
    {
      event: 'place',
      from: [],
      to: ['awaiting_acceptance'],
      by: 'marketplace',
      guard: 'reserves the available stock; missing units are recorded and flagged as oversold',
      emits: ['order.created'],
    },
    {
      event: 'capture',
      from: ALL,
      to: ALL,
      by: 'marketplace',
      guard: 'once for each order',
      emits: ['order.payment_captured'],
    },
    {
      event: 'warn_acceptance',
      from: WAITING,
      to: WAITING,
      by: 'timer',
      guard: 'four hours before accept_by',
      emits: ['order.acceptance_due'],
    },
    {
      event: 'accept',
      from: WAITING,
      to: OPEN,
      by: 'seller',
      guard: `${IN_TIME}; no more units than are waiting; every unit held in stock`,
      emits: ['order.accepted'],
    },
    {
      event: 'reject',
      from: WAITING,
      to: ALL,
      by: 'seller',
      guard: `${IN_TIME}; no more units than are waiting`,
      emits: ['order.rejected'],
    },
    {
      event: 'expire',
      from: WAITING,
      to: ALL,
      by: 'timer',
      guard: 'at accept_by; all units that are still waiting',
      emits: ['order.expired'],
    },
    {
      event: 'request_cancel',
      from: ALL,
      to: ALL,
      by: 'marketplace',
      guard: 'open until it is answered; void when none of its units is open',
      emits: ['order.cancel_requested'],
    },
    {
      event: 'accept_cancel_request',
      from: OPEN,
      to: ALL,
      by: 'seller',
      guard: 'the request is open',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    },
    {
      event: 'deny_cancel_request',
      from: OPEN,
      to: OPEN,
      by: 'seller',
      guard: 'the request is open and before respond_by',
      emits: ['order.cancel_denied'],
    },
    {
      event: 'grant_cancel_request',
      from: OPEN,
      to: ALL,
      by: 'timer',
      guard: 'at respond_by; the request is still open',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    },
    {
      event: 'cancel',
      from: OPEN,
      to: ALL,
      by: 'seller',
      guard: 'no more units than are accepted and not dispatched',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    },
    {
      event: 'cancel_by_marketplace',
      from: ALL,
      to: ALL,
      by: 'marketplace',
      guard:
        'units that are open, that have expired, or that a later order.delivered delivered; answers earlier cancel requests',
      emits: ['order.cancelled'],
    },
    {
      event: 'pack',
      from: OPEN,
      to: OPEN,
      by: 'seller',
      guard: 'no more units than are accepted and not packed',
      emits: ['shipment.created'],
    },
    {
      event: 'dispatch',
      from: OPEN,
      to: ['partially_shipped', 'shipped'],
      by: 'seller',
      guard:
        'a label or your own tracking number; not in the future; not before acceptance; no cancel request past respond_by',
      emits: ['order.shipped'],
    },
    {
      event: 'flag_late',
      from: OPEN,
      to: OPEN,
      by: 'timer',
      guard: 'at dispatch_by; accepted units are not dispatched',
      emits: ['order.late'],
    },
    {
      event: 'track',
      from: SENT,
      to: SENT,
      by: 'marketplace',
      guard: 'newer than the last update of the parcel',
      emits: [
        'shipment.in_transit',
        'shipment.out_for_delivery',
        'shipment.failed',
        'shipment.returned_to_sender',
        'shipment.lost',
        'shipment.delivered',
      ],
    },
    {
      event: 'deliver',
      from: ALL,
      to: ['delivered', 'closed'],
      by: 'marketplace',
      guard:
        'all open, shipped and expired units; accepts and dispatches them where that was recorded elsewhere',
      emits: ['shipment.delivered', 'order.delivered'],
    },
    {
      event: 'request_return',
      from: SENT,
      to: ['partially_shipped', 'shipped', 'delivered'],
      by: 'marketplace',
      guard: 'delivered units that are in no other return, within the return window',
      emits: ['return.requested'],
    },
    {
      event: 'request_refund',
      from: ['accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'cancelled'],
      to: ['accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'cancelled'],
      by: 'seller',
      guard: 'no more than can be refunded on each line, nor than was captured',
      emits: ['refund.requested'],
    },
    {
      event: 'refund',
      from: ALL,
      to: ALL,
      by: 'marketplace',
      guard: 'no more than can be refunded on each line',
      emits: ['refund.created', 'refund.succeeded', 'refund.failed'],
    },
    {
      event: 'dispute',
      from: ALL,
      to: ALL,
      by: 'marketplace',
      guard: null,
      emits: ['dispute.opened', 'dispute.lost', 'dispute.won'],
    },
    {
      event: 'warn_dispute',
      from: ALL,
      to: ALL,
      by: 'timer',
      guard: 'two days before respond_by of an open dispute',
      emits: ['dispute.action_needed'],
    },
    {
      event: 'close',
      from: ['shipped', 'delivered'],
      to: ['closed'],
      by: 'timer',
      guard: 'at the end of the return window; no return, refund or dispute is open',
      emits: ['order.closed'],
    },
  ],
});
export type OrderEventName = (typeof orderMachine.rows)[number]['event'];
