/** Readiness of products: golden figures and properties. Source: docs/design/quality.md#readiness. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { blankContent, type ProductContent, type StoredIdentity } from '../../products/domain/product.ts';
import { assess, RULES } from './readiness.ts';

const identity = (strategy: StoredIdentity['strategy']): StoredIdentity => ({
  ...{ strategy, gtin14: null, value_entered: null, scheme: null, mpn: null, mpn_folded: null },
  ...{ brand_folded: null, exempt_reason: null, exempt_source: null, product_ref: null },
});
const image = {
  ...{ image_id: 'img_1', url: 'https://x.example/1.jpg', alt: null, position: 1, width: null, height: null },
  ...{ content_type: null, bytes: null, sha256: null },
};
/** A value of each field with which a rule passes, and one with which it fails. */
const VALUES: { readonly [K in keyof ProductContent]?: readonly ProductContent[K][] } = {
  seller_sku: [null, 'MUG'],
  title: [
    null,
    'Mug',
    'LOUD MUG OF STONEWARE',
    'Blue stoneware mug, 350 ml',
    'Greaaaat mugs of stoneware',
    '<b>Mug</b>',
  ],
  price_minor: [null, minor(2_499n)],
  identity: [null, identity('exempt'), identity('global_id'), identity('mpn_brand')],
  status: ['draft', 'active', 'inactive'],
  curation_state: ['not_submitted', 'pending', 'approved', 'rejected', 'suspended'],
  approved: [null, {}],
  images: [[], [image], [image, image, image]],
  description: [null, 'x'.repeat(90), `<p>${'x '.repeat(80)}</p>`],
  category: [null, 'Mugs', 'Home > Kitchen > Mugs', '> >'],
  brand: [null, 'Unbranded', 'Potter'],
  attributes: [{}, { colour: 'blue' }, { a: '1', b: '2', c: '3' }],
};
const anyProduct = fc
  .record(
    Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, fc.constantFrom(...values)])),
  )
  .map((fields): ProductContent => ({ ...blankContent('AUD'), ...fields }));

const golden: ProductContent = {
  ...blankContent('AUD'),
  ...{ seller_sku: 'MUG-BLU', title: 'Blue stoneware mug, 350 ml', price_minor: minor(2_499n) },
  ...{ identity: identity('exempt'), status: 'active', curation_state: 'approved', images: [image] },
  ...{ description: 'x'.repeat(90), category: 'Home > Kitchen > Mugs', attributes: { colour: 'blue' } },
};
const gains = (product: ProductContent) =>
  assess(product).findings.map(({ rule: { code }, gain_points }) => [code, gain_points]);

test('the golden product scores 60; a longer description gains 20, two more images 13', () => {
  expect(assess(golden)).toMatchObject({ ready: true, applicable_weight: 75, passed_weight: 45, score: 60 });
  expect(gains(golden)).toEqual([
    ['description_short', 20],
    ['images_few', 13],
    ['attributes_few', 7],
  ]);
  expect(assess({ ...golden, description: 'x'.repeat(150) }).score).toBe(80);
  expect(assess({ ...golden, images: [image, image, image] }).score).toBe(73);
});

test('passing one more rule never lowers the score, and gains what the finding says', () => {
  fc.assert(
    fc.property(anyProduct, (product) => {
      const { score, passed_weight, applicable_weight, findings } = assess(product);
      for (const { rule, gain_points } of findings) {
        expect(gain_points).toBeGreaterThanOrEqual(0);
        const after = Math.round((100 * (passed_weight + rule.weight)) / applicable_weight);
        expect(score + gain_points).toBe(after);
      }
      const weights = findings.map(({ rule }) => rule.weight).reduce((sum, weight) => sum + weight, 0);
      expect(passed_weight + weights).toBe(applicable_weight);
      expect(assess(product).ready).toBe(findings.every(({ rule }) => rule.level === 'advisory'));
    }),
  );
});

test.each<[keyof ProductContent, unknown, string]>([
  ['title', '<b>A mug of blue stoneware</b>', 'title_style'],
  ['title', 'A MUG OF BLUE STONEWARE', 'title_style'],
  ['title', 'A greaaaat mug of stoneware', 'title_style'],
  ['title', 'Mug', 'title_length'],
  ['description', `<p>${'<b></b>'.repeat(100)}short</p>`, 'description_short'],
  ['category', 'Mugs >', 'category_shallow'],
  ['images', [], 'image_missing'],
  ['seller_sku', null, 'sku_missing'],
  ['title', null, 'title_missing'],
  ['price_minor', null, 'price_missing'],
  ['identity', null, 'identity_missing'],
  ['status', 'inactive', 'not_active'],
  ['curation_state', 'not_submitted', 'not_submitted'],
  ['curation_state', 'pending', 'under_review'],
  ['curation_state', 'rejected', 'curation_rejected'],
  ['curation_state', 'suspended', 'curation_suspended'],
])('%s %j: %s', (field, value, code) => {
  expect(gains({ ...golden, [field]: value }).map(([found]) => found)).toContain(code);
});

test('brand and global id are asked of products with an identity that has one', () => {
  const bare = { ...golden, identity: identity('mpn_brand'), brand: 'Generic' };
  expect(gains(bare).map(([code]) => code)).toEqual(
    expect.arrayContaining(['brand_missing', 'global_id_missing']),
  );
  expect(assess({ ...bare, brand: 'Potter', identity: identity('global_id') })).toMatchObject({
    applicable_weight: 90,
    passed_weight: 60,
  });
});

test('a change under review leaves a product ready while an earlier version is live', () => {
  expect(assess({ ...golden, curation_state: 'pending', approved: { title: 'Mug' } }).ready).toBe(true);
});

test('every rule has a code of its own', () => {
  expect(new Set(RULES.map(({ code }) => code)).size).toBe(RULES.length);
});
