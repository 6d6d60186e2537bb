/** Money that is held back by name, and how much of it was released. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Reserve {
  readonly reserve_id: string;
  readonly amount_minor: Minor;
  readonly released_minor: Minor;
  readonly currency: string;
  readonly reason_code: string;
  /** The Sydney day on which what is left of it is released. */
  readonly release_on: string | null;
  readonly held_at: string;
}

const INSERT =
  'insert into reserve (seller_id, reserve_id, amount_minor, released_minor, currency, reason_code, release_on, held_at) ' +
  'values ($1, $2, $3, 0, $4, $5, $6::date, $7::timestamptz) on conflict (seller_id, reserve_id) do nothing';

/** @returns false when there is one of this name */
export async function insertReserve(
  db: Db,
  sellerId: string,
  reserve: Omit<Reserve, 'released_minor'>,
): Promise<boolean> {
  const { reserve_id, amount_minor, currency, reason_code, release_on, held_at } = reserve;
  const values = [sellerId, reserve_id, amount_minor, currency, reason_code, release_on, held_at];
  return (await db.run(sql(INSERT, values))) > 0;
}

const HOLD =
  'select reserve_id, amount_minor, released_minor, currency, reason_code, release_on, held_at from reserve ' +
  'where seller_id = $1 and reserve_id = $2 for update';

/** Holds the reserve until the transaction ends. */
export async function holdReserve(db: Db, sellerId: string, reserveId: string): Promise<Reserve | undefined> {
  const row = await db.one<Reserve>(sql(HOLD, [sellerId, reserveId]));
  return row === undefined
    ? undefined
    : { ...row, amount_minor: minor(row.amount_minor), released_minor: minor(row.released_minor) };
}

const RELEASE = 'update reserve set released_minor = $3 where seller_id = $1 and reserve_id = $2';

export async function setReleased(
  db: Db,
  sellerId: string,
  reserveId: string,
  released: Minor,
): Promise<void> {
  await db.run(sql(RELEASE, [sellerId, reserveId, released]));
}

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
