/** Starts due payouts with a provider that sends money itself, and reads the state of these payouts. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { type DueSettlement, dueSettlements } from '../../settlements/index.ts';
import type {
  PayoutProvider,
  TransferFailure,
  TransferRefusal,
  TransferState,
  Transfers,
} from '../adapters/provider.ts';
import { type FollowedPayout, findByProviderId, findPayout, followedPayouts } from '../store/payouts.ts';
import { applyProviderReport, attemptKey, beginAttempt, type ProviderReport } from './send-payout.ts';

export const TRANSFER_JOB = 'payouts.transfer';
const AT_ONCE = 500;
/** How long a bank may take to return money. */
const RETURNS_MS = 10 * 86_400_000;

type Sending = Pick<PayoutProvider, 'name' | 'transfers'>;
type Beginning = Pick<PayoutProvider, 'name' | 'transfers' | 'accountRequired'>;
type Paying = Pick<
  Services,
  'ids' | 'now' | 'jobs' | 'config' | 'log' | 'checkEvents' | 'secrets' | 'withSellerLong' | 'withSystemLong'
>;

/**
 * Starts an attempt for each settlement that is due. One transaction writes the attempt and the job that calls the
 * provider. An attempt that cannot be started is logged and keeps back no other.
 */
export async function beginDue(
  services: Paying,
  provider: Beginning,
): Promise<{ readonly begun: number; readonly failed: number }> {
  let begun = 0;
  let failed = 0;
  if (provider.transfers === null) return { begun, failed };
  const { withSystemLong, withSellerLong, now, log } = services;
  for (let after: DueSettlement | undefined; ; ) {
    const due = await withSystemLong('jobs', 'read', (db) =>
      dueSettlements(db, sydneyDate(now()), after, AT_ONCE),
    );
    for (const { seller_id: sellerId, settlement_id } of due)
      await withSellerLong(sellerId, 'write', async (db) => {
        const ctx = acting(services, { db, seller_id: sellerId });
        const payout_id = await beginAttempt(ctx, settlement_id, provider);
        if (payout_id === undefined) return;
        begun += 1;
        const job = { kind: TRANSFER_JOB, payload: { payout_id }, uniqueKey: payout_id };
        await ctx.jobs.add({ ...job, dueAt: now() });
      }).catch((error: Error) => {
        failed += 1;
        log.error({ err: error.message, seller_id: sellerId, settlement_id }, 'a payout could not begin');
      });
    after = due.at(-1);
    if (due.length < AT_ONCE) break;
  }
  return { begun, failed };
}

const NO_FAILURE = { failure_code: null, failure_message: null };
const failureOf = ({ code, message, refusal }: TransferFailure) => ({
  failure_code: code,
  failure_message: message,
  refusal,
});
const reportOf = ({ status, failure, payout_id: _payout, ...state }: TransferState): ProviderReport => ({
  ...state,
  status,
  ...(failure === null ? NO_FAILURE : failureOf(failure)),
});
/** If a payout has already ended when it is first heard of, it was sent before. */
const firstReportsOf = (state: TransferState): readonly ProviderReport[] => [
  { ...reportOf(state), ...NO_FAILURE, status: 'in_transit' },
  reportOf(state),
];
const refusalOf = ({ at, failure }: TransferRefusal): ProviderReport => ({
  status: 'failed',
  at,
  provider_payout_id: null,
  payment_reference: null,
  bank_reference: null,
  ...failureOf(failure),
});

/**
 * Sends one attempt to the provider. It is safe to repeat, because the provider pays an attempt once.
 *
 * @throws Error if the outcome is unknown, or the service cannot ask the provider
 */
export async function transfer(
  services: Paying,
  { name, transfers }: Sending,
  sellerId: string,
  payoutId: string,
): Promise<void> {
  const { withSellerLong } = services;
  const payout = await withSellerLong(sellerId, 'read', (db) =>
    findPayout({ db, seller_id: sellerId }, payoutId),
  );
  if (payout?.status !== 'pending') return;
  // A payout belongs to the provider that began it, and waits for its key if the operator has removed that.
  if (payout.provider !== name || transfers === null)
    throw new Error(`${payoutId} waits for ${payout.provider}, for which the service has no key`);
  const answer = await transfers.send({
    idempotency_key: attemptKey(payout),
    seller_id: sellerId,
    payout_id: payoutId,
    settlement_id: payout.settlement_id,
    attempt: payout.attempt,
    amount_minor: minorToJson(minor(payout.amount_minor)),
    currency: payout.currency,
  });
  const reports = answer.status === 'refused' ? [refusalOf(answer)] : firstReportsOf(answer);
  await withSellerLong(sellerId, 'write', async (db) => {
    for (const report of reports)
      await applyProviderReport(acting(services, { db, seller_id: sellerId }), payoutId, report);
  });
}

/**
 * Applies the state of a payout that the provider has called back about. Its answer to the request may have been lost,
 * so the payout is found by the id that the provider repeats too.
 *
 * @returns undefined if the payout is not the service's
 */
export async function applyState(
  ctx: Acting,
  provider: string,
  state: TransferState,
): Promise<boolean | undefined> {
  const { provider_payout_id, payout_id = null } = state;
  const byName = await findByProviderId(ctx, provider, provider_payout_id);
  const payout = byName ?? (payout_id === null ? undefined : await findPayout(ctx, payout_id));
  if (payout?.provider !== provider) return undefined;
  if ((payout.provider_payout_id ?? provider_payout_id) !== provider_payout_id) return undefined;
  let changed = false;
  for (const report of payout.status === 'pending' ? firstReportsOf(state) : [reportOf(state)])
    changed = (await applyProviderReport(ctx, payout.payout_id, report)) || changed;
  return changed;
}

async function fetchState(
  services: Paying,
  transfers: Transfers,
  { seller_id: sellerId, payout_id }: FollowedPayout,
): Promise<void> {
  const { withSellerLong } = services;
  const payout = await withSellerLong(sellerId, 'read', (db) =>
    findPayout({ db, seller_id: sellerId }, payout_id),
  );
  if (payout?.provider_payout_id == null) return;
  const state = await transfers.read(payout.provider_payout_id, sellerId);
  await withSellerLong(sellerId, 'write', (db) =>
    applyProviderReport(acting(services, { db, seller_id: sellerId }), payout_id, reportOf(state)),
  );
}

/**
 * Reads the payouts that may have changed from the provider, and applies their states. A payout that cannot be read is
 * logged and keeps back no other.
 *
 * @throws Error if there are some and the service cannot ask their provider
 */
export async function follow(services: Paying, { name, transfers }: Sending): Promise<void> {
  const { withSystemLong, now, log } = services;
  const since = new Date(now() - RETURNS_MS).toISOString();
  for (let after: FollowedPayout | undefined; ; ) {
    const page = await withSystemLong('jobs', 'read', (db) =>
      followedPayouts(db, name, since, after, AT_ONCE),
    );
    for (const payout of page) {
      if (transfers === null) throw new Error(`payouts wait for ${name}, for which the service has no key`);
      await fetchState(services, transfers, payout).catch((error: Error) =>
        log.error({ err: error.message, ...payout }, 'a payout could not be followed'),
      );
    }
    after = page.at(-1);
    if (page.length < AT_ONCE) break;
  }
}
