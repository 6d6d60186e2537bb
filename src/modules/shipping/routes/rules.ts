import Type from 'typebox';
import { fail, invalid } from '../../../kernel/errors.ts';
import { defineEvent } from '../../../kernel/events.ts';
import { NOT_BLANK, nameFilter } from '../../../kernel/schema.ts';
import { trackedExample, trackedSchemas } from '../../../kernel/tracked.ts';
import { type SellerDb, writeVersion } from '../../../platform/db/table.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { shippingErrors } from '../errors.ts';
import { changeEvent } from '../events.ts';
import { lockProfiles } from '../store/profiles.ts';
import { countRules, type RuleRow, shippingRules } from '../store/rules.ts';

/** The limit is low, because counting the products of rules reads all rules of the seller. */
const RULES_MAX = 100;
const SKUS_MAX = 1_000;
/** One prefix or category may name many products. */
const GROUPS_MAX = 50;
const POSITION_MAX = 1_000_000;

const list = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, uniqueItems: true, description });

const schemas = trackedSchemas('rule_id', {
  kind: 'spr_',
  one: 'shipping rule',
  title: 'ShippingRule',
  description: 'Which products are shipped by which profile.',
  required: {
    name: Type.String({ minLength: 1, maxLength: 80, ...NOT_BLANK, description: 'Name for your own use' }),
    profile_id: Type.String({ description: 'Shipping profile by which the products are sent' }),
  },
  optional: {
    position: Type.Integer({
      minimum: 0,
      maximum: POSITION_MAX,
      description:
        'Rules apply from the lowest position; the first that names a product decides. Default: last',
    }),
    enabled: Type.Boolean({ description: 'Disabled rules are skipped' }),
    skus: list(SKUS_MAX, 64, 'Exact values of `seller_sku`'),
    sku_prefixes: list(GROUPS_MAX, 64, 'Prefixes of `seller_sku`'),
    categories: list(GROUPS_MAX, 200, 'Exact categories'),
  },
});
const input = { name: 'Desks', profile_id: 'spf_01j0000000000000000000000', sku_prefixes: ['DESK-'] };
const NO_LISTS = { skus: [], sku_prefixes: [], categories: [] };
const example = trackedExample('rule_id', 'spr_', { position: 10, enabled: true, ...NO_LISTS, ...input });

/** The marketplace learns by it which products are shipped by which profile. */
export const ruleChanged = defineEvent({
  type: 'shipping_rule.changed',
  summary: 'A shipping rule was created, changed or deleted; `data.change.action` says which',
  schema: schemas.schema,
  id: 'rule_id',
  example,
  marketplace: true,
});

/** The distance of positions, so that other rules can be put between two rules. */
const POSITION_STEP = 10;

/** @throws ApiError 422 when the rule names no profile of the seller, or no product */
async function checkRule(ctx: SellerDb, rule: RuleRow): Promise<RuleRow> {
  // The profiles are locked, so the profile of the rule cannot be deleted before the rule is written.
  const profiles = await lockProfiles(ctx);
  if (!profiles.some((profile) => profile.profile_id === rule.profile_id)) {
    const msg = 'You have no shipping profile with this id; `GET /shipping/profiles` lists them.';
    throw invalid([{ loc: ['body', 'profile_id'], msg, type: 'profile_unknown', input: rule.profile_id }]);
  }
  if (rule.skus.length + rule.sku_prefixes.length + rule.categories.length === 0) {
    const msg = 'Name products by "skus", "sku_prefixes" or "categories".';
    throw invalid([{ loc: ['body', 'skus'], msg, type: 'missing' }]);
  }
  return { ...rule, name: rule.name.trim() };
}

const rules = resource({ ...schemas, id: 'shipping.rules', area: 'shipping', table: shippingRules, example });

export const ruleRoutes = [
  rules.list({
    description:
      'Rules say which shipping profile products use. They are listed in the order in which they apply.',
    order: ['position'],
    filters: { profile_id: nameFilter('Rules of this profile') },
  }),
  rules.get(),
  rules.create({
    description: 'A rule makes products use a profile other than the default.',
    body: schemas.input,
    example: input,
    errors: [shippingErrors.rule_limit],
    emits: changeEvent(ruleChanged, 'created'),
    run: async (ctx, body, fresh) => {
      const rule = await checkRule(ctx, { enabled: true, position: 0, ...NO_LISTS, ...body, ...fresh });
      const { count, last } = await countRules(ctx);
      if (count >= RULES_MAX) throw fail(shippingErrors.rule_limit, { facts: { limit: RULES_MAX } });
      // Of two rules at one position the older applies first, so the new rule is the last one there.
      return { ...rule, position: body.position ?? Math.min(last + POSITION_STEP, POSITION_MAX) };
    },
  }),
  rules.update({
    description: 'Fields that the body leaves out stay; lists are replaced as a whole.',
    body: schemas.change,
    example: { enabled: false },
    emits: changeEvent(ruleChanged, 'updated'),
    run: (ctx, before, body) => checkRule(ctx, { ...before, ...body }),
  }),
  rules.delete({
    emits: changeEvent(ruleChanged, 'deleted'),
    // The last version keeps what the rule was until now.
    run: (ctx, rule) => writeVersion(shippingRules, ctx, rule, {}),
  }),
];
