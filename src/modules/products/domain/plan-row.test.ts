import { describe, expect, it } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { approvedProduct, MUG, plan, product } from '../test/plan-fixtures.ts';
import { rowMessage } from './row-codes.ts';

const { identity: _none, ...NAMELESS } = MUG;
const { seller_sku: _sku, ...SKULESS } = MUG;

describe('a new product', () => {
  it('is created active, submitted to curation, with every field as evidence', () => {
    const { outcome, next, changes, slots, messages } = plan(null, MUG);
    expect([outcome, slots, messages]).toEqual(['created', 1, []]);
    expect(next).toMatchObject({
      product_id: 'prd_2',
      status: 'active',
      curation_state: 'pending',
      version: 1,
      currency: 'AUD',
      source_origin: 'feed',
      source_run_id: 'frn_1',
      source_row: 1,
      issues: [],
      images: [{ image_id: 'img_1', url: 'https://x.example/a', position: 1, alt: null }],
    });
    expect(changes.map(({ field, before }) => [field, before])).toEqual(
      [
        'product_id',
        'seller_sku',
        'title',
        'brand',
        'identity',
        'price_minor',
        'currency',
        'quantity_on_hand',
        'status',
        'images',
        'curation_state',
        'attributes.colour',
      ].map((field) => [field, null]),
    );
    expect(changes.find(({ field }) => field === 'price_minor')?.after).toBe(2499);
    expect(() => JSON.stringify(changes)).not.toThrow();
  });

  it('without an identity is rejected when it would be active and staged when it is a draft', () => {
    expect(plan(null, NAMELESS)).toMatchObject({
      outcome: 'rejected',
      next: null,
      codes: ['identity_required'],
    });
    const draft = plan(null, { ...NAMELESS, status: 'draft' });
    expect(draft).toMatchObject({ outcome: 'staged', codes: [], next: { status: 'draft' } });
    expect(draft.next?.issues).toMatchObject([{ code: 'identity_required', attribute: 'identity' }]);
    expect(draft.next?.curation_state).toBe('not_submitted');
  });

  it('keeps the issues of the profile that imported it when another profile stages it', () => {
    const found = (code: 'needs_variant_details' | 'html_not_allowed') => [rowMessage(code)];
    const draft = product(
      { ...MUG, status: 'draft', external_key: 'k' },
      { external_profile: 'handmade_listings' },
    );
    const context = { profile: 'handmade_listings' };
    const staged = plan(draft, MUG, {
      role: 'staged',
      context,
      messages: found('needs_variant_details'),
    }).next;
    expect(staged?.issues).toMatchObject([{ code: 'needs_variant_details' }]);
    const other = { role: 'staged', context: { profile: 'store_platform_products' } } as const;
    expect(plan(staged, MUG, { ...other, messages: found('html_not_allowed') })).toMatchObject({
      outcome: 'unchanged',
    });
    expect(plan(staged, MUG, { role: 'staged', context }).next?.issues).toEqual([]);
  });

  it('has no issue about a stock below zero, because the row sets 0 instead', () => {
    const messages = [rowMessage('stock_negative', { severity: 'warning' })];
    const context = { profile: 'store_platform_products' };
    expect(
      plan(null, { ...MUG, status: 'draft' }, { role: 'staged', context, messages }).next?.issues,
    ).toEqual([]);
  });

  it('that a profile stages is a draft, also if the file has another status', () => {
    const messages = [rowMessage('needs_variant_details', { column: 'VARIATION 1 VALUES' })];
    const staged = plan(
      null,
      { ...SKULESS, status: 'active', external_key: 'k1' },
      { role: 'staged', messages },
    );
    expect(staged.outcome).toBe('staged');
    expect(staged.next).toMatchObject({ status: 'draft', seller_sku: null, external_key: 'k1' });
    expect(staged.next?.issues.map(({ code }) => code)).toEqual(['sku_required', 'needs_variant_details']);
  });

  it('needs a SKU, a title and a price to be active', () => {
    expect(plan(null, SKULESS).codes).toEqual(['sku_required']);
    const { title: _title, price_minor: _price, ...rest } = MUG;
    expect(plan(null, rest).messages).toMatchObject([
      {
        code: 'required_missing',
        column: 'title',
        message: 'The title is required.',
        hint: 'Add it, or set status to draft.',
      },
      { code: 'required_missing', column: 'price', message: 'The price is required.' },
    ]);
    expect(plan(null, { ...rest, status: 'draft' }).outcome).toBe('created');
  });

  it('beyond the plan is rejected, unless it is archived', () => {
    const context = { remaining_slots: 0 };
    expect(plan(null, MUG, { context }).codes).toEqual(['plan_limit_reached']);
    const { title: _title, ...untitled } = MUG;
    expect(plan(null, untitled, { context }).codes).toEqual(['required_missing', 'plan_limit_reached']);
    expect(plan(null, { ...MUG, status: 'archived' }, { context })).toMatchObject({
      outcome: 'created',
      slots: 0,
    });
  });

  it.each([
    ['update_only', 'sku_not_found'],
    ['inventory', 'sku_not_found'],
  ] as const)('in the mode %s is %s', (mode, code) => {
    expect(plan(null, MUG, { context: { mode } })).toMatchObject({ outcome: 'rejected', codes: [code] });
  });

  it('is not made by a row that takes a product off sale', () => {
    expect(plan(null, { seller_sku: 'X' }, { role: 'deactivate' }).codes).toEqual(['sku_not_found']);
  });
});

describe('an existing product', () => {
  it('is unchanged when nothing differs, and nothing is written', () => {
    const existing = approvedProduct();
    expect(plan(existing, MUG)).toMatchObject({ outcome: 'unchanged', next: null, changes: [], slots: 0 });
    expect(plan(existing, { seller_sku: 'MUG-BLU' }).outcome).toBe('unchanged');
  });

  it('is updated field by field, with before and after', () => {
    const existing = approvedProduct();
    const { outcome, changes, next } = plan(existing, {
      quantity: 9,
      attributes: { colour: null, size: 'L' },
      description: 'New',
    });
    expect(outcome).toBe('updated');
    expect(changes).toEqual([
      { field: 'description', before: null, after: 'New' },
      { field: 'quantity_on_hand', before: 5, after: 9 },
      { field: 'curation_state', before: 'approved', after: 'pending' },
      { field: 'approved', before: null, after: { description: null } },
      { field: 'attributes.size', before: null, after: 'L' },
      { field: 'attributes.colour', before: 'Blue', after: null },
    ]);
    expect(next).toMatchObject({ version: 2, curation_state: 'pending', attributes: { size: 'L' } });
    expect(existing.attributes).toEqual({ colour: 'Blue' });
  });

  it('cannot be created again', () => {
    expect(plan(product(), MUG, { context: { mode: 'create_only' } }).codes).toEqual(['sku_exists']);
  });

  it('takes only stock in the mode inventory', () => {
    const { changes } = plan(
      product(),
      { ...MUG, title: 'Other', quantity: 1, reorder_point: 2 },
      {
        context: { mode: 'inventory' },
      },
    );
    expect(changes.map(({ field }) => field)).toEqual(['quantity_on_hand', 'reorder_point']);
  });

  it('that is active cannot lose a required field', () => {
    expect(plan(product(), { price_minor: null }).messages).toMatchObject([
      { code: 'required_missing', column: 'price' },
    ]);
    expect(plan(product(), { identity: null }).messages).toMatchObject([
      {
        code: 'identity_required',
        hint: 'Fill in global_id, or mpn and brand, or exempt_reason; or set status to draft.',
      },
    ]);
    expect(plan(product(), { price_minor: null, status: 'inactive' }).outcome).toBe('deactivated');
  });

  it('keeps the ids of the images that it already has', () => {
    const { next } = plan(product(), {
      images: [{ url: 'https://x.example/b' }, { url: 'https://x.example/a' }],
    });
    expect(next?.images.map(({ image_id, position }) => [image_id, position])).toEqual([
      ['img_1', 1],
      ['img_1', 2],
    ]);
    const image_id = 'img_11111111111111111111111111';
    const [own] = product().images.map((image) => ({ ...image, image_id, sha256: '0' }));
    const uploaded = product(MUG, { images: own === undefined ? [] : [own] });
    const [now, old] = ['https://spp.test', 'https://old.test'].map((at) => ({
      url: `${at}/media/${image_id}`,
    }));
    const images = now === undefined || old === undefined ? [] : [now, old];
    expect(plan(uploaded, { images })).toMatchObject({ outcome: 'unchanged', codes: ['image_duplicate'] });
    const foreign = 'https://spp.test/media/img_00000000000000000000000000';
    expect(plan(product(), { images: [{ url: foreign }] }).codes).toEqual(['url_invalid']);
  });

  it('that is archived stays archived until a row sets its status, which the plan limit may reject', () => {
    const archived = product(MUG, { status: 'archived' });
    expect(plan(archived, { quantity: 1 })).toMatchObject({
      outcome: 'updated',
      codes: ['product_archived'],
    });
    expect(plan(archived, { status: 'active' })).toMatchObject({ outcome: 'updated', slots: 1 });
    expect(plan(archived, { status: 'active' }, { context: { remaining_slots: 0 } }).codes).toEqual([
      'plan_limit_reached',
    ]);
    expect(plan(product(), { status: 'archived' })).toMatchObject({ outcome: 'deactivated', slots: -1 });
  });

  it('is taken off sale by a row with that role, once', () => {
    const { outcome, next } = plan(product(), { ...MUG, title: 'Ended' }, { role: 'deactivate' });
    expect([outcome, next?.status, next?.title]).toEqual(['deactivated', 'inactive', 'Blue mug']);
    expect(plan(next, MUG, { role: 'deactivate' }).outcome).toBe('unchanged');
  });

  it('has a SKU that no other product may take', () => {
    const candidates = [{ product_id: 'prd_9', seller_sku: 'TAKEN', reason: 'seller_sku' as const }];
    const match = { matched_by: 'product_id' as const, candidates };
    expect(plan(product(), { seller_sku: 'TAKEN' }, { match }).codes).toEqual(['sku_taken']);
  });
});

describe('a staged draft', () => {
  const messages = [rowMessage('needs_variant_details')];
  const listing = { ...NAMELESS, external_key: 'k1', status: 'active' as const };
  const staged = () => plan(null, listing, { role: 'staged', messages, context: { profile: 'p' } }).next;

  it('imported again is unchanged', () => {
    const again = plan(staged(), listing, { role: 'staged', messages, context: { profile: 'p' } });
    expect(again).toMatchObject({ outcome: 'unchanged', changes: [] });
  });

  it('becomes active once it is complete, and loses its issues', () => {
    const identity = { strategy: 'exempt' as const, reason: 'handmade' };
    const done = plan(staged(), { status: 'active', identity });
    expect(done).toMatchObject({
      outcome: 'updated',
      next: { status: 'active', issues: [], curation_state: 'pending' },
    });
    expect(plan(staged(), { status: 'active' }).codes).toEqual(['identity_required']);
    const again = plan(done.next, listing, { role: 'staged', messages, context: { profile: 'p' } });
    expect(again.outcome).toBe('unchanged');
  });

  it('loses the issue that a later row mends, and keeps the others', () => {
    const { next } = plan(staged(), { identity: { strategy: 'exempt', reason: 'handmade' } });
    expect(next?.issues.map(({ code }) => code)).toEqual(['needs_variant_details']);
  });

  it('keeps the key of the profile that imported it first', () => {
    const other = plan(
      staged(),
      { external_key: 'k2' },
      { role: 'staged', messages, context: { profile: 'q' } },
    );
    expect(other.outcome).toBe('unchanged');
  });
});

describe('warnings', () => {
  it.each([
    [2499n, 2499n, []],
    [1000n, 1499n, []],
    [1000n, 1500n, ['+50 %']],
    [1000n, 501n, []],
    [1000n, 500n, ['-50 %']],
    [2499n, 249_900n, ['+9900 %']],
  ])('a price from %s to %s', (from, to, shown) => {
    const existing = product({ ...MUG, price_minor: minor(from) });
    const { messages } = plan(existing, { price_minor: minor(to) });
    expect(messages.map((message) => message.code)).toEqual(shown.map(() => 'price_spike'));
    for (const [index, part] of shown.entries()) expect(messages[index]?.message).toContain(part);
  });

  it('a compare-at price that is not above the price', () => {
    expect(plan(null, { ...MUG, compare_at_minor: minor(2499n) }).codes).toEqual([
      'compare_at_not_above_price',
    ]);
    expect(plan(null, { ...MUG, compare_at_minor: minor(2500n) }).codes).toEqual([]);
  });

  it('stock below the units reserved for orders', () => {
    const existing = product(MUG, { quantity_reserved: 4 });
    expect(plan(existing, { quantity: 3 })).toMatchObject({
      outcome: 'updated',
      codes: ['stock_below_reserved'],
    });
    expect(plan(existing, { quantity: 4 }).codes).toEqual([]);
  });

  it('a generic brand that is not part of the identity', () => {
    expect(plan(null, { ...MUG, brand: 'Generic' })).toMatchObject({
      outcome: 'created',
      codes: ['brand_generic'],
    });
    const pair = { ...MUG, brand: 'Generic', identity: { strategy: 'mpn_brand' as const, mpn: 'X1' } };
    expect(plan(null, pair)).toMatchObject({ outcome: 'rejected', codes: ['brand_generic'] });
  });
});

describe('rejections', () => {
  it('keep the findings of the reader and change nothing', () => {
    const messages = [rowMessage('gtin_check_digit')];
    expect(plan(product(), MUG, { messages })).toMatchObject({
      outcome: 'rejected',
      next: null,
      changes: [],
    });
  });

  it('a foreign currency', () => {
    expect(plan(null, { ...MUG, currency: 'USD' }).messages).toMatchObject([
      { code: 'currency_mismatch', value_excerpt: 'USD', expected: 'AUD' },
    ]);
    expect(plan(null, { ...MUG, currency: 'AUD' }).outcome).toBe('created');
  });

  it.each(['merged', 'ignored'] as const)('do not include rows with the role %s', (role) => {
    expect(plan(null, {}, { role })).toMatchObject({ outcome: role, next: null, identity_resolution: null });
  });
});

describe('identity in a row', () => {
  it('is explained in the evidence', () => {
    const candidates = [{ product_id: 'prd_2', seller_sku: 'MUG-BLU', reason: 'seller_sku' as const }];
    const match = { matched_by: 'seller_sku' as const, candidates };
    expect(plan(product(), { quantity: 1 }, { match }).identity_resolution).toEqual({
      strategy: 'global_id',
      normalised: '09312345678907',
      matched_by: 'seller_sku',
      candidates: [{ ...candidates[0], confidence: 1, chosen: true }],
    });
  });

  it('with another spelling is stored without a review', () => {
    const { changes, next, codes } = plan(approvedProduct(), {
      identity: { strategy: 'global_id', value: '931-2345-678907' },
    });
    expect(changes.map(({ field }) => field)).toEqual(['identity']);
    expect(next?.curation_state).toBe('approved');
    expect(codes).toEqual([]);
  });

  it('that differs from the product with the SKU gives a warning and a review', () => {
    const { codes, next } = plan(approvedProduct(), {
      identity: { strategy: 'global_id', value: '9780306406157' },
    });
    expect(codes).toEqual(['sku_reused_for_other_identity', 'curation_required']);
    expect(next).toMatchObject({
      curation_state: 'pending',
      approved: { identity: { gtin14: '09312345678907' } },
    });
  });

  it('by MPN and brand changes with the brand of the product', () => {
    const existing = approvedProduct({
      ...MUG,
      identity: { strategy: 'mpn_brand', mpn: 'X1', brand: 'Bosch' },
      brand: null,
    });
    expect(existing.brand).toBe('Bosch');
    expect(plan(existing, { brand: 'BOSCH' }).changes.map(({ field }) => field)).toEqual([
      'brand',
      'curation_state',
      'approved',
    ]);
    expect(plan(existing, { brand: 'Makita' }).next?.identity?.brand_folded).toBe('makita');
    expect(plan(existing, { brand: null }).codes).toEqual(['brand_missing']);
  });

  it('must have the same brand as the row', () => {
    const identity = { strategy: 'mpn_brand' as const, mpn: 'X1', brand: 'Bosch' };
    expect(plan(null, { ...MUG, brand: 'Makita', identity })).toMatchObject({
      outcome: 'rejected',
      codes: expect.arrayContaining(['identity_conflict']),
    });
  });
});
