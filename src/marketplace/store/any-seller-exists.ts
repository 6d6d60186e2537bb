import type { Db } from '../../kernel/context.ts';
import { boolean } from '../../platform/db/columns.ts';
import { statement } from '../../platform/db/statement.ts';

/** Whether any seller exists. If so, the clock must not move back. */
export async function anySellerExists(db: Db): Promise<boolean> {
  const row = await db.one(
    statement({ found: boolean })`select exists (select from v_sellers_standing) as found`,
  );
  return row?.found ?? false;
}
