/**
 * A dropship order is what its facts say. Facts are only added, and in any order: the fold sorts them by when they
 * happened, so the same facts end in the same units. Parcels come last, because goods that were sent were sent; after
 * them the units that the order has closed, because the order says how many these are and not when.
 * Source: docs/design/supply.md#dropship-orders.
 */
import type { Acceptance } from './mirror.ts';

interface OfLine {
  readonly order_line_id: string;
}
/** Moves of units, in the order in which facts of one instant count. */
export const KINDS = [
  'route',
  'send',
  'answer',
  'supplier_cancel',
  'cancel_accepted',
  'cancel_waiting',
  'delivered',
  'take_over',
  'no_answer',
  'no_time',
  'ship',
  'correct_parcel',
] as const;
/** Facts that name only units. */
export type SimpleKind = Exclude<(typeof KINDS)[number], 'send' | 'answer' | 'ship' | 'correct_parcel'>;

/** What happened to units of some lines. Units beyond those that there are do not count. */
type Happened =
  | { readonly kind: SimpleKind; readonly lines: readonly Units[]; readonly reason?: string | null }
  | { readonly kind: 'send'; readonly fee_minor: number; readonly lines: readonly Sent[] }
  | Answer
  | Ship
  | ({ readonly kind: 'correct_parcel'; readonly supplier_shipment_id: string } & Carried);
interface Units extends OfLine {
  readonly units: number;
}
interface Sent extends Units {
  /** What the supplier asked for a unit when it was sent. */
  readonly unit_cost_minor: number;
}
interface Answer {
  readonly kind: 'answer';
  readonly accepted_at: string;
  /** Null: not stated. */
  readonly fee_minor: number | null;
  readonly freight_minor: number | null;
  readonly lines: readonly Answered[];
}
interface Answered extends OfLine {
  readonly accepted: number;
  readonly rejected: number;
  readonly reason: string | null;
  readonly unit_cost_minor: number | null;
}
interface Ship extends Carried {
  readonly kind: 'ship';
  readonly supplier_shipment_id: string;
  /** The parcel of the order; null: none of its units were open. */
  readonly shipment_id: string | null;
  readonly lines: readonly Shipped[];
}
interface Carried {
  readonly carrier: string;
  readonly tracking_number: string;
  readonly tracking_url: string | null;
  /** When the supplier said it. */
  readonly told_at: string;
}
interface Shipped extends Units {
  /** Those for which the order had room when the parcel was recorded. */
  readonly taken: number;
}

interface Dated {
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
  /** Orders facts of one instant. */
  readonly fact_id: string;
}
export type Fact = Happened & Dated;
export type ShipFact = Ship & Dated;

export const QUANTITIES = ['queued', 'sent', 'accepted_open', 'shipped', 'returned', 'cancelled'] as const;
type Quantity = (typeof QUANTITIES)[number];
type Quantities = Readonly<Record<Quantity, number>>;

interface Line extends Record<Quantity, number> {
  routed: number;
  /** Units that the supplier has ever accepted. */
  accepted: number;
  /** Returned units that it had accepted before: in the order they are accepted. */
  returned_accepted: number;
  shipped_after_cancel: number;
  /** Units that the seller has taken over. */
  taken_over: number;
  /** Closed units of the order that were with the supplier when the order closed them. */
  closed_open: number;
  acceptances: Acceptance[];
}
export type FoldedLine = Quantities &
  Readonly<Omit<Line, Quantity | 'acceptances'>> & { readonly acceptances: readonly Acceptance[] };

export const newLine = (): Line => ({
  ...{ queued: 0, sent: 0, accepted_open: 0, shipped: 0, returned: 0, cancelled: 0, routed: 0 },
  ...{ accepted: 0, returned_accepted: 0, shipped_after_cancel: 0, taken_over: 0, closed_open: 0 },
  acceptances: [],
});

/** Moves units as far as there are some. @returns the moved units */
function move(line: Line, from: Quantity, to: Quantity, units: number): number {
  const moved = Math.max(0, Math.min(line[from], units));
  line[from] -= moved;
  line[to] += moved;
  return moved;
}

/** The oldest acceptances go first. */
function forget(line: Line, units: number): void {
  let left = units;
  line.acceptances = line.acceptances.flatMap((one) => {
    const gone = Math.min(one.units, left);
    left -= gone;
    return one.units === gone ? [] : [{ ...one, units: one.units - gone }];
  });
}

/**
 * Units without an answer go first: a supplier confirms with this that units which the buyer cancelled will not be
 * sent, and of those the ones without an answer went first, too.
 */
function giveBack(line: Line, units: number): void {
  const sent = move(line, 'sent', 'returned', units);
  const accepted = move(line, 'accepted_open', 'returned', units - sent);
  line.returned_accepted += accepted;
  forget(line, accepted);
}

function cancelWaiting(line: Line, units: number): number {
  const queued = move(line, 'queued', 'cancelled', units);
  return queued + move(line, 'sent', 'cancelled', units - queued);
}

function cancelAccepted(line: Line, units: number): number {
  const accepted = move(line, 'accepted_open', 'cancelled', units);
  forget(line, accepted);
  return accepted;
}

function ship(line: Line, { units, taken }: Shipped, at: string): void {
  const accepted = move(line, 'accepted_open', 'shipped', taken);
  const sent = move(line, 'sent', 'shipped', taken - accepted);
  const returned = move(line, 'returned', 'shipped', taken - accepted - sent);
  line.returned_accepted = Math.min(line.returned_accepted, line.returned);
  // The supplier has sent units that it had not accepted: it has accepted them by that.
  if (sent + returned > 0) line.acceptances.push({ at, units: sent + returned });
  line.shipped_after_cancel += units - accepted - sent - returned;
}

const MOVES: { readonly [K in SimpleKind | 'send']: (line: Line, units: number) => unknown } = {
  route(line, units) {
    line.routed += units;
    line.queued += units;
  },
  send: (line, units) => move(line, 'queued', 'sent', units),
  supplier_cancel: giveBack,
  cancel_accepted(line, units) {
    line.closed_open += cancelAccepted(line, units);
  },
  cancel_waiting(line, units) {
    line.closed_open += cancelWaiting(line, units);
  },
  delivered: (line, units) => cancelAccepted(line, units - cancelWaiting(line, units)),
  take_over(line, units) {
    line.taken_over += move(line, 'queued', 'cancelled', units);
  },
  no_answer: (line, units) => move(line, 'sent', 'returned', units),
  no_time: (line, units) => move(line, 'queued', 'returned', units),
};

function answer(line: Line, { accepted, rejected }: Answered, at: string): void {
  const units = move(line, 'sent', 'accepted_open', accepted);
  line.accepted += units;
  if (units > 0) line.acceptances.push({ at, units });
  move(line, 'sent', 'returned', rejected);
}

function apply(fact: Fact, of: (line: OfLine) => Line): void {
  if (fact.kind === 'correct_parcel') return;
  if (fact.kind === 'answer') for (const one of fact.lines) answer(of(one), one, fact.accepted_at);
  else if (fact.kind === 'ship') for (const one of fact.lines) ship(of(one), one, fact.at);
  else for (const one of fact.lines) MOVES[fact.kind](of(one), one.units);
}

/** What the order says of one of its lines. */
export interface OrderSide {
  readonly order_line_id: string;
  readonly ordered: number;
  /** Units that were rejected or cancelled. */
  readonly closed: number;
}

/**
 * Closes units as the order does: first the seller's own, which wait or are accepted; the units beyond the stock and
 * those that were taken over are the seller's, too.
 */
function close(line: Line, { ordered, closed }: OrderSide): void {
  let left = closed - (ordered - line.routed) - line.taken_over - line.closed_open;
  if (left <= 0) return;
  left -= move(line, 'returned', 'cancelled', Math.min(left, line.returned - line.returned_accepted));
  left -= cancelWaiting(line, left);
  const accepted = move(line, 'returned', 'cancelled', left);
  line.returned_accepted -= accepted;
  cancelAccepted(line, left - accepted);
}

const parcelsLast = ({ kind }: Fact): number => Number(kind === 'ship');
export const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
const inTime = (a: Fact, b: Fact): number =>
  parcelsLast(a) - parcelsLast(b) ||
  compare(a.at, b.at) ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  compare(a.fact_id, b.fact_id);

/**
 * The units of each line after all facts, each of which counts once.
 *
 * @param sides the lines of the order; without them no unit is closed
 */
export function fold(
  facts: readonly Fact[],
  sides: readonly OrderSide[] = [],
): ReadonlyMap<string, FoldedLine> {
  const lines = new Map<string, Line>();
  const of = ({ order_line_id: id }: OfLine): Line => {
    const found = lines.get(id) ?? newLine();
    lines.set(id, found);
    return found;
  };
  const unique = new Map(facts.map((fact) => [fact.fact_id, fact]));
  for (const fact of [...unique.values()].sort(inTime)) apply(fact, of);
  for (const side of sides) {
    const line = lines.get(side.order_line_id);
    if (line !== undefined) close(line, side);
  }
  return lines;
}

export const DROPSHIP_STATUSES = ['queued', 'sent', 'accepted', 'shipped', 'returned', 'cancelled'] as const;
export type DropshipStatus = (typeof DROPSHIP_STATUSES)[number];

/** The first that holds. */
export function statusOf(lines: Iterable<Quantities>): DropshipStatus {
  const sums = { queued: 0, sent: 0, accepted_open: 0, shipped: 0, returned: 0, cancelled: 0 };
  for (const line of lines) for (const name of QUANTITIES) sums[name] += line[name];
  if (sums.queued > 0) return 'queued';
  if (sums.sent > 0) return 'sent';
  if (sums.accepted_open > 0) return 'accepted';
  if (sums.shipped > 0) return 'shipped';
  return sums.returned > 0 ? 'returned' : 'cancelled';
}
