/**
 * What the facts of a purchase order make of its lines. The facts alone decide, so that suppliers may tell them in any
 * order. Source: docs/design/wholesale.md#facts.
 */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { lesserMinor, type Minor, minor } from '../../../kernel/money.ts';

interface FactLine {
  readonly line_no: number;
  readonly quantity: number;
}
interface AnsweredLine {
  readonly line_no: number;
  readonly accepted: number;
  readonly declined: number;
  readonly reason: string | null;
  readonly promised_on: string | null;
  readonly pack_price_minor: number | null;
}
interface ReceivedLine {
  readonly line_no: number;
  readonly good: number;
  readonly rejected: number;
}

/** What has happened to an order. */
export type Fact =
  | { readonly kind: 'submitted' }
  | {
      readonly kind: 'answered';
      readonly lines: readonly AnsweredLine[];
      readonly freight_minor: number | null;
    }
  | {
      readonly kind: 'shipped';
      readonly supplier_shipment_id: string;
      readonly lines: readonly FactLine[];
      readonly carrier: string | null;
      readonly tracking_number: string | null;
      readonly shipped_at: string;
      readonly expected_on: string | null;
    }
  | { readonly kind: 'cancelled_by_supplier'; readonly lines: readonly FactLine[]; readonly reason: string }
  | {
      readonly kind: 'cancelled_by_seller';
      /** Cancelled at once. */
      readonly lines: readonly FactLine[];
      /** Confirmed units, of which the supplier decides. */
      readonly requested: readonly FactLine[];
      readonly reason: string;
    }
  | { readonly kind: 'not_answered' }
  | { readonly kind: 'closed'; readonly reason: string }
  | { readonly kind: 'received'; readonly receipt_id: string; readonly lines: readonly ReceivedLine[] }
  | {
      readonly kind: 'reversed';
      readonly receipt_id: string;
      /** The receipt that it takes back. */
      readonly reverses: string;
      readonly reason: string;
    };

export interface TimedFact {
  readonly fact_id: string;
  /** When it happened, RFC 3339 in UTC with milliseconds. */
  readonly happened_at: string;
  readonly fact: Fact;
}

/** An order as it was submitted. */
export interface OrderedPurchase {
  readonly lines: readonly {
    readonly line_no: number;
    readonly ordered: number;
    readonly ordered_price_minor: Minor;
  }[];
  readonly stated_freight_minor: Minor | null;
  readonly freight_cap_minor: Minor | null;
}

/** Units of a line: `ordered = unconfirmed + confirmed + received + cancelled`. */
interface Units {
  readonly unconfirmed: number;
  readonly confirmed: number;
  readonly received: number;
  readonly cancelled: number;
}
interface LineState extends Units {
  readonly shipped: number;
  readonly rejected_at_receipt: number;
  /** The day of the latest promise, YYYY-MM-DD. */
  readonly promised_on: string | null;
  readonly pack_price_minor: Minor;
  /** The Sydney day of the first receipt of good units that stands. */
  readonly received_from: string | null;
}
export interface PurchaseState {
  readonly lines: ReadonlyMap<number, LineState>;
  readonly freight_minor: Minor | null;
  /** When the supplier owed no unit any more, whatever was received; null: it still does. */
  readonly over_at: string | null;
}

type Line = { -readonly [K in keyof LineState]: LineState[K] };
type Bucket = keyof Units;

/** Moves at most `units` from the first buckets that have some. @returns the moved units */
function move(line: Line, units: number, from: readonly Bucket[], to: Bucket): number {
  let left = units;
  for (const bucket of from) {
    const moved = Math.min(left, line[bucket]);
    line[bucket] -= moved;
    line[to] += moved;
    left -= moved;
  }
  return units - left;
}

const OWED = ['confirmed', 'unconfirmed'] as const;
const later = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a;

function answer(line: Line, said: AnsweredLine): void {
  // An answer about units that are gone changes nothing, so that its place among the facts does not matter.
  if (line.unconfirmed + line.confirmed === 0) return;
  const accepted = move(line, said.accepted, ['unconfirmed'], 'confirmed');
  move(line, said.declined, ['unconfirmed'], 'cancelled');
  // An answer without units only moves the day of those that are confirmed.
  if (accepted > 0 || said.accepted + said.declined === 0)
    line.promised_on = later(line.promised_on, said.promised_on);
  if (said.pack_price_minor !== null)
    line.pack_price_minor = lesserMinor(line.pack_price_minor, minor(said.pack_price_minor));
}

/** A supplier may repeat itself under other names; the count stays a number that the table can hold. */
const SHIPPED_MAX = 1_000_000_000;

function ship(line: Line, quantity: number): void {
  if (line.unconfirmed + line.confirmed === 0) return;
  line.shipped = Math.min(line.shipped + quantity, SHIPPED_MAX);
  // A supplier that ships has accepted.
  move(line, Math.max(0, line.shipped - line.confirmed), ['unconfirmed'], 'confirmed');
}

/** What a fact, other than a receipt, does with the lines that it names, or with all. */
function applyTo(lines: ReadonlyMap<number, Line>, fact: Fact): void {
  const each = <T extends { readonly line_no: number }>(
    said: readonly T[],
    run: (line: Line, one: T) => void,
  ) => {
    for (const one of said) {
      const line = lines.get(one.line_no);
      if (line !== undefined) run(line, one);
    }
  };
  const all = (from: readonly Bucket[]) => {
    for (const line of lines.values()) move(line, Number.MAX_SAFE_INTEGER, from, 'cancelled');
  };
  if (fact.kind === 'answered') each(fact.lines, answer);
  else if (fact.kind === 'shipped') each(fact.lines, (line, { quantity }) => ship(line, quantity));
  else if (fact.kind === 'cancelled_by_supplier')
    each(fact.lines, (line, { quantity }) => move(line, quantity, OWED, 'cancelled'));
  else if (fact.kind === 'cancelled_by_seller')
    each(fact.lines, (line, { quantity }) => move(line, quantity, ['unconfirmed'], 'cancelled'));
  else if (fact.kind === 'not_answered') all(['unconfirmed']);
  else if (fact.kind === 'closed') all(OWED);
}

/** Receipts come last: what has arrived is never taken back by a decline or a cancellation. */
function receive(lines: ReadonlyMap<number, Line>, facts: readonly TimedFact[]): void {
  const reversed = new Set(facts.flatMap(({ fact }) => (fact.kind === 'reversed' ? [fact.reverses] : [])));
  for (const { happened_at, fact } of facts) {
    if (fact.kind !== 'received' || reversed.has(fact.receipt_id)) continue;
    const day = sydneyDate(Date.parse(happened_at));
    for (const { line_no, good, rejected } of fact.lines) {
      const line = lines.get(line_no);
      if (line === undefined) continue;
      move(line, good, ['confirmed', 'unconfirmed', 'cancelled'], 'received');
      line.rejected_at_receipt += rejected;
      if (good > 0 && (line.received_from === null || day < line.received_from)) line.received_from = day;
    }
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The lines of a submitted order after its facts, whatever the order in which they are given. */
export function derivePurchase(order: OrderedPurchase, facts: readonly TimedFact[]): PurchaseState {
  const lines = new Map(
    order.lines.map(({ line_no, ordered, ordered_price_minor }): [number, Line] => [
      line_no,
      {
        ...{ unconfirmed: ordered, confirmed: 0, received: 0, cancelled: 0, shipped: 0 },
        ...{ rejected_at_receipt: 0, promised_on: null, received_from: null },
        pack_price_minor: ordered_price_minor,
      },
    ]),
  );
  const sorted = [...facts].sort(
    (a, b) => compare(a.happened_at, b.happened_at) || compare(a.fact_id, b.fact_id),
  );
  let freight_minor = order.stated_freight_minor;
  let over_at: string | null = null;
  for (const { happened_at, fact } of sorted) {
    if (over_at !== null) break;
    if (fact.kind === 'answered' && fact.freight_minor !== null) freight_minor ??= minor(fact.freight_minor);
    applyTo(lines, fact);
    if ([...lines.values()].every((line) => line.unconfirmed + line.confirmed === 0)) over_at = happened_at;
  }
  receive(lines, sorted);
  return { lines, freight_minor, over_at };
}

export type PurchaseStatus =
  | 'draft'
  | 'submitted'
  | 'confirmed'
  | 'partially_received'
  | 'received'
  | 'cancelled';

/** Units that the supplier still owes. */
export const outstanding = ({ unconfirmed, confirmed }: Pick<Units, 'unconfirmed' | 'confirmed'>): number =>
  unconfirmed + confirmed;

/** The status of a submitted order. */
export function statusOf(lines: readonly Units[]): PurchaseStatus {
  const sum = (count: (line: Units) => number) => lines.reduce((total, line) => total + count(line), 0);
  const received = sum((line) => line.received);
  if (sum(outstanding) === 0) return received > 0 ? 'received' : 'cancelled';
  if (received > 0) return 'partially_received';
  return sum((line) => line.confirmed) > 0 ? 'confirmed' : 'submitted';
}
