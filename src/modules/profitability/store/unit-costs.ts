/** Entries of costs. They are only added; the newest for a day is in force. */
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  boolean,
  date,
  instant,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { allOf, join, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type { OUTSIDE } from '../domain/components.ts';

const columns = {
  cost_id: text,
  product_id: nullable(text),
  component: textOf<(typeof OUTSIDE)[number]>(),
  currency: text,
  effective_from: date,
  amount_micros: nullable(bigint),
  entered_at: instant,
};
export const unitCosts = defineTable('unit_cost', ['cost_id'], { ...columns, entered_by: text });

/**
 * A query of the entry in force on the day `placed_on` of an alias: the one with the latest first day up to
 * then, and of two for one day the one that was entered later. `is_bought`: it comes from a purchase; `is_part`:
 * without the freight.
 *
 * @param about SQL of the product's id; of the empty text for the freight of an order
 */
export const costOn = (about: string, alias: string, day = 'placed_on'): Part =>
  raw(`
  select x.*
    from ((select e.cost_id, e.amount_micros, e.effective_from, e.entered_at,
                  false as is_bought, false as is_part
             from unit_cost e
            where e.seller_id = ${alias}.seller_id
              and e.about = ${about}
              and e.currency = ${alias}.currency
              and e.effective_from <= ${alias}.${day}
            order by e.effective_from desc, e.entered_at desc, e.cost_id desc
            limit 1)
          union all
          (select b.purchase_line_id, b.amount_micros, b.effective_from, b.entered_at,
                  true, b.missing <> '{}'
             from v_wholesale_cost b
            where b.seller_id = ${alias}.seller_id
              and b.product_id = ${about}
              and b.currency = ${alias}.currency
              and b.effective_from <= ${alias}.${day}
            order by b.effective_from desc, b.entered_at desc, b.purchase_line_id desc
            limit 1)) x
   order by x.effective_from desc, x.entered_at desc, x.cost_id desc
   limit 1`);

/** The entries of the seller, and the costs of purchases in the same form. */
const SOURCES = [
  raw(`
            select seller_id, cost_id, product_id, about, component, currency, effective_from, amount_micros,
                   entered_at, null::text as purchase_line_id, '{}'::text[] as missing
              from unit_cost`),
  raw(`
            select seller_id, purchase_line_id as cost_id, product_id, product_id::text as about,
                   'supplier_cost' as component, currency, effective_from, amount_micros, entered_at,
                   purchase_line_id, missing
              from v_wholesale_cost`),
];
const ENTRIES = part`(${join(SOURCES, ' union all ')}) e`;

const listed = {
  ...columns,
  seller_sku: nullable(text),
  in_force: boolean,
  purchase_line_id: nullable(text),
  missing: texts,
};
export type ListedCost = RowOf<typeof listed>;

interface Filter {
  readonly sku?: string | undefined;
  readonly product_id?: string | undefined;
  readonly component?: string | undefined;
  readonly cost_id?: string | undefined;
  /** The day for which the entry in force is marked. */
  readonly day: string;
}

/**
 * A page of the entries and one more, the one that was entered last first. Of each source the newest are read by an
 * index, and only the page is compared with the entries in force. `offset 0` makes the planner look up the product of
 * each; a join might read all products of a seller without statistics.
 */
export const listCosts = (
  { db, seller_id }: SellerDb,
  { sku, product_id, component, cost_id, day }: Filter,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<ListedCost[]> => {
  const newest = part`order by e.entered_at desc, e.cost_id desc limit ${limit}::int`;
  const asked = allOf(
    part`e.seller_id = ${seller_id}`,
    sku !== undefined &&
      part`e.about = (select product_id
                        from v_products_offered
                       where seller_id = ${seller_id}
                         and seller_sku = ${sku})`,
    product_id !== undefined && part`e.about = ${product_id}`,
    component !== undefined && part`e.component = ${component}`,
    // The same rows, by an index: only the freight is about no product.
    component === 'external_freight' && part`e.about = ''`,
    cost_id !== undefined && part`e.cost_id = ${cost_id}`,
    after && part`(e.entered_at, e.cost_id) < (${after[0]}::timestamptz, ${after[1]})`,
  );
  const each = SOURCES.map((source) => part`(select * from (${source}) e where ${asked} ${newest})`);
  return db.all(statement(listed)`
    select c.cost_id, c.product_id, c.component, c.currency, c.effective_from, c.amount_micros, c.entered_at,
           p.seller_sku, coalesce(f.cost_id = c.cost_id, false) as in_force, c.purchase_line_id, c.missing
      from (select e.*, ${day}::date as placed_on
              from (${join(each, ' union all ')}) e ${newest}) c
      left join lateral (select seller_sku
                           from v_products_offered
                          where seller_id = c.seller_id
                            and product_id = c.product_id
                         offset 0) p on true
      left join lateral (${costOn('c.about', 'c')}) f on true
     order by c.entered_at desc, c.cost_id desc`);
};

/** Whether a cost is known in this currency, or suppliers have sent goods. */
export async function hasCosts({
  db,
  seller_id,
  currency,
}: SellerDb & { readonly currency: string }): Promise<boolean> {
  const row = await db.one(statement({ known: boolean })`
    select exists (select
                     from ${ENTRIES}
                    where seller_id = ${seller_id}
                      and currency = ${currency})
        or exists (select
                     from v_dropship_line_cost
                    where seller_id = ${seller_id}) as known`);
  return row?.known === true;
}

/**
 * Locks the entries for a product, or for the freight, until the transaction ends. @returns the one that was
 * entered last
 */
export async function lockCosts({ db, seller_id }: SellerDb, about: string): Promise<string | undefined> {
  await lockName(db, `unit_cost/${seller_id}/${about}`);
  const last = await db.one(statement({ cost_id: text })`
    select cost_id
      from unit_cost
     where seller_id = ${seller_id}
       and about = ${about}
     order by entered_at desc, cost_id desc
     limit 1`);
  return last?.cost_id;
}

/**
 * Lets requests that enter many costs run one after another. Two of them with the products in different
 * orders would deadlock.
 */
export const lockAllCosts = ({ db, seller_id }: SellerDb): Promise<void> =>
  lockName(db, `unit_costs/${seller_id}`);

export const findProduct = ({ db, seller_id }: SellerDb, productId: string) =>
  db.one(statement({ product_id: text })`
    select product_id
      from v_products_offered
     where seller_id = ${seller_id}
       and product_id = ${productId}`);

/** Ids of products by their SKUs. */
export async function idsBySku({ db, seller_id }: SellerDb, skus: readonly string[]) {
  const rows = await db.all(statement({ product_id: text, seller_sku: text })`
    select product_id, seller_sku
      from v_products_offered
     where seller_id = ${seller_id}
       and seller_sku = any(${textArray(skus)}::text[])`);
  return new Map(rows.map(({ product_id, seller_sku }) => [seller_sku, product_id]));
}
