import { describe, expect, it } from 'vitest';
import { type FoundProducts, lookupKeys, matchRow } from './match-row.ts';
import { MUG, product } from './plan/plan-fixtures.ts';
import type { CatalogueProduct } from './product.ts';
import { replacementPatch } from './replacement-patch.ts';

const A = product(MUG, { product_id: 'prd_a', seller_sku: 'A', external_key: 'key-a' });
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
  it('are canonical, whether the row has a claim or separate columns', () => {
    expect(
      lookupKeys({ ...MUG, identity: { strategy: 'global_id', value: '931-2345-678907' } }),
    ).toMatchObject({
      seller_sku: 'MUG-BLU',
      gtin14: '09312345678907',
      mpn_folded: null,
    });
    const parts = { global_id: '', mpn: 'X-1', product_id: 'prd_a' };
    expect(lookupKeys({ brand: ' Bosch®', identity_parts: parts })).toEqual({
      seller_sku: null,
      product_id: 'prd_a',
      external_key: null,
      gtin14: null,
      mpn_folded: 'x1',
      brand_folded: 'bosch',
    });
  });

  it('leave out a code that is refused', () => {
    expect(lookupKeys({ identity_parts: { global_id: '9312345678908' } }).gtin14).toBeNull();
  });
});

describe('matchRow', () => {
  const found = catalogue(A, B, DRAFT);
  const match = (patch: Parameters<typeof lookupKeys>[0], target: CatalogueProduct | null = null) =>
    matchRow(lookupKeys(patch), found, target);

  it('matches by the SKU first, then by the key of the file', () => {
    expect(match({ seller_sku: 'B', external_key: 'key-a' })).toMatchObject({
      existing: { product_id: 'prd_b' },
      match: { matched_by: 'seller_sku' },
    });
    expect(match({ seller_sku: 'NEW', external_key: 'key-a' })).toMatchObject({
      existing: { product_id: 'prd_a' },
      match: { matched_by: 'external_key' },
    });
  });

  it('lets an id name a product only where no SKU does', () => {
    const by = (product_id: string, seller_sku?: string) =>
      match({ ...(seller_sku === undefined ? {} : { seller_sku }), identity_parts: { product_id } });
    expect(by('prd_a').existing?.product_id).toBe('prd_a');
    expect(by('prd_d', 'NEW').existing?.product_id).toBe('prd_d');
    expect(by('prd_a', 'NEW').existing).toBeNull();
    expect(by('prd_a', 'NEW').match.product_visible).toBe(true);
    expect(by('prd_x').match).toMatchObject({ matched_by: null, product_visible: false });
  });

  it('never matches by a shared code, but shows who has it', () => {
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

  it('follows the path of a request before its body', () => {
    expect(match({ seller_sku: 'B' }, A)).toMatchObject({
      existing: { product_id: 'prd_a' },
      match: { matched_by: 'product_id', candidates: [{ product_id: 'prd_b', reason: 'seller_sku' }] },
    });
  });
});

describe('replacementPatch', () => {
  it('clears what the body leaves out, save SKU, status and stock', () => {
    const patch = replacementPatch(A, { title: 'New', attributes: { size: 'L' } });
    expect(patch).toMatchObject({ title: 'New', brand: null, identity: null, images: [] });
    expect(patch.attributes).toEqual({ colour: null, size: 'L' });
    for (const key of ['seller_sku', 'status', 'quantity', 'external_key'])
      expect(patch).not.toHaveProperty(key);
  });
});
