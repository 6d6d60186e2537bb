/** Opens a seller's account at the provider, and takes over what the provider says about it. */
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { lockLedger } from '../../ledger/index.ts';
import { applyHolds, retryFailedPayouts, setSourceHolds } from '../../settlements/index.ts';
import type { PayoutProvider, ProviderAccounts } from '../adapters/provider.ts';
import { accountStatus, type ProviderAccount, providerHold } from '../domain/account-status.ts';
import { accountActionNeeded, accountUpdated, destinationChanged } from '../events.ts';
import {
  type AccountRow,
  factsOf,
  findAccount,
  insertAccount,
  noteOwner,
  replaceAccount,
} from '../store/accounts.ts';
import { accountView, otherHolds } from './account-view.ts';

export const REMIND_JOB = 'payouts.remind_account';
const DAY_MS = 86_400_000;
/** Before the deadline. */
const REMIND_DAYS = [7, 1];

type AccountServices = Pick<
  Services,
  'ids' | 'now' | 'jobs' | 'config' | 'checkEvents' | 'withSellerLong' | 'withSystemLong'
>;

const NEW: ProviderAccount = {
  ...{ payable: false, submitted: false, disabled_reason: null },
  ...{ requirements: [], deadline: null, destination: null },
};

const changedDestination = (
  before: AccountRow['destination'],
  after: ProviderAccount['destination'],
): boolean => after !== null && (before?.last4 !== after.last4 || before.bank_name !== after.bank_name);

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
      destination === null || !isNewBank ? before.destination : { ...destination, changed_at: fetchedAt },
    submitted_at: before.submitted_at ?? (said.submitted ? fetchedAt : null),
    deauthorised_at: account === undefined ? (before.deauthorised_at ?? fetchedAt) : null,
    fetched_at: fetchedAt,
  };
}

const shownOf = ({ fetched_at: _at, version: _version, ...shown }: AccountRow): string =>
  JSON.stringify(shown);

/** Lets holds follow the account. */
async function holdByAccount(ctx: Acting, row: AccountRow): Promise<void> {
  const hold = providerHold(factsOf(row));
  await setSourceHolds(ctx, 'provider', hold === undefined ? [] : [hold]);
  await applyHolds(ctx);
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
 * @param fetchedAt the instant before the provider was asked; an older answer than the stored one changes nothing
 * @returns whether something has changed
 */
export async function storeAccount(
  ctx: Acting,
  account: ProviderAccount | undefined,
  fetchedAt: string,
): Promise<boolean> {
  await lockLedger(ctx);
  const before = await findAccount(ctx);
  if (before === undefined || Date.parse(fetchedAt) < Date.parse(before.fetched_at)) return false;
  const next = nextRow(before, account, fetchedAt);
  await holdByAccount(ctx, next);
  const status = accountStatus(factsOf(next), await otherHolds(ctx));
  const isChanged = shownOf({ ...next, status }) !== shownOf(before);
  const after = { ...next, status, version: before.version + (isChanged ? 1 : 0) };
  await replaceAccount(ctx, after);
  if (!isChanged) return false;
  if (changedDestination(before.destination, after.destination)) await retryFailedPayouts(ctx);
  await announce(ctx, before, after);
  return true;
}

/** Emits the reminder of a deadline, unless what was asked for has been sent. */
export async function remindOfAccount(ctx: Acting, deadline: string): Promise<void> {
  const row = await findAccount(ctx);
  if (row?.status !== 'action_needed' || row.deadline !== deadline) return;
  const more = { object_id: row.payout_account_id, version: row.version };
  await ctx.emit(accountActionNeeded.of(await accountView(ctx), more));
}

/** Asks the provider about a seller's account and stores the answer. @throws ProviderUnavailable */
export async function fetchAccount(
  services: AccountServices,
  accounts: ProviderAccounts,
  sellerId: string,
): Promise<void> {
  const { withSellerLong, now } = services;
  const row = await withSellerLong(sellerId, 'read', (db) => findAccount({ db, seller_id: sellerId }));
  if (row === undefined) return;
  const fetchedAt = new Date(now()).toISOString();
  const account = await accounts.read(row.provider_account_id);
  await withSellerLong(sellerId, 'write', (db) =>
    storeAccount(acting(services, { db, seller_id: sellerId }), account, fetchedAt),
  );
}

/**
 * The seller's account, which is opened if there is none. A repeated call after a crash finds the one that was opened.
 *
 * @throws ProviderUnavailable, ProviderRefused
 */
export async function openAccount(
  services: AccountServices,
  { name, accounts }: Pick<PayoutProvider, 'name' | 'accounts'>,
  sellerId: string,
): Promise<AccountRow> {
  const { withSellerLong, withSystemLong, now } = services;
  const find = () => withSellerLong(sellerId, 'read', (db) => findAccount({ db, seller_id: sellerId }));
  const known = await find();
  if (known !== undefined || accounts == null) return required(known);
  const fetchedAt = new Date(now()).toISOString();
  const provider_account_id = await accounts.open(sellerId, null);
  // Callbacks name the account only, so its owner must be known before the first of them is worked.
  await withSystemLong('payment-callback', 'single', (db) =>
    noteOwner(db, name, provider_account_id, sellerId),
  );
  const said = await accounts.read(provider_account_id);
  await withSellerLong(sellerId, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id: sellerId });
    const made = await insertAccount(ctx, {
      ...{ payout_account_id: ctx.ids.next('pac_'), provider: name, provider_account_id },
      ...{ status: 'not_started', ...NEW, destination: null, requirements: [] },
      ...{ submitted_at: null, fetched_at: fetchedAt, deauthorised_at: null, version: 0 },
    });
    if (made) await storeAccount(ctx, said, fetchedAt);
  });
  return required(await find());
}

function required(row: AccountRow | undefined): AccountRow {
  if (row === undefined) throw new Error('the payout account is gone');
  return row;
}
