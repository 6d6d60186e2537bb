/** Balances of the ledger over all sellers, from its sums by month and day. */
import type { Db } from '../../kernel/context.ts';
import { minor, minorToJson } from '../../kernel/money.ts';
import { sql } from '../../platform/db/sql.ts';

export interface AccountBalance {
  readonly account: string;
  readonly currency: string;
  /** Debits above zero, credits below. */
  readonly balance_minor: number;
}

// Whole months and whole days before $1, and the entries of that day that count from $2 or before. The seller
// narrows the sums to one ledger.
const BALANCES =
  'select account, currency, sum(amount_minor)::bigint as balance from (' +
  "select seller_id, account, currency, amount_minor from v_ledger_month where month < date_trunc('month', $1::date)::date union all " +
  'select seller_id, account, currency, amount_minor from v_ledger_day where posted_on < $1::date ' +
  "and posted_on >= date_trunc('month', $1::date)::date union all " +
  'select seller_id, account, currency, amount_minor from v_ledger_counted where posted_on = $1::date ' +
  'and counts_from <= $2::timestamptz) d ' +
  'where $3::text is null or seller_id = $3 group by account, currency order by currency, account';

/**
 * What every account held at an instant, by currency; an account without entries is left out.
 *
 * @param wholeBefore Sydney day: the days before it count whole
 * @param at RFC 3339: what had counted by then of that day
 * @param sellerId null: of all sellers
 */
export async function ledgerBalances(
  db: Db,
  wholeBefore: string,
  at: string,
  sellerId: string | null,
): Promise<AccountBalance[]> {
  const rows = await db.all<{ account: string; currency: string; balance: bigint }>(
    sql(BALANCES, [wholeBefore, at, sellerId]),
  );
  return rows.map(({ account, currency, balance }) => ({
    account,
    currency,
    balance_minor: minorToJson(minor(balance)),
  }));
}

const ENTRIES =
  'select coalesce(sum(position), 0)::bigint as entries from v_ledger_head where $1::text is null or seller_id = $1';

/** Entries of the ledger, of one seller's or of all. */
export async function countEntries(db: Db, sellerId: string | null): Promise<number> {
  const row = await db.one<{ entries: bigint }>(sql(ENTRIES, [sellerId]));
  return Number(row?.entries ?? 0n);
}
