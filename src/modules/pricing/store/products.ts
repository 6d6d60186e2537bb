/** Products with all that decides their price, and their evaluations. */
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
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
} from '../../../platform/db/columns.ts';
import { lockName, tryLockName } from '../../../platform/db/lock-name.ts';
import {
  allOf,
  command,
  type Part,
  param,
  part,
  raw,
  rowsOf,
  statement,
} from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { BlockCode, Status } from '../domain/evaluate.ts';
import { type CompetitorRow, competitors } from './tables.ts';

const priced = {
  product_id: text,
  seller_sku: nullable(text),
  category: nullable(text),
  price_minor: nullable(money),
  currency: text,
  version: integer,
  stock_version: integer,
  is_visible: boolean,
  has_guardrail: boolean,
  floor_minor: nullable(money),
  ceiling_minor: nullable(money),
  min_margin_bps: nullable(integer),
  offer: nullable(json<readonly unknown[]>('json')),
  unit_micros: nullable(bigint),
  /** Parts of the cost that a supplier has not stated; then it is not known. */
  unit_lacks: nullable(texts),
  rule_id: nullable(text),
  /** Null: it is not evaluated. */
  status: nullable(textOf<Status>()),
  code: nullable(textOf<BlockCode>()),
  target_minor: nullable(money),
  effective_floor_minor: nullable(money),
  product_version: nullable(integer),
  evaluated_at: nullable(instant),
  /** The evaluation follows an offer that is too old by now. */
  is_outdated: boolean,
};
export type PricedRow = RowOf<typeof priced>;

/** The newest observation of other sellers' offers; null if it is in another currency than the product's price. */
export function offerOf({ offer, currency }: PricedRow): CompetitorRow | null {
  const found = offer === null ? null : competitors.fromJson(offer);
  return found?.currency === currency ? found : null;
}

/** SQL condition: the evaluation follows an offer that was observed before. */
const isOutdated = (offersFrom: string | null): Part => part`
         coalesce(o.observed_at < ${offersFrom}::timestamptz and e.steps @> '[{"code": "lowest_offer"}]', false)`;

/**
 * Looks each product up by itself: for a list, a planner without statistics may read the whole catalogue. `offset 0`
 * keeps the look-ups separate.
 *
 * @param keys query of the ids, as `product_id`
 * @param today Sydney day of the costs in force
 * @param offersFrom older offers are outdated; null: it does not matter
 */
function select(sellerId: string, today: string, keys: Part, tail: Part, offersFrom: string | null = null) {
  const seller = param(sellerId);
  const ofKey = part`where seller_id = ${seller} and product_id = k.product_id offset 0`;
  return statement(priced)`
  select p.product_id, p.seller_sku, p.category, p.price_minor, p.currency, p.version,
         p.stock_version, p.is_visible,
         g.product_id is not null as has_guardrail, g.floor_minor, g.ceiling_minor, g.min_margin_bps,
         case when o.product_id is not null then ${competitors.jsonOf('o')} end as offer, c.amount_micros as unit_micros,
         c.missing as unit_lacks,
         e.rule_id, e.status, e.code, e.target_minor, e.effective_floor_minor, e.product_version, e.evaluated_at,
         ${isOutdated(offersFrom)} as is_outdated
    from (${keys}) k
   cross join lateral (select * from v_products_priced ${ofKey}) p
    left join lateral (select * from price_evaluation ${ofKey}) e on true
    left join lateral (select * from price_guardrail ${ofKey}) g on true
    left join lateral (select * from competitor_price ${ofKey}) o on true
    left join lateral (select x.amount_micros, x.missing
                         from v_profitability_cost x
                        where x.seller_id = ${seller}
                          and x.product_id = k.product_id
                          and x.currency = p.currency
                          and x.effective_from <= ${today}::date
                        order by x.effective_from desc, x.entered_at desc, x.cost_id desc
                        limit 1) c on true
   ${tail}`;
}

export const pricedProducts = (
  { db, seller_id }: SellerDb,
  today: string,
  ids: readonly string[],
): Promise<PricedRow[]> => db.all(select(seller_id, today, rowsOf(ids, 'product_id'), raw('')));

const names = { product_id: text, seller_sku: nullable(text) };

/** The products that have one of these ids or SKUs. */
export const productsNamed = (
  { db, seller_id }: SellerDb,
  ids: readonly string[],
  skus: readonly string[],
): Promise<RowOf<typeof names>[]> =>
  db.all(statement(names)`
    select product_id, seller_sku
      from v_products_priced
     where seller_id = ${seller_id}
       and product_id = any(${textArray(ids)}::text[])
     union
    select product_id, seller_sku
      from v_products_priced
     where seller_id = ${seller_id}
       and seller_sku = any(${textArray(skus)}::text[])`);

/** A page of all products, by their ids. */
export const nextProducts = (
  { db, seller_id }: SellerDb,
  today: string,
  after: string,
  limit: number,
): Promise<PricedRow[]> => {
  const keys = part`
          select product_id
            from v_products_priced
           where seller_id = ${seller_id}
             and product_id > ${after}
           order by product_id
           limit ${limit}::int`;
  return db.all(select(seller_id, today, keys, raw('order by k.product_id')));
};

interface EvaluatedFilter {
  readonly sku?: string | undefined;
  readonly category?: string | undefined;
  readonly status?: Status | undefined;
}

/**
 * A page of the evaluated products and one more, by their ids. A recommendation for an older version of the product, or
 * by an offer that is too old by now, is left out.
 */
export const listEvaluated = (
  { db, seller_id }: SellerDb,
  { today, offers_from }: { readonly today: string; readonly offers_from: string },
  { sku, category, status }: EvaluatedFilter,
  after: string | undefined,
  limit: number,
): Promise<PricedRow[]> => {
  const keys = part`
          select product_id
            from price_evaluation
           where ${allOf(
             part`seller_id = ${seller_id}`,
             sku !== undefined &&
               part`product_id = (select product_id
                                    from v_products_priced
                                   where seller_id = ${seller_id}
                                     and seller_sku = ${sku})`,
             category !== undefined && part`category = ${category}`,
             status !== undefined && part`status = ${status}`,
             after !== undefined && part`product_id > ${after}`,
           )}`;
  const present =
    status === 'recommended'
      ? part`where e.product_version = p.version and not ${isOutdated(offers_from)}`
      : raw('');
  // With a parameter the planner expects a tenth of all rows, finds its kept plan too dear, and plans each page anew,
  // which takes longer than reading it. There are as many texts as lengths of a page.
  const tail = part`${present} order by k.product_id limit ${raw(String(Math.trunc(limit)))}`;
  return db.all(select(seller_id, today, keys, tail, offers_from));
};

/** Some products whose guardrails, offers or costs have changed since. */
export async function changedProducts(
  { db, seller_id }: SellerDb,
  since: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all(statement({ product_id: text })`
    select product_id
      from price_guardrail
     where seller_id = ${seller_id}
       and updated_at >= ${since}::timestamptz
     union
    select product_id
      from competitor_price
     where seller_id = ${seller_id}
       and recorded_at >= ${since}::timestamptz
     union
    select product_id
      from v_profitability_cost
     where seller_id = ${seller_id}
       and entered_at >= ${since}::timestamptz
     limit ${limit}::int`);
  return rows.map(({ product_id }) => product_id);
}

const nameOfLock = (sellerId: string): string => `price_pass/${sellerId}`;
/** Locks the passes of a seller, also its first one, so that they run one after another. */
export const lockPass = ({ db, seller_id }: SellerDb): Promise<void> => lockName(db, nameOfLock(seller_id));
/** @returns false if another pass of the seller runs */
export const tryLockPass = ({ db, seller_id }: SellerDb): Promise<boolean> =>
  tryLockName(db, nameOfLock(seller_id));

const passColumns = {
  pass: integer,
  evaluated_at: instant,
  currency: nullable(text),
  /** The part of a sale that payment providers keep; null: not known. */
  processing_bps: nullable(integer),
};
type PassRow = RowOf<typeof passColumns>;

/** Undefined if the products of the seller were never evaluated. */
export const lastPass = ({ db, seller_id }: SellerDb): Promise<PassRow | undefined> =>
  db.one(statement(passColumns)`
    select pass, evaluated_at, currency, processing_bps
      from price_pass
     where seller_id = ${seller_id}`);

export const storePass = (
  { db, seller_id }: SellerDb,
  { pass, evaluated_at, currency, processing_bps }: PassRow,
) =>
  db.run(command`
    insert into price_pass (seller_id, pass, evaluated_at, currency, processing_bps)
    values (${seller_id}, ${pass}, ${evaluated_at}::timestamptz, ${currency}, ${processing_bps}::integer)
        on conflict (seller_id) do update
       set pass = excluded.pass, evaluated_at = excluded.evaluated_at, currency = excluded.currency,
           processing_bps = excluded.processing_bps`);

/** Deletes evaluations of products that are out of all scopes. @returns how many of them were recommendations */
export async function deleteEvaluations({ db, seller_id }: SellerDb, which: Part): Promise<number> {
  const deleted = await db.all(statement({ status: textOf<Status>() })`
    delete from price_evaluation
     where seller_id = ${seller_id}
       and ${which}
    returning status`);
  return deleted.filter(({ status }) => status === 'recommended').length;
}
export const ofProducts = (ids: readonly string[]): Part => part`product_id = any(${textArray(ids)}::text[])`;
export const ofOlderPasses = (pass: number): Part => part`pass < ${pass}`;

export async function countRecommended({ db, seller_id }: SellerDb): Promise<number> {
  const row = await db.one(statement({ count: integer })`
    select count(*)::integer as count
      from price_evaluation
     where seller_id = ${seller_id}
       and status = 'recommended'`);
  return row?.count ?? 0;
}

/** Writes how many products followed each rule. */
export const storeMatched = (
  { db, seller_id }: SellerDb,
  matched: Readonly<Record<string, number>>,
): Promise<number> =>
  db.run(command`
    update price_rule
       set matched_products = coalesce((${JSON.stringify(matched)}::json ->> rule_id)::integer, 0)
     where seller_id = ${seller_id}`);

const captured = { orders: integer, captured: money, fees: money };

/** What payment providers kept of the paid orders since an instant. */
export const capturedSince = (
  { db, seller_id }: SellerDb,
  currency: string,
  since: string,
): Promise<RowOf<typeof captured> | undefined> =>
  db.one(statement(captured)`
    select count(*)::integer as orders,
           coalesce(sum(captured_minor), 0)::bigint as captured,
           coalesce(sum(fee_minor), 0)::bigint as fees
      from v_orders_captured
     where seller_id = ${seller_id}
       and currency = ${currency}
       and recorded_at >= ${since}::timestamptz
       and fee_minor is not null`);
