/** Sellers who owe money, and what they were told of it. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { intArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Debtor {
  readonly seller_id: string;
  readonly currency: string;
}

const DEBTORS =
  "select seller_id, currency from v_ledger_day where account = 'seller_payable' and (seller_id, currency) > ($1, $2) " +
  'group by seller_id, currency having sum(amount_minor) > 0 order by seller_id, currency limit $3::int';

/** Whose balance is below zero, in the system's scope; a page behind the one before. */
export function debtors(db: Db, after: Debtor | undefined, limit: number): Promise<Debtor[]> {
  return db.all<Debtor>(sql(DEBTORS, [after?.seller_id ?? '', after?.currency ?? '', limit]));
}

const STANDING =
  "select coalesce(-sum(amount_minor) filter (where account = 'seller_payable'), 0)::bigint as payable, " +
  'coalesce(-sum(amount_minor), 0)::bigint as owed from v_ledger_day where seller_id = $1 and currency = $2 ' +
  "and account in ('seller_payable', 'seller_reserve', 'seller_settled', 'seller_in_transit')";

export interface Standing {
  /** The balance; below zero it is a debt. */
  readonly payable: Minor;
  /** The balance, and what is held back, settled or on its way beside it. */
  readonly owed: Minor;
}

/** How a seller's account stands, from the seller's side. */
export async function standingOf(db: Db, sellerId: string, currency: string): Promise<Standing> {
  const row = await db.one<{ payable: bigint; owed: bigint }>(sql(STANDING, [sellerId, currency]));
  return { payable: minor(row?.payable ?? 0n), owed: minor(row?.owed ?? 0n) };
}

const TOLD =
  'select days, told_on from debt_notice where seller_id = $1 and currency = $2 and told_on >= $3::date order by told_on';

export interface Told {
  readonly days: number;
  readonly told_on: string;
}

/** What the seller was told from a day on. */
export const toldSince = (db: Db, sellerId: string, currency: string, since: string): Promise<Told[]> =>
  db.all<Told>(sql(TOLD, [sellerId, currency, since]));

const TELL =
  'insert into debt_notice (seller_id, currency, days, told_on) select $1::text, $2::text, unnest($3::int[]), $4::date';

export async function noteTold(
  db: Db,
  { seller_id, currency }: Debtor,
  days: readonly number[],
  today: string,
): Promise<void> {
  await db.run(sql(TELL, [seller_id, currency, intArray(days), today]));
}

const NEGATIVE =
  'with day as (select posted_on, -sum(amount_minor) as change from v_ledger_day where seller_id = $1 and currency = $2 ' +
  "and account = 'seller_payable' and posted_on < $3::date group by posted_on), " +
  'run as (select posted_on, sum(change) over (order by posted_on) as balance from day) ' +
  'select min(posted_on) as since from run where balance < 0 ' +
  "and posted_on > coalesce((select max(posted_on) from run where balance >= 0), '-infinity'::date)";

/**
 * The first day of those on whose ends the seller has owed money without a break until a day begins; null when it did
 * not on the last of them.
 */
export async function negativeSince(
  db: Db,
  sellerId: string,
  currency: string,
  before: string,
): Promise<string | null> {
  const row = await db.one<{ since: string | null }>(sql(NEGATIVE, [sellerId, currency, before]));
  return row?.since ?? null;
}
