import { describe, expect, it } from 'vitest';
import { EXEMPTION_REASONS, type IdentityClaim } from '../row.ts';
import { API_IDENTITY_COLUMNS, FEED_IDENTITY_COLUMNS } from './columns.ts';
import { NO_MATCH } from './evidence.ts';
import type { IdentityContext } from './identity-context.ts';
import { resolveIdentity } from './resolve-identity.ts';
import { storedIdentity } from './stored-identity.ts';

const context: IdentityContext = {
  seller_sku: 'MUG-BLU',
  title: 'Blue mug',
  brand: 'Bosch',
  existing: null,
  product_id: 'prd_1',
  match: NO_MATCH,
  from_file: false,
  columns: FEED_IDENTITY_COLUMNS,
};

function resolve(claim: IdentityClaim, changes: Partial<IdentityContext> = {}) {
  const { identity, messages } = resolveIdentity(claim, { ...context, ...changes });
  return {
    identity,
    messages,
    codes: messages.map((message) => message.code),
    errors: messages.filter((message) => message.severity === 'error').map((message) => message.code),
  };
}

describe('global_id', () => {
  it('is stored in its canonical form and as entered', () => {
    expect(resolve({ strategy: 'global_id', value: '931-2345-678907', mpn: 'X1' })).toMatchObject({
      identity: {
        strategy: 'global_id',
        gtin14: '09312345678907',
        value_entered: '931-2345-678907',
        mpn: 'X1',
      },
      codes: [],
    });
  });

  it.each([
    ['9312345678908', 'gtin_check_digit', '7'],
    ['36000291452', 'gtin_length', '036000291452'],
    ['3.65E+11', 'gtin_scientific_notation', undefined],
    ['n/a', 'gtin_placeholder', undefined],
    ['Does not apply', 'gtin_placeholder', undefined],
    ['0', 'gtin_placeholder', undefined],
    ['abc', 'gtin_not_numeric', undefined],
  ])('%j is refused with the code %s and the expected value', (value, code, expected) => {
    const { identity, messages } = resolve({ strategy: 'global_id', value });
    expect(identity).toBeNull();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ code, severity: 'error', column: 'global_id', value_excerpt: value });
    expect(messages[0]?.expected).toBe(expected);
  });

  it('without a value is refused, and is not an exemption', () => {
    expect(resolve({ strategy: 'global_id' }).errors).toEqual(['required_missing']);
  });

  it('of a request is reported with the field name of the API', () => {
    const { messages } = resolve({ strategy: 'global_id', value: 'x' }, { columns: API_IDENTITY_COLUMNS });
    expect(messages[0]?.column).toBe('identity.value');
  });

  it('that a file states as "Does not apply" is an exemption with the file as its source', () => {
    expect(resolve({ strategy: 'global_id', value: 'Does not apply' }, { from_file: true })).toMatchObject({
      identity: {
        strategy: 'exempt',
        exempt_source: 'file',
        exempt_reason: null,
        value_entered: 'Does not apply',
      },
      codes: ['exemption_assumed'],
      errors: [],
    });
    expect(resolve({ strategy: 'global_id', value: 'n/a' }, { from_file: true }).errors).toEqual([
      'gtin_placeholder',
    ]);
  });

  it('of another product of the seller gives a warning', () => {
    const candidates = [{ product_id: 'prd_2', seller_sku: 'MUG-2', reason: 'exact_gtin' as const }];
    const claim = { strategy: 'global_id' as const, value: '9312345678907' };
    expect(resolve(claim, { match: { matched_by: null, candidates } })).toMatchObject({
      codes: ['identity_conflict'],
      errors: [],
    });
    expect(resolve(claim, { match: { matched_by: null, candidates }, product_id: 'prd_2' }).codes).toEqual(
      [],
    );
  });
});

describe('mpn_brand', () => {
  it('is stored as entered, and folded for matching', () => {
    expect(resolve({ strategy: 'mpn_brand', mpn: 'GSB-18/V', brand: ' Bosch® ' })).toMatchObject({
      identity: { strategy: 'mpn_brand', mpn: 'GSB-18/V', mpn_folded: 'gsb18v', brand_folded: 'bosch' },
      codes: [],
    });
  });

  it('uses the brand of the product if the claim has none', () => {
    expect(resolve({ strategy: 'mpn_brand', mpn: 'X1' }).identity).toMatchObject({ brand_folded: 'bosch' });
    expect(resolve({ strategy: 'mpn_brand', mpn: 'X1' }, { brand: null }).errors).toEqual(['brand_missing']);
  });

  it.each(['generic', 'Unbranded', 'n/a', 'No Brand'])('refuses the brand %j', (brand) => {
    expect(resolve({ strategy: 'mpn_brand', mpn: 'X1', brand }).errors).toEqual(['brand_generic']);
  });

  it.each([undefined, '', ' ', '-', './'])('refuses the MPN %j', (mpn) => {
    const claim = mpn === undefined ? {} : { mpn };
    expect(resolve({ strategy: 'mpn_brand', ...claim }).errors).toEqual(['mpn_missing']);
  });

  it.each([
    ['mug blu', 'the SKU'],
    ['BLUE-MUG', 'the title'],
    ['N/A', 'a placeholder'],
    ['931 2345 678907', 'the global id'],
  ])('warns that the MPN %j repeats %s', (mpn, what) => {
    const { codes, messages, errors } = resolve({ strategy: 'mpn_brand', mpn, value: '9312345678907' });
    expect(codes).toEqual(['mpn_suspicious']);
    expect(messages[0]?.message).toContain(what);
    expect(errors).toEqual([]);
  });

  it('is unique among the products of the seller', () => {
    const candidates = [{ product_id: 'prd_2', seller_sku: 'A', reason: 'mpn_brand_folded' as const }];
    const match = { matched_by: null, candidates };
    expect(resolve({ strategy: 'mpn_brand', mpn: 'X1' }, { match }).errors).toEqual(['mpn_brand_conflict']);
    expect(resolve({ strategy: 'mpn_brand', mpn: 'X1' }, { match, product_id: 'prd_2' }).errors).toEqual([]);
  });
});

describe('exempt', () => {
  it.each(EXEMPTION_REASONS)('accepts the reason %s in any case', (reason) => {
    expect(resolve({ strategy: 'exempt', reason: reason.toUpperCase() })).toMatchObject({
      identity: { strategy: 'exempt', exempt_reason: reason, exempt_source: 'seller' },
      codes: [],
    });
  });

  it('needs a reason from the list', () => {
    expect(resolve({ strategy: 'exempt' }).errors).toEqual(['required_missing']);
    const unknown = resolve({ strategy: 'exempt', reason: 'because' });
    expect(unknown.errors).toEqual(['enum_invalid']);
    expect(unknown.messages[0]?.expected).toContain('handmade');
  });

  it('by a file does not replace the identity of a product', () => {
    const existing = storedIdentity({ strategy: 'global_id', gtin14: '09312345678907', scheme: 'GTIN-13' });
    expect(resolve({ strategy: 'exempt', source: 'file' }, { existing }).identity).toBe(existing);
    expect(resolve({ strategy: 'exempt', reason: 'handmade' }, { existing }).identity?.strategy).toBe(
      'exempt',
    );
  });
});

describe('product_id', () => {
  const claim = { strategy: 'product_id', value: 'prd_9' } as const;

  it('names a product that the seller can see', () => {
    expect(resolve(claim, { match: { ...NO_MATCH, product_visible: true } }).identity).toMatchObject({
      strategy: 'product_id',
      product_ref: 'prd_9',
    });
  });

  it('that the seller cannot see is not found', () => {
    expect(resolve(claim, { match: { ...NO_MATCH, product_visible: false } }).errors).toEqual([
      'identity_not_found',
    ]);
    expect(resolve(claim).errors).toEqual(['identity_not_found']);
  });

  it('of the product itself keeps its identity', () => {
    const existing = storedIdentity({
      strategy: 'exempt',
      exempt_reason: 'vintage',
      exempt_source: 'seller',
    });
    expect(resolve(claim, { product_id: 'prd_9', existing })).toMatchObject({
      identity: existing,
      codes: [],
    });
    expect(resolve(claim, { product_id: 'prd_9' }).identity).toBeNull();
  });
});
