import type { ProductScope } from '../../../kernel/product-scope.ts';
import {
  boolean,
  instant,
  integer,
  json,
  money,
  nullable,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { BlockCode, Status, Step } from '../domain/evaluate.ts';
import type { Params, Strategy } from '../domain/rules.ts';

export const rules = defineTable('price_rule', 'rule_id', {
  name: text,
  priority: integer,
  scope: json<ProductScope>(),
  strategy: textOf<Strategy>(),
  params: json<Params>(),
  active: boolean,
  matched_products: nullable(integer),
});
export type RuleRow = RowIn<typeof rules>;

export const guardrails = defineTable('price_guardrail', ['product_id'], {
  product_id: text,
  floor_minor: nullable(money),
  ceiling_minor: nullable(money),
  min_margin_bps: nullable(integer),
  version: integer,
  created_at: instant,
  updated_at: instant,
});
export type GuardrailRow = RowIn<typeof guardrails>;

export const competitors = defineTable('competitor_price', ['product_id'], {
  product_id: text,
  condition: text,
  currency: text,
  observed_at: instant,
  offers_count: integer,
  lowest_minor: nullable(money),
  featured_minor: nullable(money),
  featured_is_own: boolean,
  recorded_at: instant,
});
export type CompetitorRow = RowIn<typeof competitors>;

export const evaluations = defineTable('price_evaluation', ['product_id'], {
  product_id: text,
  category: text,
  rule_id: nullable(text),
  status: textOf<Status>(),
  code: nullable(textOf<BlockCode>()),
  target_minor: nullable(money),
  effective_floor_minor: nullable(money),
  steps: json<readonly Step[]>(),
  product_version: integer,
  evaluated_at: instant,
  pass: integer,
});
export type EvaluationRow = RowIn<typeof evaluations>;

/**
 * Stores an observation unless a newer one is known. Of two of one instant the same one stays in either order.
 *
 * @returns false if it is not stored
 */
export async function storeOffer(at: SellerDb, row: CompetitorRow): Promise<boolean> {
  if (await competitors.insert(at, row)) return true;
  const { observed_at, lowest_minor, offers_count, featured_minor, featured_is_own, condition, currency } =
    row;
  return competitors.replace(
    at,
    row,
    part`(observed_at, coalesce(lowest_minor, 0), offers_count, coalesce(featured_minor, 0), featured_is_own,
            condition, currency)
           < (${observed_at}::timestamptz, ${lowest_minor ?? 0n}::bigint, ${offers_count}::integer,
              ${featured_minor ?? 0n}::bigint, ${featured_is_own}, ${condition}, ${currency})`,
  );
}

/** Lets the rules of a seller change one after another. @returns how many there are */
export async function lockRules({ db, seller_id }: SellerDb): Promise<number> {
  await lockName(db, `price_rule/${seller_id}`);
  const row = await db.one(statement({ count: integer })`
    select count(*)::integer as count
      from price_rule
     where seller_id = ${seller_id}`);
  return row?.count ?? 0;
}

export const rulesOf = (at: SellerDb): Promise<RuleRow[]> => rules.all(at, part`true`);

/** Whether the product is the seller's, archived or not. */
export async function knowsProduct({ db, seller_id }: SellerDb, productId: string): Promise<boolean> {
  const row = await db.one(statement({ product_id: text })`
    select product_id
      from v_products_known
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
  return row !== undefined;
}
