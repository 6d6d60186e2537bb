import { type Part, part, raw } from './statement.ts';

/**
 * SQL for the values of a text column of a seller, each found by one step in an index on `(seller_id, column)`. The
 * read grows with the number of values, not with the number of rows. It is a relation with one column, `value`.
 *
 * @param relation a table or view with `seller_id`
 * @param column a column that is never null
 */
export const distinctValues = (sellerId: string, relation: string, column: string): Part => part`
  (with recursive found (value) as (
     (select ${raw(column)}
        from ${raw(relation)}
       where seller_id = ${sellerId}
         and ${raw(column)} >= ''
       order by ${raw(column)}
       limit 1)
      union all
     select (select r.${raw(column)}
               from ${raw(relation)} r
              where r.seller_id = ${sellerId}
                and r.${raw(column)} > found.value
              order by r.${raw(column)}
              limit 1)
       from found
      where found.value is not null)
   select value from found where value is not null)`;
