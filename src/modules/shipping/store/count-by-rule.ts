import { integer, nullable, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

/**
 * Counts products by the rule that applies to them; null if no rule applies. Archived products are not counted, nor
 * those that name a profile themselves.
 *
 * The statement starts from the rules, so PostgreSQL looks up SKUs and prefixes in the index. If it started from the
 * products, it would compare each product with all names of all rules. U+10FFFF ends the range of a prefix.
 */
export const countByRule = ({ db, seller_id }: SellerDb) =>
  db.all(statement({ rule_id: nullable(text), profile_id: nullable(text), skus: integer })`
    with named as (
      select r.rule_id, r.profile_id, r.position, n.kind, n.name
        from shipping_rule r
       cross join lateral (
             select 'sku' as kind, unnest(r.skus) as name
              union all select 'category', unnest(r.categories)
              union all select 'prefix', unnest(r.sku_prefixes)) n
       where r.seller_id = ${seller_id} and r.enabled),
    hit as (
      select p.product_id, n.* from named n
        join v_products_shipped p on p.seller_id = ${seller_id} and p.seller_sku = n.name
         and p.shipping_profile_id is null
       where n.kind = 'sku'
       union all
      select p.product_id, n.* from named n
        join v_products_shipped p on p.seller_id = ${seller_id} and p.category = n.name
         and p.shipping_profile_id is null
       where n.kind = 'category'
       union all
      select p.product_id, n.* from named n
        join v_products_shipped p on p.seller_id = ${seller_id} and p.shipping_profile_id is null
         and p.seller_sku >= n.name and p.seller_sku < n.name || chr(1114111)
       where n.kind = 'prefix'),
    decided as (
      select distinct on (product_id) rule_id, profile_id
        from hit
       order by product_id, position, rule_id)
    select rule_id, profile_id, count(*)::int as skus
      from decided
     group by rule_id, profile_id
     union all
    select null, null, ((select count(*)
                           from v_products_shipped
                          where seller_id = ${seller_id} and shipping_profile_id is null)
                        - (select count(*) from decided))::int
     order by rule_id`);
