/**
 * Brings a dropship order and its order together. The order is the truth of what is open: what it has closed of the
 * supplier's units becomes a fact. The facts are the truth of what the supplier said: what they end in becomes the
 * units that the supplier sends of the order. Source: docs/design/supply.md#dropship-orders.
 */
import type { SuppliedUnits } from '../../orders/domain/supplied.ts';
import type { FoldedLine, OrderSide } from './fold.ts';

/** A line of the order, with its units that a supplier sends. */
export interface OpenSide extends OrderSide {
  readonly waiting: number;
  readonly accepted: number;
}

/** What is known of a line since the last change of the dropship order. */
export interface KnownLine {
  readonly queued: number;
  readonly sent: number;
  readonly accepted_open: number;
  readonly closed: number;
}
export const UNKNOWN: KnownLine = { queued: 0, sent: 0, accepted_open: 0, closed: 0 };

interface Changes {
  /** Units that are the supplier's now. */
  readonly route: number;
  /** Units of the supplier that the order has closed, by where they were. */
  readonly cancel_accepted: number;
  readonly cancel_waiting: number;
  /** Units of the supplier that were delivered without it, as the marketplace says. */
  readonly delivered: number;
}

/** What an order has done with the supplier's units of a line since the last change of the dropship order. */
export function changesOf(side: OpenSide, known: KnownLine): Changes {
  const accepted = Math.max(0, known.accepted_open - side.accepted);
  const waiting = Math.max(0, known.queued + known.sent - side.waiting);
  const closed = Math.max(0, side.closed - known.closed);
  const cancel_accepted = Math.min(accepted, closed);
  const cancel_waiting = Math.min(waiting, closed - cancel_accepted);
  return {
    route: Math.max(0, side.waiting - known.queued - known.sent),
    ...{ cancel_accepted, cancel_waiting },
    delivered: accepted + waiting - cancel_accepted - cancel_waiting,
  };
}

const acceptedOf = ({ accepted_open, shipped, returned_accepted }: FoldedLine): number =>
  accepted_open + shipped + returned_accepted;

/** Units that the order has to accept because of an answer. */
export const newlyAccepted = (before: FoldedLine, after: FoldedLine): number =>
  Math.max(0, acceptedOf(after) - acceptedOf(before));

/** What the supplier sends of a line of the order. */
export const settlement = (order_line_id: string, line: FoldedLine, accept = 0): SuppliedUnits => ({
  ...{ order_line_id, accept, waiting: line.queued + line.sent, accepted: line.accepted_open },
});
