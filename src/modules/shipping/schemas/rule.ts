import Type, { type Static } from 'typebox';
import { Instant } from '../../../kernel/schema.ts';

const SKUS_MAX = 1_000;
/** Each may name many products; all of them are looked at when products are counted. */
const GROUPS_MAX = 50;
export const POSITION_MAX = 1_000_000;
const texts = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, uniqueItems: true, description });

const content = {
  name: Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' }),
  position: Type.Integer({
    minimum: 0,
    maximum: POSITION_MAX,
    description:
      'Rules are asked from the lowest; the first that names a product decides. Default: after the last',
  }),
  enabled: Type.Boolean({ description: 'A rule that is not is passed over' }),
  profile_id: Type.String({ description: 'Profile by which the products are sent' }),
  skus: texts(SKUS_MAX, 64, 'Exact `seller_sku`s'),
  sku_prefixes: texts(GROUPS_MAX, 64, 'Beginnings of `seller_sku`s'),
  categories: texts(GROUPS_MAX, 200, 'Exact categories'),
};

export const RuleInput = Type.Object(
  {
    name: content.name,
    profile_id: content.profile_id,
    position: Type.Optional(content.position),
    enabled: Type.Optional(content.enabled),
    skus: Type.Optional(content.skus),
    sku_prefixes: Type.Optional(content.sku_prefixes),
    categories: Type.Optional(content.categories),
  },
  { title: 'ShippingRuleInput' },
);
export type RuleInputWire = Static<typeof RuleInput>;

export const RuleChange = Type.Partial(Type.Object(content), {
  title: 'ShippingRuleChange',
  minProperties: 1,
});
export type RuleChangeWire = Static<typeof RuleChange>;

export const Rule = Type.Object(
  {
    rule_id: Type.String(),
    ...content,
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'ShippingRule' },
);

export const RULE_INPUT_EXAMPLE: RuleInputWire = {
  name: 'Furniture',
  profile_id: 'spf_01j0000000000000000000000',
  sku_prefixes: ['DESK-'],
  categories: ['Home > Furniture'],
};

export const RULE_EXAMPLE = {
  rule_id: 'spr_01j0000000000000000000000',
  name: 'Furniture',
  position: 10,
  enabled: true,
  profile_id: 'spf_01j0000000000000000000000',
  skus: [],
  sku_prefixes: ['DESK-'],
  categories: ['Home > Furniture'],
  version: 1,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
