import type { Db, Standing } from '../../kernel/context.ts';
import { sql } from './sql.ts';

const STANDING =
  'select status, verified, api_access, plan, account_flags, currency from v_sellers_standing where seller_id = $1';

/** In SQL, of a row `s` of the sellers: whether its tokens are good (http/authenticate.ts refuses the others). */
export const IN_STANDING = "(s.status = 'active' and s.verified and s.api_access)";

/** A seller's standing for work that no request asked for; requests read it with their scope. */
export function readStanding(db: Db, sellerId: string): Promise<Standing | undefined> {
  return db.one<Standing>(sql(STANDING, [sellerId]));
}
