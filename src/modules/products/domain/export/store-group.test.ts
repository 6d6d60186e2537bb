import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProductImage } from '../product.ts';
import type { ExportRow } from './export-row.ts';
import { baseImages, generatedKey, handleOf, productIdInKey } from './store-group.ts';

function row(changes: Partial<ExportRow>): ExportRow {
  return {
    product_id: 'prd_01m7yb055m00me18qzq80pnn8k',
    seller_sku: 'MUG-1',
    title: null,
    description: null,
    brand: null,
    category: null,
    condition: null,
    external_key: null,
    external_profile: null,
    identity_strategy: null,
    value_entered: null,
    mpn: null,
    exempt_reason: null,
    product_ref: null,
    price_minor: null,
    compare_at_minor: null,
    currency: 'AUD',
    quantity_on_hand: null,
    reorder_point: null,
    status: 'active',
    images: null,
    attributes: null,
    variation: null,
    ...changes,
  };
}

const picture = (url: string, alt: string | null = null): ProductImage => ({
  image_id: `img_${url}`,
  url,
  alt,
  position: 1,
  width: null,
  height: null,
  content_type: null,
  bytes: null,
  sha256: null,
});
const shown = (...lists: readonly string[]) =>
  baseImages(lists.map((list) => row({ images: [...list].map((url) => picture(url)) }))).map(
    ({ url }) => url,
  );

describe('the pictures of a product behind those of its variants', () => {
  it.each([
    ['the same for all', ['abc', 'abc'], 'abc'],
    ['each shows one of them first', ['bac', 'abc', 'cab'], 'abc'],
    ['each has one of its own in front', ['xab', 'ab', 'yab'], 'ab'],
    ['only one has any', ['x', ''], ''],
    ['nothing but own ones', ['x', 'y'], ''],
    ['two of its own cannot be told: nothing is lost', ['xya', 'a'], 'xya'],
    ['a variant lacks one of them: nothing is lost', ['xab', 'a'], 'xab'],
    ['one product alone', ['ab'], 'ab'],
  ])('%s', (_name, lists, expected) => {
    expect(shown(...lists).join('')).toBe(expected);
  });

  it('keep the alt text of a picture of one variant, for which the shape has no other place', () => {
    const rows = [row({ images: [picture('x', 'Red'), picture('a')] }), row({ images: [picture('a')] })];
    expect(baseImages(rows).map(({ url }) => url)).toEqual(['x', 'a']);
  });
});

describe('the handle', () => {
  it('of a product without a SKU names it by its whole id, and only such a one is read as an id', () => {
    const { product_id } = row({});
    expect(productIdInKey(handleOf(row({ seller_sku: null })))).toBe(product_id);
    for (const key of [handleOf(row({})), 'prd-1', `x-prd-${'0'.repeat(26)}`, '', null, undefined])
      expect(productIdInKey(key)).toBeNull();
  });

  it('and the options make the key that comes back', () => {
    const variation = { parent_sku: 'TEE', theme: 'Size/Colour', values: { Colour: 'a/b', Size: 'S' } };
    expect(generatedKey(row({ variation }))).toBe('TEE#S/a%2fb');
    expect(generatedKey(row({}))).toBe('mug-1-q80pnn8k');
  });
});

it('the pictures of a product are found whatever pictures its variants show', () => {
  const urls = ['a', 'b', 'c', 'd', 'e'];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(urls, { minLength: 1 }),
      fc.array(fc.option(fc.constantFrom(...urls, 'x', 'y')), { minLength: 1, maxLength: 5 }),
      (base, fronts) => {
        const listOf = (own: string | null, behind: readonly string[]) =>
          own === null ? [...behind] : [own, ...behind.filter((url) => url !== own)];
        const lists = fronts.map((own) => listOf(own, base));
        const found = shown(...lists.map((list) => list.join('')));
        const again = lists.map(([front = null]) => listOf(front === found[0] ? null : front, found));
        expect(again).toEqual(lists);
      },
    ),
    { numRuns: 2_000 },
  );
});
