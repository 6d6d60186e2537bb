/** How far the demo marketplace has replayed its past. Instants are milliseconds. */
import type { Db } from '../../src/kernel/context.ts';
import { sql } from '../../src/platform/db/sql.ts';

export interface PastProgress {
  readonly seller_id: string | null;
  readonly began_at: number;
  readonly clock_at: number;
  /** Null until the past is replayed to its end. */
  readonly ended_at: number | null;
}

interface Stored {
  readonly seller_id: string | null;
  readonly began_at: string;
  readonly clock_at: string;
  readonly ended_at: string | null;
}

const iso = (at: number): string => new Date(at).toISOString();

/** Undefined in a database whose demo marketplace has no past. */
export async function readProgress(db: Db): Promise<PastProgress | undefined> {
  const row = await db.one<Stored>(sql('select seller_id, began_at, clock_at, ended_at from demo_history'));
  if (row === undefined) return undefined;
  const { seller_id, began_at, clock_at, ended_at } = row;
  return {
    seller_id,
    began_at: Date.parse(began_at),
    clock_at: Date.parse(clock_at),
    ended_at: ended_at === null ? null : Date.parse(ended_at),
  };
}

export const startPast = (db: Db, at: number): Promise<number> =>
  db.run(sql('insert into demo_history (began_at, clock_at) values ($1, $1)', [iso(at)]));

export const storeSeller = (db: Db, sellerId: string): Promise<number> =>
  db.run(sql('update demo_history set seller_id = $1', [sellerId]));

export const storeClock = (db: Db, at: number): Promise<number> =>
  db.run(sql('update demo_history set clock_at = $1', [iso(at)]));

export const endPast = (db: Db, at: number): Promise<number> =>
  db.run(sql('update demo_history set clock_at = $1, ended_at = $1', [iso(at)]));
