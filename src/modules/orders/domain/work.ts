/** One change of an order in the making: a copy that rules change, and what follows from the change. */
import type { IdKind } from '../../../kernel/ids.ts';
import type { Order, OrderLine } from './order.ts';

export type ObjectKind = 'order' | 'shipment' | 'return' | 'refund' | 'dispute';

export interface Emit {
  readonly type: string;
  readonly kind: ObjectKind;
  readonly id: string;
  /** What was noted with it; absent: what the whole work was about. */
  readonly note?: Note | undefined;
}

/** An entry of the history. */
export interface Note {
  readonly action: string;
  readonly reason?: string | null | undefined;
  readonly detail?: string | null | undefined;
  /** When it happened, RFC 3339; default: now. */
  readonly occurred_at?: string | undefined;
  readonly facts?: unknown;
}

export interface LineMove {
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
    moves: [],
  };
}

/** Tells of what was noted last. */
export function emit(work: Work, type: string, kind: ObjectKind, id: string): void {
  work.emits.push({ type, kind, id, note: work.notes.at(-1) });
}

export const emitOrder = (work: Work, type: string): void =>
  emit(work, type, 'order', work.order.head.order_id);

/** Moves units of the stock behind a line; lines of unknown products have none. */
export function moveUnits(
  { moves }: Work,
  kind: LineMove['kind'],
  line: Pick<OrderLine, 'product_id'>,
  quantity: number,
): void {
  if (line.product_id !== null && quantity > 0) moves.push({ kind, product_id: line.product_id, quantity });
}
