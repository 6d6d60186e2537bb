import { boolean, integer, text, texts } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export const shippingRules = defineTable('shipping_rule', 'rule_id', {
  name: text,
  position: integer,
  enabled: boolean,
  profile_id: text,
  skus: texts,
  sku_prefixes: texts,
  categories: texts,
});
export type RuleRow = RowIn<typeof shippingRules>;

/** The number of rules and their last position. */
export async function countRules({ db, seller_id }: SellerDb): Promise<{ count: number; last: number }> {
  const row = await db.one(statement({ count: integer, last: integer })`
    select count(*)::int as count, coalesce(max(position), 0) as last
      from shipping_rule
     where seller_id = ${seller_id}`);
  return row ?? { count: 0, last: 0 };
}

/** The rules that assign products to a profile. */
export const rulesOfProfile = (at: SellerDb, profileId: string): Promise<RuleRow[]> =>
  shippingRules.all(at, part`profile_id = ${profileId} order by rule_id`);
