/** The stock of a linked product against a model that follows each move by the words of the design. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeOrder } from '../../../../test/support/orders.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const store = await storeWith(stores, ['L1', 'L2']);
const { seller } = store;
const FIRST = 10;

type Move =
  | { readonly kind: 'level' | 'late'; readonly place: number; readonly units: number | null }
  | { readonly kind: 'adjust'; readonly units: number }
  | { readonly kind: 'order'; readonly units: number }
  | { readonly kind: 'select'; readonly places: readonly number[] }
  | { readonly kind: 'mode'; readonly mode: 'pool' | 'mirror' }
  | { readonly kind: 'sync' };

/** Source: docs/design/channels.md#stock. */
class Model {
  levels: (number | null)[] = [FIRST, FIRST];
  selected: readonly number[] = [0, 1];
  mode: 'pool' | 'mirror' = 'pool';
  base: number | null = 2 * FIRST;
  on_hand = 2 * FIRST;
  shortfall = 0;
  reserved = 0;

  get quantity(): number | null {
    const counted = this.selected.map((place) => this.levels[place] ?? null);
    return counted.includes(null) ? null : counted.reduce<number>((sum, units) => sum + Number(units), 0);
  }
  private mirror(quantity: number): void {
    this.on_hand = Math.max(0, quantity) + this.reserved;
    this.shortfall = 0;
    this.base = quantity;
  }
  /** Counts the present quantity from here on. */
  begin(): void {
    this.base = this.quantity;
  }
  follow(): void {
    const { quantity, base } = this;
    if (quantity === null || quantity === base) return;
    if (base === null) this.base = quantity;
    else if (this.mode === 'mirror') this.mirror(quantity);
    else {
      const net = this.on_hand - this.shortfall + quantity - base;
      this.on_hand = Math.max(0, net);
      this.shortfall = Math.max(0, -net);
      this.base = quantity;
    }
  }
  sync(): boolean {
    if (this.quantity === null) return false;
    this.mirror(this.quantity);
    return true;
  }
}

const place = fc.nat(1);
const units = fc.option(fc.integer({ min: -3, max: 15 }), { freq: 3 });
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('level' as const), place, units }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late' as const), place, units }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('adjust' as const), units: fc.constantFrom(-4, -1, 2, 6) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('order' as const), units: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('select' as const),
      places: fc.constantFrom([0], [1], [0, 1]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mode' as const),
      mode: fc.constantFrom('pool' as const, 'mirror' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sync' as const }) },
);

test('after any moves the stock is that of the model', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 6, maxLength: 14 }), async (moves) => {
      await store.change({ stock_mode: 'pool' });
      await store.select(...store.places);
      const goods = await store.linked(FIRST, FIRST);
      const model = new Model();
      let at = stores.app.services.now() + 10_000;
      for (const move of moves) {
        at += 2_000;
        if (move.kind === 'level') {
          store.keep(goods.item, move.units, at, move.place);
          await store.say(goods.item, move.units, at, move.place);
          model.levels[move.place] = move.units;
          await store.decided();
          model.follow();
        } else if (move.kind === 'late') {
          await store.say(goods.item, move.units, at - 3_600_000, move.place);
          await store.decided();
        } else if (move.kind === 'adjust') {
          if ((await store.adjust(goods, move.units)).status === 200) model.on_hand += move.units;
        } else if (move.kind === 'order') {
          if (model.on_hand - model.reserved < move.units) continue;
          await placeOrder(stores, seller, [{ sku: goods.sku, quantity: move.units }]);
          model.reserved += move.units;
        } else if (move.kind === 'select') {
          const chosen = move.places.map((one) => store.places[one] ?? 0n);
          expect((await store.select(...chosen)).status).toBe(200);
          const isOther = move.places.join() !== model.selected.join();
          model.selected = move.places;
          if (isOther) model.begin();
        } else if (move.kind === 'mode') {
          expect((await store.change({ stock_mode: move.mode })).status).toBe(200);
          if (model.mode !== move.mode) model.begin();
          model.mode = move.mode;
        } else {
          const { status } = await seller.call('POST', `/channels/links/${goods.link_id}/stock-sync`);
          expect(status).toBe(model.sync() ? 200 : 409);
        }
        const { store_quantity, shortfall } = await store.count(goods);
        const [on_hand, reserved] = await store.units(goods);
        expect([store_quantity, on_hand, shortfall, reserved], JSON.stringify(move)).toEqual([
          ...[model.quantity, model.on_hand, model.shortfall, model.reserved],
        ]);
      }
    }),
    { numRuns: Number(process.env['STOCK_RUNS'] ?? 12), endOnFailure: true },
  );
});
