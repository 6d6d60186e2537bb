/**
 * What a dropship order does with its order: it takes units over, asks the supplier, and settles what the supplier
 * says. Pure: the facts of the dropship order grow, and the work of the order changes.
 * Source: docs/design/supply.md#dropship-orders.
 */
import type { Order, OrderLine } from '../../orders/domain/order.ts';
import { suppliedWaiting } from '../../orders/domain/own-units.ts';
import type { Parcel } from '../../orders/domain/shipments.ts';
import {
  canSettle,
  dispatchSupplied,
  type SuppliedUnits,
  sendableUnits,
  settleSupplied,
} from '../../orders/domain/supplied.ts';
import type { Work } from '../../orders/domain/work.ts';
import { type Fact, type FoldedLine, fold, newLine, type SimpleKind } from './fold.ts';
import { changesOf, type KnownLine, newlyAccepted, type OpenSide, settlement, UNKNOWN } from './follow.ts';

/** A dropship order, with the lines that it has or gets. */
export interface Supplying {
  readonly supplier_id: string;
  readonly line_ids: string[];
  readonly facts: Fact[];
  /** What was known of its lines after the facts that it had before. */
  readonly known: ReadonlyMap<string, KnownLine>;
}

const sideOf = (line: OrderLine): OpenSide => ({
  ...{ order_line_id: line.order_line_id, ordered: line.ordered, closed: line.rejected + line.cancelled },
  ...{ waiting: suppliedWaiting(line), accepted: line.supplied_accepted },
});
const sidesOf = (order: Order, { line_ids }: Supplying): OpenSide[] =>
  order.lines.filter(({ order_line_id }) => line_ids.includes(order_line_id)).map(sideOf);

/** The lines of a dropship order now. */
export const linesNow = (order: Order, supplying: Supplying): ReadonlyMap<string, FoldedLine> =>
  fold(supplying.facts, sidesOf(order, supplying));

/** Units of the order that were rejected or cancelled, by line. */
export const closedNow = (order: Order, supplying: Supplying): ReadonlyMap<string, number> =>
  new Map(sidesOf(order, supplying).map(({ order_line_id, closed }) => [order_line_id, closed]));

/** Adds a fact about units, unless there are none. */
export function addFact(
  { facts }: Supplying,
  kind: SimpleKind,
  lines: readonly { readonly order_line_id: string; readonly units: number }[],
  { at, fact_id, reason = null }: { at: string; fact_id: string; reason?: string | null },
): void {
  const some = lines.filter(({ units }) => units > 0);
  if (some.length > 0) facts.push({ kind, lines: some, at, fact_id: `${kind}:${fact_id}`, reason });
}

/** Takes over what the order has done since the last facts. @param name makes the ids of the new facts unique */
export function followOrder(order: Order, supplying: Supplying, at: string, name: string): void {
  const changes = sidesOf(order, supplying).map((side) => ({
    order_line_id: side.order_line_id,
    ...changesOf(side, supplying.known.get(side.order_line_id) ?? UNKNOWN),
  }));
  for (const kind of ['cancel_accepted', 'cancel_waiting', 'delivered', 'route'] as const)
    addFact(
      supplying,
      kind,
      changes.map((one) => ({ order_line_id: one.order_line_id, units: one[kind] })),
      { at, fact_id: name },
    );
}

/** Settles the order with what the facts say now. Units that the supplier has no more are the seller's. */
export function settleNow(work: Work, supplying: Supplying): void {
  const lines = linesNow(work.order, supplying);
  const units = [...lines].map(([id, line]) => settlement(id, line));
  settleSupplied(work, units, supplying.supplier_id);
}

const unitsOf = (fact: Fact & { readonly kind: 'answer' }): number =>
  fact.lines.reduce((sum, { accepted }) => sum + accepted, 0);
const acceptedIn = (lines: ReadonlyMap<string, FoldedLine>): number =>
  [...lines.values()].reduce((sum, { accepted }) => sum + accepted, 0);

/**
 * Takes an answer or a cancellation of the supplier.
 *
 * @returns false, and changes nothing, if units that it accepts are no longer there
 */
export function takeFact(
  work: Work,
  supplying: Supplying,
  fact: Fact & { readonly kind: 'answer' | 'supplier_cancel' },
): boolean {
  const before = linesNow(work.order, supplying);
  const told = { ...supplying, facts: [...supplying.facts, fact] };
  const after = linesNow(work.order, told);
  const counted = acceptedIn(after) - acceptedIn(before);
  if (fact.kind === 'answer' && counted < unitsOf(fact)) return false;
  const units = [...after].map(([id, line]): SuppliedUnits => {
    const accept = fact.kind === 'answer' ? newlyAccepted(before.get(id) ?? newLine(), line) : 0;
    return settlement(id, line, accept);
  });
  if (!units.every((one) => canSettle(work.order, one))) return false;
  supplying.facts.push(fact);
  settleSupplied(work, units, supplying.supplier_id);
  return true;
}

type ShipFact = Fact & { readonly kind: 'ship' };
interface Told extends Omit<ShipFact, 'lines' | 'shipment_id'> {
  readonly lines: readonly { readonly order_line_id: string; readonly units: number }[];
}

/**
 * Takes a parcel of the supplier. Units for which the order has room become a parcel of the order.
 *
 * @returns whether it has room for all of them
 */
export function takeParcel(work: Work, supplying: Supplying, told: Told): boolean {
  const { order } = work;
  const now = linesNow(order, supplying);
  const lines = told.lines.map((one) => {
    const { queued, returned } = now.get(one.order_line_id) ?? newLine();
    const room = sendableUnits(order, one.order_line_id, returned) - queued;
    return { ...one, taken: Math.max(0, Math.min(one.units, room)) };
  });
  const taken = lines.flatMap(({ order_line_id, taken: quantity }) =>
    quantity > 0 ? [{ order_line_id, quantity }] : [],
  );
  const { carrier, tracking_number, tracking_url, at: dispatched_at } = told;
  const parcel: Parcel = { carrier, service: null, tracking_number, tracking_url };
  const { supplier_id } = supplying;
  const shipment_id =
    taken.length === 0
      ? null
      : dispatchSupplied(work, { ...parcel, dispatched_at, lines: taken }, supplier_id);
  supplying.facts.push({ ...told, lines, shipment_id });
  settleNow(work, supplying);
  return lines.every(({ units, taken: open }) => units === open);
}
