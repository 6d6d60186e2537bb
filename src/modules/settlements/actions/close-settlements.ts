/** Closes the periods of a seller that are over. Source: docs/design/money.md#settlement-close. */
import {
  closesAt,
  instantsOf,
  type Period,
  type SettlementSchedule,
} from '../../../kernel/australia/settlement-period.ts';
import type { Acting } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { lockLedger, move, postJournals } from '../../ledger/index.ts';
import {
  CALCULATION_VERSION,
  type Figures,
  figuresOf,
  openPeriodOf,
  outcomeOf,
  type SettlementStatus,
  type StatementState,
  settlementIdOf,
} from '../domain/settlement.ts';
import { payoutScheduled, settlementClosed } from '../events.ts';
import { byTypeOf } from '../schemas/settlement.ts';
import { activeHolds, reasonsFor, sellerTerms } from '../store/holds.ts';
import { hashedTotals, insertLines, type LineRange, statementStates } from '../store/lines.ts';
import { addStatusChange, insertSettlement } from '../store/settlements.ts';
import { applyDebt, businessDayAfter, emitSettlement, reasonText } from './move-settlement.ts';

/** The operator's rules; a seller may have a minimum payout of its own. */
export interface SettlementPolicy {
  readonly schedule: SettlementSchedule;
  readonly minimum: Minor;
}

/** A period that was closed; its lines are assigned. */
export interface ClosedSettlement {
  readonly settlement_id: string;
  readonly currency: string;
  /** Inclusive Sydney dates. */
  readonly period_start: string;
  readonly period_end: string;
  /** RFC 3339. */
  readonly closed_at: string;
}

/** What other modules do in the transaction of a close, such as issuing invoices. */
export type OnClosed = (ctx: Acting, closed: ClosedSettlement) => Promise<unknown>;

/** The seller's own minimum payout, else the general one. */
export async function minimumOf(at: SellerDb, { minimum }: SettlementPolicy): Promise<Minor> {
  const own = (await sellerTerms(at))?.min_payout_minor;
  return own == null ? minimum : minor(own);
}

/** Moves the payout out of the statement on the last day of the period. */
async function postPayable(
  ctx: Acting,
  settlementId: string,
  period: Period,
  figures: Figures,
  currency: string,
): Promise<void> {
  if (figures.payout_amount_minor === 0n) return;
  await postJournals(ctx, [
    {
      kind: 'settlement_closed',
      key: `settlement_closed:${settlementId}`,
      currency,
      occurred_at: new Date(Date.parse(instantsOf(period).end_at) - 1).toISOString(),
      actor: ctx.by.kind,
      settlement_id: settlementId,
      legs: move('seller_payable', 'seller_settled', figures.payout_amount_minor),
    },
  ]);
}

async function closePeriod(
  ctx: Acting,
  policy: SettlementPolicy,
  state: StatementState,
  period: Period,
  position: bigint,
): Promise<ClosedSettlement & { readonly status: SettlementStatus }> {
  const { currency, closed_through } = state;
  const settlement_id = settlementIdOf(ctx.seller_id, currency, period.start);
  const range: LineRange = { currency, closed_through, through: period.end };
  const totals = await hashedTotals(ctx, range);
  const minimum = await minimumOf(ctx, policy);
  const figures = figuresOf(state.balance_minor, byTypeOf(totals.by_type), minimum);
  const holds = reasonsFor(settlement_id, await activeHolds(ctx));
  const outcome = outcomeOf(figures, totals.line_count, holds);
  const closed_at = ctx.at();
  const days = { period_start: period.start, period_end: period.end };
  // This is posted before the settlement is stored, because after that its last day is closed for postings.
  await postPayable(ctx, settlement_id, period, figures, currency);
  await insertSettlement(ctx, {
    settlement_id,
    currency,
    ...days,
    ...outcome,
    ...figures,
    ...totals,
    calculation_version: CALCULATION_VERSION,
    ledger_position: position,
    expected_payout_on: outcome.status === 'ready' ? businessDayAfter(period.end) : null,
    paid_on: null,
    payment_reference: null,
    created_at: closed_at,
    closed_at,
    closed_by: ctx.by.kind,
    version: 1,
  });
  const lines = await insertLines(ctx, range, settlement_id);
  if (lines !== totals.line_count)
    throw new Error(`${settlement_id}: ${lines} lines for ${totals.line_count}`);
  const reason = outcome.carry_reason ?? (outcome.status === 'on_hold' ? reasonText(holds) : null);
  const change = { status: outcome.status, at: closed_at, actor: ctx.by.kind, reason };
  await addStatusChange(ctx, settlement_id, change);
  return { settlement_id, currency, ...days, closed_at, status: outcome.status };
}

/**
 * Closes the first period of a currency that is over and not closed: assigns its lines, computes its final figures,
 * and moves the payout out of the statement. It needs a transaction of its own. It locks the seller's ledger until
 * that ends, so concurrent closes run one after the other.
 *
 * @returns undefined when no period is over
 */
export async function closeNext(
  ctx: Acting,
  policy: SettlementPolicy,
  currency: string,
  onClosed: OnClosed,
): Promise<ClosedSettlement | undefined> {
  const position = await lockLedger(ctx);
  const state = (await statementStates(ctx)).find((known) => known.currency === currency);
  if (state === undefined) return undefined;
  const period = openPeriodOf(state, policy.schedule);
  if (closesAt(period) > ctx.now()) return undefined;
  const closed = await closePeriod(ctx, policy, state, period, position);
  await onClosed(ctx, closed);
  // A period without activity is stored only so that the periods have no gap.
  if (closed.status !== 'no_activity') await emitSettlement(ctx, settlementClosed, closed.settlement_id);
  if (closed.status === 'ready') await emitSettlement(ctx, payoutScheduled, closed.settlement_id);
  await applyDebt(ctx, currency);
  return closed;
}
