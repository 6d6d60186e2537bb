import type { ProductScope } from '../../kernel/product-scope.ts';
import { textArray } from '../../platform/db/arrays.ts';
import {
  boolean,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../platform/db/columns.ts';
import { distinctValues } from '../../platform/db/distinct-values.ts';
import { lockName } from '../../platform/db/lock-name.ts';
import { part, raw, rowsOf, statement } from '../../platform/db/statement.ts';
import { asRelation, defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { PROMOTION_KINDS } from './domain/promotion.ts';
import type { EndReason, PromotionStatus } from './domain/promotion-machine.ts';

/** What the marketplace has decided about the last submission. */
interface Decision {
  readonly decision: 'approved' | 'rejected';
  readonly reasons: readonly { readonly code: string; readonly detail: string | null }[];
}

export const promotions = defineTable('promotion', 'promotion_id', {
  name: text,
  kind: textOf<(typeof PROMOTION_KINDS)[number]>(),
  value_bps: nullable(integer),
  value_minor: nullable(money),
  applies_to: json<ProductScope>(),
  code: nullable(text),
  starts_at: instant,
  ends_at: instant,
  currency: text,
  budget_minor: money,
  status: textOf<PromotionStatus>(),
  submitted_at: nullable(instant),
  /** The version that was submitted last. */
  submitted_version: nullable(integer),
  decision: nullable(json<Decision>()),
  end_reason: nullable(textOf<EndReason>()),
  ended_at: nullable(instant),
  used_orders: integer,
  used_units: integer,
  used_minor: money,
});
export type PromotionRow = RowIn<typeof promotions>;

/** An order on which a discount of a promotion was granted. */
const uses = defineTable('promotion_order', ['promotion_id', 'order_id'], {
  promotion_id: text,
  order_id: text,
  placed_at: instant,
  granted_minor: money,
  granted_units: integer,
  line_ids: texts,
  discount_minor: money,
  units: integer,
  overspent_told: boolean,
});
export type UseRow = RowIn<typeof uses>;

/** Locks promotions in the order of their ids, so that two orders never deadlock. */
export const lockPromotions = (at: SellerDb, ids: readonly string[]): Promise<PromotionRow[]> =>
  promotions.all(at, part`promotion_id = any(${ids}) order by promotion_id for update`);

/** What an order has of promotions, with their sums. The promotions are locked as {@link lockPromotions} does. */
export const lockUses = ({ db, seller_id }: SellerDb, orderId: string) =>
  db.all(statement({ ...uses.columns, used_minor: money, budget_minor: money })`
    select ${uses.listOf('u')}, p.used_minor, p.budget_minor
      from promotion_order u
      join promotion p
        on p.seller_id = u.seller_id
       and p.promotion_id = u.promotion_id
     where u.seller_id = ${seller_id}
       and u.order_id = ${orderId}
     order by u.promotion_id
       for update of p`);

/** A use, and what it adds to the sums of its promotion. */
const change = { ...uses.columns, more_orders: integer, more_units: integer, more_minor: money };
const CHANGE_NAMES = Object.keys(change);

/** Writes uses and the sums of their promotions in one statement, so the sums are always those of the uses. */
export function writeUses(
  { db, seller_id }: SellerDb,
  changes: readonly RowOf<typeof change>[],
): Promise<PromotionRow[]> {
  const { from, element } = asRelation(change, changes);
  const values = raw(CHANGE_NAMES.map((name) => `${element(name)} as ${name}`).join(', '));
  return db.all(statement(promotions.columns)`
    with change as (
      select ${values}
        from ${from} as u (${raw(CHANGE_NAMES.join(', '))})),
    written as (
      insert into promotion_order (seller_id, ${uses.list})
      select ${seller_id}, ${uses.list}
        from change
          on conflict (seller_id, promotion_id, order_id)
          do update
                set units = excluded.units,
                    discount_minor = excluded.discount_minor,
                    overspent_told = excluded.overspent_told)
    update promotion p
       set used_orders = p.used_orders + change.more_orders,
           used_units = p.used_units + change.more_units,
           used_minor = p.used_minor + change.more_minor
      from change
     where p.seller_id = ${seller_id}
       and p.promotion_id = change.promotion_id
    returning ${promotions.listOf('p')}`);
}

/** Counts the promotions that have not ended. A lock keeps the count until the transaction ends. */
export async function lockOpenCount({ db, seller_id }: SellerDb): Promise<number> {
  await lockName(db, `promotions/${seller_id}`);
  const row = await db.one(statement({ used: integer })`
    select count(*)::integer as used
      from promotion
     where seller_id = ${seller_id}
       and status <> 'ended'`);
  return row?.used ?? 0;
}

/** A page of the orders of a promotion, newest first, without those whose discount was taken back whole. */
export const usesOf = (
  at: SellerDb,
  promotionId: string,
  page: Pick<Parameters<typeof uses.page>[1], 'after' | 'limit'>,
): Promise<UseRow[]> =>
  uses.page(at, {
    ...page,
    where: part`promotion_id = ${promotionId} and units > 0`,
    order: ['placed_at', 'order_id'],
    descending: true,
  });

/** The categories of what buyers can order, each found by the index; the empty text: there are products without one. */
export async function categoriesOnSale({ db, seller_id }: SellerDb): Promise<string[]> {
  const rows = await db.all(statement({ category: text })`
    select value as category
      from ${distinctValues(seller_id, 'v_products_on_sale', 'category_or_none')} d`);
  return rows.map(({ category }) => category);
}

/** Products in a currency by their SKUs or by their categories. */
export interface Scope {
  readonly currency: string;
  readonly by: 'seller_sku' | 'category_or_none';
  readonly names: readonly string[];
}

/**
 * What buyers can order, the dearest first. It reads a few products of each name, by an index: so those of one price
 * are not sorted before the limit.
 */
export const dearestOf = ({ db, seller_id }: SellerDb, { currency, by, names }: Scope, limit: number) =>
  db.all(statement({ product_id: text, category: nullable(text), price_minor: money })`
    select p.*
      from (${rowsOf(names, 'name')}) n
     cross join lateral (
             select product_id, category, price_minor
               from v_products_on_sale
              where seller_id = ${seller_id}
                and ${raw(by)} = n.name
                and currency = ${currency}
              order by price_minor desc
              limit ${limit}::int) p
     order by p.price_minor desc, p.product_id
     limit ${limit}::int`);

/** SKUs that a discount would bring below their floors. It rounds as `discountOf` does. */
export async function skusBelowFloor(
  { db, seller_id }: SellerDb,
  { currency, by, names }: Scope,
  { value_bps, value_minor }: Pick<PromotionRow, 'value_bps' | 'value_minor'>,
  limit: number,
): Promise<string[]> {
  const discount =
    value_bps === null
      ? part`${value_minor}::bigint`
      : part`(p.price_minor * ${value_bps}::bigint + 5000) / 10000`;
  const rows = await db.all(statement({ seller_sku: text })`
    select p.seller_sku
      from v_pricing_floor f
      join v_products_on_sale p
        on p.seller_id = f.seller_id
       and p.product_id = f.product_id
     where f.seller_id = ${seller_id}
       and p.currency = ${currency}
       and p.${raw(by)} = any(${textArray(names)}::text[])
       and p.price_minor - least(${discount}, p.price_minor) < f.floor_minor
     order by p.seller_sku
     limit ${limit}::int`);
  return rows.map(({ seller_sku }) => seller_sku);
}
