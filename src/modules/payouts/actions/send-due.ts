/** Pays what is due through a provider that sends by itself, and follows what becomes of it. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { type DueSettlement, dueSettlements, inName } from '../../settlements/index.ts';
import type {
  PayoutProvider,
  TransferFailure,
  TransferRefusal,
  TransferState,
  Transfers,
} from '../provider.ts';
import { type FollowedPayout, findPayout, followedPayouts } from '../store/payouts.ts';
import { applyProviderWords, attemptKey, beginAttempt, type ProviderWords } from './send-payout.ts';

export const TRANSFER_JOB = 'payouts.transfer';
const AT_ONCE = 500;
/** Banks send money back for so long. */
const RETURNS_MS = 10 * 86_400_000;

type Sending = Pick<PayoutProvider, 'name' | 'transfers'>;
type Paying = Pick<Services, 'ids' | 'now' | 'jobs' | 'longSeller' | 'longSystem'>;

/**
 * Begins an attempt for every settlement that is due, each with the job that asks the provider: both or neither.
 *
 * @returns how many were begun
 */
export async function beginDue(services: Paying, { name, transfers }: Sending): Promise<number> {
  if (transfers === null) return 0;
  const { longSystem, longSeller, jobs, now } = services;
  let begun = 0;
  for (let after: DueSettlement | undefined; ; ) {
    const due = await longSystem('jobs', 'read', (db) =>
      dueSettlements(db, sydneyDate(now()), after, AT_ONCE),
    );
    for (const { seller_id: sellerId, settlement_id } of due)
      await longSeller(sellerId, 'write', async (db) => {
        const payout_id = await beginAttempt(inName(services, sellerId, db), settlement_id, name);
        if (payout_id === undefined) return;
        begun += 1;
        const job = { kind: TRANSFER_JOB, sellerId, payload: { payout_id }, uniqueKey: payout_id };
        await jobs.add(db, { ...job, dueAt: now() });
      });
    after = due.at(-1);
    if (due.length < AT_ONCE) return begun;
  }
}

const NO_FAILURE = { failure_code: null, failure_message: null };
const failureWords = ({ code, message, refusal }: TransferFailure) => ({
  failure_code: code,
  failure_message: message,
  refusal,
});
const wordsOf = ({ status, failure, ...state }: TransferState): ProviderWords => ({
  ...state,
  word: status,
  ...(failure === null ? NO_FAILURE : failureWords(failure)),
});
const refusedWords = ({ at, failure }: TransferRefusal): ProviderWords => ({
  word: 'failed',
  at,
  provider_payout_id: null,
  payment_reference: null,
  bank_reference: null,
  ...failureWords(failure),
});

/** Asks the provider for one attempt; asked again, whenever it ended before, nothing is paid twice. */
export async function transfer(
  services: Paying,
  { transfers }: Sending,
  sellerId: string,
  payoutId: string,
): Promise<void> {
  const { longSeller } = services;
  const payout = await longSeller(sellerId, 'read', (db) => findPayout(db, sellerId, payoutId));
  if (payout?.status !== 'pending' || transfers === null) return;
  const answer = await transfers.send({
    idempotency_key: attemptKey(payout),
    seller_id: sellerId,
    payout_id: payoutId,
    settlement_id: payout.settlement_id,
    amount_minor: minorToJson(minor(payout.amount_minor)),
    currency: payout.currency,
  });
  // What is over by the time that it is answered was sent first.
  const words =
    answer.status === 'refused'
      ? [refusedWords(answer)]
      : [{ ...wordsOf(answer), ...NO_FAILURE, word: 'in_transit' as const }, wordsOf(answer)];
  await longSeller(sellerId, 'write', async (db) => {
    for (const said of words) await applyProviderWords(inName(services, sellerId, db), payoutId, said);
  });
}

async function fetchState(
  services: Paying,
  transfers: Transfers,
  { seller_id: sellerId, payout_id }: FollowedPayout,
): Promise<void> {
  const { longSeller } = services;
  const payout = await longSeller(sellerId, 'read', (db) => findPayout(db, sellerId, payout_id));
  if (payout?.provider_payout_id == null) return;
  const state = await transfers.read(payout.provider_payout_id);
  await longSeller(sellerId, 'write', (db) =>
    applyProviderWords(inName(services, sellerId, db), payout_id, wordsOf(state)),
  );
}

/**
 * Fetches the payouts that may have changed and applies the state that they have now, whatever was told of them.
 *
 * @throws AggregateError once all were tried, when the provider knew nothing of some
 */
export async function follow(services: Paying, { name, transfers }: Sending): Promise<void> {
  if (transfers === null) return;
  const { longSystem, now } = services;
  const since = new Date(now() - RETURNS_MS).toISOString();
  const faults: unknown[] = [];
  for (let after: FollowedPayout | undefined; ; ) {
    const page = await longSystem('jobs', 'read', (db) => followedPayouts(db, name, since, after, AT_ONCE));
    for (const payout of page)
      await fetchState(services, transfers, payout).catch((error: unknown) => faults.push(error));
    after = page.at(-1);
    if (page.length < AT_ONCE) break;
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} payouts could not be followed`);
}
