import type { Db } from '../../kernel/context.ts';
import { sql } from '../../platform/db/sql.ts';

/** Whether any seller exists: from then on time may not run backwards. */
export async function anySeller(db: Db): Promise<boolean> {
  const row = await db.one<{ found: boolean }>(
    sql('select exists (select from v_sellers_standing) as found'),
  );
  return row?.found ?? false;
}
