/** The changes of status of settlements and of payouts. The changes of an object are numbered. */
import { isoInstant } from '../../../platform/db/instant.ts';
import { command, join, type Part, part, raw } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

export interface StatusChange {
  readonly status: string;
  readonly at: string;
  readonly actor: string;
  readonly reason: string | null;
}

/**
 * @param key the column of `table` with the id of the object
 * @param more further columns of a change
 */
export function statusHistory<C extends StatusChange>(
  table: string,
  key: string,
  more: readonly (Exclude<keyof C, 'at'> & string)[] = [],
) {
  const names = ['status', 'actor', 'reason', ...more] as const;
  const fields = names.map((name) => `'${name}', c.${name}`).join(', ');
  return {
    /** All changes of the object of an alias as JSON, the oldest first. */
    of: (alias: string): Part => part`
      coalesce((select json_agg(json_build_object('at', ${isoInstant('c.at')}, ${raw(fields)}) order by c.number)
                  from ${raw(table)} c
                 where c.seller_id = ${raw(alias)}.seller_id
                   and c.${raw(key)} = ${raw(alias)}.${raw(key)}), '[]')`,
    async add({ db, seller_id }: SellerDb, id: string, change: C): Promise<void> {
      const values = names.map((name) => part`, ${change[name]}::text`);
      await db.run(command`
        insert into ${raw(table)} (seller_id, ${raw(key)}, number, at, ${raw(names.join(', '))})
        select ${seller_id}::text, ${id}::text, coalesce(max(number), 0) + 1, ${change.at}::timestamptz
               ${join(values, '')}
          from ${raw(table)}
         where seller_id = ${seller_id}
           and ${raw(key)} = ${id}`);
    },
  };
}
