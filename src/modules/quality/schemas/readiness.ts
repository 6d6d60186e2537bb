import Type, { type Static } from 'typebox';
import { frameFields, liveFrame } from '../../../kernel/frame.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { StoredProduct } from '../../products/index.ts';
import { assess, CODES, type Finding, LEVELS, RULE_SET, RULES } from '../domain/readiness.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
export const code = StringEnum(CODES, {
  title: 'ReadinessCode',
  description: 'A rule of `GET /quality/rules`; blocking ones keep the product from being sold',
});
const Score = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: '100 times the weights passed by the weights that apply, rounded; stock plays no part',
});
const ruleFields = {
  code,
  level: StringEnum(LEVELS, { title: 'ReadinessLevel', description: '`blocking` keeps it from being sold' }),
  weight: count('Its part of the score; 0 for blocking rules'),
  field: Type.String({ description: 'JSON path in the product' }),
  message: Type.String({ description: 'What is wrong, for people' }),
  fix: Type.String({ description: 'How to mend it' }),
};

export const Rules = Type.Object(
  {
    rule_set: Type.String({ description: 'Name of the rules' }),
    rules: Type.Array(
      Type.Object(
        {
          ...ruleFields,
          not_applicable: Nullable(Type.String({ description: 'What it does not judge; null: nothing' })),
        },
        { title: 'ReadinessRule', description: 'A rule about products.' },
      ),
      { description: 'All rules' },
    ),
  },
  { title: 'ReadinessRules', description: 'The rules by which products are assessed.' },
);
export const RULES_SHOWN: Static<typeof Rules> = {
  rule_set: RULE_SET,
  rules: RULES.map(({ passes: _, except, ...rule }) => ({ ...rule, not_applicable: except?.what ?? null })),
};

const readiness = {
  product_id: Type.String({ description: 'The product' }),
  seller_sku: Nullable(Type.String({ description: 'Its SKU' })),
  ready: Type.Boolean({ description: 'Whether no finding blocks it' }),
  score: Score,
};
export const Listing = Type.Object(
  { ...readiness, codes: Type.Array(code, { description: 'Rules that it does not pass' }) },
  { title: 'ListedReadiness', description: 'How ready a product is for sale.' },
);

export const Readiness = Type.Object(
  {
    ...readiness,
    rule_set: Type.String({ description: 'The rules by which it was assessed' }),
    product_version: Type.Integer({ description: 'The version of the product that was assessed' }),
    applicable_weight: count('Weights of the rules that apply to it'),
    passed_weight: count('Weights of those that it passes'),
    findings: Type.Array(
      Type.Object(
        { ...ruleFields, gain_points: count('How much the score grows if this is mended') },
        { title: 'ReadinessFinding', description: 'A rule that a product does not pass.' },
      ),
      { description: 'Blocking ones first, then those that gain most' },
    ),
  },
  { title: 'Readiness', description: 'How ready a product is for sale, and what would help.' },
);

/** What curation says, for the findings that have its reasons. */
const because = (product: StoredProduct): string =>
  product.curation_reasons.length === 0
    ? '.'
    : `: ${product.curation_reasons.map(({ code, detail }) => detail ?? code).join('; ')}`;

const toFinding = ({ rule, gain_points }: Finding, product: StoredProduct) => {
  const { passes: _, except: __, message, ...shown } = rule;
  const whole = rule.field === '$.curation.reasons' ? message + because(product) : message;
  return { ...shown, message: whole, gain_points };
};

export function toWireReadiness(product: StoredProduct): Static<typeof Readiness> {
  const { product_id, seller_sku, version } = product;
  const { findings, ...assessed } = assess(product);
  return {
    ...{ product_id, seller_sku, ...assessed },
    rule_set: RULE_SET,
    product_version: version,
    findings: findings.map((finding) => toFinding(finding, product)),
  };
}

/** Golden figures of docs/design/quality.md. */
const [, , , , , , , , , , images, description] = RULES_SHOWN.rules;
export const READINESS_EXAMPLE: Static<typeof Readiness> = {
  product_id: 'prd_01j0000000000000000000000',
  seller_sku: 'MUG-BLU',
  ready: true,
  score: 60,
  rule_set: RULE_SET,
  product_version: 3,
  applicable_weight: 75,
  passed_weight: 45,
  findings: [description, images].flatMap((rule) => {
    if (rule === undefined) return [];
    const { not_applicable: _, ...shown } = rule;
    return [{ ...shown, gain_points: rule.code === 'images_few' ? 13 : 20 }];
  }),
};
export const LISTING_EXAMPLE: Static<typeof Listing> = {
  product_id: READINESS_EXAMPLE.product_id,
  seller_sku: 'MUG-BLU',
  ready: true,
  score: 60,
  codes: ['description_short', 'images_few'],
};

export const AT = '2026-07-28T01:00:00.000Z';

export const FramedReadiness = Type.Object(
  { ...Readiness.properties, ...frameFields },
  { title: 'ProductReadiness', description: 'How ready a product is for sale, and what would help.' },
);
export const FRAMED_EXAMPLE = { ...READINESS_EXAMPLE, ...liveFrame(AT, 'quality.product.v1') };

const nullableCount = (description: string) => Nullable(count(description));
export const Summary = Type.Object(
  {
    products: nullableCount('Products that are not archived'),
    ready: nullableCount('Of those: ready for sale'),
    score_mean: nullableCount('Mean of their scores, rounded; null without products'),
    score_tens: Type.Array(count('Products'), {
      description: 'Products by the tens of their score; 100 counts with the nineties',
    }),
    top_fixes: Type.Array(
      Type.Object(
        { code, products: count('Products that do not pass it'), gain: count('Products times its weight') },
        { title: 'ReadinessFix', description: 'A rule that many products do not pass.' },
      ),
      { description: 'At most 10, those that gain most first' },
    ),
    retry_after_seconds: Type.Optional(count('When to read again what is not computed')),
    ...frameFields,
  },
  { title: 'ReadinessSummary', description: 'How ready the products of the seller are for sale.' },
);
export const SUMMARY_EXAMPLE: Static<typeof Summary> = {
  products: 8,
  ready: 7,
  score_mean: 64,
  score_tens: [0, 0, 0, 0, 1, 1, 4, 2, 0, 0],
  top_fixes: [{ code: 'description_short', products: 5, gain: 75 }],
  ...liveFrame(AT, 'quality.summary.v1'),
};
