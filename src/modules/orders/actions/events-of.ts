import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import type { Order } from '../domain/order.ts';
import type { Emit, ObjectKind, Work } from '../domain/work.ts';
import type { WireOrder } from '../schemas/order.ts';
import {
  disputeToWire,
  orderToWire,
  refundToWire,
  returnToWire,
  shipmentToWire,
} from '../schemas/to-wire.ts';

type Part = { readonly object: object; readonly version: number };

const FINDERS: Readonly<Record<Exclude<ObjectKind, 'order'>, (order: Order, id: string) => Part[]>> = {
  shipment: (order, id) =>
    order.shipments
      .filter(({ shipment_id }) => shipment_id === id)
      .map((one) => ({ object: shipmentToWire(order, one), version: one.version })),
  return: (order, id) =>
    order.returns
      .filter(({ return_id }) => return_id === id)
      .map((one) => ({ object: returnToWire(order, one), version: one.version })),
  refund: (order, id) =>
    order.refunds
      .filter(({ refund_id }) => refund_id === id)
      .map((one) => ({ object: refundToWire(order, one), version: one.version })),
  dispute: (order, id) =>
    order.disputes
      .filter(({ dispute_id }) => dispute_id === id)
      .map((one) => ({ object: disputeToWire(order, one), version: one.version })),
};

function partOf(order: Order | undefined, { kind, id }: Emit): Part | undefined {
  if (order === undefined) return undefined;
  if (kind === 'order') return { object: orderToWire(order), version: order.head.version };
  return FINDERS[kind](order, id)[0];
}

/** Keys that differ after every change and say nothing about it. */
const ALWAYS_MOVING: ReadonlySet<string> = new Set(['version', 'updated_at']);

/** Values of before, for the top-level fields whose value is another now. */
function previousOf(before: object, after: object): Readonly<Record<string, unknown>> {
  const now = after as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => !ALWAYS_MOVING.has(key) && JSON.stringify(value) !== JSON.stringify(now[key]),
    ),
  );
}

/** What was done and why: reasons stand in no object. Of a work that did several things the one that is told. */
function changeOf({ notes }: Work, emit: Emit): { readonly change?: object } {
  const note = emit.note ?? notes.at(-1);
  if (note === undefined) return {};
  const { action, reason = null, detail = null, facts = null } = note;
  return { change: { action, reason, detail, facts } };
}

/** Events of one work, in their order; of the order the wire form is given, for it is needed elsewhere too. */
export function eventsOf(
  work: Work,
  before: Order | undefined,
  wireBefore: WireOrder | undefined,
  wire: WireOrder,
): DeclaredEvent[] {
  const { order, emits } = work;
  return emits.flatMap((emit): DeclaredEvent[] => {
    const whole = emit.kind === 'order';
    const after = whole ? { object: wire, version: wire.version } : partOf(order, emit);
    if (after === undefined) return [];
    const old = whole ? wireBefore : partOf(before, emit)?.object;
    return [
      {
        type: emit.type,
        object_id: emit.id,
        object_version: after.version,
        data: {
          object: after.object,
          ...(old === undefined ? {} : { previous: previousOf(old, after.object) }),
          ...changeOf(work, emit),
        },
      },
    ];
  });
}
