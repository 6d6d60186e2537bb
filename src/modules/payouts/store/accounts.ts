/** Accounts of sellers at the payment provider. */
import type { Db } from '../../../kernel/context.ts';
import {
  boolean,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type {
  AccountStatus,
  Destination,
  ProviderRequirement,
  StatusFacts,
} from '../domain/account-status.ts';

/** A requirement, and since when it stands. */
export interface StoredRequirement extends ProviderRequirement {
  readonly since: string;
}

export const accounts = defineTable('payout_account', [], {
  payout_account_id: text,
  provider: text,
  provider_account_id: text,
  status: textOf<AccountStatus>(),
  payable: boolean,
  submitted: boolean,
  disabled_reason: nullable(text),
  requirements: json<readonly StoredRequirement[]>('json'),
  deadline: nullable(instant),
  destination: nullable(json<Destination & { readonly changed_at: string }>('json')),
  submitted_at: nullable(instant),
  fetched_at: instant,
  deauthorised_at: nullable(instant),
  version: integer,
});
export type AccountRow = RowIn<typeof accounts>;

/** What decides the status of a stored account. */
export const factsOf = (row: AccountRow): StatusFacts => ({ ...row, gone: row.deauthorised_at !== null });

/** The seller's account; undefined if it has opened none. Locked, it cannot change until the transaction ends. */
export const findAccount = (at: SellerDb, lock = false): Promise<AccountRow | undefined> =>
  accounts.one(at, part`true ${lock ? part`for no key update` : part``}`);

/**
 * Takes the right to ask the provider until an instant of the system's clock.
 *
 * @returns false while another one has it, and if another one has asked since the caller has looked
 */
export const leaseAccount = async (
  at: SellerDb,
  seen: Pick<AccountRow, 'fetched_at'> & { readonly failures: number },
  now: string,
  until: string,
): Promise<boolean> =>
  (await accounts.change(
    at,
    part`refreshing_until = ${until}::timestamptz`,
    part`fetched_at = ${seen.fetched_at}::timestamptz
     and refresh_failures = ${seen.failures}::int
     and coalesce(refreshing_until <= ${now}::timestamptz, true)`,
  )) === 1;

/** How often the provider was asked under {@link leaseAccount} without an answer. */
export async function refreshFailures({ db, seller_id }: SellerDb): Promise<number> {
  const row = await db.one(statement({ refresh_failures: integer })`
    select refresh_failures
      from payout_account
     where seller_id = ${seller_id}`);
  return row?.refresh_failures ?? 0;
}

/** Gives up the right of {@link leaseAccount}, unless it has passed on. Without an answer those who wait stop too. */
export const releaseAccount = (at: SellerDb, until: string, isAnswered: boolean): Promise<number> =>
  accounts.change(
    at,
    part`refreshing_until = null, refresh_failures = refresh_failures + ${isAnswered ? 0 : 1}::int`,
    part`refreshing_until = ${until}::timestamptz`,
  );

const requests = defineTable('payout_account_request', ['provider'], {
  provider: text,
  /** When the provider was first asked. */
  asked_at: instant,
  /** Counts the keys; the provider is asked with the last one. */
  attempt: integer,
});
type RequestRow = RowIn<typeof requests>;

/** Notes that the provider is asked for an account. @returns the request as it is known, and whether it is the first */
export async function noteRequest(
  at: SellerDb,
  { provider, asked_at }: Pick<RequestRow, 'provider' | 'asked_at'>,
): Promise<RequestRow & { readonly isFirst: boolean }> {
  const first = { provider, asked_at, attempt: 1 };
  const isFirst = await requests.insert(at, first);
  return { ...((await requests.find(at, { provider })) ?? first), isFirst };
}

/** Lets the next request ask with a key of its own, once for each key. */
export const endRequestKey = (
  at: SellerDb,
  { provider, attempt }: Pick<RequestRow, 'provider' | 'attempt'>,
): Promise<number> =>
  requests.change(
    at,
    part`attempt = attempt + 1`,
    part`provider = ${provider} and attempt = ${attempt}::int`,
  );

/** Where the provider writes to the seller: the e-mail address of its owner, the first of several. */
export async function ownerEmail({ db, seller_id }: SellerDb): Promise<string | null> {
  const row = await db.one(statement({ email: nullable(text) })`
    select c.email
      from v_sellers_active_member m
      join v_sellers_contact c on c.seller_id = ${seller_id} and c.member_id = m.member_id
     where m.seller_id = ${seller_id}
       and 'owner' = any(m.roles)
     order by m.member_id
     limit 1`);
  return row?.email ?? null;
}

/** The state of the seller's identity case; undefined if the marketplace asks for none. */
export async function identityStatus({ db, seller_id }: SellerDb): Promise<string | undefined> {
  const row = await db.one(statement({ status: text })`
    select status
      from v_kyc_onboarding
     where seller_id = ${seller_id}`);
  return row?.status;
}

/**
 * Notes whose account it is, in the system's scope. A seller has one account at a provider.
 *
 * @returns the seller's account
 */
export async function noteOwner(
  db: Db,
  provider: string,
  account: string,
  sellerId: string,
): Promise<string> {
  await db.run(command`
    insert into payout_account_owner (provider, provider_account_id, seller_id)
    values (${provider}, ${account}, ${sellerId})
        on conflict do nothing`);
  return (await accountOf(db, provider, sellerId)) ?? account;
}

/** The account of a seller, in the system's scope. */
export async function accountOf(db: Db, provider: string, sellerId: string): Promise<string | undefined> {
  const row = await db.one(statement({ provider_account_id: text })`
    select provider_account_id
      from payout_account_owner
     where provider = ${provider}
       and seller_id = ${sellerId}`);
  return row?.provider_account_id;
}

const followed = { seller_id: text };

/**
 * Sellers whose account was not read for long, in the system's scope. Accounts that cannot be paid, or of which something
 * is asked, are read more often.
 */
export const accountsToFollow = (
  db: Db,
  waitingBefore: string,
  settledBefore: string,
  limit: number,
): Promise<RowOf<typeof followed>[]> =>
  db.all(statement(followed)`
    select seller_id
      from payout_account
     where fetched_at < ${settledBefore}::timestamptz
        or (fetched_at < ${waitingBefore}::timestamptz
            and (not payable or exists (select
                                          from json_array_elements(requirements) r
                                         where r->>'due' <> 'eventually_due')))
     order by fetched_at
     limit ${limit}::int`);
