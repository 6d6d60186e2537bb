/** Sellers whose balance is below zero, and the events about it. */
import type { Db } from '../../../kernel/context.ts';
import { date, integer, money, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';

const debtor = { seller_id: text, currency: text };
export type Debtor = RowOf<typeof debtor>;

/** One page of the sellers whose balance is below zero. It runs in the system's scope. */
export const debtors = (db: Db, after: Debtor | undefined, limit: number): Promise<Debtor[]> =>
  db.all(statement(debtor)`
    select seller_id, currency
      from v_ledger_day
     where account = 'seller_payable'
       and (seller_id, currency) > (${after?.seller_id ?? ''}, ${after?.currency ?? ''})
     group by seller_id, currency
    having sum(amount_minor) > 0
     order by seller_id, currency
     limit ${limit}`);

const balance = {
  /** The balance; below zero it is a debt. */
  payable: money,
  /** The balance and all amounts that are held back, settled or in transit. */
  owed: money,
};

/** The seller's account, from the seller's side. */
export async function balanceOf(
  { db, seller_id }: SellerDb,
  currency: string,
): Promise<RowOf<typeof balance>> {
  const row = await db.one(statement(balance)`
    select coalesce(-sum(amount_minor) filter (where account = 'seller_payable'), 0)::bigint as payable,
           coalesce(-sum(amount_minor), 0)::bigint as owed
      from v_ledger_day
     where seller_id = ${seller_id}
       and currency = ${currency}
       and account in ('seller_payable', 'seller_reserve', 'seller_settled', 'seller_in_transit')`);
  if (row === undefined) throw new Error('a sum has no row');
  return row;
}

const notices = defineTable('debt_notice', ['currency', 'days', 'told_on'], {
  currency: text,
  days: integer,
  told_on: date,
});

/** Events about the seller's debt from a day on. */
export const noticesSince = (at: SellerDb, currency: string, since: string) =>
  notices.all(at, part`currency = ${currency} and told_on >= ${since}::date order by told_on`);

export async function addNotices(
  at: SellerDb,
  currency: string,
  days: readonly number[],
  today: string,
): Promise<void> {
  await notices.insertMany(
    at,
    days.map((count) => ({ currency, days: count, told_on: today })),
  );
}

/**
 * The first day of the debt: since then, every day before a given day has ended with a debt. Null if the last of them
 * has not.
 */
export async function negativeSince(
  { db, seller_id }: SellerDb,
  currency: string,
  before: string,
): Promise<string | null> {
  const row = await db.one(statement({ since: nullable(date) })`
    with day as (
      select posted_on, -sum(amount_minor) as change
        from v_ledger_day
       where seller_id = ${seller_id}
         and currency = ${currency}
         and account = 'seller_payable'
         and posted_on < ${before}::date
       group by posted_on),
    run as (
      select posted_on, sum(change) over (order by posted_on) as balance
        from day)
    select min(posted_on) as since
      from run
     where balance < 0
       and posted_on > coalesce((select max(posted_on) from run where balance >= 0), '-infinity'::date)`);
  return row?.since ?? null;
}
