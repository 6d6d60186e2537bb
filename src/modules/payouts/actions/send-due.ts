/** Starts due payouts with a provider that sends money itself, and reads the state of these payouts. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
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
import { type FollowedPayout, findPayout, followedPayouts } from '../store/payouts.ts';
import { applyProviderReport, attemptKey, beginAttempt, type ProviderReport } from './send-payout.ts';

export const TRANSFER_JOB = 'payouts.transfer';
const AT_ONCE = 500;
/** How long a bank may take to return money. */
const RETURNS_MS = 10 * 86_400_000;

type Sending = Pick<PayoutProvider, 'name' | 'transfers'>;
type Paying = Pick<
  Services,
  'ids' | 'now' | 'jobs' | 'config' | 'checkEvents' | 'withSellerLong' | 'withSystemLong'
>;

/**
 * Starts an attempt for each settlement that is due. One transaction writes the attempt and the job that calls the
 * provider.
 *
 * @returns the number of attempts
 */
export async function beginDue(services: Paying, { name, transfers }: Sending): Promise<number> {
  if (transfers === null) return 0;
  const { withSystemLong, withSellerLong, now } = services;
  let begun = 0;
  for (let after: DueSettlement | undefined; ; ) {
    const due = await withSystemLong('jobs', 'read', (db) =>
      dueSettlements(db, sydneyDate(now()), after, AT_ONCE),
    );
    for (const { seller_id: sellerId, settlement_id } of due)
      await withSellerLong(sellerId, 'write', async (db) => {
        const ctx = acting(services, { db, seller_id: sellerId });
        const payout_id = await beginAttempt(ctx, settlement_id, name);
        if (payout_id === undefined) return;
        begun += 1;
        const job = { kind: TRANSFER_JOB, payload: { payout_id }, uniqueKey: payout_id };
        await ctx.jobs.add({ ...job, dueAt: now() });
      });
    after = due.at(-1);
    if (due.length < AT_ONCE) return begun;
  }
}

const NO_FAILURE = { failure_code: null, failure_message: null };
const failureOf = ({ code, message, refusal }: TransferFailure) => ({
  failure_code: code,
  failure_message: message,
  refusal,
});
const reportOf = ({ status, failure, ...state }: TransferState): ProviderReport => ({
  ...state,
  status,
  ...(failure === null ? NO_FAILURE : failureOf(failure)),
});
const refusalOf = ({ at, failure }: TransferRefusal): ProviderReport => ({
  status: 'failed',
  at,
  provider_payout_id: null,
  payment_reference: null,
  bank_reference: null,
  ...failureOf(failure),
});

/** Sends one attempt to the provider. It is safe to repeat, because the provider pays an attempt once. */
export async function transfer(
  services: Paying,
  { transfers }: Sending,
  sellerId: string,
  payoutId: string,
): Promise<void> {
  const { withSellerLong } = services;
  const payout = await withSellerLong(sellerId, 'read', (db) =>
    findPayout({ db, seller_id: sellerId }, payoutId),
  );
  if (payout?.status !== 'pending' || transfers === null) return;
  const answer = await transfers.send({
    idempotency_key: attemptKey(payout),
    seller_id: sellerId,
    payout_id: payoutId,
    settlement_id: payout.settlement_id,
    amount_minor: minorToJson(minor(payout.amount_minor)),
    currency: payout.currency,
  });
  // If the payout has already ended when the answer arrives, record first that it was sent.
  const reports =
    answer.status === 'refused'
      ? [refusalOf(answer)]
      : [{ ...reportOf(answer), ...NO_FAILURE, status: 'in_transit' as const }, reportOf(answer)];
  await withSellerLong(sellerId, 'write', async (db) => {
    for (const report of reports)
      await applyProviderReport(acting(services, { db, seller_id: sellerId }), payoutId, report);
  });
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
  const state = await transfers.read(payout.provider_payout_id);
  await withSellerLong(sellerId, 'write', (db) =>
    applyProviderReport(acting(services, { db, seller_id: sellerId }), payout_id, reportOf(state)),
  );
}

/**
 * Reads the payouts that may have changed from the provider, and applies their states.
 *
 * @throws AggregateError after all were tried, if the provider did not answer for some
 */
export async function follow(services: Paying, { name, transfers }: Sending): Promise<void> {
  if (transfers === null) return;
  const { withSystemLong, now } = services;
  const since = new Date(now() - RETURNS_MS).toISOString();
  const faults: unknown[] = [];
  for (let after: FollowedPayout | undefined; ; ) {
    const page = await withSystemLong('jobs', 'read', (db) =>
      followedPayouts(db, name, since, after, AT_ONCE),
    );
    for (const payout of page)
      await fetchState(services, transfers, payout).catch((error: unknown) => faults.push(error));
    after = page.at(-1);
    if (page.length < AT_ONCE) break;
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} payouts could not be followed`);
}
