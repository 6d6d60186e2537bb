/**
 * Which products are ready to be sold, and what would make them better. The rules are data, and the assessment is a
 * pure function of the product. Source: docs/design/quality.md#readiness.
 */
import { isGenericBrand } from '../../products/domain/identity/placeholders.ts';
import type { ProductContent } from '../../products/domain/product.ts';
import { liveContent } from '../../products/domain/visibility.ts';

export const RULE_SET = 'readiness-2026-1';
export const LEVELS = ['blocking', 'advisory'] as const;

const DESCRIPTION_CHARS = 150;
const TITLE_CHARS = { least: 20, most: 150 };
const IMAGES = 3;
const LEVELS_OF_CATEGORY = 2;
const ATTRIBUTES = 3;
const TAG = /<[^>]*>/g;
const FOUR_TIMES = /(.)\1{3}/su;

interface Rule<Code extends string = string> {
  readonly code: Code;
  readonly level: (typeof LEVELS)[number];
  /** 0 for blocking rules. */
  readonly weight: number;
  /** JSON path in the product. */
  readonly field: string;
  readonly message: string;
  readonly fix: string;
  readonly passes: (product: ProductContent) => boolean;
  /** Which products the rule does not judge; undefined: it judges all. */
  readonly except?: { readonly what: string; readonly holds: (product: ProductContent) => boolean };
}

const blocking = <const C extends string>(
  code: C,
  field: string,
  message: string,
  fix: string,
  passes: Rule['passes'],
): Rule<C> => ({ code, level: 'blocking', weight: 0, field, message, fix, passes });
const advisory = <const C extends string>(rule: Omit<Rule<C>, 'level'>): Rule<C> => ({
  ...rule,
  level: 'advisory',
});

/** Characters as readers see them, without tags and with single blanks. */
const charsOf = (text: string | null): number =>
  [...(text ?? '').replace(TAG, ' ').replace(/\s+/g, ' ').trim()].length;
const isShouted = (title: string): boolean => title === title.toUpperCase() && title !== title.toLowerCase();
const isStyled = (title: string): boolean =>
  title.search(TAG) === -1 && !isShouted(title) && !FOUR_TIMES.test(title);

const UNTITLED = { what: 'a product without a title', holds: ({ title }: ProductContent) => title === null };
const EXEMPT = {
  what: 'a product whose identity is exempt',
  holds: ({ identity }: ProductContent) => identity?.strategy === 'exempt',
};

/** Passes unless curation is in a state and no version is approved. Buyers still see an approved version. */
const notIn = (state: ProductContent['curation_state']) => (product: ProductContent) =>
  product.curation_state !== state || liveContent(product) !== null;

export const RULES = [
  blocking(
    'sku_missing',
    '$.seller_sku',
    'The product has no SKU.',
    'Give it a SKU.',
    (p) => p.seller_sku !== null,
  ),
  blocking(
    'title_missing',
    '$.title',
    'The product has no title.',
    'Give it a title.',
    (p) => p.title !== null,
  ),
  blocking(
    'price_missing',
    '$.price_minor',
    'The product has no price.',
    'Set a price.',
    (p) => p.price_minor !== null,
  ),
  blocking(
    'identity_missing',
    '$.identity',
    'The product has no identity.',
    'Give it a global id, a manufacturer part number with a brand, or an exemption.',
    (p) => p.identity !== null,
  ),
  blocking(
    'not_active',
    '$.status',
    'The product is a draft or inactive.',
    'Set its status to active.',
    ({ status }) => status !== 'draft' && status !== 'inactive',
  ),
  blocking(
    'not_submitted',
    '$.curation.state',
    'The product was never submitted to the marketplace.',
    'Activate it: the marketplace reviews it then.',
    notIn('not_submitted'),
  ),
  blocking(
    'under_review',
    '$.curation.state',
    'The marketplace has not decided about the product yet.',
    'Wait for the decision of the marketplace.',
    notIn('pending'),
  ),
  blocking(
    'curation_rejected',
    '$.curation.reasons',
    'The marketplace has rejected the product',
    'Correct what the reasons name; the marketplace reviews the change.',
    notIn('rejected'),
  ),
  blocking(
    'curation_suspended',
    '$.curation.reasons',
    'The marketplace has suspended the product',
    'Ask the marketplace: only it can end a suspension.',
    notIn('suspended'),
  ),
  advisory({
    code: 'image_missing',
    weight: 20,
    field: '$.images',
    message: 'The product has no image.',
    fix: 'Add an image.',
    passes: ({ images }) => images.length > 0,
  }),
  advisory({
    code: 'images_few',
    weight: 10,
    field: '$.images',
    message: `The product has fewer than ${IMAGES} images.`,
    fix: `Show it in at least ${IMAGES} images.`,
    passes: ({ images }) => images.length >= IMAGES,
  }),
  advisory({
    code: 'description_short',
    weight: 15,
    field: '$.description',
    message: `The description has fewer than ${DESCRIPTION_CHARS} characters without tags.`,
    fix: `Describe it in at least ${DESCRIPTION_CHARS} characters.`,
    passes: ({ description }) => charsOf(description) >= DESCRIPTION_CHARS,
  }),
  advisory({
    code: 'title_length',
    weight: 10,
    field: '$.title',
    message: `The title does not have ${TITLE_CHARS.least} to ${TITLE_CHARS.most} characters.`,
    fix: `Write a title of ${TITLE_CHARS.least} to ${TITLE_CHARS.most} characters.`,
    passes: ({ title }) => {
      const chars = [...(title ?? '')].length;
      return chars >= TITLE_CHARS.least && chars <= TITLE_CHARS.most;
    },
  }),
  advisory({
    code: 'title_style',
    weight: 5,
    field: '$.title',
    message: 'The title has tags, only capitals, or a character four times in a row.',
    fix: 'Write the title in plain words.',
    passes: ({ title }) => title !== null && isStyled(title),
    except: UNTITLED,
  }),
  advisory({
    code: 'category_shallow',
    weight: 10,
    field: '$.category',
    message: `The category has fewer than ${LEVELS_OF_CATEGORY} levels.`,
    fix: `Name a category of at least ${LEVELS_OF_CATEGORY} levels, such as "Home > Kitchen".`,
    passes: ({ category }) =>
      (category ?? '').split('>').filter((level) => level.trim() !== '').length >= LEVELS_OF_CATEGORY,
  }),
  advisory({
    code: 'brand_missing',
    weight: 5,
    field: '$.brand',
    message: 'The product has no brand, or a generic one.',
    fix: 'Name the brand.',
    passes: ({ brand }) => brand !== null && !isGenericBrand(brand),
    except: EXEMPT,
  }),
  advisory({
    code: 'global_id_missing',
    weight: 10,
    field: '$.identity',
    message: 'The product has no global id.',
    fix: 'Give it its GTIN, EAN, UPC or ISBN.',
    passes: ({ identity }) => identity?.strategy === 'global_id',
    except: EXEMPT,
  }),
  advisory({
    code: 'attributes_few',
    weight: 5,
    field: '$.attributes',
    message: `The product has fewer than ${ATTRIBUTES} attributes.`,
    fix: `Add attributes, such as colour or material, until it has ${ATTRIBUTES}.`,
    passes: ({ attributes }) => Object.keys(attributes).length >= ATTRIBUTES,
  }),
];
export type Code = (typeof RULES)[number]['code'];
export const CODES: readonly Code[] = RULES.map(({ code }) => code);

const scoreOf = (passed: number, applicable: number): number => Math.round((100 * passed) / applicable);

export interface Finding {
  readonly rule: (typeof RULES)[number];
  /** How much the score grows if the rule passes. */
  readonly gain_points: number;
}

/** Assesses a product. Findings that block come first, then those that gain most. */
export function assess(product: ProductContent) {
  const judged = RULES.filter(({ except }) => except?.holds(product) !== true);
  const failed = judged.filter(({ passes }) => !passes(product));
  const weigh = (rules: readonly Rule[]) => rules.reduce((sum, { weight }) => sum + weight, 0);
  const applicable_weight = weigh(judged);
  const passed_weight = applicable_weight - weigh(failed);
  const score = scoreOf(passed_weight, applicable_weight);
  const findings = failed.map(
    (rule): Finding => ({
      rule,
      gain_points: scoreOf(passed_weight + rule.weight, applicable_weight) - score,
    }),
  );
  const rank = ({ rule, gain_points }: Finding) => (rule.level === 'blocking' ? 100 : gain_points);
  return {
    ready: failed.every(({ level }) => level === 'advisory'),
    score,
    applicable_weight,
    passed_weight,
    findings: findings.toSorted((a, b) => rank(b) - rank(a)),
  };
}
