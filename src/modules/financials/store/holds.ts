/** Why money is kept back; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { HoldReason } from '../domain/settlement.ts';

export interface Hold {
  readonly reason: HoldReason;
  /** Null: of all that is settled. */
  readonly settlement_id: string | null;
  readonly note: string | null;
  readonly since: string;
}

const HOLDS =
  "select reason, nullif(settlement_id, '') as settlement_id, note, since from settlement_hold " +
  'where seller_id = $1 and active order by since, settlement_id, reason';

export const activeHolds = (db: Db, sellerId: string): Promise<Hold[]> =>
  db.all<Hold>(sql(HOLDS, [sellerId]));

export interface OpenReserve {
  readonly reserve_id: string;
  readonly amount: Minor;
  readonly released: Minor;
  readonly reason_code: string;
  readonly release_on: string | null;
  readonly held_at: string;
}

const RESERVES =
  'select reserve_id, amount_minor as amount, released_minor as released, reason_code, release_on, held_at from reserve ' +
  'where seller_id = $1 and currency = $2 and released_minor < amount_minor order by held_at, reserve_id';

/** Reserves of which something is left. */
export async function openReserves(db: Db, sellerId: string, currency: string): Promise<OpenReserve[]> {
  const rows = await db.all<
    Omit<OpenReserve, 'amount' | 'released'> & { readonly amount: bigint; readonly released: bigint }
  >(sql(RESERVES, [sellerId, currency]));
  return rows.map((row) => ({ ...row, amount: minor(row.amount), released: minor(row.released) }));
}

const HOLD_DAYS = 'select hold_days from v_sellers_payout_terms where seller_id = $1';

/** The seller's own number of days; null where the general rule holds. */
export async function ownHoldDays(db: Db, sellerId: string): Promise<number | null> {
  return (await db.one<{ hold_days: number | null }>(sql(HOLD_DAYS, [sellerId])))?.hold_days ?? null;
}
