import { describe, expect, it } from 'vitest';
import { MUG, product } from '../test/plan-fixtures.ts';
import { type FoundProducts, lookupKeys, matchNamed, matchRow, namedKeys } from './match-row.ts';
import type { CatalogueProduct } from './product.ts';
import { replacementPatch } from './replacement-patch.ts';

const A = product(MUG, {
  product_id: 'prd_a',
  seller_sku: 'A',
  external_key: 'key-a',
  external_profile: 'store_platform_products',
});
const B = product(MUG, { product_id: 'prd_b', seller_sku: 'B' });
const DRAFT = product(MUG, { product_id: 'prd_d', seller_sku: null, external_key: 'key-d', status: 'draft' });

function catalogue(...products: readonly CatalogueProduct[]): FoundProducts {
  const by = (key: 'seller_sku' | 'product_id' | 'external_key') => (value: string) =>
    products.find((item) => item[key] === value);
  return {
    bySku: by('seller_sku'),
    byProductId: by('product_id'),
    byExternalKey: by('external_key'),
    byGtin: (gtin14) => products.filter(({ identity }) => identity?.gtin14 === gtin14),
    byMpnBrand: () => [],
  };
}

describe('lookupKeys', () => {
  it('have canonical codes, for a claim and for separate columns', () => {
    expect(
      lookupKeys({ ...MUG, identity: { strategy: 'global_id', value: '931-2345-678907' } }),
    ).toMatchObject({
      seller_sku: 'MUG-BLU',
      gtin14: '09312345678907',
      mpn_folded: null,
    });
    const parts = { global_id: '', mpn: 'X-1', product_id: 'prd_a' };
    expect(lookupKeys({ brand: ' Bosch®', identity_parts: parts })).toMatchObject({
      seller_sku: null,
      product_id: 'prd_a',
      external_key: null,
      former_keys: [],
      gtin14: null,
      mpn_folded: 'x1',
      brand_folded: 'bosch',
    });
  });

  it('leave out an invalid code', () => {
    expect(lookupKeys({ identity_parts: { global_id: '9312345678908' } }).gtin14).toBeNull();
  });
});

describe('matchRow', () => {
  const found = catalogue(A, B, DRAFT);
  const match = (patch: Parameters<typeof lookupKeys>[0], target: CatalogueProduct | null = null) =>
    matchRow(lookupKeys(patch), found, { target });

  it('matches the key of the file before the SKU; a SKU does not match a product with another key', () => {
    const imported = (seller_sku: string, external_key: string, former_keys: readonly string[] = []) => {
      const profile = 'store_platform_products';
      const { existing, match: how } = matchNamed(
        namedKeys({ seller_sku, external_key }, former_keys),
        found,
        {
          profile,
        },
      );
      return [existing?.product_id, how.matched_by];
    };
    expect(imported('B', 'key-a')).toEqual(['prd_a', 'external_key']);
    expect(imported('NEW', 'key-a')).toEqual(['prd_a', 'external_key']);
    expect(imported('B', 'key-b')).toEqual(['prd_b', 'seller_sku']);
    expect(imported('A', 'key-b')).toEqual([undefined, null]);
    expect(imported('A', 'key-b', ['key-a'])).toEqual(['prd_a', 'seller_sku']);
  });

  it('matches the SKU of a product with a key of another profile only if one of the keys is the SKU', () => {
    const listed = product(MUG, {
      product_id: 'prd_l',
      seller_sku: 'L',
      external_key: 'L',
      external_profile: 'marketplace_listings',
    });
    const imported = (seller_sku: string, external_key: string, profile: string) =>
      matchNamed(namedKeys({ seller_sku, external_key }), catalogue(A, listed), { profile }).existing;
    expect(imported('A', 'A', 'marketplace_listings')?.product_id).toBe('prd_a');
    expect(imported('A', 'other', 'marketplace_listings')).toBeNull();
    expect(imported('L', 'tee#S', 'store_platform_products')?.product_id).toBe('prd_l');
  });

  it('matches the id of a product only if the SKU of the row does not contradict it', () => {
    const by = (product_id: string, seller_sku?: string) =>
      match({ ...(seller_sku === undefined ? {} : { seller_sku }), identity_parts: { product_id } });
    expect(by('prd_a').existing?.product_id).toBe('prd_a');
    expect(by('prd_d', 'NEW').existing?.product_id).toBe('prd_d');
    expect(by('prd_a', 'NEW').existing).toBeNull();
    expect(by('prd_a', 'NEW').match.product_visible).toBe(true);
    expect(by('prd_x').match).toMatchObject({ matched_by: null, product_visible: false });
  });

  it('does not match a shared code, but lists the products that have it', () => {
    const { existing, match: result } = match({
      seller_sku: 'NEW',
      identity: { strategy: 'global_id', value: '9312345678907' },
    });
    expect(existing).toBeNull();
    expect(result.candidates.map(({ product_id, reason }) => [product_id, reason])).toEqual([
      ['prd_a', 'exact_gtin'],
      ['prd_b', 'exact_gtin'],
      ['prd_d', 'exact_gtin'],
    ]);
  });

  it('matches the product in the path of a request before the SKU in its body', () => {
    expect(match({ seller_sku: 'B' }, A)).toMatchObject({
      existing: { product_id: 'prd_a' },
      match: { matched_by: 'product_id', candidates: [{ product_id: 'prd_b', reason: 'seller_sku' }] },
    });
  });
});

describe('replacementPatch', () => {
  it('clears the fields that the body leaves out, except SKU, status and stock', () => {
    const patch = replacementPatch(A, { title: 'New', attributes: { size: 'L' } });
    expect(patch).toMatchObject({ title: 'New', brand: null, identity: null, images: [] });
    expect(patch.attributes).toEqual({ colour: null, size: 'L' });
    for (const key of ['seller_sku', 'status', 'quantity', 'external_key'])
      expect(patch).not.toHaveProperty(key);
  });
});
