import { describe, expect, it } from 'vitest';
import { minor } from '../../../../kernel/money.ts';
import { approvedProduct, MUG, plan, product } from '../../test/plan-fixtures.ts';
import { type CatalogueProduct, REVIEWED_FIELDS } from '../product.ts';
import type { ProductPatch } from '../row.ts';
import { isVisible, liveContent, quantityAvailable } from '../visibility.ts';
import { decideCuration } from './curation.ts';

const REASONS = [{ code: 'image_quality', detail: 'blurred' }];

function updated(existing: CatalogueProduct, patch: ProductPatch): CatalogueProduct {
  const { next } = plan(existing, patch);
  if (next === null) throw new Error('nothing was written');
  return next;
}

const AT = '2026-07-01T00:00:00.000Z';

function decide(
  existing: CatalogueProduct,
  decision: 'approved' | 'rejected' | 'suspended',
  reasons: typeof REASONS | [] = REASONS,
) {
  const about = { version: existing.version, content: {} };
  return decideCuration(existing, { decision, reasons, ...about, at: AT }, REVIEWED_FIELDS);
}

function decided(
  existing: CatalogueProduct,
  decision: 'approved' | 'rejected' | 'suspended',
): CatalogueProduct {
  return { ...existing, ...decide(existing, decision) };
}

describe('curation', () => {
  it('waits for a draft to become active', () => {
    const draft = product({ ...MUG, status: 'draft' });
    expect(draft.curation_state).toBe('not_submitted');
    expect(updated(draft, { status: 'active' }).curation_state).toBe('pending');
  });

  it('reviews a changed title again while the approved version stays visible', () => {
    const changed = updated(approvedProduct(), { title: 'Green mug' });
    expect(changed).toMatchObject({ curation_state: 'pending', approved: { title: 'Blue mug' } });
    expect(isVisible(changed)).toBe(true);
    expect(liveContent(changed)?.title).toBe('Blue mug');
    const again = updated(changed, { title: 'Red mug' });
    expect(again).toMatchObject({ curation_state: 'pending', approved: { title: 'Blue mug' } });
  });

  it('needs no review when the approved title is restored', () => {
    const back = updated(updated(approvedProduct(), { title: 'Green mug' }), { title: 'Blue mug' });
    expect(back).toMatchObject({ curation_state: 'approved', approved: null });
  });

  it.each<[string, ProductPatch]>([
    ['price', { price_minor: minor(2599n) }],
    ['stock', { quantity: 0 }],
    ['condition', { condition: 'new' }],
    ['status', { status: 'inactive' }],
  ])('is not touched by a change of %s', (_name, patch) => {
    expect(updated(approvedProduct(), patch).curation_state).toBe('approved');
  });

  it('approves the present state of the product', () => {
    const approved = decided(updated(approvedProduct(), { title: 'Green mug' }), 'approved');
    expect(approved).toMatchObject({ curation_state: 'approved', approved: null, curation_reasons: [] });
    expect(liveContent(approved)?.title).toBe('Green mug');
  });

  it('keeps the approved version visible when a change is rejected, and hides a rejected product', () => {
    const refusedChange = decided(updated(approvedProduct(), { title: 'Green mug' }), 'rejected');
    expect(refusedChange).toMatchObject({ curation_state: 'rejected', curation_reasons: REASONS });
    expect([isVisible(refusedChange), liveContent(refusedChange)?.title]).toEqual([true, 'Blue mug']);
    expect(isVisible(decided(approvedProduct(), 'rejected'))).toBe(false);
    expect(isVisible(decided(product(), 'rejected'))).toBe(false);
  });

  it('reviews a rejected product again after a change of its content, not of its price', () => {
    const refused = decided(product(), 'rejected');
    expect(updated(refused, { price_minor: minor(2600n) }).curation_state).toBe('rejected');
    expect(updated(refused, { description: 'Better' })).toMatchObject({
      curation_state: 'pending',
      curation_reasons: [],
    });
    const refusedChange = decided(updated(approvedProduct(), { title: 'Green mug' }), 'rejected');
    expect(updated(refusedChange, { title: 'Blue mug' })).toMatchObject({
      curation_state: 'approved',
      approved: null,
    });
  });

  it('stays suspended when the seller changes the product', () => {
    const suspended = decided(approvedProduct(), 'suspended');
    expect(isVisible(suspended)).toBe(false);
    expect(updated(suspended, { title: 'Green mug' }).curation_state).toBe('suspended');
  });

  it('does not change when the same decision is applied again', () => {
    expect(decide(approvedProduct(), 'approved', [])).toBeNull();
    const refused = decided(product(), 'rejected');
    expect(decide(refused, 'rejected')).toBeNull();
    expect(decide(refused, 'rejected', [])).not.toBeNull();
  });
});

describe('visibility', () => {
  it.each<[string, Partial<CatalogueProduct>, boolean]>([
    ['approved and active', {}, true],
    ['sold out', { quantity_on_hand: 0 }, true],
    ['not active', { status: 'inactive' }, false],
    ['a draft', { status: 'draft' }, false],
    ['archived', { status: 'archived' }, false],
    ['without a price', { price_minor: null }, false],
    ['without an identity', { identity: null }, false],
    ['not approved yet', { curation_state: 'pending' }, false],
    ['suspended', { curation_state: 'suspended' }, false],
  ])('of a product that is %s', (_name, changes, visible) => {
    expect(isVisible({ ...approvedProduct(), ...changes })).toBe(visible);
  });

  it('is not the available quantity, which is on hand minus reserved, at least 0', () => {
    expect(quantityAvailable({ quantity_on_hand: 5, quantity_reserved: 2 })).toBe(3);
    expect(quantityAvailable({ quantity_on_hand: 1, quantity_reserved: 2 })).toBe(0);
    expect(quantityAvailable({ quantity_on_hand: null, quantity_reserved: 2 })).toBeNull();
  });
});
