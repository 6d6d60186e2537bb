import { textArray } from '../../platform/db/arrays.ts';
import {
  boolean,
  date,
  float,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { Model } from './domain/forecast.ts';
import type { PolicyValues } from './domain/policy.ts';
import type { ForecastRow } from './schemas.ts';

/** A model, and whether all its time without stock is known. */
export interface StoredModel extends Model {
  readonly stock_known: boolean;
}

/** Stand for no day within a year, and for unknown figures. */
export const NEVER = '9999-12-30';
export const UNKNOWN = { stockout_on: '9999-12-31', expected_units: -1 } as const;

export const forecasts = defineTable('forecast_product', ['product_id'], {
  product_id: text,
  seller_sku: nullable(text),
  category: nullable(text),
  status: textOf<'forecast' | 'insufficient_history'>(),
  /** Null: unknown. */
  reorder_due: nullable(boolean),
  stockout_on: date,
  expected_units: float,
  model: nullable(json<StoredModel>('json')),
  shown: json<ForecastRow>('json'),
  through_on: date,
});
export type ForecastProduct = RowIn<typeof forecasts>;

export const policies = defineTable('forecast_policy', ['product_id'], {
  product_id: text,
  lead_time_days: nullable(integer),
  review_days: nullable(integer),
  service_level_bps: nullable(integer),
  pack_size: nullable(integer),
  incoming_units: nullable(integer),
  version: integer,
});
export type PolicyRow = RowIn<typeof policies>;
/** The key of what holds for all products. */
export const ALL_PRODUCTS = '';

/** The policies of products and that of all products, by the product. */
export async function policiesOf(at: SellerDb, productIds: readonly string[]) {
  const ids = textArray([ALL_PRODUCTS, ...productIds]);
  const rows = await at.db.all(policies.select(at.seller_id, part`product_id = any(${ids}::text[])`));
  return new Map<string, PolicyValues>(rows.map((row) => [row.product_id, row]));
}

const SELLABLE = {
  product_id: text,
  seller_sku: nullable(text),
  category: nullable(text),
  quantity_on_hand: nullable(integer),
  quantity_reserved: integer,
  lead_time_days: nullable(integer),
  /** Units that suppliers owe; null: no open purchase order has the product. */
  quantity_owed: nullable(integer),
};
export type Sellable = RowOf<typeof SELLABLE>;

/** What is known now of products that are not archived, by their ids. */
export async function sellable({ db, seller_id }: SellerDb, productIds: readonly string[]) {
  const ids = textArray(productIds);
  const rows = await db.all(statement(SELLABLE)`
    select p.product_id, p.seller_sku, p.category, p.quantity_on_hand, p.quantity_reserved, p.lead_time_days,
           o.quantity as quantity_owed
      from v_products_sellable p
      left join (
        select product_id, least(sum(quantity), 2147483647)::integer as quantity
          from v_wholesale_incoming
         where seller_id = ${seller_id}
           and product_id = any(${ids}::text[])
         group by product_id) o
        on o.product_id = p.product_id
     where p.seller_id = ${seller_id}
       and p.product_id = any(${ids}::text[])
       and p.status <> 'archived'`);
  return new Map(rows.map((row) => [row.product_id, row]));
}

/** Which of the products were due to be reordered the night before. */
export async function dueBefore({ db, seller_id }: SellerDb, productIds: readonly string[]) {
  const rows = await db.all(statement({ product_id: text })`
    select product_id
      from forecast_product
     where seller_id = ${seller_id}
       and product_id = any(${textArray(productIds)}::text[])
       and reorder_due`);
  return new Set(rows.map(({ product_id }) => product_id));
}

/**
 * Deletes the forecasts of products that a night has left out: they are archived, or nothing was ordered for half a
 * year.
 */
export const forgetOthers = (at: SellerDb, throughOn: string) =>
  forecasts.deleteWhere(at, part`through_on < ${throughOn}::date`);

/** The same as the status, as ranges of the indexes of both orders. */
const STATUS = {
  stockout_on: {
    forecast: part`stockout_on < ${UNKNOWN.stockout_on}::date`,
    insufficient_history: part`stockout_on = ${UNKNOWN.stockout_on}::date`,
  },
  expected_units: { forecast: part`expected_units >= 0`, insufficient_history: part`expected_units < 0` },
};

export interface ListFilters {
  readonly sku?: string | undefined;
  readonly category?: string | undefined;
  readonly status?: ForecastProduct['status'] | undefined;
  readonly reorder_due?: boolean | undefined;
  readonly sort?: 'stockout_on' | '-expected_units' | undefined;
}

const LISTED = { product_id: text, stockout_on: date, expected_units: float, shown: text };
export type Listed = RowOf<typeof LISTED>;

/**
 * SQL condition: the product was not archived since that night. An index has the archived products alone. A scalar
 * query looks up each row of the page, and the planner expects that most rows pass; `not exists` may read all archived
 * products first.
 */
const isKept = (sellerId: string): Part => part`
  (select p.status
     from v_products_named p
    where p.seller_id = ${sellerId}
      and p.product_id = forecast_product.product_id
      and p.status = 'archived') is distinct from 'archived'`;

/** A page of the forecasts of a night, and one more. What is shown is JSON. */
export function listForecasts(
  { db, seller_id }: SellerDb,
  { sku, category, status, reorder_due, sort = 'stockout_on' }: ListFilters,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<Listed[]> {
  const [by, direction, than] =
    sort === 'stockout_on'
      ? (['stockout_on', 'asc', '>'] as const)
      : (['expected_units', 'desc', '<'] as const);
  const { sql } = forecasts.columns[by];
  return db.all(statement(LISTED)`
    select product_id, stockout_on, expected_units, shown::text as shown
      from forecast_product
     where seller_id = ${seller_id}
       and ${allOf(
         sku !== undefined && part`seller_sku = ${sku}`,
         category !== undefined && part`category = ${category}`,
         status !== undefined && STATUS[by][status],
         reorder_due !== undefined && part`reorder_due = ${reorder_due}`,
         after && part`(${raw(by)}, product_id) ${raw(than)} (${after[0]}::${raw(sql)}, ${after[1]}::text)`,
         isKept(seller_id),
       )}
     order by ${raw(`${by} ${direction}, product_id ${direction}`)}
     limit ${limit + 1}`);
}
