import { type Part, part, raw } from './statement.ts';

/** A table of a seller, the column of its ids, and nothing that a request has sent. */
interface Locked {
  readonly table: string;
  readonly key: string;
}

/**
 * Locks rows of a seller until the transaction ends, in the order of their ids, so that two transactions never deadlock.
 * Each row is a look-up of its own: for a list, servers before PostgreSQL 17 may read all rows of the seller.
 *
 * @param ids a query of one column `id`, which may repeat
 * @returns a query of the ids that exist
 */
export const lockInOrder = ({ table, key }: Locked, sellerId: string, ids: Part): Part => part`
    select f.*
      from (select distinct id collate "C" as id from (${ids}) as u order by 1) as k
     cross join lateral (
       select p.${raw(key)}
         from ${raw(table)} p
        where p.seller_id = ${sellerId}
          and p.${raw(key)} = k.id
        limit 1
          for update) as f`;
