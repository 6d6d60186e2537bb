import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyQuantity, isQuantity, mirrored, type Stock, storeQuantity } from './apply-level.ts';

const NOTHING: Stock = { on_hand: 0, reserved: 0, shortfall: 0, counted: false, base: null };

describe('a quantity', () => {
  test.each([0, -5, 1_000_000_000])('%d is one', (value) => {
    expect(isQuantity(value)).toBe(true);
  });
  test.each([1.5, 1_000_000_001, '5', null, undefined, Number.NaN])('%j is none', (value) => {
    expect(isQuantity(value)).toBe(false);
  });
  test('is unknown while a location does not count, or none is selected', () => {
    const at = (available: number | null, active = true) => ({ available, active });
    const unknown = { state: 'unknown', quantity: null };
    expect(storeQuantity([])).toEqual(unknown);
    expect(storeQuantity([at(1_000_000_000), at(1)])).toEqual(unknown);
    expect(storeQuantity([at(3), at(null)])).toEqual({ state: 'untracked', quantity: null });
    expect(storeQuantity([at(3), at(-1)])).toEqual({ state: 'tracked', quantity: 2 });
  });
  test('does not count a location that no longer has the item; then none has it', () => {
    const gone = { available: null, active: false };
    expect(storeQuantity([{ available: 3, active: true }, gone]).quantity).toBe(3);
    expect(storeQuantity([gone])).toEqual({ state: 'tracked', quantity: 0 });
  });
});

/** Moves of both sides: a level of the store, or units that are sold, returned or counted here. */
const level = fc.record({ kind: fc.constant('level' as const), amount: fc.integer({ min: -50, max: 200 }) });
const local = fc.record({ kind: fc.constant('local' as const), amount: fc.integer({ min: -20, max: 20 }) });

describe('in a pool, for any interleaving', () => {
  test('what is here is the store’s last level and the sum of the moves here', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.array(fc.oneof(level, local)), (first, moves) => {
        let stock = applyQuantity(NOTHING, first, 'pool');
        let [last, sum] = [first, 0];
        for (const { kind, amount } of moves) {
          if (kind === 'level') {
            stock = applyQuantity(stock, amount, 'pool');
            last = amount;
          } else if (Number(stock.on_hand) + amount >= 0) {
            // A move here below zero is refused where it happens.
            stock = { ...stock, on_hand: Number(stock.on_hand) + amount };
            sum += amount;
          }
        }
        expect(Number(stock.on_hand) - stock.shortfall).toBe(last + sum);
        expect(stock.on_hand).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('a mirror follows the store, whatever happened here', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }), (reserved, quantity) => {
      const stock = applyQuantity(
        { on_hand: 7, reserved, shortfall: 2, counted: true, base: 100 },
        quantity,
        'mirror',
      );
      expect(Number(stock.on_hand) - stock.reserved).toBe(quantity);
    }),
  );
});

describe('after other locations or another mode', () => {
  const before: Stock = { on_hand: 7, reserved: 1, shortfall: 0, counted: true, base: null };
  test.each(['pool', 'mirror'] as const)(
    'the next quantity in %s becomes the base and moves nothing',
    (mode) => {
      expect(applyQuantity(before, 50, mode)).toEqual({ ...before, base: 50 });
    },
  );
});

describe('a stock that the seller does not count here', () => {
  const unknown: Stock = { on_hand: null, reserved: 2, shortfall: 0, counted: true, base: 5 };
  test('gets the first quantity after linking', () => {
    expect(applyQuantity({ ...unknown, counted: false, base: null }, 5, 'pool').on_hand).toBe(5);
  });
  test('stays unknown in a pool, and follows in a mirror', () => {
    expect(applyQuantity(unknown, 9, 'pool')).toEqual({ ...unknown, base: 9 });
    expect(applyQuantity(unknown, 9, 'mirror').on_hand).toBe(11);
  });
});

test('no stock is beyond the largest quantity', () => {
  const full: Stock = { on_hand: 1_000_000_000, reserved: 5, shortfall: 0, counted: true, base: 0 };
  expect(applyQuantity(full, 1_000_000_000, 'pool').on_hand).toBe(1_000_000_000);
  expect(mirrored(full, 1_000_000_000).on_hand).toBe(1_000_000_000);
});
