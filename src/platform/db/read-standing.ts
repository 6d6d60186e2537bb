import type { Db, Standing } from '../../kernel/context.ts';
import { boolean, instant, nullable, text, textOf, texts } from './columns.ts';
import { raw, statement } from './statement.ts';

/** A seller's standing as a row. */
export const STANDING = {
  status: textOf<Standing['status']>(),
  verified: boolean,
  api_access: boolean,
  plan: textOf<Standing['plan']>(),
  account_flags: texts,
  currency: text,
  hidden_from: nullable(text),
  hidden_to: nullable(text),
  agreement_version: nullable(text),
  agreement_due_at: nullable(instant),
};
export const STANDING_COLUMNS = Object.keys(STANDING);

/** SQL condition on a seller `s`: it may use the API. `http/authenticate.ts` refuses the other sellers. */
export const IN_STANDING = "(s.status = 'active' and s.verified and s.api_access)";

/** Whether a seller with this id exists. Marketplace events may name a seller that does not. */
export async function sellerExists(db: Db, sellerId: string): Promise<boolean> {
  return (await readStanding(db, sellerId)) !== undefined;
}

/** Reads a seller's standing for jobs. Requests read it with the first statement of their scope. */
export function readStanding(db: Db, sellerId: string): Promise<Standing | undefined> {
  return db.one(statement(STANDING)`
    select ${raw(STANDING_COLUMNS.join(', '))}
      from v_sellers_standing
     where seller_id = ${sellerId}`);
}
