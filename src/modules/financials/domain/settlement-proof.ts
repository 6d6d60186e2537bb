/** Whether a closed settlement adds up, and where the smallest part stands that does not. */
import { lessMinor, type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { bucketOf, type EntryType } from './entry-types.ts';
import { type ByType, bucketSums, type Figures, figuresOf } from './settlement.ts';

export interface Check {
  readonly name: string;
  readonly expected_minor: Minor;
  readonly actual_minor: Minor;
}

export const PROOF_LEVELS = ['journal', 'type', 'lines', 'settlement', 'payout'] as const;
export interface Failure {
  /** From the smallest part to the largest. */
  readonly level: (typeof PROOF_LEVELS)[number];
  /** Journal, type, or the check that failed. */
  readonly id: string;
  readonly expected_minor: Minor | null;
  readonly actual_minor: Minor | null;
}

export interface ProofInput {
  /** As they were closed. */
  readonly figures: Figures;
  readonly by_type: ByType;
  readonly lines_sha256: string;
  /** As its lines say now. */
  readonly found: { readonly by_type: ByType; readonly lines_sha256: string };
  readonly carried_in: Minor;
  readonly posted_payout: Minor;
  /** Of the attempt that counts; undefined without any. */
  readonly payout: Minor | undefined;
  readonly unbalanced: { readonly journal_id: string; readonly amount: Minor } | undefined;
}

const NOTHING = minor(0);

/** Each figure as it stands against what it is made of. */
export function checksOf({ figures, found, carried_in, posted_payout, payout }: ProofInput): Check[] {
  const now = bucketSums(found.by_type);
  // Whatever is left to be paid or carried: the smallest payout has been decided.
  const made = figuresOf(figures.opening_balance_minor, found.by_type, NOTHING);
  const check = (name: string, expected_minor: Minor, actual_minor: Minor): Check => ({
    name,
    expected_minor,
    actual_minor,
  });
  return [
    check('opening_balance', carried_in, figures.opening_balance_minor),
    check('gross', made.gross_amount_minor, figures.gross_amount_minor),
    check('fees', made.fees_minor, figures.fees_minor),
    check('adjustments', made.adjustments_minor, figures.adjustments_minor),
    check('net', made.net_amount_minor, figures.net_amount_minor),
    check('reserve', now.reserve, figures.reserve_change_minor),
    check('payable', made.payable_amount_minor, figures.payable_amount_minor),
    check(
      'closing_balance',
      lessMinor(figures.payable_amount_minor, figures.payout_amount_minor),
      figures.closing_balance_minor,
    ),
    check('ledger_payout', figures.payout_amount_minor, posted_payout),
    ...(payout === undefined ? [] : [check('payout', figures.payout_amount_minor, payout)]),
    // opening + every line − payout − closing: the statement is closed.
    check(
      'statement',
      NOTHING,
      lessMinor(
        sumMinor([figures.opening_balance_minor, now.gross, now.fees, now.adjustments, now.reserve]),
        figures.payout_amount_minor,
        figures.closing_balance_minor,
      ),
    ),
  ];
}

/** The smallest part that does not add up: a journal, else the lines of a type, else all of them, else a figure. */
export function failureOf(input: ProofInput, checks: readonly Check[]): Failure | null {
  const { unbalanced, by_type, found } = input;
  if (unbalanced !== undefined)
    return {
      level: 'journal',
      id: unbalanced.journal_id,
      expected_minor: NOTHING,
      actual_minor: unbalanced.amount,
    };
  const types = [...new Set([...Object.keys(by_type), ...Object.keys(found.by_type)])] as EntryType[];
  for (const type of types.sort((a, b) => (bucketOf(a) + a < bucketOf(b) + b ? -1 : 1))) {
    const [was, is] = [by_type[type], found.by_type[type]];
    if (was?.amount_minor !== is?.amount_minor || was?.lines !== is?.lines)
      return {
        level: 'type',
        id: type,
        expected_minor: was?.amount_minor ?? NOTHING,
        actual_minor: is?.amount_minor ?? NOTHING,
      };
  }
  if (input.lines_sha256 !== found.lines_sha256)
    return { level: 'lines', id: 'lines_sha256', expected_minor: null, actual_minor: null };
  const wrong = checks.find(({ expected_minor, actual_minor }) => expected_minor !== actual_minor);
  if (wrong === undefined) return null;
  const { name, expected_minor, actual_minor } = wrong;
  return { level: name === 'payout' ? 'payout' : 'settlement', id: name, expected_minor, actual_minor };
}
