/** Answers of the provider that change nothing, for many accounts at once. In the system's scope. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { instant, integer, json, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { raw, statement } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';
import type { AccountStatus } from '../domain/account-status.ts';
import { accounts } from './accounts.ts';
import { stillWaits } from './callbacks.ts';

const STORED = {
  seller_id: text,
  ...accounts.columns,
  /** The status that follows from the account and from what others hold back now. */
  status_now: textOf<AccountStatus>(),
  /** The reasons of the provider that hold the seller's settlements. */
  holds: json<readonly string[]>(),
};
export type StoredAccount = RowOf<typeof STORED>;
const LIST = raw(
  Object.keys(accounts.columns)
    .map((name) => `a.${name}`)
    .join(', '),
);

/** The accounts of sellers, with what follows from them. */
export const storedAccounts = (db: Db, sellerIds: readonly string[]): Promise<StoredAccount[]> =>
  db.all(statement(STORED)`
    select a.seller_id, ${LIST}, o.status as status_now,
           (select coalesce(jsonb_agg(h.reason), '[]')
              from v_settlements_hold h
             where h.seller_id = a.seller_id
               and h.source = 'provider') as holds
      from payout_account a
      join v_payouts_onboarding o on o.seller_id = a.seller_id
     where a.seller_id = any(${textArray(sellerIds)}::text[])`);

const KEPT = { seller_id: text, event_id: text, version: integer, fetched_at: instant };
/** A callback of which the answer was found equal to a version of the account. */
type KeptAccount = RowOf<typeof KEPT>;

/**
 * Notes when the provider has said again what is stored, and decides the callbacks that made the service ask.
 *
 * @returns the callbacks; without those about accounts that have changed meanwhile
 */
export async function keepAccounts(
  db: Db,
  provider: string,
  kept: readonly KeptAccount[],
  at: string,
): Promise<ReadonlySet<string>> {
  const { from, element } = asRelation(KEPT, kept);
  const rows = await db.all(statement({ event_id: text })`
    with given as (
      select ${raw(Object.keys(KEPT).map(element).join(', '))}
        from ${from} as u (${raw(Object.keys(KEPT).join(', '))})),
    kept as (
      update payout_account a
         set fetched_at = g.fetched_at
        from given g
       where a.seller_id = g.seller_id
         and a.version = g.version
         and a.fetched_at <= g.fetched_at
      returning a.seller_id)
    update provider_callback c
       set decision = 'no_change', seller_id = g.seller_id, processed_at = ${at}::timestamptz
      from given g
     where g.seller_id in (select seller_id from kept)
       and c.provider = ${provider}
       and c.event_id = g.event_id
       and ${stillWaits}
    returning c.event_id`);
  return new Set(rows.map(({ event_id }) => event_id));
}
