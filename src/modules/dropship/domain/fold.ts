/**
 * A dropship order is what its facts say. Facts are only added, and in any order: the fold sorts them by when they
 * happened, so the same facts end in the same units. Parcels come last, because goods that were sent were sent.
 * Source: docs/design/supply.md#dropship-orders.
 */
import type { Acceptance } from './mirror.ts';

interface OfLine {
  readonly order_line_id: string;
}
/** Moves of units, in the order in which facts of one instant count. */
const KINDS = [
  'route',
  'send',
  'answer',
  'supplier_cancel',
  'order_cancel',
  'take_over',
  'no_answer',
  'no_time',
  'ship',
] as const;
/** What happened to units of some lines. Units beyond those that there are do not count. */
type Happened =
  | { readonly kind: Exclude<(typeof KINDS)[number], 'answer' | 'ship'>; readonly lines: readonly Units[] }
  | { readonly kind: 'answer'; readonly accepted_at: string; readonly lines: readonly Answered[] }
  | { readonly kind: 'ship'; readonly lines: readonly Shipped[] };
interface Units extends OfLine {
  readonly units: number;
}
interface Answered extends OfLine {
  readonly accepted: number;
  readonly rejected: number;
}
interface Shipped extends Units {
  /** Those for which the order had room when the parcel was recorded. */
  readonly taken: number;
}

export type Fact = Happened & {
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
  /** Orders facts of one instant. */
  readonly fact_id: string;
};

export const QUANTITIES = ['queued', 'sent', 'accepted_open', 'shipped', 'returned', 'cancelled'] as const;
type Quantity = (typeof QUANTITIES)[number];
export type Quantities = Readonly<Record<Quantity, number>>;

interface Line extends Record<Quantity, number> {
  routed: number;
  /** Units that the supplier has ever accepted. */
  accepted: number;
  /** Returned units that it had accepted before: in the order they are accepted. */
  returned_accepted: number;
  shipped_after_cancel: number;
  acceptances: Acceptance[];
}
export type FoldedLine = Quantities &
  Readonly<Pick<Line, 'routed' | 'accepted' | 'returned_accepted' | 'shipped_after_cancel'>> & {
    readonly acceptances: readonly Acceptance[];
  };

const newLine = (): Line => ({
  ...{ queued: 0, sent: 0, accepted_open: 0, shipped: 0, returned: 0, cancelled: 0, routed: 0 },
  ...{ accepted: 0, returned_accepted: 0, shipped_after_cancel: 0, acceptances: [] },
});

/** Moves units as far as there are some. @returns the moved units */
function move(line: Line, from: Quantity, to: Quantity, units: number): number {
  const moved = Math.min(line[from], units);
  line[from] -= moved;
  line[to] += moved;
  return moved;
}

/** Forgets acceptances, the oldest first: newer ones may not be in the supplier's count yet. */
function forget(line: Line, units: number): void {
  let left = units;
  line.acceptances = line.acceptances.flatMap((one) => {
    const gone = Math.min(one.units, left);
    left -= gone;
    return one.units === gone ? [] : [{ ...one, units: one.units - gone }];
  });
}

function giveBack(line: Line, units: number): void {
  const accepted = move(line, 'accepted_open', 'returned', units);
  line.returned_accepted += accepted;
  forget(line, accepted);
  move(line, 'sent', 'returned', units - accepted);
}

function cancel(line: Line, units: number): void {
  const queued = move(line, 'queued', 'cancelled', units);
  const sent = move(line, 'sent', 'cancelled', units - queued);
  forget(line, move(line, 'accepted_open', 'cancelled', units - queued - sent));
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

type Moves = {
  readonly [K in Exclude<Happened['kind'], 'answer' | 'ship'>]: (line: Line, units: number) => unknown;
};
const MOVES: Moves = {
  route(line, units) {
    line.routed += units;
    line.queued += units;
  },
  send: (line, units) => move(line, 'queued', 'sent', units),
  supplier_cancel: giveBack,
  order_cancel: cancel,
  take_over: (line, units) => move(line, 'queued', 'cancelled', units),
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
  if (fact.kind === 'answer') for (const one of fact.lines) answer(of(one), one, fact.accepted_at);
  else if (fact.kind === 'ship') for (const one of fact.lines) ship(of(one), one, fact.at);
  else for (const one of fact.lines) MOVES[fact.kind](of(one), one.units);
}

const parcelsLast = ({ kind }: Fact): number => Number(kind === 'ship');
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
const inTime = (a: Fact, b: Fact): number =>
  parcelsLast(a) - parcelsLast(b) ||
  compare(a.at, b.at) ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  compare(a.fact_id, b.fact_id);

/** The units of each line after all facts, each of which counts once. */
export function fold(facts: readonly Fact[]): ReadonlyMap<string, FoldedLine> {
  const lines = new Map<string, Line>();
  const of = ({ order_line_id: id }: OfLine): Line => {
    const found = lines.get(id) ?? newLine();
    lines.set(id, found);
    return found;
  };
  const unique = new Map(facts.map((fact) => [fact.fact_id, fact]));
  for (const fact of [...unique.values()].sort(inTime)) apply(fact, of);
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
