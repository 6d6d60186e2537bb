/** Balances of the ledger over all sellers, from its sums by month and day. */
import type { Db } from '../../kernel/context.ts';
import { minorToJson } from '../../kernel/money.ts';
import { bigint, money, text } from '../../platform/db/columns.ts';
import { statement } from '../../platform/db/statement.ts';

export interface AccountBalance {
  readonly account: string;
  readonly currency: string;
  /** Debits are above zero, credits below. */
  readonly balance_minor: number;
}

/**
 * The balance of every account at an instant, by currency. Accounts without entries are left out.
 *
 * @param wholeBefore the Sydney day of the instant; all entries of earlier days count
 * @param at RFC 3339; entries of that day count up to this instant
 * @param sellerId null means all sellers
 */
export async function ledgerBalances(
  db: Db,
  wholeBefore: string,
  at: string,
  sellerId: string | null,
): Promise<AccountBalance[]> {
  const rows = await db.all(statement({ account: text, currency: text, balance: money })`
    select account, currency, sum(amount_minor)::bigint as balance
      from (select seller_id, account, currency, amount_minor
              from v_ledger_month
             where month < date_trunc('month', ${wholeBefore}::date)::date
             union all
            select seller_id, account, currency, amount_minor
              from v_ledger_day
             where posted_on < ${wholeBefore}::date
               and posted_on >= date_trunc('month', ${wholeBefore}::date)::date
             union all
            select seller_id, account, currency, amount_minor
              from v_ledger_counted
             where posted_on = ${wholeBefore}::date and counts_from <= ${at}::timestamptz) d
     where ${sellerId}::text is null or seller_id = ${sellerId}
     group by account, currency
     order by currency, account`);
  return rows.map(({ account, currency, balance }) => ({
    account,
    currency,
    balance_minor: minorToJson(balance),
  }));
}

/** The number of ledger entries, of one seller or of all. */
export async function countEntries(db: Db, sellerId: string | null): Promise<number> {
  const row = await db.one(statement({ entries: bigint })`
    select coalesce(sum(position), 0)::bigint as entries
      from v_ledger_head
     where ${sellerId}::text is null or seller_id = ${sellerId}`);
  return Number(row?.entries ?? 0n);
}
