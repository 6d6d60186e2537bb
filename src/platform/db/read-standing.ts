import type { Db, Standing } from '../../kernel/context.ts';
import { boolean, text, textOf, texts } from './columns.ts';
import { statement } from './statement.ts';

/** A seller's standing as a row. */
export const STANDING = {
  status: textOf<Standing['status']>(),
  verified: boolean,
  api_access: boolean,
  plan: textOf<Standing['plan']>(),
  account_flags: texts,
  currency: text,
};

/** SQL condition on a seller `s`: it may use the API. `http/authenticate.ts` refuses the other sellers. */
export const IN_STANDING = "(s.status = 'active' and s.verified and s.api_access)";

/** A seller's standing, for jobs. Requests read it with their scope. */
export function readStanding(db: Db, sellerId: string): Promise<Standing | undefined> {
  return db.one(statement(STANDING)`
    select status, verified, api_access, plan, account_flags, currency
      from v_sellers_standing
     where seller_id = ${sellerId}`);
}
