/** Whether the ledger and the payment provider agree. Source: docs/design/money.md#reconciliation. */
import { lessMinor, type Minor } from '../../../kernel/money.ts';

export const RECONCILIATION_STATUSES = [
  'not_applicable',
  'not_started',
  'pending',
  'matched',
  'discrepancy',
  'stale',
] as const;
type ReconciliationStatus = (typeof RECONCILIATION_STATUSES)[number];

const REASON_CODES = [
  'missing_in_ledger',
  'missing_at_provider',
  'amount_differs',
  'currency_differs',
  'duplicate_at_provider',
  'fee_differs',
  'late_refund_failure',
  'unclassified_type',
  'unknown_payout',
  'transfer_reversed',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

const HOUR_MS = 3_600_000;
/** A provider reports at least once a day; half a day is added as tolerance. */
const STALE_MS = 36 * HOUR_MS;
/** After this time, an amount that only one side has counts as missing on the other side. */
export const WINDOW_MS = 48 * HOUR_MS;

/** The last comparison. */
export interface Check {
  readonly provider: string;
  readonly expected: Minor;
  readonly reported: Minor;
  /** Transferred to the seller's account at the provider and not arrived yet. `expected` is less by it. */
  readonly in_flight: Minor;
  readonly unmatched_count: number;
  readonly reason_codes: readonly ReasonCode[];
  /** The sides that may still report an amount. Until then it is not a difference. */
  readonly awaited_codes: readonly ReasonCode[];
  /** Instants, RFC 3339. */
  readonly data_through: string;
  readonly checked_at: string;
}

/**
 * The status of a comparison.
 *
 * @param now milliseconds
 */
function statusOf(check: Check | undefined, now: number): ReconciliationStatus {
  if (check === undefined) return 'not_started';
  if (check.reason_codes.length > 0) return 'discrepancy';
  if (now - Date.parse(check.data_through) > STALE_MS) return 'stale';
  return check.expected === check.reported && check.unmatched_count === 0 ? 'matched' : 'pending';
}

export const NO_COMPARISON = {
  provider: null,
  provider_data_through: null,
  last_checked_at: null,
  expected_minor: null,
  reported_minor: null,
  in_flight_minor: null,
  difference_minor: null,
  unmatched_count: null,
  reason_codes: [] as readonly ReasonCode[],
  residue: null,
};

export const RECONCILIATION_SCOPES = ['payout', 'settlement', 'account'] as const;
export type Scope = (typeof RECONCILIATION_SCOPES)[number];
/** The label of a difference with several reasons. */
const UNEXPLAINED = 'unexplained_difference';
export const RESIDUE_LABELS = [...REASON_CODES, UNEXPLAINED] as const;
interface Residue {
  readonly label: (typeof RESIDUE_LABELS)[number];
  readonly amount_minor: Minor;
}
export interface ReconciliationFigures {
  readonly status: ReconciliationStatus;
  readonly scope: Scope;
  readonly provider: string | null;
  readonly provider_data_through: string | null;
  readonly last_checked_at: string | null;
  readonly expected_minor: Minor | null;
  readonly reported_minor: Minor | null;
  readonly in_flight_minor: Minor | null;
  readonly difference_minor: Minor | null;
  readonly unmatched_count: number | null;
  readonly reason_codes: readonly ReasonCode[];
  /** The difference with its label; null without one. */
  readonly residue: Residue | null;
}

/** @param codes the reasons, and the sides that may still report */
function residueOf(difference: Minor, codes: readonly ReasonCode[]): Residue | null {
  if (difference === 0n) return null;
  const [first, ...others] = new Set(codes);
  return { label: first === undefined || others.length > 0 ? UNEXPLAINED : first, amount_minor: difference };
}

/** The comparison as the API shows it. Without a comparison it has no figures. */
export function reconciliationOf(scope: Scope, check: Check | undefined, now: number): ReconciliationFigures {
  const status = statusOf(check, now);
  if (check === undefined) return { status, scope, ...NO_COMPARISON };
  const difference = lessMinor(check.expected, check.reported);
  return {
    status,
    scope,
    provider: check.provider,
    provider_data_through: check.data_through,
    last_checked_at: check.checked_at,
    expected_minor: check.expected,
    reported_minor: check.reported,
    in_flight_minor: check.in_flight,
    difference_minor: difference,
    unmatched_count: check.unmatched_count,
    reason_codes: check.reason_codes,
    residue: residueOf(difference, [...check.reason_codes, ...check.awaited_codes]),
  };
}

/**
 * The comparison of a payout, or of the settlement that it pays.
 *
 * @param hasMoved whether its money has left, or may have left. Otherwise there is nothing to compare.
 */
export function payoutReconciliation(
  scope: Scope,
  hasMoved: boolean,
  check: Check | undefined,
  now: number,
): ReconciliationFigures {
  if (check !== undefined || hasMoved) return reconciliationOf(scope, check, now);
  return { status: 'not_applicable', scope, ...NO_COMPARISON };
}
