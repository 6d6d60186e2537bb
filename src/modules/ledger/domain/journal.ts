/** A journal before it is posted: its legs, which must balance, and the lines that the seller sees. */
import { type Minor, negated, sumMinor } from '../../../kernel/money.ts';
import { type Account, ENTRY_TYPES, type EntryType } from './entry-types.ts';

const JOURNAL_KINDS = [
  'order_captured',
  'order_released',
  'order_delivered',
  'refund_created',
  'refund_confirmed',
  'refund_failed',
  'chargeback_opened',
  'chargeback_lost',
  'chargeback_won',
  'adjustment_recorded',
  'reserve_held',
  'reserve_released',
  'settlement_closed',
  'payout_sent',
  'payout_paid',
  'payout_failed',
  'payout_returned',
] as const;
export type JournalKind = (typeof JOURNAL_KINDS)[number];

/** The line of the seller's statement that shows a leg. */
export interface StatementLine {
  readonly type: EntryType;
  readonly description: string;
  readonly order_line_id?: string | null;
  readonly quantity?: number | null;
  readonly rate_bps?: number | null;
  /** The marketplace's id of the refund, dispute, adjustment or reserve. */
  readonly related_id?: string | null;
}

export interface Leg {
  readonly account: Account;
  /** Above zero for a debit, below zero for a credit. */
  readonly amount: Minor;
  readonly line?: StatementLine;
}

export interface NewJournal {
  readonly kind: JournalKind;
  /** Unique for the seller. A second journal with the same key is not posted; the first one is returned. */
  readonly key: string;
  readonly currency: string;
  /** When it happened, RFC 3339. */
  readonly occurred_at: string;
  readonly actor: string;
  readonly legs: readonly Leg[];
  /** The number of days until the lines are available. */
  readonly hold_days?: number;
  /** The lines are not available before this day, `YYYY-MM-DD`. */
  readonly not_before?: string | null;
  readonly order_id?: string | null;
  readonly refund_id?: string | null;
  readonly dispute_id?: string | null;
  readonly settlement_id?: string | null;
  readonly payout_id?: string | null;
  readonly reverses_journal_id?: string | null;
  readonly reason_code?: string | null;
  readonly source_event_id?: string | null;
}

const escaped = (name: string): string => name.replaceAll('%', '%25').replaceAll(' ', '%20');

/** Joins names to a key. Different names give different keys, even if the names contain blanks. */
export const keyOf = (...names: readonly (string | number)[]): string =>
  names.map((name) => escaped(String(name))).join(' ');

/**
 * Moves an amount between two accounts; nothing for an amount of zero.
 *
 * @param amount at least zero
 */
export function move(debit: Account, credit: Account, amount: Minor): Leg[] {
  if (amount === 0n) return [];
  return [
    { account: debit, amount },
    { account: credit, amount: negated(amount) },
  ];
}

/**
 * One line of the seller's statement with the opposite leg; nothing for an amount of zero.
 *
 * @param amount above zero if the seller gains it
 * @param counter the account of the opposite leg; needed if the type of the line does not fix it
 */
export function statementLegs(amount: Minor, line: StatementLine, counter?: Account): Leg[] {
  if (amount === 0n) return [];
  const other = counter ?? ENTRY_TYPES[line.type].counter;
  if (other === null) throw new RangeError(`${line.type} needs the account of its opposite leg`);
  return [
    { account: 'seller_payable', amount: negated(amount), line },
    { account: other, amount },
  ];
}

/** @throws RangeError for fewer than two legs, a leg of zero, or legs that do not balance; the database checks it too */
export function requireBalanced({ key, legs }: NewJournal): void {
  if (legs.length < 2 || legs.some(({ amount }) => amount === 0n))
    throw new RangeError(`journal ${key} has fewer than two legs, or a leg of zero`);
  if (sumMinor(legs.map(({ amount }) => amount)) !== 0n)
    throw new RangeError(`journal ${key} does not balance`);
}
