import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Stock } from './apply-level.ts';
import {
  type CountingRule,
  catchUp,
  changeRule,
  countBy,
  countChange,
  FIRST_RULE,
  quantityBy,
  ruleOf,
} from './counting.ts';

const PLACES = ['L1', 'L2', 'L3'];
const NEW: Stock = { on_hand: null, reserved: 2, shortfall: 0, counted: false, base: null };
type Levels = ReadonlyMap<string, number | null>;
const listed = (levels: Levels) =>
  [...levels].map(([location_id, available]) => ({ location_id, available, active: true }));

/** A link of a channel; `isLazy`: it catches up with the rules only where it must. */
class Link {
  stock = NEW;
  private countedBy = 0;
  private readonly isLazy: boolean;
  constructor(isLazy: boolean) {
    this.isLazy = isLazy;
  }
  settle(rules: readonly CountingRule[], levels: Levels): void {
    this.stock = countBy(this.stock, this.countedBy, rules, listed(levels));
    this.countedBy = ruleOf(rules).no;
  }
  changed(rules: readonly CountingRule[], levels: Levels): void {
    if (!this.isLazy) this.settle(rules, levels);
  }
  take(rules: readonly CountingRule[], before: Levels, after: Levels): void {
    const levels = { before: listed(before), after: listed(after) };
    this.stock = countChange(this.stock, this.countedBy, rules, levels);
    this.countedBy = ruleOf(rules).no;
  }
}

const place = fc.constantFrom(...PLACES);
const step = fc.oneof(
  fc.record({ kind: fc.constant('select' as const), ids: fc.uniqueArray(place) }),
  fc.record({
    kind: fc.constant('mode' as const),
    mode: fc.constantFrom('pool' as const, 'mirror' as const),
  }),
  fc.record({ kind: fc.constant('use' as const), id: place, active: fc.boolean() }),
  fc.record({
    ...{ kind: fc.constant('level' as const), id: place },
    available: fc.option(fc.integer({ min: -3, max: 20 }), { freq: 6 }),
  }),
);

test('a link that catches up later counts the same as one that followed every change at once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const links = [new Link(false), new Link(true)];
      let rules: readonly CountingRule[] = [FIRST_RULE];
      let levels: Levels = new Map();
      let selected: readonly string[] = [];
      let mode = FIRST_RULE.mode;
      const used = new Set(PLACES);
      // Of a variant that was linked and counted before the changes.
      const begin = changeRule(rules, { selected: ['L1'], locations: [], mode, moves: false });
      rules = begin;
      const change = (moves: boolean): void => {
        const locations = PLACES.map((location_id) => ({ location_id, active: used.has(location_id) }));
        const after = changeRule(rules, { selected, locations, mode, moves });
        if (after === rules) return;
        rules = after;
        for (const link of links) link.changed(rules, levels);
      };
      selected = ['L1'];
      change(false);
      const set = (id: string, available: number | null): void => {
        const after = new Map([...levels, [id, available]]);
        for (const link of links) link.take(rules, levels, after);
        levels = after;
      };
      set('L1', 5);
      for (const one of steps) {
        if (one.kind === 'level') set(one.id, one.available);
        else if (one.kind === 'select') selected = one.ids;
        else if (one.kind === 'mode') mode = one.mode;
        else if (one.active) used.add(one.id);
        else used.delete(one.id);
        if (one.kind !== 'level') change(one.kind === 'use');
      }
      for (const link of links) link.settle(rules, levels);
      expect(links[1]?.stock).toEqual(links[0]?.stock);
    }),
  );
});

describe('a rule', () => {
  const locations = PLACES.map((location_id) => ({ location_id, active: location_id !== 'L3' }));
  const how = { selected: ['L1', 'L3'], locations, mode: 'pool' as const, moves: false };
  const [rule = FIRST_RULE] = changeRule([], how);
  const at = (location_id: string, available: number | null) => ({ location_id, available, active: true });

  test('counts the open locations; the units of a closed one are gone', () => {
    expect(rule).toMatchObject({ open: ['L1'], closed: ['L3'] });
    expect(quantityBy(rule, [at('L1', 4), at('L2', 5), at('L3', 6)]).quantity).toBe(4);
    expect(quantityBy(rule, [at('L3', 6)]).quantity).toBe(0);
    expect(quantityBy(rule, [at('L2', 5)]).state).toBe('unknown');
    expect(quantityBy({ ...rule, open: [] }, [at('L3', 6)]).state).toBe('unknown');
  });

  test('that is the same is none; of two by the seller the second one counts', () => {
    const rules = [FIRST_RULE, rule];
    expect(changeRule(rules, how)).toBe(rules);
    const second = changeRule(rules, { ...how, mode: 'mirror' });
    expect(second.map(({ no }) => no)).toEqual([0, 2]);
    const closed = changeRule(second, { ...how, locations: [], mode: 'mirror', moves: true });
    expect(closed.map(({ no, moves }) => [no, moves])).toEqual([
      [0, false],
      [2, false],
      [3, true],
    ]);
  });

  test('that is no longer known lets a link count anew', () => {
    const stock = { ...NEW, on_hand: 3, counted: true, base: 7 };
    const rules = [{ ...rule, no: 5 }];
    expect(catchUp(stock, 4, rules, [at('L1', 4)])).toEqual({ ...stock, base: 4 });
    expect(catchUp(stock, 5, rules, [at('L1', 4)])).toEqual(stock);
  });
});
