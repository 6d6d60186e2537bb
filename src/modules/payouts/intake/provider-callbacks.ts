/**
 * Works the payment provider's callbacks: fetches the object that they are about and applies what the provider says now.
 * Nothing of a payload is applied, so order, duplicates and stale callbacks cannot matter.
 * Source: docs/design/payment-provider.md#callbacks.
 */
import { atMost } from '../../../kernel/at-most.ts';
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import { type Activity, recordActivity } from '../../../platform/audit/record-activity.ts';
import { gather } from '../../../platform/db/gather.ts';
import { callbackJob } from '../../../platform/jobs/callback-job.ts';
import type { Services } from '../../../platform/services.ts';
import { lockLedger } from '../../ledger/index.ts';
import { applyHolds, writeHold } from '../../settlements/index.ts';
import { isUnchanged, storeAccount } from '../actions/payout-account.ts';
import { stripeOf } from '../actions/providers.ts';
import { applyState } from '../actions/send-due.ts';
import { type PayoutProvider, STRIPE } from '../adapters/provider.ts';
import type { ProviderAccount } from '../domain/account-status.ts';
import { targetOf } from '../domain/callback.ts';
import { CALLBACK_JOB, CALLBACKS, EXCEPTIONS } from '../metrics.ts';
import {
  type Decision,
  decide,
  failCallbacks,
  type WaitingCallback,
  waitingCallbacks,
} from '../store/callbacks.ts';
import { exceptions, type PayoutException, transferReversed, transfers } from '../store/transfers.ts';
import { keepAccounts, storedAccounts } from '../store/unchanged-accounts.ts';

const REASON = 'payment-callback';
/** At 200 ms an answer a process asks at most 80 times a second; the provider allows 100. */
const asking = atMost(16);
/** Each takes a connection. More of them would wait until they are refused, and feeds and exports with them. */
const writing = atMost(64);
/** Answers that come within this time are decided together. */
const COLLECT_MS = 50;
/** So many at most; half of them do not wait for others. */
const TOGETHER_MAX = 256;

/** The callbacks of one object, which one fetch answers together. */
interface Waiting {
  readonly services: Services;
  /** Says that the worker stops. */
  readonly signal: AbortSignal;
  readonly callbacks: readonly WaitingCallback[];
  readonly provider: PayoutProvider;
}

/** Asks the provider in its turn, unless the worker stops before: another one asks then. */
const ask = <T>({ signal }: Waiting, work: () => Promise<T>): Promise<T> =>
  asking(async () => {
    signal.throwIfAborted();
    return work();
  });

type Apply = (ctx: Acting) => Promise<boolean | undefined>;

/** The entry of the activity log; the provider's id names the object. */
function activityOf(callbacks: readonly WaitingCallback[]): Activity {
  const { type = '', object_id = null } = callbacks.at(-1) ?? {};
  const target = { target_type: targetOf(type), ...(object_id !== null && { target_id: object_id }) };
  return { actor_kind: 'provider', action: type, ...target, result: 'done' };
}

/** Writes the effect and the decision in one transaction. @param apply whether something has changed */
async function settle(
  { services, callbacks }: Waiting,
  sellerId: string | null,
  decision: Decision,
  apply?: Apply,
): Promise<void> {
  const { withSystemLong, now, count } = services;
  const at = new Date(now()).toISOString();
  const decided = await writing(() =>
    withSystemLong(REASON, 'write', async (db) => {
      const ctx = acting(services, { db, seller_id: sellerId ?? '' });
      const changed = apply && (await apply(ctx));
      if (changed === true) await recordActivity(ctx, activityOf(callbacks));
      const made = changed === false ? 'no_change' : decision;
      await decide(db, STRIPE.name, callbacks, made, { sellerId, at });
      return made;
    }),
  );
  count(CALLBACKS, decided, callbacks.length);
}

/** Notes what a person must look at. */
async function raise(
  { services }: Waiting,
  ctx: Acting,
  exception: Omit<PayoutException, 'provider'>,
): Promise<void> {
  if (!(await exceptions.insert(ctx, { ...exception, provider: STRIPE.name }))) return;
  services.count(EXCEPTIONS, exception.kind, 1);
  services.log.error(
    { ...exception, seller_id: ctx.seller_id },
    'the payment provider has moved money by itself',
  );
}

interface Answer extends Pick<Waiting, 'callbacks'> {
  readonly sellerId: string;
  readonly account: string;
  readonly said: ProviderAccount | undefined;
  readonly fetchedAt: string;
}

/**
 * Decides the callbacks whose answer says what is stored, as most do: an account is written about each time that anything
 * of it changes. Answers that come at the same time share two statements, and lock no ledger.
 *
 * @returns whether the callbacks of an answer are decided
 */
const keepUnchanged = gather<Services, Answer, boolean>(
  async ({ withSystemLong, now, count }, answers) => {
    const sellers = answers.map(({ sellerId }) => sellerId);
    const stored = await withSystemLong(REASON, 'read', (db) => storedAccounts(db, sellers));
    const bySeller = new Map(stored.map((row) => [row.seller_id, row]));
    const kept = answers.flatMap(({ sellerId: seller_id, account, said, fetchedAt, callbacks }) => {
      const row = bySeller.get(seller_id);
      if (row === undefined || !isUnchanged(row, account, said, fetchedAt)) return [];
      const { version } = row;
      return callbacks.map(({ event_id }) => ({ seller_id, event_id, version, fetched_at: fetchedAt }));
    });
    if (kept.length === 0) return answers.map(() => false);
    const at = new Date(now()).toISOString();
    const decided = await withSystemLong(REASON, 'single', (db) => keepAccounts(db, STRIPE.name, kept, at));
    count(CALLBACKS, 'no_change', decided.size);
    return answers.map(({ callbacks }) => callbacks.every(({ event_id }) => decided.has(event_id)));
  },
  { collectMs: COLLECT_MS, most: TOGETHER_MAX },
);

async function workAccount(waiting: Waiting, sellerId: string, account: string): Promise<void> {
  const { provider, services, callbacks } = waiting;
  const [fetchedAt, said] = await ask(waiting, async () => {
    const instant = new Date(services.now()).toISOString();
    return [instant, await provider.accounts?.read(account)] as const;
  });
  if (await keepUnchanged(services, { callbacks, sellerId, account, said, fetchedAt })) return;
  await settle(waiting, sellerId, 'fetched', (ctx) => storeAccount(ctx, account, said, fetchedAt));
}

async function workPayout(waiting: Waiting, sellerId: string, payout: string): Promise<void> {
  const { provider } = waiting;
  const state = await ask(waiting, async () => provider.transfers?.read(payout, sellerId));
  await settle(waiting, sellerId, 'fetched', async (ctx) => {
    const changed = state && (await applyState(ctx, STRIPE.name, state));
    if (changed !== undefined) return changed;
    const noted_at = ctx.at();
    await raise(waiting, ctx, {
      ...{ kind: 'unknown_payout', provider_object_id: payout, settlement_id: null, noted_at },
    });
    return true;
  });
}

/** The answer that the transfer was made may not be stored yet, so the metadata of the transfer says whose it is. */
async function workTransfer(waiting: Waiting, transfer: string): Promise<void> {
  const { provider, services } = waiting;
  const said = await ask(waiting, async () => provider.readTransfer?.(transfer));
  const row =
    said &&
    (await services.withSystemLong(REASON, 'read', (db) =>
      transfers.find({ db, seller_id: said.seller_id }, { settlement_id: said.settlement_id }),
    ));
  if (said === undefined || row === undefined || (row.provider_transfer_id ?? transfer) !== transfer)
    return settle(waiting, null, 'unknown_account');
  const { seller_id, settlement_id, reversed } = said;
  await settle(waiting, seller_id, 'fetched', async (ctx) => {
    await lockLedger(ctx);
    const at = ctx.at();
    if (!reversed || (await transferReversed(ctx, settlement_id, transfer, at)) === 0) return false;
    await raise(waiting, ctx, {
      ...{ kind: 'transfer_reversed', provider_object_id: transfer, settlement_id, noted_at: at },
    });
    await writeHold(ctx, {
      ...{ settlement_id, reason: 'provider_balance_mismatch', active: true, since: at },
      note: 'The payment provider has taken the transfer of this settlement back.',
      ...{ ordered_at: at, ordered_version: null },
    });
    await applyHolds(ctx);
    return true;
  });
}

/** The waiting callbacks of one object. Jobs that begin at the same time share a query. */
const waitingFor = gather<Services, string, readonly WaitingCallback[]>(async ({ withSystemLong }, keys) => {
  const all = await withSystemLong(REASON, 'read', (db) => waitingCallbacks(db, keys));
  return keys.map((key) => all.filter(({ object_key }) => object_key === key));
});

/** Works what waits about one object. */
export async function workCallbacks(services: Services, key: string, signal: AbortSignal): Promise<void> {
  const callbacks = await waitingFor(services, key);
  const [first] = callbacks;
  if (first === undefined) return;
  const provider = await stripeOf(services);
  if (provider === undefined)
    throw new Error('callbacks wait for PAYMENT_PROVIDER_API_KEY, which is not set');
  const { type, account, object_id, owner } = first;
  const waiting = { services, signal, callbacks, provider };
  if (targetOf(type) === 'transfer') return workTransfer(waiting, object_id ?? '');
  if (owner === null || account === null) return settle(waiting, null, 'unknown_account');
  if (targetOf(type) === 'account') return workAccount(waiting, owner, account);
  return workPayout(waiting, owner, object_id ?? '');
}

export const callbackWorker = callbackJob({
  kind: CALLBACK_JOB,
  asks: true,
  work: (services, key, signal) => workCallbacks(services, key, signal).then(() => undefined),
  async giveUp({ withSystemLong, now, log }, key, until, cause) {
    const at = new Date(now()).toISOString();
    const left = await withSystemLong(REASON, 'write', (db) => failCallbacks(db, key, until, at));
    if (left === 0) log.error({ key, cause: cause.message }, 'callbacks of the payment provider have failed');
    return left;
  },
});
