import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { newProduct } from '../../products/domain/plan/changes.ts';
import type { CatalogueProduct } from '../../products/domain/product.ts';
import { hereTexts, patchOf, storeTexts } from './field-texts.ts';
import { MERGED_FIELDS, type MergedFieldName } from './link-words.ts';
import { MERGE_RULES } from './merge-field.ts';
import { mergeProduct } from './merge-product.ts';

/** Three values of each field, as texts. */
const VALUES: Readonly<Record<MergedFieldName, readonly [string, string, string]>> = {
  title: ['Base', 'Here', 'Store'],
  description: ['Base', 'Here', 'Store'],
  brand: ['Base', 'Here', 'Store'],
  category: ['Base', 'Here', 'Store'],
  images: ['["https://a/1"]', '["https://a/2"]', '["https://a/3","https://a/1"]'],
  attributes: ['{"size":"1"}', '{"size":"2"}', '{"size":"3"}'],
  price_minor: ['100', '200', '300'],
  compare_at_minor: ['100', '200', '300'],
  status: ['inactive', 'archived', 'active'],
};

/** A product whose field has this value. */
function productWith(field: MergedFieldName, value: string): CatalogueProduct {
  const product = { ...newProduct('AUD'), status: 'active' as const };
  if (field === 'status') return { ...product, status: value as CatalogueProduct['status'] };
  if (field === 'images') {
    const urls = JSON.parse(value) as string[];
    const images = urls.map((url) => ({ url }) as CatalogueProduct['images'][number]);
    return { ...product, images };
  }
  return { ...product, ...patchOf(field, value, null) } as CatalogueProduct;
}

describe.each(MERGED_FIELDS)('%s', (field) => {
  const [base, here, store] = VALUES[field];
  const product = productWith(field, here);
  const merge = (
    stated: string,
    before: string | undefined,
    rule: (typeof MERGE_RULES)[number],
    of = product,
  ) =>
    mergeProduct(of, { [field]: stated }, before === undefined ? {} : { [field]: before }, { [field]: rule });
  const taken = patchOf(field, store, here);

  test.each(MERGE_RULES)('is merged by rule `%s`', (rule) => {
    expect(hereTexts(product, { [field]: here } as never)[field]).toBe(here);
    // The store did not change it.
    expect(merge(base, base, rule)).toEqual({
      patch: {},
      base: { [field]: base },
      conflicts: [],
      replaced: [],
    });
    // Only the store did.
    expect(merge(store, here, rule)).toEqual({
      ...{ patch: rule === 'never' ? {} : taken, base: { [field]: store }, conflicts: [], replaced: [] },
    });
    // Both have the same value now.
    expect(merge(here, base, rule)).toMatchObject({ patch: {}, base: { [field]: here }, conflicts: [] });
    for (const known of [base, undefined]) {
      const both = merge(store, known, rule);
      const difference = { field, store, here, base: known ?? null };
      expect(both.patch).toEqual(rule === 'store' ? taken : {});
      expect(both.replaced).toEqual(rule === 'store' ? [difference] : []);
      expect(both.conflicts).toEqual(rule === 'ask' ? [difference] : []);
      expect(both.base[field]).toBe(rule === 'ask' ? known : store);
    }
  });
});

test('texts are equal in any form, and what the store does not state is not compared', () => {
  const product = {
    ...newProduct('AUD'),
    title: 'Ca\u0301fe ',
    price_minor: minor(100),
    status: 'active' as const,
  };
  const store = storeTexts({ title: 'C\u00e1fe', price_minor: minor(100), status: 'active', images: [] });
  expect(mergeProduct(product, store, {}, {})).toMatchObject({ patch: {}, conflicts: [] });
  expect(Object.keys(store).sort()).toEqual(['images', 'price_minor', 'status', 'title']);
});

test('an attribute that the store drops is removed, and others stay', () => {
  const product = { ...newProduct('AUD'), attributes: { size: '1', own: 'x' } };
  const { patch } = mergeProduct(product, { attributes: '{"tags":"a"}' }, { attributes: '{"size":"1"}' }, {});
  expect(patch).toEqual({ attributes: { size: null, tags: 'a' } });
});
