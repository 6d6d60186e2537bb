/** The goods of orders, with the costs that were in force on the days of the orders. */
import type { MissingComponent } from '../../../kernel/frame.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { bigint, boolean, integer, money, nullable, text, texts } from '../../../platform/db/columns.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { costOn } from './unit-costs.ts';

const goods = {
  order_id: text,
  order_line_id: text,
  shipped: integer,
  units: integer,
  unit_micros: nullable(bigint),
  unit_bought: nullable(boolean),
  unit_part: nullable(boolean),
  freight_micros: nullable(bigint),
  supplied_units: nullable(integer),
  supplied_minor: nullable(money),
  supplied_lacks: nullable(texts),
};

/** The lines of goods of these orders, if they are in this currency. */
export const goodsOfOrders = (
  { db, seller_id, currency }: SellerDb & { readonly currency: string },
  orderIds: readonly string[],
) =>
  db.all(statement(goods)`
    select g.order_id, g.order_line_id, g.shipped, g.units, u.amount_micros as unit_micros,
           u.is_bought as unit_bought, u.is_part as unit_part,
           f.amount_micros as freight_micros, d.units as supplied_units, d.cost_minor as supplied_minor,
           d.missing as supplied_lacks
      from v_orders_goods g
      left join v_dropship_line_cost d
        on d.seller_id = g.seller_id
       and d.order_line_id = g.order_line_id
      left join lateral (${costOn('g.product_id', 'g')}) u on g.product_id is not null
      left join lateral (${costOn("''", 'g')}) f on true
     where g.seller_id = ${seller_id}
       and g.currency = ${currency}
       and g.order_id = any(${textArray(orderIds)}::text[])`);

/**
 * What figures of one currency lack: payments of these days in another one. A seller with one currency has no row to
 * read.
 */
export async function otherCurrencies(
  { db, seller_id, currency }: SellerDb & { readonly currency: string },
  { start, end }: { readonly start?: string | undefined; readonly end?: string | undefined },
): Promise<MissingComponent[]> {
  const some = (comparison: '<' | '>') => part`
    exists (select
              from v_ledger_day
             where seller_id = ${seller_id}
               and currency ${raw(comparison)} ${currency}
               and posted_on between coalesce(${start}::date, '-infinity') and coalesce(${end}::date, 'infinity'))`;
  const row = await db.one(statement({ known: boolean })`select ${some('<')} or ${some('>')} as known`);
  return row?.known === true ? ['other_currencies'] : [];
}
