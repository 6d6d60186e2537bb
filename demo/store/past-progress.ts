/** How far the demo marketplace has replayed its past. Instants are milliseconds. */
import type { Db } from '../../src/kernel/context.ts';
import { instant, nullable, text } from '../../src/platform/db/columns.ts';
import { command, statement } from '../../src/platform/db/statement.ts';

export interface PastProgress {
  readonly seller_id: string | null;
  readonly began_at: number;
  readonly clock_at: number;
  /** Null until the past is replayed to its end. */
  readonly ended_at: number | null;
}

const row = { seller_id: nullable(text), began_at: instant, clock_at: instant, ended_at: nullable(instant) };
const iso = (at: number): string => new Date(at).toISOString();

/** Undefined in a database whose demo marketplace has no past. */
export async function readProgress(db: Db): Promise<PastProgress | undefined> {
  const stored = await db.one(statement(row)`
    select seller_id, began_at, clock_at, ended_at
      from demo_history`);
  if (stored === undefined) return undefined;
  const { seller_id, began_at, clock_at, ended_at } = stored;
  return {
    seller_id,
    began_at: Date.parse(began_at),
    clock_at: Date.parse(clock_at),
    ended_at: ended_at === null ? null : Date.parse(ended_at),
  };
}

export const startPast = (db: Db, at: number): Promise<number> =>
  db.run(command`insert into demo_history (began_at, clock_at) values (${iso(at)}, ${iso(at)})`);

export const storeSeller = (db: Db, sellerId: string): Promise<number> =>
  db.run(command`update demo_history set seller_id = ${sellerId}`);

export const storeClock = (db: Db, at: number): Promise<number> =>
  db.run(command`update demo_history set clock_at = ${iso(at)}`);

export const endPast = (db: Db, at: number): Promise<number> =>
  db.run(command`update demo_history set clock_at = ${iso(at)}, ended_at = ${iso(at)}`);
