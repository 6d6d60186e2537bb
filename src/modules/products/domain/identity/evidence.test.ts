import { describe, expect, it } from 'vitest';
import { identityEvidence, NO_MATCH, sameIdentity } from './evidence.ts';
import { identicalIdentity, storedIdentity } from './stored-identity.ts';
import { identityFromWire, identityToWire } from './wire-identity.ts';

const GTIN = storedIdentity({
  strategy: 'global_id',
  gtin14: '09312345678907',
  value_entered: '9312345678907',
  scheme: 'GTIN-13',
});
const PAIR = storedIdentity({ strategy: 'mpn_brand', mpn: 'a|b', mpn_folded: 'a|b', brand_folded: 'c' });

describe('identityEvidence', () => {
  it('shows strategy, canonical value, how the row was matched and every candidate', () => {
    const candidates = [
      { product_id: 'prd_1', seller_sku: 'A', reason: 'seller_sku' as const },
      { product_id: 'prd_2', seller_sku: 'B', reason: 'exact_gtin' as const },
    ];
    expect(identityEvidence(GTIN, { matched_by: 'seller_sku', candidates }, 'prd_1')).toEqual({
      strategy: 'global_id',
      normalised: '09312345678907',
      matched_by: 'seller_sku',
      candidates: [
        { ...candidates[0], confidence: 1, chosen: true },
        { ...candidates[1], confidence: 1, chosen: false },
      ],
    });
  });

  it('says that there is no identity', () => {
    expect(identityEvidence(null, NO_MATCH, null)).toEqual({
      strategy: null,
      normalised: null,
      matched_by: null,
      candidates: [],
    });
  });
});

describe('sameIdentity', () => {
  it('ignores the spelling of the code', () => {
    const hyphens = { ...GTIN, value_entered: '931-2345-678907' };
    expect(sameIdentity(GTIN, hyphens)).toBe(true);
    expect(identicalIdentity(GTIN, hyphens)).toBe(false);
  });

  it('distinguishes two pairs of MPN and brand that are equal when joined', () => {
    const other = storedIdentity({ strategy: 'mpn_brand', mpn: 'a', mpn_folded: 'a', brand_folded: 'b|c' });
    expect(sameIdentity(PAIR, other)).toBe(false);
    expect(sameIdentity(PAIR, null)).toBe(false);
    expect(sameIdentity(null, null)).toBe(true);
  });
});

describe('the wire form', () => {
  it('has exactly the keys of the strategy', () => {
    expect(identityToWire(GTIN, null)).toEqual({
      strategy: 'global_id',
      value: '9312345678907',
      scheme: 'GTIN-13',
      gtin14: '09312345678907',
    });
    expect(identityToWire(PAIR, 'C')).toEqual({ strategy: 'mpn_brand', mpn: 'a|b', brand: 'C' });
  });

  it.each(['MPN_BRAND', 'mpn_brand', 'Mpn-Brand', ' mpn brand '])('reads the strategy %j', (strategy) => {
    expect(identityFromWire({ strategy, mpn: 'X', brand: 'B' })).toMatchObject({
      strategy: 'mpn_brand',
      mpn: 'X',
    });
  });

  it('accepts a value under the name of its strategy, and refuses unknown strategies', () => {
    expect(identityFromWire({ strategy: 'product_id', product_id: 'prd_1' })).toMatchObject({
      value: 'prd_1',
    });
    expect(identityFromWire({ strategy: 'global_id', global_id: '93' })).toMatchObject({ value: '93' });
    expect(identityFromWire({ strategy: 'sku' })).toBeNull();
  });
});
