/**
 * Attempts to pay by a provider that sends by itself. An attempt is written before the provider is asked, with a key
 * that it keeps: asked again after a crash, the provider answers with the same payout.
 */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { lockLedger } from '../../ledger/index.ts';
import {
  applyHolds,
  businessDayAfter,
  findSettlement,
  moveSettlement,
  settlementMachine,
  writeHold,
} from '../../settlements/index.ts';
import { addPayoutChange, findPayout, lastPayoutOf, type PayoutRow, writePayout } from '../store/payouts.ts';
import { newPayout, type PayoutReport, updatePayout } from './update-payout.ts';

/** Attempts of a settlement that the service makes by itself: the first one and three more. */
const ATTEMPTS_MAX = 4;

/**
 * Begins the next attempt of a settlement that is due, in a transaction of its own.
 *
 * @returns undefined when the settlement is not due, or no longer: held, paid, or being paid
 */
export async function beginAttempt(
  ctx: Acting,
  settlementId: string,
  provider: string,
): Promise<string | undefined> {
  await lockLedger(ctx);
  const settlement = await findSettlement(ctx, settlementId);
  if (settlement === undefined || !settlementMachine.allows('send', settlement.status)) return undefined;
  const { expected_payout_on } = settlement;
  if (expected_payout_on === null || expected_payout_on > sydneyDate(ctx.now())) return undefined;
  const payout = newPayout(ctx, settlement, await lastPayoutOf(ctx, settlementId), provider);
  await writePayout(ctx, payout);
  const change = { status: 'pending', at: ctx.at(), actor: ctx.by.kind, reason: null, source_event_id: null };
  await addPayoutChange(ctx, payout.payout_id, change);
  await moveSettlement(ctx, settlement, 'send', { status: 'processing' });
  return payout.payout_id;
}

/** The key under which the provider knows an attempt. */
export const attemptKey = ({
  settlement_id,
  attempt,
}: Pick<PayoutRow, 'settlement_id' | 'attempt'>): string => `${settlement_id}-${attempt}`;

/** Why a provider does not pay. */
export type PayoutRefusal =
  /** Another day may succeed. */
  | 'try_again'
  /** This account cannot be paid. */
  | 'account'
  /** The provider has less than we owe: a person must check before anything is paid. */
  | 'balance';

export interface ProviderReport extends Omit<PayoutReport, 'provider' | 'retry_on'> {
  /** Of a failure. */
  readonly refusal?: PayoutRefusal;
}

/**
 * Applies what the provider reports of a payout, in a transaction of its own.
 *
 * @returns false when the report is known already
 */
export async function applyProviderReport(
  ctx: Acting,
  payoutId: string,
  { refusal, ...report }: ProviderReport,
): Promise<boolean> {
  await lockLedger(ctx);
  const payout = await findPayout(ctx, payoutId);
  if (payout === undefined) throw new Error(`payout ${payoutId} is gone`);
  const { settlement_id, attempt, provider } = payout;
  const isRetried = refusal === 'try_again' && attempt < ATTEMPTS_MAX;
  const retry_on = isRetried ? businessDayAfter(sydneyDate(ctx.now())) : null;
  const applied = await updatePayout(ctx, settlement_id, payout, { ...report, provider, retry_on });
  if (applied && refusal === 'balance') {
    await writeHold(ctx, {
      settlement_id,
      reason: 'provider_balance_mismatch',
      note: report.failure_message ?? null,
      active: true,
      since: ctx.at(),
      ordered_at: report.at,
      ordered_version: null,
    });
    await applyHolds(ctx);
  }
  return applied;
}
