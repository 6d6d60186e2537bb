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
import { command, statement } from '../../../platform/db/statement.ts';
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

const accounts = defineTable('payout_account', [], {
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

/** The seller's account; undefined if it has opened none. */
export const findAccount = ({ db, seller_id }: SellerDb): Promise<AccountRow | undefined> =>
  db.one(statement(accounts.columns)`
    select ${accounts.list}
      from payout_account
     where seller_id = ${seller_id}`);

/** @returns false if the seller has one */
export const insertAccount = (at: SellerDb, row: AccountRow): Promise<boolean> => accounts.insert(at, row);

export const replaceAccount = async ({ db, seller_id }: SellerDb, row: AccountRow): Promise<void> => {
  await db.run(command`
    update payout_account
       set status = ${row.status}, payable = ${row.payable}, submitted = ${row.submitted},
           disabled_reason = ${row.disabled_reason}, requirements = ${JSON.stringify(row.requirements)},
           deadline = ${row.deadline}, destination = ${row.destination && JSON.stringify(row.destination)},
           submitted_at = ${row.submitted_at}, fetched_at = ${row.fetched_at},
           deauthorised_at = ${row.deauthorised_at}, version = ${row.version}
     where seller_id = ${seller_id}`);
};

/** Notes whose account it is, in the system's scope. */
export const noteOwner = (db: Db, provider: string, account: string, sellerId: string): Promise<number> =>
  db.run(command`
    insert into payout_account_owner (provider, provider_account_id, seller_id)
    values (${provider}, ${account}, ${sellerId})
        on conflict do nothing`);

/** The seller of an account, in the system's scope. */
export async function ownerOf(db: Db, provider: string, account: string): Promise<string | undefined> {
  const row = await db.one(statement({ seller_id: text })`
    select seller_id
      from payout_account_owner
     where provider = ${provider}
       and provider_account_id = ${account}`);
  return row?.seller_id;
}

const followed = { seller_id: text };

/** Sellers whose account was not read for long, in the system's scope. Accounts that wait are read more often. */
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
        or (fetched_at < ${waitingBefore}::timestamptz and status not in ('enabled', 'disabled'))
     order by fetched_at
     limit ${limit}::int`);
