/** Opens a seller's account at the provider, and takes over what the provider says about it. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import { systemNow } from '../../../platform/db/clock.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import { lockLedger } from '../../ledger/index.ts';
import { holdBySource, retryFailedPayouts } from '../../settlements/index.ts';
import { type ProviderAccounts, ProviderRefused, ProviderUnavailable } from '../adapters/provider.ts';
import { accountStatus, type ProviderAccount, providerHold } from '../domain/account-status.ts';
import { accountActionNeeded, accountUpdated, destinationChanged } from '../events.ts';
import {
  type AccountRow,
  accountOf,
  accounts as accountTable,
  endRequestKey,
  factsOf,
  findAccount,
  leaseAccount,
  noteOwner,
  noteRequest,
  ownerEmail,
  refreshFailures,
  releaseAccount,
} from '../store/accounts.ts';
import type { StoredAccount } from '../store/unchanged-accounts.ts';
import { accountView, otherHolds } from './account-view.ts';

export const REMIND_JOB = 'payouts.remind_account';
const DAY_MS = 86_400_000;
/** Before the deadline. */
const REMIND_DAYS = [7, 1];

type AccountServices = Pick<
  Services,
  | 'ids'
  | 'now'
  | 'jobs'
  | 'config'
  | 'checkEvents'
  | 'secrets'
  | 'withSeller'
  | 'withSellerLong'
  | 'withSystemLong'
>;

const NEW: ProviderAccount = {
  ...{ payable: false, submitted: false, disabled_reason: null },
  ...{ requirements: [], deadline: null, destination: null },
};

const changedDestination = (
  before: AccountRow['destination'],
  after: ProviderAccount['destination'],
): boolean =>
  after !== null &&
  (before?.last4 !== after.last4 ||
    before.bank_name !== after.bank_name ||
    before.currency !== after.currency ||
    (before.reference ?? after.reference) !== after.reference);

/** The row after the provider's answer. @param account undefined: the provider does not know it any more */
function nextRow(before: AccountRow, account: ProviderAccount | undefined, fetchedAt: string): AccountRow {
  const { destination, ...said } = account ?? { ...NEW, submitted: before.submitted, destination: null };
  const since = new Map(before.requirements.map((one) => [one.provider_code, one.since]));
  const isNewBank = changedDestination(before.destination, destination);
  return {
    ...before,
    ...said,
    requirements: said.requirements.map((one) => ({
      ...one,
      since: since.get(one.provider_code) ?? fetchedAt,
    })),
    destination:
      destination === null
        ? before.destination
        : {
            ...destination,
            changed_at: isNewBank ? fetchedAt : (before.destination?.changed_at ?? fetchedAt),
          },
    submitted_at: before.submitted_at ?? (said.submitted ? fetchedAt : null),
    deauthorised_at: account === undefined ? (before.deauthorised_at ?? fetchedAt) : null,
    fetched_at: fetchedAt,
  };
}

/** What a reader sees, beside the bank account. */
const shownOf = ({ fetched_at: _at, version: _version, destination: _bank, ...shown }: AccountRow): string =>
  JSON.stringify(shown);

/** Lets holds follow the account. */
function holdByAccount(ctx: Acting, row: AccountRow): Promise<void> {
  const hold = providerHold(factsOf(row));
  return holdBySource(ctx, 'provider', hold === undefined ? [] : [hold]);
}

async function planReminders(ctx: Acting, { deadline }: AccountRow): Promise<void> {
  if (deadline === null) return;
  for (const days of REMIND_DAYS) {
    const dueAt = Date.parse(deadline) - days * DAY_MS;
    const uniqueKey = `${ctx.seller_id} ${deadline} ${days}`;
    if (dueAt > ctx.now()) await ctx.jobs.add({ kind: REMIND_JOB, payload: { deadline }, uniqueKey, dueAt });
  }
}

/** Announces what is new. */
async function announce(ctx: Acting, before: AccountRow, after: AccountRow): Promise<void> {
  const shown = await accountView(ctx);
  const more = { object_id: after.payout_account_id, version: after.version };
  await ctx.emit(accountUpdated.of(shown, more));
  if (changedDestination(before.destination, after.destination))
    await ctx.emit(destinationChanged.of(shown, more));
  const needs = (row: AccountRow) => row.status === 'action_needed' && row.deadline !== null;
  if (!needs(after) || (needs(before) && before.deadline === after.deadline)) return;
  await ctx.emit(accountActionNeeded.of(shown, more));
  await planReminders(ctx, after);
}

/**
 * Stores what the provider said about the account, with the holds that follow.
 *
 * @param id of the account at the provider; what is said about another account than the seller's changes nothing
 * @param fetchedAt the instant before the provider was asked; an older answer than the stored one changes nothing
 * @returns whether something has changed
 */
export async function storeAccount(
  ctx: Acting,
  id: string,
  account: ProviderAccount | undefined,
  fetchedAt: string,
): Promise<boolean> {
  const [, before] = await Promise.all([lockLedger(ctx), findAccount(ctx, true)]);
  if (before?.provider_account_id !== id || Date.parse(fetchedAt) < Date.parse(before.fetched_at))
    return false;
  const next = nextRow(before, account, fetchedAt);
  await holdByAccount(ctx, next);
  const status = accountStatus(factsOf(next), await otherHolds(ctx));
  const isNewBank = changedDestination(before.destination, next.destination);
  const isChanged = isNewBank || shownOf({ ...next, status }) !== shownOf(before);
  const after = { ...next, status, version: before.version + (isChanged ? 1 : 0) };
  await accountTable.replace(ctx, after);
  if (!isChanged) return false;
  if (isNewBank) await retryFailedPayouts(ctx);
  await announce(ctx, before, after);
  return true;
}

/** Whether the provider says what is stored, and everything that follows from it stands. */
export function isUnchanged(
  { seller_id: _seller, status_now, holds, ...before }: StoredAccount,
  id: string,
  account: ProviderAccount | undefined,
  fetchedAt: string,
): boolean {
  if (before.provider_account_id !== id || Date.parse(fetchedAt) < Date.parse(before.fetched_at))
    return false;
  const next = nextRow(before, account, fetchedAt);
  const hold = providerHold(factsOf(next));
  return (
    !changedDestination(before.destination, next.destination) &&
    shownOf({ ...next, status: status_now }) === shownOf(before) &&
    holds.join() === (hold ?? '')
  );
}

/** Emits the reminder of a deadline, unless what was asked for has been sent. */
export async function remindOfAccount(ctx: Acting, deadline: string): Promise<void> {
  const row = await findAccount(ctx);
  const shown = await accountView(ctx);
  if (row === undefined || shown.status !== 'action_needed' || row.deadline !== deadline) return;
  const more = { object_id: row.payout_account_id, version: row.version };
  await ctx.emit(accountActionNeeded.of(shown, more));
}

/** Runs an effect in one transaction of the seller. */
export type Effects = <T>(effect: (ctx: Acting) => Promise<T>) => Promise<T>;

/** Asks the provider about a seller's account and stores the answer. @throws ProviderUnavailable */
export async function fetchAccount(
  services: AccountServices,
  accounts: ProviderAccounts,
  sellerId: string,
  effects: Effects = (effect) =>
    services.withSellerLong(sellerId, 'write', (db) => effect(acting(services, { db, seller_id: sellerId }))),
): Promise<void> {
  const { withSellerLong, now } = services;
  const row = await withSellerLong(sellerId, 'read', (db) => findAccount({ db, seller_id: sellerId }));
  if (row === undefined) return;
  const { provider_account_id: id } = row;
  const fetchedAt = new Date(now()).toISOString();
  const account = await accounts.read(id);
  await effects((ctx) => storeAccount(ctx, id, account, fetchedAt));
}

/** Longer than the provider may take to answer. After it another one may ask instead of a dead process. */
const LEASE_MS = 30_000;
const POLL_MS = 200;

interface RefreshOptions {
  readonly isOld: (row: AccountRow) => boolean;
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/**
 * As {@link fetchAccount}, for a stored answer that is old. Of several who ask at once one asks the provider, and the
 * others wait for its answer, which may be that there is none.
 *
 * @param signal ends the wait
 * @throws ProviderUnavailable
 */
export async function refreshAccount(
  services: AccountServices,
  accounts: ProviderAccounts,
  sellerId: string,
  { isOld, effects, signal }: RefreshOptions,
): Promise<void> {
  const { withSeller } = services;
  const at = <T>(mode: 'read' | 'single', work: (own: SellerDb) => Promise<T>): Promise<T> =>
    withSeller(sellerId, mode, (db) => work({ db, seller_id: sellerId }));
  const failures = await at('read', refreshFailures);
  while (!signal.aborted) {
    const row = await at('read', findAccount);
    if (row === undefined || !isOld(row)) return;
    if ((await at('read', refreshFailures)) !== failures)
      throw new ProviderUnavailable('another request has asked and got no answer');
    const now = systemNow();
    const until = new Date(now + LEASE_MS).toISOString();
    const seen = { fetched_at: row.fetched_at, failures };
    if (await at('single', (own) => leaseAccount(own, seen, new Date(now).toISOString(), until))) {
      let isAnswered = false;
      try {
        await fetchAccount(services, accounts, sellerId, effects);
        isAnswered = true;
        return;
      } finally {
        await at('single', (own) => releaseAccount(own, until, isAnswered));
      }
    }
    await rest(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new ProviderUnavailable('no answer before the deadline of the request');
}

interface Opening {
  readonly sellerId: string;
  /** The provider's. */
  readonly name: string;
  readonly accounts: ProviderAccounts;
}

/** The key under which the provider knows the opening: one at a time, until the provider has answered that it opens none. */
const openingKey = (sellerId: string, attempt: number): string =>
  attempt === 1 ? `acct-${sellerId}` : `acct-${sellerId}-${attempt}`;

const endsKey = (error: unknown): boolean =>
  error instanceof ProviderRefused || (error instanceof ProviderUnavailable && error.isKeySpent);

/**
 * The account of a seller at the provider, which is opened once. If the answer to an earlier request was lost, the
 * account is looked up.
 *
 * @returns its id
 * @throws ProviderUnavailable, ProviderRefused
 */
export async function openAccount(
  { withSellerLong, withSystemLong, now }: AccountServices,
  { sellerId, name, accounts }: Opening,
): Promise<string> {
  const known = await withSystemLong('payment-callback', 'read', (db) => accountOf(db, name, sellerId));
  if (known !== undefined) return known;
  const { isFirst, asked_at, attempt, email } = await withSellerLong(sellerId, 'write', async (db) => {
    const at = { db, seller_id: sellerId };
    const request = await noteRequest(at, { provider: name, asked_at: new Date(now()).toISOString() });
    return { ...request, email: await ownerEmail(at) };
  });
  const lost = isFirst ? undefined : await accounts.findOpened(sellerId, asked_at);
  const request = { sellerId, email, key: openingKey(sellerId, attempt) };
  const opened =
    lost ??
    (await accounts.open(request).catch(async (error: unknown) => {
      if (endsKey(error))
        await withSellerLong(sellerId, 'write', (db) =>
          endRequestKey({ db, seller_id: sellerId }, { provider: name, attempt }),
        );
      throw error;
    }));
  // Callbacks name the account only, so its owner must be known before the first of them is worked.
  return withSystemLong('payment-callback', 'write', (db) => noteOwner(db, name, opened, sellerId));
}

/** Stores the account that was opened for a seller, as the provider has it now. @throws ProviderUnavailable */
export async function takeAccount(
  { now }: Pick<Services, 'now'>,
  { name, accounts }: Pick<Opening, 'name' | 'accounts'>,
  id: string,
  effects: Effects,
): Promise<void> {
  const fetched_at = new Date(now()).toISOString();
  const said = await accounts.read(id);
  await effects(async (ctx) => {
    const payout_account_id = ctx.ids.next('pac_');
    const made = await accountTable.insert(ctx, {
      ...{ payout_account_id, provider: name, provider_account_id: id },
      ...{ status: 'not_started', ...NEW, destination: null, requirements: [] },
      ...{ submitted_at: null, fetched_at, deauthorised_at: null, version: 0 },
    });
    if (made) ctx.audit({ target_type: 'payout_account', target_id: payout_account_id });
    await storeAccount(ctx, id, said, fetched_at);
  });
}
