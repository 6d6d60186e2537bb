import { textArray } from '../../../platform/db/arrays.ts';
import { integer, nullable, type RowOf, text, textsOf } from '../../../platform/db/columns.ts';
import { type Param, type Part, param, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { WorkingDay } from '../domain/profile.ts';

const columns = {
  profile_id: text,
  handling_days: integer,
  cut_off: text,
  timezone: text,
  working_days: textsOf<WorkingDay>(),
};
const HANDLING = {
  profile_id: nullable(text),
  handling_days: nullable(integer),
  cut_off: nullable(text),
  timezone: nullable(text),
  working_days: nullable(textsOf<WorkingDay>()),
};

/** A profile as the deadline of an order needs it. */
type ProfileOfSku = RowOf<typeof columns>;

/** The rows of a table of the seller as they were at an instant: of each the first one that held longer. */
const rowsAt = (table: Part, key: Part, seller: Param, instant: Param): Part => part`
      select distinct on (${key}) *
        from (select 'infinity'::timestamptz as held_until, n.*
                from ${table} n
               where n.seller_id = ${seller}
              union all
              select p.held_until, b.*
                from v_platform_past p
               cross join lateral jsonb_populate_record(null::${table}, p.content) b
               where p.seller_id = ${seller} and p.of_table = '${table}'
                 and p.held_until > ${instant}::timestamptz) h
       order by ${key}, held_until`;

/**
 * The shipping profiles of SKUs at an instant, each once: that which the product names, else that of the first rule
 * that names the product, else the default one. Null: some product has none. A rule names products as in
 * `countByRule`; a SKU that the catalogue does not have has no category.
 *
 * The statement starts from the names in the rules and joins them by hash: with the largest set of rules, comparing
 * each SKU with each name of each rule took six seconds for an order of 500 lines.
 *
 * @param skus an empty text is a line without a SKU
 * @param at RFC 3339
 */
export async function profilesOfSkus(
  { db, seller_id }: SellerDb,
  skus: readonly string[],
  at: string,
): Promise<(ProfileOfSku | null)[]> {
  const [seller, instant] = [param(seller_id), param(at)];
  const rows = await db.all(statement(HANDLING)`
    with sku as (
      select distinct unnest(${textArray(skus)}::text[]) as name),
    wanted as (
      select s.name, p.category
        from sku s
        left join v_products_shipped p on p.seller_id = ${seller} and p.seller_sku = s.name),
    past_own as (
      select distinct on (name) content->>'seller_sku' as name, content->>'shipping_profile_id' as profile_id
        from v_platform_past
       where seller_id = ${seller} and of_table = 'product' and held_until > ${instant}::timestamptz
       order by name, held_until),
    own as (
      select s.name, case when b.name is null then p.profile_id else b.profile_id end as profile_id
        from sku s
        left join v_products_own_profile p on p.seller_id = ${seller} and p.seller_sku = s.name
        left join past_own b on b.name = s.name),
    held_rule as (
      ${rowsAt(raw('shipping_rule'), raw('rule_id'), seller, instant)}),
    rule as (
      select rule_id, profile_id, position, skus, sku_prefixes, categories
        from held_rule
       where enabled and created_at <= ${instant}::timestamptz),
    profile as (
      ${rowsAt(raw('shipping_profile'), raw('profile_id'), seller, instant)}),
    hit as (
      select w.name, r.rule_id, r.profile_id, r.position
        from rule r cross join lateral unnest(r.skus) n
        join wanted w on w.name = n
       union all
      select w.name, r.rule_id, r.profile_id, r.position
        from rule r cross join lateral unnest(r.categories) n
        join wanted w on w.category = n
       union all
      select w.name, r.rule_id, r.profile_id, r.position
        from rule r cross join lateral unnest(r.sku_prefixes) n
        join wanted w on starts_with(w.name, n)),
    first as (
      select distinct on (name) name, profile_id
        from hit
       order by name, position, rule_id),
    chosen as (
      select distinct coalesce(p.profile_id, f.profile_id) as profile_id
        from own o
        left join profile p on p.profile_id = o.profile_id
        left join first f on f.name = o.name)
    select p.profile_id, p.handling_days, p.cut_off, p.timezone, p.working_days
      from chosen
      left join profile p
        on p.created_at <= ${instant}::timestamptz
       and (p.profile_id = chosen.profile_id or chosen.profile_id is null and p.is_default)`);
  return rows.map((row) => (row.profile_id === null ? null : (row as ProfileOfSku)));
}
