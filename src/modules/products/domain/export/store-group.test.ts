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

describe('the pictures of a product are found', () => {
  it.each([
    ['all variants show the same pictures', ['abc', 'abc'], 'abc'],
    ['each variant shows another picture of the product first', ['bac', 'abc', 'cab'], 'abc'],
    ['some variants show a picture of their own first', ['xab', 'ab', 'yab'], 'ab'],
    ['only one variant has a picture', ['x', ''], ''],
    ['each variant has only its own picture', ['x', 'y'], ''],
    ['a variant has two pictures that the other lacks, so all are kept', ['xya', 'a'], 'xya'],
    ['a variant lacks a picture, so all are kept', ['xab', 'a'], 'xab'],
    ['there is only one variant', ['ab'], 'ab'],
  ])('when %s', (_name, lists, expected) => {
    expect(shown(...lists).join('')).toBe(expected);
  });

  it('with a picture of one variant that has an alt text, which the file can state only for a product', () => {
    const rows = [row({ images: [picture('x', 'Red'), picture('a')] }), row({ images: [picture('a')] })];
    expect(baseImages(rows).map(({ url }) => url)).toEqual(['x', 'a']);
  });
});

describe('the handle', () => {
  it('of a product without a SKU has its whole id; other handles are not read as ids', () => {
    const { product_id } = row({});
    expect(productIdInKey(handleOf(row({ seller_sku: null })))).toBe(product_id);
    for (const key of [handleOf(row({})), 'prd-1', `x-prd-${'0'.repeat(26)}`, '', null, undefined])
      expect(productIdInKey(key)).toBeNull();
  });

  it('and the options make the key of the product', () => {
    const variation = { parent_sku: 'TEE', theme: 'Size/Colour', values: { Colour: 'a/b', Size: 'S' } };
    expect(generatedKey(row({ variation }))).toBe('TEE#S/a%2fb');
    expect(generatedKey(row({}))).toBe('mug-1-q80pnn8k');
  });
});

it('the found pictures give the pictures of each variant again', () => {
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
