/** Whether a closed settlement adds up, and the smallest part that does not. */
import { lessMinor, type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { bucketOf, type EntryType } from '../../ledger/domain/entry-types.ts';
import type { PayoutStatus } from './payout-status.ts';
import { type ByType, bucketSums, type Figures, figuresOf } from './settlement.ts';

interface Check {
  readonly name: string;
  /** The payout that is checked; null if the check is about the settlement itself. */
  readonly subject_id: string | null;
  readonly expected_minor: Minor;
  readonly actual_minor: Minor;
}

/** From the smallest part to the largest. */
export const PROOF_LEVELS = ['entry', 'journal', 'type', 'lines', 'settlement', 'payout'] as const;
export const PROOF_PROBLEMS = ['changed', 'added', 'missing', 'unbalanced', 'differs'] as const;

/** A line that differs from what was settled. */
interface Suspect {
  readonly entry_id: string;
  readonly problem: 'changed' | 'added' | 'missing';
  readonly order_id: string | null;
  readonly row_no: number | null;
  readonly type: string | null;
  /** The amount that the ledger has now, from the seller's side; null if the entry is missing. */
  readonly amount: Minor | null;
  /** The number of such lines. */
  readonly count: number;
}

interface Failure {
  readonly level: (typeof PROOF_LEVELS)[number];
  /** Entry, journal, type, payout, or the check that failed. */
  readonly id: string;
  readonly problem: (typeof PROOF_PROBLEMS)[number];
  readonly order_id: string | null;
  readonly row_no: number | null;
  readonly failing_count: number;
  readonly expected_minor: Minor | null;
  readonly actual_minor: Minor | null;
}

/** An attempt to pay, and its balances in the ledger. */
interface ProvedPayout {
  readonly payout_id: string;
  readonly status: PayoutStatus;
  readonly amount: Minor;
  /** The amounts in transit, and taken from the provider. */
  readonly in_transit: Minor;
  readonly paid: Minor;
}

export interface ProofInput {
  /** The figures at the close. */
  readonly figures: Figures;
  readonly by_type: ByType;
  readonly lines_sha256: string;
  /** The figures of its lines now. */
  readonly found: { readonly by_type: ByType; readonly lines_sha256: string };
  readonly carried_in: Minor;
  readonly posted_payout: Minor;
  /** All attempts, the oldest first. */
  readonly payouts: readonly ProvedPayout[];
  readonly suspect: Suspect | undefined;
  readonly unbalanced: { readonly journal_id: string; readonly amount: Minor } | undefined;
}

const ZERO = minor(0);
const check = (
  name: string,
  expected_minor: Minor,
  actual_minor: Minor,
  subject_id: string | null = null,
): Check => ({ name, subject_id, expected_minor, actual_minor });

/** Checks that a payout has the whole amount of its settlement, on the account that belongs to its state. */
function payoutChecks(whole: Minor, { payout_id, status, amount, in_transit, paid }: ProvedPayout): Check[] {
  const when = (state: PayoutStatus): Minor => (status === state ? whole : ZERO);
  return [
    check('payout_amount', whole, amount, payout_id),
    check('payout_in_transit', when('in_transit'), in_transit, payout_id),
    check('payout_paid', when('paid'), paid, payout_id),
  ];
}

/** Compares each figure with the sum of its parts. */
export function checksOf({ figures, found, carried_in, posted_payout, payouts }: ProofInput): Check[] {
  const now = bucketSums(found.by_type);
  // The minimum payout is not checked, because it was applied at the close.
  const made = figuresOf(figures.opening_balance_minor, found.by_type, ZERO);
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
    // opening + all lines − payout − closing must be zero.
    check(
      'statement',
      ZERO,
      lessMinor(
        sumMinor([figures.opening_balance_minor, now.gross, now.fees, now.adjustments, now.reserve]),
        figures.payout_amount_minor,
        figures.closing_balance_minor,
      ),
    ),
    ...payouts.flatMap((payout) => payoutChecks(figures.payout_amount_minor, payout)),
  ];
}

const failure = (
  level: Failure['level'],
  id: string,
  problem: Failure['problem'],
  expected_minor: Minor | null,
  actual_minor: Minor | null,
  failing_count = 1,
): Failure => ({
  level,
  id,
  problem,
  order_id: null,
  row_no: null,
  failing_count,
  expected_minor,
  actual_minor,
});

/** The earlier amount of a changed line, from the sums of its type. It is known only if no other line has changed. */
function wasAmount({ by_type, found }: ProofInput, suspect: Suspect): Minor | null {
  const { type, amount, problem, count } = suspect;
  if (problem === 'added') return ZERO;
  if (problem === 'missing') return amount;
  if (type === null || count > 1) return null;
  const [was, is] = [by_type, found.by_type].map((sums) => sums[type as EntryType]);
  if (was === undefined || was.lines !== is?.lines) return null;
  return sumMinor([amount ?? ZERO, lessMinor(was.amount_minor, is.amount_minor)]);
}

function entryFailure(input: ProofInput, suspect: Suspect): Failure {
  const { entry_id, problem, count, amount, order_id, row_no } = suspect;
  const now = problem === 'missing' ? ZERO : amount;
  return {
    ...failure('entry', entry_id, problem, wasAmount(input, suspect), now, count),
    order_id,
    row_no,
  };
}

function typeFailure({ by_type, found }: ProofInput): Failure | null {
  const types = [...new Set([...Object.keys(by_type), ...Object.keys(found.by_type)])] as EntryType[];
  const wrong = types
    .sort((a, b) => (bucketOf(a) + a < bucketOf(b) + b ? -1 : 1))
    .filter((type) => {
      const [was, is] = [by_type[type], found.by_type[type]];
      return was?.amount_minor !== is?.amount_minor || was?.lines !== is?.lines;
    });
  const [type] = wrong;
  if (type === undefined) return null;
  const expected = by_type[type]?.amount_minor ?? ZERO;
  const actual = found.by_type[type]?.amount_minor ?? ZERO;
  return failure('type', type, 'differs', expected, actual, wrong.length);
}

/** The smallest part that does not add up: an entry, a journal, a type, a figure of the settlement, or a payout. */
export function failureOf(input: ProofInput, checks: readonly Check[]): Failure | null {
  const { unbalanced, suspect, lines_sha256, found } = input;
  if (suspect !== undefined) return entryFailure(input, suspect);
  if (unbalanced !== undefined)
    return failure('journal', unbalanced.journal_id, 'unbalanced', ZERO, unbalanced.amount);
  const ofType = typeFailure(input);
  if (ofType !== null) return ofType;
  if (lines_sha256 !== found.lines_sha256) return failure('lines', 'lines_sha256', 'differs', null, null);
  const wrong = checks.filter(({ expected_minor, actual_minor }) => expected_minor !== actual_minor);
  const [first] = wrong;
  if (first === undefined) return null;
  const { name, subject_id, expected_minor, actual_minor } = first;
  const level = subject_id === null ? 'settlement' : 'payout';
  const id = subject_id ?? name;
  return failure(level, id, 'differs', expected_minor, actual_minor, wrong.length);
}
