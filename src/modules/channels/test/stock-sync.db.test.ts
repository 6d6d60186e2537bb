/** The seller sets the stock here to that of the store, once. */
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { placeOrder, stockOf } from '../../../../test/support/orders.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  decidedAll,
  linkedGoods,
  rowOf,
  type Store,
  select,
  storeWith,
} from '../../../../test/support/store-stock.ts';

const stores = await startStores();

interface Synced {
  readonly code: string;
  readonly link_id: string;
  readonly stock: Readonly<Record<string, unknown>>;
}
const sync = ({ seller }: Pick<Store, 'seller'>, linkId: string) =>
  seller.call<Synced>('POST', `/channels/links/${linkId}/stock-sync`, { json: {} });

test('what is reserved here comes on top, and the stock follows as before', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { seller, shop, channel_id, places } = store;
  const [first = 0n, second = 0n] = places;
  const { item, product_id, sku, link_id } = await linkedGoods(stores, store, [5, 0]);
  const shown = () => rowOf(stores, store, link_id, product_id);
  await seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: -3 } });
  // The last row of the worked example.
  expect(await shown()).toEqual([5, 5, 2, 0, 0, 2]);
  const { status, body } = await sync(store, link_id);
  expect([status, body]).toMatchObject([
    200,
    {
      ...{ link_id, product_id, state: 'linked' },
      stock: {
        ...{ mode: 'pool', state: 'tracked', store_quantity: 5, quantity_available: 5, taken_here: 0 },
        levels: [
          { location_id: String(first), name: 'L1', selected: true, available: 5 },
          { location_id: String(second), name: 'L2', selected: true, available: 0 },
        ],
      },
    },
  ]);
  expect(await shown()).toEqual([5, 5, 5, 0, 0, 5]);
  const { body: history } = await seller.call<{ data: object[] }>('GET', `/products/${product_id}/history`);
  expect(history.data[0]).toMatchObject({
    actor: { kind: 'member' },
    delivery_id: null,
    changes: [{ field: 'quantity_on_hand', before: 2, after: 5 }, { after: shop.domain }],
  });
  await placeOrder(stores, seller, [{ sku, quantity: 2 }]);
  expect((await sync(store, link_id)).status).toBe(200);
  expect(await shown()).toEqual([5, 5, 7, 0, 2, 5]);
  shop.setLevel(item, second, 4);
  expect(await shown()).toEqual([9, 9, 11, 0, 2, 9]);
  const { body: list } = await seller.call<{ data: Synced[] }>('GET', `/channels/${channel_id}/links`);
  expect(list.data).toMatchObject([{ link_id, stock: { store_quantity: 9, taken_here: 0, shortfall: 0 } }]);
});

test('a shortfall ends with it', async () => {
  const store = await storeWith(stores);
  const { item, product_id, link_id } = await linkedGoods(stores, store, [5]);
  await store.seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: -3 } });
  store.shop.setLevel(item, store.places[0] ?? 0n, 1);
  expect(await rowOf(stores, store, link_id, product_id)).toEqual([1, 1, 0, 2, 0, 0]);
  await sync(store, link_id);
  expect(await rowOf(stores, store, link_id, product_id)).toEqual([1, 1, 1, 0, 0, 1]);
});

test('a quantity that is not known is refused', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { item, product_id, link_id } = await linkedGoods(stores, store, [5, 4]);
  store.shop.setLevel(item, store.places[0] ?? 0n, null);
  await decidedAll(store.seller, store.shop);
  const refused = [409, { code: 'level_unknown' }];
  const untracked = await sync(store, link_id);
  expect([untracked.status, untracked.body]).toMatchObject(refused);
  store.shop.setLevel(item, store.places[0] ?? 0n, 5);
  await decidedAll(store.seller, store.shop);
  await select(store.seller, store.channel_id, []);
  const unselected = await sync(store, link_id);
  expect([unselected.status, unselected.body]).toMatchObject(refused);
  await select(store.seller, store.channel_id, store.places);
  await eventually(
    () => sync(store, link_id),
    ({ status }) => status === 200,
  );
  await store.seller.call('PATCH', `/channels/links/${link_id}`, { json: { state: 'ignored' } });
  const ignored = await sync(store, link_id);
  expect([ignored.status, ignored.body]).toMatchObject(refused);
  expect(await stockOf(store.seller, product_id)).toEqual([9, 0]);
});

test('another seller’s link is not found', async () => {
  const [own, other] = [await storeWith(stores), await storeWith(stores)];
  const theirs = await linkedGoods(stores, other, [9]);
  await other.seller.call('POST', '/products/inventory/adjust', {
    json: { product_id: theirs.product_id, delta: -3 },
  });
  expect((await sync(own, theirs.link_id)).status).toBe(404);
  expect(await stockOf(other.seller, theirs.product_id)).toEqual([6, 0]);
});
