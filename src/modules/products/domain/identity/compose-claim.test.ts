import { describe, expect, it } from 'vitest';
import { composeClaim } from './compose-claim.ts';
import { storedIdentity } from './stored-identity.ts';

const GTIN = storedIdentity({
  strategy: 'global_id',
  gtin14: '09312345678907',
  value_entered: '9312345678907',
  scheme: 'GTIN-13',
});
const HANDMADE = storedIdentity({ strategy: 'exempt', exempt_reason: 'handmade', exempt_source: 'seller' });

describe('composeClaim chooses', () => {
  it.each([
    [{ global_id: '9312345678907', mpn: 'X1', exempt_reason: 'handmade' }, 'global_id'],
    [{ global_id: '', mpn: 'X1', exempt_reason: 'handmade' }, 'mpn_brand'],
    [{ global_id: 'Does not apply', mpn: 'X1' }, 'mpn_brand'],
    [{ mpn: 'n/a', exempt_reason: 'handmade' }, 'exempt'],
    [{ product_id: 'prd_1' }, 'product_id'],
    [{ global_id: 'n/a' }, 'global_id'],
    [{ strategy: 'exempt' as const, global_id: '9312345678907', exempt_reason: 'part' }, 'exempt'],
  ])('for %j: the strategy %s', (parts, strategy) => {
    expect(composeClaim(parts, null, 'Bosch')?.strategy).toBe(strategy);
  });

  it('an exemption with the file as its source, if the file states that there is no code and no MPN', () => {
    expect(composeClaim({ global_id: 'Does not apply' }, null, 'Bosch')).toEqual({
      strategy: 'exempt',
      value: 'Does not apply',
      source: 'file',
    });
    expect(composeClaim({ mpn: 'X1' }, null, 'Unbranded')).toMatchObject({
      strategy: 'exempt',
      source: 'file',
    });
  });

  it('an exemption without a reason, if the row has only the strategy', () => {
    expect(composeClaim({ strategy: 'exempt' }, null, null)).toEqual({
      strategy: 'exempt',
      source: 'seller',
    });
  });

  it('mpn_brand for an MPN without a brand, so that the missing brand is reported', () => {
    expect(composeClaim({ mpn: 'X1' }, null, null)).toEqual({ strategy: 'mpn_brand', mpn: 'X1' });
  });
});

describe('composeClaim for an existing product', () => {
  it('changes nothing when every present column agrees', () => {
    expect(composeClaim({ global_id: '9312345678907', mpn: '' }, GTIN, null)).toBeUndefined();
    expect(composeClaim({ strategy: 'global_id', global_id: '9312345678907' }, GTIN, null)).toBeUndefined();
    expect(composeClaim({ strategy: 'exempt', exempt_reason: 'HANDMADE' }, HANDMADE, null)).toBeUndefined();
    expect(composeClaim({ global_id: '', mpn: '', exempt_reason: '' }, null, null)).toBeUndefined();
  });

  it('keeps the values of absent columns', () => {
    expect(composeClaim({ mpn: 'X1' }, GTIN, 'Bosch')).toEqual({
      strategy: 'global_id',
      value: '9312345678907',
      mpn: 'X1',
    });
  });

  it('replaces an exemption by a code', () => {
    expect(composeClaim({ global_id: '9312345678907' }, HANDMADE, null)?.strategy).toBe('global_id');
  });

  it('removes the identity when all its columns are empty', () => {
    expect(composeClaim({ global_id: '' }, GTIN, null)).toBeNull();
    expect(composeClaim({ exempt_reason: '' }, HANDMADE, null)).toBeNull();
  });
});
