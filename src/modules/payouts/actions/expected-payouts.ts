/** The expected payouts. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { type Minor, minor, minorToJson } from '../../../kernel/money.ts';
import { moneyOf } from '../../reconciliation/index.ts';
import {
  businessDayAfter,
  type CarryReason,
  type HoldReason,
  openSettlements,
  policyOf,
  type SettlementRow,
  type SettlementStatus,
  settlementsWithStatus,
} from '../../settlements/index.ts';
import type { Expectation } from '../domain/expectation.ts';

const OF_STATUS: Readonly<Partial<Record<SettlementStatus, Expectation>>> = {
  processing: 'in_transit',
  ready: 'scheduled',
  on_hold: 'on_hold',
  payment_failed: 'waiting_for_retry',
};

interface Expected {
  readonly state: Expectation;
  readonly amount: Minor;
  readonly reasons: readonly (HoldReason | CarryReason)[];
  readonly on: string | null;
}

/** The payout of a closed settlement, or the payout of an open settlement if it closed now. */
function expectedOf(row: SettlementRow): Expected {
  const amount = minor(row.payout_amount_minor);
  const state = OF_STATUS[row.status];
  if (state !== undefined) return { state, amount, reasons: row.hold_reasons, on: row.expected_payout_on };
  if (amount > 0n)
    return row.hold_reasons.length > 0
      ? { state: 'on_hold', amount, reasons: row.hold_reasons, on: null }
      : { state: 'estimated', amount, reasons: [], on: businessDayAfter(row.period_end) };
  const reason = row.payable_amount_minor < 0n ? 'negative' : 'below_minimum';
  return { state: 'not_expected', amount, reasons: [reason], on: null };
}

/** Payouts in transit, payouts of settlements that are not paid yet, and those of the open settlements. */
export async function expectedPayouts(ctx: SellerCtx) {
  const [closed, open] = await Promise.all([
    settlementsWithStatus(ctx, ['processing', 'ready', 'on_hold', 'payment_failed']),
    openSettlements(ctx, policyOf(ctx)),
  ]);
  return [...closed, ...open.map(({ row }) => row)].map((row) => {
    const { state, amount, reasons, on } = expectedOf(row);
    return {
      settlement_id: row.settlement_id,
      payout_id: row.payout_id,
      period_start: row.period_start,
      period_end: row.period_end,
      ...moneyOf(row.currency),
      amount_minor: minorToJson(amount),
      state,
      reasons: [...reasons],
      expected_on: on,
    };
  });
}
