/**
 * An attempt to pay by a provider that sends by itself. It is written before the provider is asked, under a name that
 * it keeps: whoever asks again after a crash asks for the same payout.
 */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { holdLedger } from '../../ledger/index.ts';
import {
  businessDayAfter,
  findSettlement,
  followHolds,
  moveSettlement,
  nowOf,
  type SettlementCtx,
  settlementMachine,
  writeHold,
} from '../../settlements/index.ts';
import { addPayoutChange, findPayout, lastPayoutOf, type PayoutRow, writePayout } from '../store/payouts.ts';
import { newPayout, type PayoutWords, updatePayout } from './update-payout.ts';

/** Attempts of a settlement that are made by themselves: the first one and three more. */
const ATTEMPTS_MAX = 4;

/**
 * Begins the next attempt of a settlement that is due, in a transaction of its own.
 *
 * @returns undefined when the settlement is not due, or not any more: held, paid, or being paid
 */
export async function beginAttempt(
  ctx: SettlementCtx,
  settlementId: string,
  provider: string,
): Promise<string | undefined> {
  const { db, sellerId, actor } = ctx;
  await holdLedger(db, sellerId);
  const settlement = await findSettlement(db, sellerId, settlementId);
  if (settlement === undefined || !settlementMachine.allows('send', settlement.status)) return undefined;
  const { expected_payout_on } = settlement;
  if (expected_payout_on === null || expected_payout_on > sydneyDate(ctx.now())) return undefined;
  const payout = newPayout(ctx, settlement, await lastPayoutOf(db, sellerId, settlementId), provider);
  const at = nowOf(ctx);
  await writePayout(db, sellerId, payout, at);
  const change = { status: 'pending', at, actor, reason: null, source_event_id: null };
  await addPayoutChange(db, sellerId, payout.payout_id, change);
  await moveSettlement(ctx, settlement, 'send', { status: 'processing' });
  return payout.payout_id;
}

/** Under which the provider knows an attempt: the same attempt is never made twice. */
export const attemptKey = ({
  settlement_id,
  attempt,
}: Pick<PayoutRow, 'settlement_id' | 'attempt'>): string => `${settlement_id}-${attempt}`;

/** Why a provider does not pay. */
export type PayoutRefusal =
  /** It may go better another day. */
  | 'try_again'
  /** Not to this account. */
  | 'account'
  /** The provider has less than we owe: a person must look before anything is paid. */
  | 'balance';

export interface ProviderWords extends Omit<PayoutWords, 'provider' | 'source_event_id' | 'retry_on'> {
  /** Of a failure. */
  readonly refusal?: PayoutRefusal;
}

/**
 * Applies what the provider said of a payout, in a transaction of its own.
 *
 * @returns false for what is known already
 */
export async function applyProviderWords(
  ctx: SettlementCtx,
  payoutId: string,
  { refusal, ...said }: ProviderWords,
): Promise<boolean> {
  const { db, sellerId } = ctx;
  await holdLedger(db, sellerId);
  const payout = await findPayout(db, sellerId, payoutId);
  if (payout === undefined) throw new Error(`payout ${payoutId} is gone`);
  const { settlement_id, attempt, provider } = payout;
  const isRetried = refusal === 'try_again' && attempt < ATTEMPTS_MAX;
  const retry_on = isRetried ? businessDayAfter(sydneyDate(ctx.now())) : null;
  const applied = await updatePayout(ctx, settlement_id, payout, {
    ...said,
    provider,
    source_event_id: null,
    retry_on,
  });
  if (applied && refusal === 'balance') {
    await writeHold(db, sellerId, {
      settlement_id,
      reason: 'provider_balance_mismatch',
      note: said.failure_message ?? null,
      active: true,
      since: nowOf(ctx),
      ordered_at: said.at,
      ordered_version: null,
    });
    await followHolds(ctx);
  }
  return applied;
}
