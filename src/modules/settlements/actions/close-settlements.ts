/** Closes the period of a seller that is over. Source: docs/design/money.md#settlement-close. */

import {
  closesAt,
  instantsOf,
  type Period,
  type SettlementSchedule,
} from '../../../kernel/australia/settlement-period.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { holdLedger, move, postJournals } from '../../ledger/index.ts';
import {
  CALCULATION_VERSION,
  type Figures,
  figuresOf,
  type HoldReason,
  openPeriodOf,
  outcomeOf,
  type StatementState,
  settlementIdOf,
} from '../domain/settlement.ts';
import { byTypeOf } from '../schemas/settlement.ts';
import { ALL_SETTLEMENTS, activeHolds, ownMinimum } from '../store/holds.ts';
import { hashedTotals, insertLines, type LineRange, statementStates } from '../store/lines.ts';
import { addStatusChange, insertSettlement } from '../store/settlements.ts';
import {
  businessDayAfter,
  followDebt,
  nowOf,
  reasonText,
  type SettlementCtx,
  tellSettlement,
} from './move-settlement.ts';

/** What the operator has set; a seller may have a smallest payout of its own. */
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
export type OnClosed = (ctx: CloseCtx, closed: ClosedSettlement) => Promise<unknown>;
export type CloseCtx = SettlementCtx & Pick<Services, 'config' | 'jobs'>;

/** The seller's own smallest payout, else the general one. */
export async function minimumOf(
  { db, sellerId }: Pick<SettlementCtx, 'db' | 'sellerId'>,
  { minimum }: SettlementPolicy,
): Promise<Minor> {
  const own = await ownMinimum(db, sellerId);
  return own == null ? minimum : minor(own);
}

async function holdsOf({ db, sellerId }: SettlementCtx, settlementId: string): Promise<HoldReason[]> {
  const holds = await activeHolds(db, sellerId);
  const own = holds.filter(({ settlement_id }) => [ALL_SETTLEMENTS, settlementId].includes(settlement_id));
  return [...new Set(own.map(({ reason }) => reason))].sort();
}

/** What is paid leaves the statement on the last day of the period, so that the balance of that day is without it. */
async function postPayable(
  ctx: SettlementCtx,
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
      actor: ctx.actor,
      settlement_id: settlementId,
      legs: move('seller_payable', 'seller_settled', figures.payout_amount_minor),
    },
  ]);
}

async function closePeriod(
  ctx: SettlementCtx,
  policy: SettlementPolicy,
  state: StatementState,
  period: Period,
  position: bigint,
): Promise<ClosedSettlement & { readonly empty: boolean }> {
  const { db, sellerId, actor } = ctx;
  const { currency, closed_through } = state;
  const settlement_id = settlementIdOf(sellerId, currency, period.start);
  const range: LineRange = { currency, closed_through, through: period.end };
  const { lines_sha256, ...totals } = await hashedTotals(db, sellerId, range);
  const minimum = await minimumOf(ctx, policy);
  const figures = figuresOf(minor(state.balance_minor), byTypeOf(totals.by_type), minimum);
  const holds = await holdsOf(ctx, settlement_id);
  const outcome = outcomeOf(figures, totals.line_count, holds);
  const closed_at = nowOf(ctx);
  // Before the settlement stands: its own day would count as closed.
  await postPayable(ctx, settlement_id, period, figures, currency);
  await insertSettlement(db, sellerId, {
    settlement_id,
    currency,
    period_start: period.start,
    period_end: period.end,
    ...outcome,
    ...figures,
    ...totals,
    lines_sha256: lines_sha256 ?? '',
    calculation_version: CALCULATION_VERSION,
    ledger_position: position,
    expected_payout_on: outcome.status === 'ready' ? businessDayAfter(period.end) : null,
    closed_at,
    closed_by: actor,
  });
  const lines = await insertLines(db, sellerId, range, settlement_id);
  if (lines !== totals.line_count)
    throw new Error(`${settlement_id}: ${lines} lines for ${totals.line_count}`);
  const reason = outcome.carry_reason ?? (outcome.status === 'on_hold' ? reasonText(holds) : null);
  await addStatusChange(db, sellerId, settlement_id, {
    status: outcome.status,
    at: closed_at,
    actor,
    reason,
  });
  const empty = outcome.status === 'no_activity';
  return { settlement_id, currency, period_start: period.start, period_end: period.end, closed_at, empty };
}

/**
 * Closes the first period of a currency that is over and not closed: gives it its lines, computes its figures once
 * and for all, and takes what is paid out of the statement. To be called in a transaction of its own; holds the
 * seller's ledger until that ends, so that two who close do it one after the other.
 *
 * @returns undefined when no period is over
 */
export async function closeNext(
  ctx: CloseCtx,
  policy: SettlementPolicy,
  currency: string,
  onClosed: OnClosed,
): Promise<ClosedSettlement | undefined> {
  const { db, sellerId } = ctx;
  const position = await holdLedger(db, sellerId);
  const state = (await statementStates(db, sellerId)).find((known) => known.currency === currency);
  if (state === undefined) return undefined;
  const period = openPeriodOf(state, policy.schedule);
  if (closesAt(period) > ctx.now()) return undefined;
  const closed = await closePeriod(ctx, policy, state, period, position);
  await onClosed(ctx, closed);
  // Periods without anything stand for the sake of those around them.
  if (!closed.empty) await tellSettlement(ctx, 'settlement.closed', closed.settlement_id);
  await followDebt(ctx, currency);
  return closed;
}
