/** Work: one change of an order. Rules change a copy and add what follows from the change. */
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import type { IdKind } from '../../../kernel/ids.ts';
import type { Order, OrderLine } from './order.ts';

/** The types of events of each kind of object, without the name of the kind. */
interface EventNames {
  order:
    | 'created'
    | 'payment_captured'
    | 'acceptance_due'
    | 'accepted'
    | 'rejected'
    | 'stock_allocated'
    | 'expired'
    | 'cancel_requested'
    | 'cancelled'
    | 'cancelled_by_seller'
    | 'cancel_denied'
    | 'shipped'
    | 'late'
    | 'delivered'
    | 'closed';
  shipment:
    | 'created'
    | 'label_created'
    | 'label_voided'
    | 'cancelled'
    | 'tracking_changed'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivered'
    | 'failed'
    | 'returned_to_sender'
    | 'lost';
  return: 'requested' | 'accepted' | 'refused' | 'received' | 'inspected' | 'closed';
  refund: 'requested' | 'created' | 'succeeded' | 'failed';
  dispute: 'opened' | 'action_needed' | 'lost' | 'won';
}
export type ObjectKind = keyof EventNames;
/** Type of an event that a change can emit. Each is declared in `events.ts`. */
export type EventType<K extends ObjectKind = ObjectKind> = { [P in K]: `${P}.${EventNames[P]}` }[K];

/** An event about an object of the order. */
export interface EmitOf<K extends ObjectKind> {
  readonly type: EventType<K>;
  readonly kind: K;
  readonly id: string;
  /** The entry of the history that explains it; default: the last entry of the work. */
  readonly note?: Note | undefined;
}
export type Emit = { [K in ObjectKind]: EmitOf<K> }[ObjectKind];

/** An entry of the history. */
interface Note {
  readonly action: string;
  readonly reason?: string | null | undefined;
  readonly detail?: string | null | undefined;
  /** When it happened, RFC 3339; undefined: now. */
  readonly occurred_at?: string | undefined;
  readonly facts?: unknown;
}

interface LineMove {
  readonly kind: 'release' | 'consume' | 'restock';
  readonly product_id: string;
  readonly quantity: number;
}

export interface Work {
  /** The copy that rules change. */
  readonly order: Order;
  /** The service's time, in milliseconds, and as RFC 3339. */
  readonly now: number;
  readonly at: string;
  readonly newId: (kind: IdKind) => string;
  readonly notes: Note[];
  readonly emits: Emit[];
  /** Events of the stock that the change has reserved; they come before those of the order. */
  readonly stockEvents: DeclaredEvent[];
  readonly moves: LineMove[];
}

/** Opens a change of a copy of the order. */
export function openWork(order: Order, now: number, newId: (kind: IdKind) => string): Work {
  return {
    order: structuredClone(order),
    now,
    at: new Date(now).toISOString(),
    newId,
    notes: [],
    emits: [],
    stockEvents: [],
    moves: [],
  };
}

/** Adds an event about what was noted last. */
export function emit<K extends ObjectKind>(work: Work, type: EventType<K>, kind: K, id: string): void {
  work.emits.push({ type, kind, id, note: work.notes.at(-1) } as EmitOf<K> & Emit);
}

export const emitOrder = (work: Work, type: EventType<'order'>): void =>
  emit(work, type, 'order', work.order.head.order_id);

/** Moves units in the stock of a line; a line of an unknown product has none. */
export function moveUnits(
  { moves }: Work,
  kind: LineMove['kind'],
  line: Pick<OrderLine, 'product_id'>,
  quantity: number,
): void {
  if (line.product_id !== null && quantity > 0) moves.push({ kind, product_id: line.product_id, quantity });
}
