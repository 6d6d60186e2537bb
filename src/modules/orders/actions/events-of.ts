import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import type { Order } from '../domain/order.ts';
import type { Emit, EmitOf, ObjectKind, Work } from '../domain/work.ts';
import { declarations, type WireOf } from '../events.ts';
import type { WireOrder } from '../schemas/order.ts';
import { disputeToWire, refundToWire, returnToWire, shipmentToWire } from '../schemas/to-wire.ts';

/** An order before or after a change, with its wire form. */
interface OrderState {
  readonly order: Order;
  readonly wire: WireOrder;
}

/**
 * The object of an event in an order, as it is on the wire; undefined when the order has none with this id.
 */
const OBJECTS: {
  readonly [K in ObjectKind]: (state: OrderState, id: string) => WireOf[K] | undefined;
} = {
  order: ({ wire }) => wire,
  shipment: ({ order }, id) =>
    order.shipments
      .filter(({ shipment_id }) => shipment_id === id)
      .map((shipment) => shipmentToWire(order, shipment))[0],
  return: ({ order }, id) =>
    order.returns.filter(({ return_id }) => return_id === id).map((found) => returnToWire(order, found))[0],
  refund: ({ order }, id) =>
    order.refunds.filter(({ refund_id }) => refund_id === id).map((refund) => refundToWire(order, refund))[0],
  dispute: ({ order }, id) =>
    order.disputes
      .filter(({ dispute_id }) => dispute_id === id)
      .map((dispute) => disputeToWire(order, dispute))[0],
};

/** Fields that differ after every change and say nothing about it. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['version', 'updated_at']);

/** The old values of the top-level fields that have changed. */
function previousOf(before: object, after: object): Readonly<Record<string, unknown>> {
  const now = after as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => !ALWAYS_CHANGED.has(key) && JSON.stringify(value) !== JSON.stringify(now[key]),
    ),
  );
}

/** The action and its reason, which no object shows. */
function changeOf({ notes }: Work, emit: Emit): object | undefined {
  const note = emit.note ?? notes.at(-1);
  if (note === undefined) return undefined;
  const { action, reason = null, detail = null, facts = null } = note;
  return { action, reason, detail, facts };
}

function eventOf<K extends ObjectKind>(
  { kind, type, id }: EmitOf<K>,
  before: OrderState | undefined,
  after: OrderState,
  change: object | undefined,
): DeclaredEvent[] {
  const object = OBJECTS[kind](after, id);
  if (object === undefined) return [];
  const old = before === undefined ? undefined : OBJECTS[kind](before, id);
  const previous = old === undefined ? undefined : previousOf(old, object);
  return [declarations[kind][type].of(object, { object_id: id, previous, change })];
}

/** The events of one work, in their order. */
export const eventsOf = (work: Work, before: OrderState | undefined, after: OrderState): DeclaredEvent[] =>
  work.emits.flatMap((emit) => eventOf(emit as EmitOf<ObjectKind>, before, after, changeOf(work, emit)));
