import type { Db, Standing } from '../../kernel/context.ts';
import { sql } from './sql.ts';

const STANDING =
  'select status, verified, api_access, plan, account_flags, currency from seller where seller_id = $1';

/** A seller's standing for work that no request asked for; requests read it with their scope. */
export function readStanding(db: Db, sellerId: string): Promise<Standing | undefined> {
  return db.one<Standing>(sql(STANDING, [sellerId]));
}
