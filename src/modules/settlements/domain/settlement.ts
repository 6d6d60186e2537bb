/**
 * A settlement: its period, its figures, and its outcome.
 * Source: docs/design/money.md#settlement-close.
 */
import { createHash } from 'node:crypto';
import {
  addDays,
  type Period,
  periodFrom,
  periodOf,
  type SettlementSchedule,
} from '../../../kernel/australia/settlement-period.ts';
import { lessMinor, type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import {
  BUCKETS,
  type Bucket,
  bucketOf,
  type Component,
  componentOf,
  type EntryType,
  isCredit,
} from '../../ledger/domain/entry-types.ts';

export const SETTLEMENT_STATUSES = [
  'open',
  'ready',
  'on_hold',
  'carried_forward',
  'no_activity',
  'processing',
  'paid',
  'payment_failed',
] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/** The states of closed settlements with money to pay and no payout in transit. */
export const UNPAID = ['ready', 'on_hold', 'payment_failed'] as const satisfies readonly SettlementStatus[];

export const HOLD_REASONS = [
  'payout_account_missing',
  'payouts_disabled',
  'kyc_required',
  'risk_review',
  'negative_balance',
  'provider_balance_mismatch',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];
export const CARRY_REASONS = ['below_minimum', 'negative'] as const;
export type CarryReason = (typeof CARRY_REASONS)[number];

/** Must be raised when the rules change so that the same lines give other figures. */
export const CALCULATION_VERSION = 1;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARS = 26;

/**
 * The id of the settlement of a period. It is the same before and after the close.
 *
 * @param start the first Sydney day of the period
 */
export function settlementIdOf(sellerId: string, currency: string, start: string): string {
  const digest = createHash('sha256').update(`${sellerId} ${currency} ${start}`).digest();
  const characters = Array.from({ length: ID_CHARS }, (_, index) => {
    const bit = index * 5;
    const pair = digest.readUInt16BE(bit >> 3);
    return CROCKFORD[(pair >> (11 - (bit & 7))) & 31];
  });
  return `stl_${characters.join('')}`;
}

/** How far a seller's statement in a currency is closed. */
export interface StatementState {
  readonly currency: string;
  /** Last day of the last closed period; null before the first close. */
  readonly closed_through: string | null;
  /** The balance that the last closed period has carried out. */
  readonly balance_minor: Minor;
  /** Day of the first line. */
  readonly first_on: string;
}

/** The first period that is not closed. There are no days between periods after the first line. */
export const openPeriodOf = (
  { closed_through, first_on }: Pick<StatementState, 'closed_through' | 'first_on'>,
  schedule: SettlementSchedule,
): Period =>
  closed_through === null ? periodOf(first_on, schedule) : periodFrom(addDays(closed_through, 1), schedule);

/** Lines of one type: how many, and their sum from the seller's side. */
interface TypeSum {
  readonly lines: number;
  readonly amount_minor: Minor;
}
export type ByType = Readonly<Partial<Record<EntryType, TypeSum>>>;

export const FIGURES = [
  'opening_balance_minor',
  'gross_amount_minor',
  /** Charges are above zero. */
  'fees_minor',
  'adjustments_minor',
  'net_amount_minor',
  'reserve_change_minor',
  'payable_amount_minor',
  'payout_amount_minor',
  'closing_balance_minor',
] as const;
export type Figures = Readonly<Record<(typeof FIGURES)[number], Minor>>;

const ZERO = minor(0);

const sumWhere = (byType: ByType, wanted: (type: EntryType) => boolean): Minor =>
  sumMinor(
    (Object.entries(byType) as [EntryType, TypeSum][])
      .filter(([type]) => wanted(type))
      .map(([, { amount_minor }]) => amount_minor),
  );
const sumOf = (byType: ByType, ...types: EntryType[]): Minor =>
  sumWhere(byType, (type) => types.includes(type));

/** Sums of the buckets from the seller's side. */
export const bucketSums = (byType: ByType): Readonly<Record<Bucket, Minor>> =>
  Object.fromEntries(
    BUCKETS.map((bucket) => [bucket, sumWhere(byType, (type) => bucketOf(type) === bucket)]),
  ) as Record<Bucket, Minor>;

/**
 * The figures of the lines of a period.
 *
 * @param minimum the smallest payout. An amount of zero is never paid.
 */
export function figuresOf(opening: Minor, byType: ByType, minimum: Minor): Figures {
  const { gross, fees: signed, adjustments, reserve } = bucketSums(byType);
  const fees = negated(signed);
  const net = lessMinor(sumMinor([gross, adjustments]), fees);
  const payable = sumMinor([opening, net, reserve]);
  const payout = payable > 0n && payable >= minimum ? payable : ZERO;
  return {
    opening_balance_minor: opening,
    gross_amount_minor: gross,
    fees_minor: fees,
    adjustments_minor: adjustments,
    net_amount_minor: net,
    reserve_change_minor: reserve,
    payable_amount_minor: payable,
    payout_amount_minor: payout,
    closing_balance_minor: lessMinor(payable, payout),
  };
}

interface Outcome {
  readonly status: 'ready' | 'on_hold' | 'carried_forward' | 'no_activity';
  readonly carry_reason: CarryReason | null;
}

/** The status of a period at its close. */
export function outcomeOf(figures: Figures, lineCount: number, holds: readonly HoldReason[]): Outcome {
  if (figures.payout_amount_minor > 0n)
    return { status: holds.length > 0 ? 'on_hold' : 'ready', carry_reason: null };
  if (lineCount === 0 && figures.opening_balance_minor === 0n)
    return { status: 'no_activity', carry_reason: null };
  const negative = figures.payable_amount_minor < 0n;
  return { status: 'carried_forward', carry_reason: negative ? 'negative' : 'below_minimum' };
}

const charged = (byType: ByType, component: Component): Minor =>
  negated(
    sumWhere(
      byType,
      (type) => componentOf(type) === component && bucketOf(type) === 'fees' && !isCredit(type),
    ),
  );

/** The charges of the four components, and the credits of all. `fees_minor` is the charges less the credits. */
export const feeComponentsOf = (byType: ByType) => ({
  platform_fee_minor: charged(byType, 'platform_fee'),
  loyalty_program_fund_minor: charged(byType, 'loyalty_program_fund'),
  seller_order_fee_minor: charged(byType, 'seller_order_fee'),
  payment_processing_minor: charged(byType, 'payment_processing'),
  fee_credits_minor: sumWhere(byType, isCredit),
});

/** Adjustments by kind, from the seller's side. They sum to `adjustments_minor`. */
export const adjustmentComponentsOf = (byType: ByType) => ({
  refunds_minor: sumOf(byType, 'refund', 'refund_reversal'),
  chargebacks_minor: sumOf(byType, 'chargeback', 'chargeback_reversal'),
  manual_adjustments_minor: sumOf(byType, 'manual_adjustment'),
  settlement_corrections_minor: sumOf(byType, 'settlement_correction'),
});
