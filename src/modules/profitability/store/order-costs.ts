/** The goods of orders, with the costs that were in force on the days of the orders. */
import { textArray } from '../../../platform/db/arrays.ts';
import { bigint, boolean, integer, money, nullable, text, texts } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
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

/** Orders in another currency, whose first lines count on these days. */
export async function hasOtherCurrencies(
  { db, seller_id, currency }: SellerDb & { readonly currency: string },
  { start, end }: { readonly start: string; readonly end: string },
): Promise<boolean> {
  const row = await db.one(statement({ currency: text })`
    select currency
      from v_ledger_day
     where seller_id = ${seller_id}
       and currency <> ${currency}
       and posted_on between ${start}::date and ${end}::date
     limit 1`);
  return row !== undefined;
}
