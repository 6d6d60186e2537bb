/**
 * The machine of an order. The states of an order follow from quantities. So a row says in which states an event is
 * allowed and which states can follow, and the quantities decide between them. Source: docs/design/orders.md#machine,
 * docs/design/marketplace-events.md#order.
 */
import { defineMachine, move } from '../../../kernel/machine.ts';
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
    move('place', [], 'awaiting_acceptance', 'marketplace', {
      guard: 'reserves the available stock; missing units are recorded and flagged as oversold',
      emits: ['order.created'],
    }),
    move('capture', ALL, ALL, 'marketplace', {
      guard: 'once for each order',
      emits: ['order.payment_captured'],
    }),
    move('warn_acceptance', WAITING, WAITING, 'timer', {
      guard: 'four hours before accept_by',
      emits: ['order.acceptance_due'],
    }),
    move('accept', WAITING, OPEN, 'seller', {
      guard: `${IN_TIME}; no more units than are waiting; every unit held in stock`,
      emits: ['order.accepted'],
    }),
    move('reject', WAITING, ALL, 'seller', {
      guard: `${IN_TIME}; no more units than are waiting`,
      emits: ['order.rejected'],
    }),
    move('expire', WAITING, ALL, 'timer', {
      guard: 'at accept_by; all units that are still waiting',
      emits: ['order.expired'],
    }),
    move('request_cancel', ALL, ALL, 'marketplace', {
      guard: 'open until it is answered; void when none of its units is open',
      emits: ['order.cancel_requested'],
    }),
    move('accept_cancel_request', OPEN, ALL, 'seller', {
      guard: 'the request is open',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    }),
    move('deny_cancel_request', OPEN, OPEN, 'seller', {
      guard: 'the request is open and before respond_by',
      emits: ['order.cancel_denied'],
    }),
    move('grant_cancel_request', OPEN, ALL, 'timer', {
      guard: 'at respond_by; the request is still open',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    }),
    move('cancel', OPEN, ALL, 'seller', {
      guard: 'no more units than are accepted and not dispatched',
      emits: ['order.cancelled', 'order.cancelled_by_seller'],
    }),
    move('cancel_by_marketplace', ALL, ALL, 'marketplace', {
      guard:
        'units that are open, that have expired, or that a later order.delivered delivered; answers earlier cancel requests',
      emits: ['order.cancelled'],
    }),
    move('pack', OPEN, OPEN, 'seller', {
      guard: 'no more units than are accepted and not packed',
      emits: ['shipment.created'],
    }),
    move('dispatch', OPEN, ['partially_shipped', 'shipped'], 'seller', {
      guard:
        'a label or your own tracking number; not in the future; not before acceptance; no cancel request past respond_by',
      emits: ['order.shipped'],
    }),
    move('flag_late', OPEN, OPEN, 'timer', {
      guard: 'at dispatch_by; accepted units are not dispatched',
      emits: ['order.late'],
    }),
    move('track', SENT, SENT, 'marketplace', {
      guard: 'newer than the last update of the parcel',
      emits: [
        'shipment.in_transit',
        'shipment.out_for_delivery',
        'shipment.failed',
        'shipment.returned_to_sender',
        'shipment.lost',
        'shipment.delivered',
      ],
    }),
    move('deliver', ALL, ['delivered', 'closed'], 'marketplace', {
      guard:
        'all open, shipped and expired units; accepts and dispatches them where that was recorded elsewhere',
      emits: ['shipment.delivered', 'order.delivered'],
    }),
    move('request_return', SENT, ['partially_shipped', 'shipped', 'delivered'], 'marketplace', {
      guard: 'delivered units that are in no other return, within the return window',
      emits: ['return.requested'],
    }),
    move(
      'request_refund',
      ['accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'cancelled'],
      ['accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'cancelled'],
      'seller',
      {
        guard: 'no more than can be refunded on each line, nor than was captured',
        emits: ['refund.requested'],
      },
    ),
    move('refund', ALL, ALL, 'marketplace', {
      guard: 'no more than can be refunded on each line',
      emits: ['refund.created', 'refund.succeeded', 'refund.failed'],
    }),
    move('dispute', ALL, ALL, 'marketplace', { emits: ['dispute.opened', 'dispute.lost', 'dispute.won'] }),
    move('warn_dispute', ALL, ALL, 'timer', {
      guard: 'two days before respond_by of an open dispute',
      emits: ['dispute.action_needed'],
    }),
    move('close', ['shipped', 'delivered'], 'closed', 'timer', {
      guard: 'at the end of the return window; no return, refund or dispute is open',
      emits: ['order.closed'],
    }),
  ],
});
export type OrderEventName = (typeof orderMachine.rows)[number]['event'];
