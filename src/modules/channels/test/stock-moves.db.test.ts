/** Both sides move one stock: whatever order their moves have, none is lost and none counts twice. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, orderEvent, placeOrder, post, shipAll } from '../../../../test/support/orders.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const store = await storeWith(stores, ['L1', 'L2']);
const { seller, shop } = store;

type Goods = Awaited<ReturnType<typeof store.linked>>;
/** Makes a move of this side. @returns by how many units it changed the stock here; 0 if it was refused */
type Move = (goods: Goods) => Promise<number>;

const level =
  (place: number, units: number): Move =>
  ({ item }) => {
    store.set(item, units, place);
    return Promise.resolve(0);
  };
const adjust =
  (delta: number): Move =>
  async (goods) =>
    (await store.adjust(goods, delta)).status === 200 ? delta : 0;
const sell =
  (quantity: number): Move =>
  async ({ sku }) => {
    const order = await placeOrder(stores, seller, [{ sku, quantity }]);
    const accepted = await post(seller, `${order}/accept`);
    if (accepted.status !== 200) return 0;
    await shipAll(seller, order);
    return -quantity;
  };
/** One unit is sold and comes back. */
const sellAndReturn: Move = async (goods) => {
  const order = await placeOrder(stores, seller, [{ sku: goods.sku, quantity: 1 }]);
  await post(seller, `${order}/accept`);
  const { shipment_id } = await shipAll(seller, order);
  const return_id = `rtn_${randomUUID()}`;
  const lines = [{ order_line_no: 1, quantity: 1, reason: 'changed_mind' }];
  await apply(
    stores,
    orderEvent(stores, seller, 'shipment.delivered', shipment_id, {}),
    orderEvent(stores, seller, 'return.requested', order, { return_id, lines }),
  );
  for (const [step, body] of [
    ['accept', {}],
    ['receive', {}],
    ['inspect', { compliant: true, restock: true }],
  ] as const) {
    const { status, text } = await post(seller, `${order}/returns/${return_id}/${step}`, body);
    if (status !== 200) throw new Error(`${step}: ${text}`);
  }
  return 0;
};

/** The levels leave enough for what is reserved here, so that no dispatch takes more than there is. */
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(1), fc.integer({ min: 30, max: 60 })).map(([a, b]) => level(a, b)),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: -3, max: 5 })
      .filter((delta) => delta !== 0)
      .map(adjust),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }).map(sell) },
  { weight: 1, arbitrary: fc.constant(sellAndReturn) },
);
/** Levels may fall to nothing here and below; an adjustment below zero is refused. */
const scarceMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.nat(1), fc.integer({ min: -3, max: 6 })).map(([a, b]) => level(a, b)) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: -4, max: 4 })
      .filter((delta) => delta !== 0)
      .map(adjust),
  },
);

async function check(goods: Goods, moved: number): Promise<void> {
  await store.decided();
  const last = shop.catalogue.levelsOf(goods.item).reduce((sum, { available }) => sum + (available ?? 0), 0);
  const { store_quantity, base, shortfall } = await store.count(goods);
  const [on_hand] = await store.units(goods);
  expect([store_quantity, base, Number(on_hand) - Number(shortfall)]).toEqual([last, last, last + moved]);
}

const runs = (numRuns: number) => ({ numRuns, endOnFailure: true });

test('in any sequence, each move after the one before was sent', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anyMove), { minLength: 3, maxLength: 12 }), async (moves) => {
      const goods = await store.linked(30, 30);
      let moved = 0;
      for (const move of moves) moved += await move(goods);
      await check(goods, moved);
    }),
    runs(12),
  );
});

test('all at once', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 8, maxLength: 16 }), async (moves) => {
      const goods = await store.linked(30, 30);
      const all = await Promise.all(moves.map((move) => move(goods)));
      await check(
        goods,
        all.reduce((sum, units) => sum + units, 0),
      );
    }),
    runs(12),
  );
});

test('with levels that fall below zero here', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(scarceMove, { minLength: 4, maxLength: 16 }),
      fc.boolean(),
      async (moves, atOnce) => {
        const goods = await store.linked(3, 1);
        let moved = 0;
        if (atOnce) for (const units of await Promise.all(moves.map((move) => move(goods)))) moved += units;
        else for (const move of moves) moved += await move(goods);
        await check(goods, moved);
      },
    ),
    runs(20),
  );
});
