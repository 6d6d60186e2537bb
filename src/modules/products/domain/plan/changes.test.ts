import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minor } from '../../../../kernel/money.ts';
import { approvedProduct, MUG, plan, product } from '../../test/plan-fixtures.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import type { CatalogueProduct } from '../product.ts';
import { CONDITIONS, PRODUCT_STATUSES, type ProductPatch } from '../row.ts';
import { applyChanges, type Change } from './changes.ts';

/** The changes of a stored preview, written as JSON and read again. */
function stored(changes: readonly Change[]): readonly Change[] {
  return JSON.parse(JSON.stringify(changes)) as readonly Change[];
}

/** The part of a product that changes describe; the store keeps version, source and reservations. */
function content({ version, source_origin, source_run_id, source_row, ...rest }: CatalogueProduct) {
  return rest;
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const text = fc.string({ minLength: 1, maxLength: 8 });
const amount = fc.integer({ min: 1, max: 1_000_000 }).map((value) => minor(value));
const identity = fc.constantFrom<NonNullable<ProductPatch['identity']>>(
  { strategy: 'global_id', value: '9312345678907' },
  { strategy: 'global_id', value: '931-2345-678907', mpn: 'X1' },
  { strategy: 'global_id', value: '9780306406157' },
  { strategy: 'mpn_brand', mpn: 'X-1', brand: 'Bosch' },
  { strategy: 'exempt', reason: 'handmade' },
);

const patches: fc.Arbitrary<ProductPatch> = fc
  .record({
    title: optional(text),
    description: optional(fc.option(text)),
    category: optional(fc.option(text)),
    condition: optional(fc.option(fc.constantFrom(...CONDITIONS))),
    external_key: optional(fc.option(text)),
    identity: optional(identity),
    price_minor: optional(amount),
    compare_at_minor: optional(fc.option(amount)),
    quantity: optional(fc.option(fc.nat())),
    reorder_point: optional(fc.option(fc.nat())),
    status: optional(fc.constantFrom(...PRODUCT_STATUSES)),
    images: optional(
      fc.array(fc.constantFrom('a', 'b', 'c').map((name) => ({ url: `https://x.example/${name}` }))),
    ),
    attributes: optional(fc.dictionary(fc.constantFrom('a', 'b', 'toString'), fc.option(text))),
    variation: optional(
      fc.option(
        fc.record({
          parent_sku: text,
          theme: fc.constant(''),
          values: fc.dictionary(fc.constantFrom('S', 'C'), text),
        }),
      ),
    ),
  })
  .map(
    (patch) => validatePatch(JSON.parse(JSON.stringify(patch, bigintText), textBigint) as ProductPatch).patch,
  );

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `bigint:${value}` : value;
}
function textBigint(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('bigint:') ? BigInt(value.slice(7)) : value;
}

describe('changes', () => {
  it('turn the state before into the state after, and their reversal turns it back', () => {
    let written = 0;
    fc.assert(
      fc.property(patches, patches, fc.boolean(), (first, second, approve) => {
        const created = plan(null, { ...MUG, ...first });
        if (created.next === null) return;
        const before = approve ? { ...created.next, curation_state: 'approved' as const } : created.next;
        const { next, changes, outcome } = plan(before, second);
        if (next === null) {
          expect(['unchanged', 'rejected']).toContain(outcome);
          expect(changes).toEqual([]);
          return;
        }
        written += 1;
        const applied = applyChanges(before, stored(changes), 'apply');
        expect(applied === null ? null : content(applied)).toEqual(content(next));
        const reverted = applyChanges(next, stored(changes), 'revert');
        expect(reverted === null ? null : content(reverted)).toEqual(content(before));
      }),
      { numRuns: 500 },
    );
    expect(written).toBeGreaterThan(100);
  });

  it('of a new product create it, and their reversal removes it', () => {
    fc.assert(
      fc.property(patches, (patch) => {
        const { next, changes } = plan(null, { ...MUG, ...patch });
        if (next === null) return;
        const applied = applyChanges(null, stored(changes), 'apply');
        expect(applied === null ? null : content(applied)).toEqual(content(next));
        expect(applyChanges(next, stored(changes), 'revert')).toBeNull();
      }),
    );
  });

  it('are empty if the same row is sent again', () => {
    fc.assert(
      fc.property(patches, (patch) => {
        const row = { ...MUG, ...patch };
        const { next } = plan(null, row);
        if (next === null) return;
        expect(plan(next, row)).toMatchObject({ outcome: 'unchanged', next: null, changes: [] });
      }),
    );
  });

  it('ignore unknown fields, so that a forged preview cannot write them', () => {
    const forged = [
      { field: 'version', before: 1, after: 99 },
      { field: 'constructor', before: null, after: 'x' },
    ];
    expect(applyChanges(product(), forged, 'apply')).toEqual(product());
  });

  it('include the review of a changed title, so that a revert ends the review', () => {
    const before = approvedProduct();
    const { next, changes } = plan(before, { title: 'Green mug' });
    expect(changes.map(({ field }) => field)).toEqual(['title', 'curation_state', 'approved']);
    const reverted = next === null ? null : applyChanges(next, stored(changes), 'revert');
    expect(reverted).toMatchObject({ title: 'Blue mug', curation_state: 'approved', approved: null });
  });
});
