/**
 * Compares the ledger with a provider's report. It corrects nothing, because a person must decide about differences.
 */
import type { Db } from '../../../kernel/context.ts';
import { WINDOW_MS } from '../domain/reconciliation.ts';
import { compareAccount, currenciesOf, lockComparison, storeComparison } from '../store/compare-account.ts';
import { comparePayouts } from '../store/compare-payouts.ts';

/** The job that compares all sellers with one provider now. */
export const SWEEP_JOB = 'financials.reconcile_now';
export const sweepOf = (provider: string, dueAt: number) => ({
  kind: SWEEP_JOB,
  payload: { provider },
  uniqueKey: provider,
  dueAt,
});

interface Reconcile {
  readonly provider: string;
  /** The provider's list is complete until this instant, RFC 3339. */
  readonly through: string;
  readonly now: number;
}

/** Compares a seller's account and payouts, and stores the result. It runs in the system's scope. */
export async function reconcileSeller(
  db: Db,
  sellerId: string,
  { provider, through, now }: Reconcile,
): Promise<void> {
  const at = new Date(now).toISOString();
  await lockComparison(db, sellerId);
  const waited = new Date(Date.parse(through) - WINDOW_MS).toISOString();
  for (const currency of await currenciesOf(db, sellerId)) {
    const of = { sellerId, provider, currency, through, waited };
    await storeComparison(db, of, await compareAccount(db, of), at);
    await comparePayouts(db, of, at);
  }
}
