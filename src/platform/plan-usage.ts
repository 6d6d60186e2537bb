/** Reads how much of a plan's limits a seller uses. Triggers on the counted tables keep the counters. */
import type { Db } from '../kernel/context.ts';
import { integer } from './db/columns.ts';
import { command, statement } from './db/statement.ts';

/** The counter of one resource. */
export async function readUsed(db: Db, sellerId: string, resource: string): Promise<number> {
  const row = await db.one(statement({ used: integer })`
    select used
      from usage_counter
     where seller_id = ${sellerId}
       and resource = ${resource}`);
  return row?.used ?? 0;
}

/** The same, locked until the transaction ends. */
export async function lockUsed(db: Db, sellerId: string, resource: string): Promise<number> {
  await db.run(command`
    insert into usage_counter (seller_id, resource, used)
    values (${sellerId}, ${resource}, 0)
        on conflict do nothing`);
  const row = await db.one(statement({ used: integer })`
    select used
      from usage_counter
     where seller_id = ${sellerId}
       and resource = ${resource}
       for update`);
  return row?.used ?? 0;
}
