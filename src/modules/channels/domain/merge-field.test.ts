import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MERGE_RULES, type MergedField, mergeField } from './merge-field.ts';

describe('a field is merged', () => {
  test.each([
    // base, here, store, rule → here, base, outcome
    ['a', 'a', 'a', 'ask', 'a', 'a', 'unchanged'],
    ['a', 'mine', 'a', 'store', 'mine', 'a', 'unchanged'],
    ['a', 'mine', 'a', 'never', 'mine', 'a', 'unchanged'],
    ['a', 'a', 'b', 'here', 'b', 'b', 'taken'],
    ['a', 'a', 'b', 'ask', 'b', 'b', 'taken'],
    ['a', 'a', 'b', 'store', 'b', 'b', 'taken'],
    ['a', 'a', 'b', 'never', 'a', 'b', 'kept'],
    ['a', 'b', 'b', 'ask', 'b', 'b', 'agreed'],
    ['a', 'b', 'b', 'never', 'b', 'b', 'agreed'],
    ['a', 'mine', 'b', 'store', 'b', 'b', 'edit_replaced'],
    ['a', 'mine', 'b', 'here', 'mine', 'b', 'kept'],
    ['a', 'mine', 'b', 'ask', 'mine', 'a', 'conflict'],
    ['a', 'mine', 'b', 'never', 'mine', 'b', 'kept'],
    // At first linking the base is unknown, which counts as a change on both sides.
    [undefined, 'mine', 'b', 'store', 'b', 'b', 'edit_replaced'],
    [undefined, 'mine', 'b', 'here', 'mine', 'b', 'kept'],
    [undefined, 'mine', 'b', 'ask', 'mine', undefined, 'conflict'],
    [undefined, 'b', 'b', 'ask', 'b', 'b', 'agreed'],
    // An empty field is a value like others.
    ['a', 'a', null, 'here', null, null, 'taken'],
    [null, 'mine', null, 'store', 'mine', null, 'unchanged'],
  ] as const)('base %j, here %j, store %j under %j', (base, here, store, rule, after, newBase, outcome) => {
    expect(mergeField({ base, here, store }, rule)).toEqual({ here: after, base: newBase, outcome });
  });
});

const value = fc.constantFrom('a', 'b', 'c', null);
const values = fc.record({ base: fc.option(value, { nil: undefined }), here: value, store: value });
const rule = fc.constantFrom(...MERGE_RULES);

describe('for any values and rule', () => {
  test('merging the same again changes nothing', () => {
    fc.assert(
      fc.property(values, rule, (given, by) => {
        const once = mergeField(given, by);
        const again = mergeField({ ...given, here: once.here, base: once.base }, by);
        expect([again.here, again.base]).toEqual([once.here, once.base]);
      }),
    );
  });

  test('the value here is the one before or the store’s, and `never` keeps it', () => {
    fc.assert(
      fc.property(values, rule, (given, by) => {
        const { here, outcome } = mergeField(given, by);
        expect([given.here, given.store]).toContain(here);
        if (by === 'never') expect(here).toBe(given.here);
        if (outcome === 'conflict') expect(by).toBe('ask');
      }),
    );
  });

  test('an edit here survives any number of updates that do not touch the field', () => {
    fc.assert(
      fc.property(value, value, rule, (base, edit, by) => {
        let state: Pick<MergedField, 'here' | 'base'> = { here: edit, base };
        for (let update = 0; update < 100; update += 1) state = mergeField({ ...state, store: base }, by);
        expect(state.here).toBe(edit);
      }),
    );
  });
});
