/**
 * Attempts to pay through a provider that sends money itself. An attempt is written with a key before the provider is
 * called. After a crash the provider is called again with the same key and answers with the same payout.
 */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { lockLedger } from '../../ledger/index.ts';
import {
  applyHolds,
  businessDayAfter,
  findSettlement,
  holdBySource,
  moveSettlement,
  settlementMachine,
  writeHold,
} from '../../settlements/index.ts';
import type { PayoutProvider } from '../adapters/provider.ts';
import { providerHold } from '../domain/account-status.ts';
import type { PayoutRefusal } from '../domain/refusal.ts';
import { factsOf, findAccount } from '../store/accounts.ts';
import { addPayoutChange, findPayout, lastPayoutOf, type PayoutRow, writePayout } from '../store/payouts.ts';
import { newPayout, type PayoutReport, updatePayout } from './update-payout.ts';

/** The most attempts of a settlement: the first one and three more. */
const ATTEMPTS_MAX = 4;

/**
 * Starts the next attempt of a settlement that is due, in a transaction of its own.
 *
 * @returns undefined if the settlement is not due, for example because it is held, paid, or being paid
 */
export async function beginAttempt(
  ctx: Acting,
  settlementId: string,
  { name, accountRequired }: Pick<PayoutProvider, 'name' | 'accountRequired'>,
): Promise<string | undefined> {
  await lockLedger(ctx);
  const settlement = await findSettlement(ctx, settlementId);
  if (settlement === undefined || !settlementMachine.allows('send', settlement.status)) return undefined;
  const { expected_payout_on } = settlement;
  if (expected_payout_on === null || expected_payout_on > sydneyDate(ctx.now())) return undefined;
  const account = accountRequired ? await findAccount(ctx) : undefined;
  const hold = accountRequired ? providerHold(account && factsOf(account)) : undefined;
  if (hold !== undefined) {
    await holdBySource(ctx, 'provider', [hold]);
    return undefined;
  }
  const { bank_name = null, last4 = null } = account?.destination ?? {};
  const payout = {
    ...newPayout(ctx, settlement, await lastPayoutOf(ctx, settlementId), name),
    destination: account?.destination == null ? null : { bank_name, last4 },
  };
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

export interface ProviderReport extends Omit<PayoutReport, 'provider' | 'retry_on'> {
  /** Set for a failure. */
  readonly refusal?: PayoutRefusal;
}

/**
 * Applies the provider's report of a payout, in a transaction of its own.
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
