/** Which actions an order allows now, and why it refuses the others. */
import { TRACKING_CORRECTION_MS } from './deadlines.ts';
import { returnMachine, shipmentMachine } from './machines.ts';
import { paidLeft, refundable } from './money-moves.ts';
import { type Order, type OrderLine, openOf, type Shipment } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { ownWaiting } from './own-units.ts';
import { itemsOf } from './pick-lines.ts';
import type { RefusedPart } from './refusal.ts';
import { hasOverdueCancelRequest, unpackedUnits } from './shipments.ts';

interface Situation {
  readonly order: Order;
  readonly now: number;
  /** How many more units of each product could be reserved. Unknown products are left out. */
  readonly available: ReadonlyMap<string, number>;
}

export const ACTIONS = [
  'accept',
  'reject',
  'cancel',
  'create_shipment',
  'create_label',
  'void_label',
  'dispatch',
  'change_tracking',
  'request_refund',
  'answer_cancel_request',
  'answer_return',
  'receive_return',
  'inspect_return',
] as const;
type Action = (typeof ACTIONS)[number];

export const REFUSED_BECAUSE = [
  'invalid_transition',
  'acceptance_window_passed',
  'insufficient_stock',
  'quantity_exceeds_open',
  'supplied_by_dropship',
  'label_exists',
  'no_draft_shipment',
  'label_missing',
  'no_shipment_on_its_way',
  'tracking_window_passed',
  'refund_exceeds_line',
  'refund_exceeds_paid',
  'no_open_cancel_request',
  'no_such_return',
] as const;
type Reason = (typeof REFUSED_BECAUSE)[number] | null;

/** Checks the state machine first, then the quantities. */
const inState =
  (event: OrderEventName, why: (situation: Situation) => Reason) =>
  (situation: Situation): Reason =>
    orderMachine.allows(event, situation.order.head.status) ? why(situation) : 'invalid_transition';

const inWindow =
  (event: OrderEventName, why: (situation: Situation) => Reason) =>
  (situation: Situation): Reason => {
    const { head } = situation.order;
    const over =
      (head.expired_at !== null && head.awaiting === 0) ||
      (head.awaiting > 0 && situation.now >= Date.parse(head.accept_by));
    if (over) return 'acceptance_window_passed';
    return inState(event, (here) => (here.order.head.awaiting > 0 ? why(here) : 'invalid_transition'))(
      situation,
    );
  };

/** Whether at least one waiting unit could be accepted now. */
function stockReason({ order, available }: Situation): Reason {
  const some = (line: OrderLine): boolean =>
    ownWaiting(line) > 0 &&
    (line.product_id === null ||
      line.reserved > openOf(line) - ownWaiting(line) ||
      (available.get(line.product_id) ?? (openOf(line) > line.reserved ? 0 : 1)) > 0);
  if (itemsOf(order).every((line) => ownWaiting(line) === 0)) return 'supplied_by_dropship';
  return itemsOf(order).some(some) ? null : 'insufficient_stock';
}

const hasDraft = ({ order }: Situation, label?: boolean): boolean =>
  order.shipments.some(
    ({ status, label_id }) => status === 'draft' && (label === undefined || label === (label_id !== null)),
  );
const isCorrectable = (now: number, { status, origin, dispatched_at }: Shipment): boolean =>
  origin !== 'supplier' &&
  shipmentMachine.allows('change_tracking', status) &&
  now <= Date.parse(dispatched_at ?? '') + TRACKING_CORRECTION_MS;
const someReturn = ({ order }: Situation, status: string): Reason =>
  order.returns.some((one) => one.status === status) ? null : 'no_such_return';

const RULES: Readonly<Record<Action, (situation: Situation) => Reason>> = {
  accept: inWindow('accept', stockReason),
  reject: inWindow('reject', () => null),
  cancel: inState('cancel', ({ order }) => (order.head.accepted_open > 0 ? null : 'invalid_transition')),
  create_shipment: inState('pack', ({ order }) => {
    if (order.head.accepted_open === 0) return 'invalid_transition';
    if (itemsOf(order).some((line) => unpackedUnits(order)(line) > 0)) return null;
    return itemsOf(order).some(({ supplied_accepted: of }) => of > 0)
      ? 'supplied_by_dropship'
      : 'quantity_exceeds_open';
  }),
  create_label: (here) =>
    hasDraft(here, false) ? null : hasDraft(here) ? 'label_exists' : 'no_draft_shipment',
  void_label: (here) => (hasDraft(here, true) ? null : 'label_missing'),
  dispatch: inState('dispatch', ({ order, now }) => {
    const drafts = order.shipments.filter(({ status }) => status === 'draft');
    if (drafts.length === 0) return 'no_draft_shipment';
    return drafts.some(({ shipment_id }) => !hasOverdueCancelRequest(order, shipment_id, now))
      ? null
      : 'invalid_transition';
  }),
  change_tracking: ({ order, now }) => {
    const moving = order.shipments.filter(
      ({ status, origin }) => origin !== 'supplier' && shipmentMachine.allows('change_tracking', status),
    );
    if (moving.length === 0) return 'no_shipment_on_its_way';
    return moving.some((shipment) => isCorrectable(now, shipment)) ? null : 'tracking_window_passed';
  },
  request_refund: inState('request_refund', ({ order }) => {
    if (!order.lines.some(({ order_line_id }) => refundable(order, order_line_id) > 0n))
      return 'refund_exceeds_line';
    const left = paidLeft(order);
    return left === null || left > 0n ? null : 'refund_exceeds_paid';
  }),
  answer_cancel_request: ({ order }) =>
    order.cancel_requests.some(({ status }) => status === 'open') ? null : 'no_open_cancel_request',
  answer_return: (here) => someReturn(here, 'requested'),
  receive_return: (here) => someReturn(here, 'accepted'),
  inspect_return: (here) => someReturn(here, 'received'),
};
interface ActionState {
  readonly action: Action;
  readonly allowed: boolean;
  /** Code of the refusal; null when allowed. */
  readonly reason: Reason;
}

export function allowedActions(situation: Situation): ActionState[] {
  return ACTIONS.map((action) => {
    const reason = RULES[action](situation);
    return { action, allowed: reason === null, reason };
  });
}

/** Names of {@link ACTIONS} that the shipment allows. */
function shipmentActions({ order, now }: Situation, id: string): string[] {
  const shipment = order.shipments.find(({ shipment_id }) => shipment_id === id);
  if (shipment === undefined) return [];
  if (shipment.status === 'draft')
    return [
      shipment.label_id === null ? 'create_label' : 'void_label',
      ...(hasOverdueCancelRequest(order, id, now) ? [] : ['dispatch']),
    ];
  return isCorrectable(now, shipment) ? ['change_tracking'] : [];
}

/** The actions that are allowed now, on the order or on the part whose state refused the action. */
export function allowedInstead(situation: Situation, { kind, id }: RefusedPart): string[] {
  if (kind === 'shipment') return shipmentActions(situation, id);
  if (kind === 'order')
    return allowedActions(situation).flatMap(({ action, allowed }) => (allowed ? [action] : []));
  const found = situation.order.returns.find(({ return_id }) => return_id === id);
  return found === undefined ? [] : returnMachine.eventsFrom(found.status, 'seller');
}
