/** Reserves: amounts that are held back, and how much of each was released. */
import type { Minor } from '../../../kernel/money.ts';
import { date, instant, money, nullable, text } from '../../../platform/db/columns.ts';
import { part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

const reserves = defineTable('reserve', ['reserve_id'], {
  reserve_id: text,
  amount_minor: money,
  released_minor: money,
  currency: text,
  reason_code: text,
  /** The Sydney day on which the rest is released. */
  release_on: nullable(date),
  held_at: instant,
});
export type Reserve = RowIn<typeof reserves>;

/** @returns false if a reserve with this id exists */
export const insertReserve = (at: SellerDb, reserve: Reserve): Promise<boolean> =>
  reserves.insert(at, reserve);

/** Locks the reserve until the transaction ends. */
export const lockReserve = (at: SellerDb, reserveId: string): Promise<Reserve | undefined> =>
  reserves.find(at, { reserve_id: reserveId }, 'for update');

export const setReleased = (at: SellerDb, reserveId: string, released: Minor): Promise<number> =>
  reserves.change(at, part`released_minor = ${released}`, part`reserve_id = ${reserveId}`);

/** Reserves that are not released in full. */
export const openReserves = (at: SellerDb, currency: string): Promise<Reserve[]> =>
  reserves.all(
    at,
    part`currency = ${currency} and released_minor < amount_minor order by held_at, reserve_id`,
  );
