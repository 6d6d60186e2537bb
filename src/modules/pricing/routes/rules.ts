import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { fail, invalid } from '../../../kernel/errors.ts';
import { scopeSchema } from '../../../kernel/product-scope.ts';
import { NOT_BLANK, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { trackedExample, trackedSchemas } from '../../../kernel/tracked.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { requestPass, WHOLE_JOB } from '../actions/run-pass.ts';
import { type Params, STRATEGIES, type Strategy } from '../domain/rules.ts';
import { pricingErrors } from '../errors.ts';
import { lockRules, type RuleRow, rules } from '../store/tables.ts';

const RULES_MAX = 20;
const PRIORITY_MAX = 100;
const AMOUNT_MAX = 1_000_000_000;
const MARGIN_BPS_MAX = 9_000;

const schemas = trackedSchemas('rule_id', {
  kind: 'prr_',
  one: 'price rule',
  title: 'PriceRule',
  description: 'What price is recommended for some products.',
  required: {
    name: Type.String({ minLength: 1, maxLength: 80, ...NOT_BLANK, description: 'Name for your own use' }),
    priority: Type.Integer({
      minimum: 1,
      maximum: PRIORITY_MAX,
      description:
        'The rule with the smallest number applies to a product; of two with the same number, the older one',
    }),
    scope: scopeSchema('PriceRuleScope', 'The products'),
    strategy: StringEnum(STRATEGIES, {
      title: 'PriceStrategy',
      description:
        '`match_lowest`: the lowest offer of others; `hold_margin`: the smallest price with a margin',
    }),
    params: Type.Object(
      {
        below_minor: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: AMOUNT_MAX,
            description: 'With `match_lowest`: how much below that offer',
          }),
        ),
        margin_bps: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MARGIN_BPS_MAX,
            description: 'With `hold_margin`: the margin in hundredths of a per cent',
          }),
        ),
      },
      { title: 'PriceRuleParams', description: 'The one parameter of the strategy.' },
    ),
  },
  optional: { active: Type.Boolean({ description: 'Other rules are skipped; default: true' }) },
  shown: {
    matched_products: Nullable(
      Type.Integer({
        description:
          'Number of products that followed this rule in the last evaluation of all products; null before it',
      }),
    ),
  },
});
const input = {
  name: 'Mugs just below the others',
  priority: 10,
  scope: { categories: ['Home > Kitchen > Mugs'] },
  strategy: 'match_lowest' as const,
  params: { below_minor: 1 },
};
const example = trackedExample('rule_id', 'prr_', { ...input, active: true, matched_products: null });

const PARAM: Readonly<Record<Strategy, keyof Params>> = {
  match_lowest: 'below_minor',
  hold_margin: 'margin_bps',
};

/** @throws ApiError 422 if the parameters are not those of the strategy */
function checkRule(rule: RuleRow): RuleRow {
  const { strategy, params } = rule;
  const needed = PARAM[strategy];
  const [given, ...more] = Object.keys(params);
  if (given !== needed || more.length > 0) {
    const msg = `With the strategy ${strategy}, "params" has "${needed}" and nothing else.`;
    throw invalid([{ loc: ['body', 'params'], msg, type: 'params_of_strategy', input: params }]);
  }
  return { ...rule, name: rule.name.trim() };
}

/** The fields that decide what is recommended. */
const DECIDING = ['priority', 'scope', 'strategy', 'params', 'active'] as const;

const routes = resource({ ...schemas, id: 'pricing.rules', area: 'growth', table: rules, example });
const access = { plan: 'pricing' } as const;

export const ruleRoutes = [
  routes.list({
    description: 'In the order in which they apply.',
    order: ['priority'],
    access,
  }),
  routes.get({ access }),
  routes.create({
    description: 'Its products are evaluated within a minute. It recommends prices and changes none.',
    access,
    body: schemas.input,
    example: input,
    errors: [pricingErrors.too_many_rules],
    run: async (ctx, body, fresh) => {
      const rule = checkRule({ active: true, matched_products: null, ...body, ...fresh });
      if ((await lockRules(ctx)) >= RULES_MAX) throw fail(pricingErrors.too_many_rules);
      await requestPass(ctx, WHOLE_JOB);
      return rule;
    },
  }),
  routes.update({
    access,
    body: schemas.change,
    example: { active: false },
    run: async (ctx, before, body) => {
      const rule = checkRule({ ...before, ...body });
      if (DECIDING.some((field) => !isDeepStrictEqual(rule[field], before[field])))
        await requestPass(ctx, WHOLE_JOB);
      return rule;
    },
  }),
  routes.delete({ access, run: (ctx) => requestPass(ctx, WHOLE_JOB) }),
];
