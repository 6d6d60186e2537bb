import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyQuantity,
  availableOf,
  isQuantity,
  mirrored,
  type Stock,
  storeQuantity,
} from './apply-level.ts';

const NOTHING: Stock = { on_hand: 0, reserved: 0, shortfall: 0, counted: false, base: null };

/** The levels of one item at two selected locations; a level that is older than the known one is stale. */
class Item {
  stock = NOTHING;
  private readonly levels = new Map<string, { available: number | null; active: boolean; at: string }>();

  level(location: string, available: number | null, at: string, mode: 'pool' | 'mirror' = 'pool'): boolean {
    const known = this.levels.get(location);
    if (known !== undefined && known.at > at) return false;
    this.levels.set(location, { available, active: true, at });
    if (this.levels.size < 2) return true;
    const quantity = this.quantity();
    if (quantity !== null) this.stock = applyQuantity(this.stock, quantity, mode);
    return true;
  }

  quantity(): number | null {
    return storeQuantity([...this.levels.values()]).quantity;
  }

  /** Store's quantity, base, on hand, shortfall, reserved, available. */
  get shown() {
    const { base, on_hand, shortfall, reserved } = this.stock;
    return [this.quantity(), base, on_hand, shortfall, reserved, availableOf(this.stock)];
  }
}

test('the worked example, row by row', () => {
  const item = new Item();
  item.level('L1', 8, '10:00:00');
  item.level('L2', 4, '10:00:00');
  expect(item.shown).toEqual([12, 12, 12, 0, 0, 12]);
  item.stock = { ...item.stock, reserved: 3 };
  expect(item.shown).toEqual([12, 12, 12, 0, 3, 9]);

  const mirror = new Item();
  mirror.level('L1', 8, '10:00:00');
  mirror.level('L2', 4, '10:00:00');
  mirror.stock = item.stock;
  mirror.level('L1', 6, '10:00:05', 'mirror');
  expect(mirror.shown).toEqual([10, 10, 13, 0, 3, 10]);

  item.level('L1', 6, '10:00:05');
  expect(item.shown).toEqual([10, 10, 10, 0, 3, 7]);
  item.stock = { ...item.stock, on_hand: Number(item.stock.on_hand) - 3, reserved: 0 };
  expect(item.shown).toEqual([10, 10, 7, 0, 0, 7]);
  expect(item.level('L1', 8, '09:59:00')).toBe(false);
  expect(item.shown).toEqual([10, 10, 7, 0, 0, 7]);
  item.level('L2', null, '10:01:00');
  expect(item.shown).toEqual([null, 10, 7, 0, 0, 7]);
  item.level('L2', 1, '10:02:00');
  expect(item.shown).toEqual([7, 7, 4, 0, 0, 4]);
  item.level('L1', 0, '10:03:00');
  item.level('L2', 0, '10:03:00');
  expect(item.shown).toEqual([0, 0, 0, 3, 0, 0]);
  item.level('L1', 5, '10:04:00');
  expect(item.shown).toEqual([5, 5, 2, 0, 0, 2]);
  item.stock = mirrored(item.stock, 5);
  expect(item.shown).toEqual([5, 5, 5, 0, 0, 5]);
});

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

  test('moves of one side commute with those of the other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 200 }),
        fc.array(fc.integer({ min: 50, max: 200 })),
        fc.array(fc.integer({ min: 0, max: 9 })),
        (first, levels, returns) => {
          const start = applyQuantity(NOTHING, first, 'pool');
          const add = (stock: Stock): Stock => ({
            ...stock,
            on_hand: returns.reduce((units, more) => units + more, Number(stock.on_hand)),
          });
          const hear = (stock: Stock): Stock =>
            levels.reduce((now, quantity) => applyQuantity(now, quantity, 'pool'), stock);
          expect(add(hear(start))).toEqual(hear(add(start)));
        },
      ),
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
      expect(availableOf(stock)).toBe(quantity);
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
