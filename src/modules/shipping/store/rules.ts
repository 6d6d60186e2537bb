import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A rule as stored; instants are RFC 3339. */
export interface RuleRow {
  readonly rule_id: string;
  readonly name: string;
  readonly position: number;
  readonly enabled: boolean;
  readonly profile_id: string;
  readonly skus: readonly string[];
  readonly sku_prefixes: readonly string[];
  readonly categories: readonly string[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS =
  'rule_id, name, position, enabled, profile_id, skus, sku_prefixes, categories, version, created_at, updated_at';

export interface RulePosition {
  readonly position: number;
  readonly rule_id: string;
}

/** One more than the limit, in the order in which they decide. */
export function listRules(
  db: Db,
  sellerId: string,
  filter: {
    readonly profile_id?: string | undefined;
    readonly after: RulePosition | undefined;
    readonly limit: number;
  },
): Promise<RuleRow[]> {
  const { profile_id = null, after, limit } = filter;
  return db.all<RuleRow>(
    sql(
      `select ${COLUMNS} from shipping_rule where seller_id = $1 and ($2::text is null or profile_id = $2) ` +
        'and ($3::int is null or (position, rule_id) > ($3, $4)) order by position, rule_id limit $5',
      [sellerId, profile_id, after?.position ?? null, after?.rule_id ?? null, limit + 1],
    ),
  );
}

export function findRule(
  db: Db,
  sellerId: string,
  ruleId: string,
  hold = false,
): Promise<RuleRow | undefined> {
  return db.one<RuleRow>(
    sql(
      `select ${COLUMNS} from shipping_rule where seller_id = $1 and rule_id = $2${hold ? ' for update' : ''}`,
      [sellerId, ruleId],
    ),
  );
}

/** Number of rules and the last position among them. */
export async function rulesSoFar(db: Db, sellerId: string): Promise<{ count: number; last: number }> {
  const row = await db.one<{ count: number; last: number }>(
    sql(
      'select count(*)::int as count, coalesce(max(position), 0) as last from shipping_rule where seller_id = $1',
      [sellerId],
    ),
  );
  return row ?? { count: 0, last: 0 };
}

/** Writes a new rule, or the next version of one. */
export async function writeRule(db: Db, sellerId: string, row: RuleRow): Promise<void> {
  await db.run(
    sql(
      'insert into shipping_rule (seller_id, rule_id, name, position, enabled, profile_id, skus, sku_prefixes, categories, version, created_at, updated_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ' +
        'on conflict (seller_id, rule_id) do update set name = excluded.name, position = excluded.position, ' +
        'enabled = excluded.enabled, profile_id = excluded.profile_id, skus = excluded.skus, sku_prefixes = excluded.sku_prefixes, ' +
        'categories = excluded.categories, version = excluded.version, updated_at = excluded.updated_at',
      [
        sellerId,
        row.rule_id,
        row.name,
        row.position,
        row.enabled,
        row.profile_id,
        row.skus,
        row.sku_prefixes,
        row.categories,
        row.version,
        row.created_at,
        row.updated_at,
      ],
    ),
  );
}

export async function deleteRule(db: Db, sellerId: string, ruleId: string): Promise<void> {
  await db.run(sql('delete from shipping_rule where seller_id = $1 and rule_id = $2', [sellerId, ruleId]));
}

/** Rules that send products by a profile. */
export async function rulesOfProfile(db: Db, sellerId: string, profileId: string): Promise<string[]> {
  const rows = await db.all<{ rule_id: string }>(
    sql('select rule_id from shipping_rule where seller_id = $1 and profile_id = $2 order by rule_id', [
      sellerId,
      profileId,
    ]),
  );
  return rows.map(({ rule_id }) => rule_id);
}

const RULES = 'from shipping_rule r cross join lateral';
const NAMED = 'join v_products_shipped p on p.seller_id = r.seller_id and';
const OF_SELLER = 'where r.seller_id = $1 and r.enabled';
const HIT = 'select p.product_id, r.rule_id, r.profile_id, r.position';

/**
 * Every product that a rule names, by each way of naming, and of the rules of a product the first. Starting from
 * the rules, so that SKUs and their beginnings are looked up in the index: starting from the products, each of
 * them would be held against every name of every rule. U+10FFFF ends the range of a beginning.
 */
const DECIDED =
  `with hit as (${HIT} ${RULES} unnest(r.skus) named ${NAMED} p.seller_sku = named ${OF_SELLER} ` +
  `union all ${HIT} ${RULES} unnest(r.categories) named ${NAMED} p.category = named ${OF_SELLER} ` +
  `union all ${HIT} ${RULES} unnest(r.sku_prefixes) named ${NAMED} p.seller_sku >= named and p.seller_sku < named || chr(1114111) ${OF_SELLER}), ` +
  'decided as (select distinct on (product_id) rule_id, profile_id from hit order by product_id, position, rule_id) ';

/** Products by the rule that decides about them; null: none does. Archived products are sent nowhere. */
export function countByRule(
  db: Db,
  sellerId: string,
): Promise<{ rule_id: string | null; profile_id: string | null; skus: number }[]> {
  return db.all(
    sql(
      `${DECIDED} select rule_id, profile_id, count(*)::int as skus from decided group by rule_id, profile_id union all ` +
        'select null, null, ((select count(*) from v_products_shipped where seller_id = $1) - (select count(*) from decided))::int ' +
        'order by rule_id',
      [sellerId],
    ),
  );
}
