/** A journal before it is posted: legs that balance, and what the seller sees of them. Debits are above zero. */
import { type Minor, negated, sumMinor } from '../../../kernel/money.ts';
import { type Account, ENTRY_TYPES, type EntryType } from './entry-types.ts';

export const JOURNAL_KINDS = [
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

/** What a seller sees of a leg. */
export interface StatementLine {
  readonly type: EntryType;
  readonly description: string;
  readonly order_line_id?: string | null;
  readonly quantity?: number | null;
  readonly rate_bps?: number | null;
  /** Refund, dispute, adjustment or reserve, as the marketplace named it. */
  readonly related_id?: string | null;
}

export interface Leg {
  readonly account: Account;
  /** Debit above zero, credit below; never zero. */
  readonly amount: Minor;
  readonly line?: StatementLine;
}

export interface NewJournal {
  readonly kind: JournalKind;
  /** Unique for the seller: posting it again returns the existing journal. */
  readonly key: string;
  readonly currency: string;
  /** When it happened, RFC 3339. */
  readonly occurred_at: string;
  readonly actor: string;
  readonly legs: readonly Leg[];
  /** Days until the lines are available, and the first day on which they may be, `YYYY-MM-DD`. */
  readonly hold_days?: number;
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

/**
 * The key of a fact with several names. Different names give different keys, even when names contain blanks.
 */
export const keyOf = (...names: readonly (string | number)[]): string =>
  names.map((name) => escaped(String(name))).join(' ');

/**
 * Moves an amount between two accounts; nothing for an amount of zero.
 *
 * @param amount at least zero; the debit leg has it, the credit leg its negative
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
 * @param amount from the seller's side: above zero it is the seller's gain
 * @param counter the account of the opposite leg, where the type leaves it open
 */
export function statementLegs(amount: Minor, line: StatementLine, counter?: Account): Leg[] {
  if (amount === 0n) return [];
  const other = counter ?? ENTRY_TYPES[line.type].counter;
  if (other === null) throw new RangeError(`${line.type} needs the account behind it`);
  return [
    { account: 'seller_payable', amount: negated(amount), line },
    { account: other, amount },
  ];
}

/** @throws RangeError for legs that do not balance, are fewer than two or move nothing; the database refuses them too */
export function requireBalanced({ key, legs }: NewJournal): void {
  if (legs.length < 2 || legs.some(({ amount }) => amount === 0n))
    throw new RangeError(`journal ${key} has fewer than two legs, or one that moves nothing`);
  if (sumMinor(legs.map(({ amount }) => amount)) !== 0n)
    throw new RangeError(`journal ${key} does not balance`);
}
