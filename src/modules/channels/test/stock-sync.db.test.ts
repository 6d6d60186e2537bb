/** The seller sets the stock here to that of the store, once. */
import { expect, test } from 'vitest';
import { MANY_CONNECTIONS } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { placeOrder } from '../../../../test/support/orders.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { type Store, storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { askLevels } from '../actions/ask-levels.ts';

const stores = await startStores(MANY_CONNECTIONS);

interface Synced {
  readonly code: string;
  readonly link_id: string;
  readonly stock: Readonly<Record<string, unknown>>;
}
const sync = ({ seller }: Pick<Store, 'seller'>, { link_id }: { readonly link_id: string }) =>
  seller.call<Synced>('POST', `/channels/links/${link_id}/stock-sync`, { json: {} });
const refused = async (store: Store, goods: { readonly link_id: string }) => {
  const { status, body } = await sync(store, goods);
  expect([status, body]).toMatchObject([409, { code: 'level_unknown' }]);
};

test('what is reserved here comes on top, and the stock follows as before', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { seller, shop, channel_id, places } = store;
  const goods = await store.linked(5, 0);
  const { product_id, link_id } = goods;
  await store.adjust(goods, -3);
  // The last row of the worked example.
  expect(await store.row(goods)).toEqual([5, 5, 2, 0, 0, 2]);
  const { status, body } = await sync(store, goods);
  expect([status, body]).toMatchObject([
    200,
    {
      ...{ link_id, product_id, state: 'linked' },
      stock: {
        ...{ mode: 'pool', state: 'tracked', store_quantity: 5, quantity_available: 5, taken_here: 0 },
        levels: [
          { location_id: String(places[0]), name: 'L1', selected: true, available: 5 },
          { location_id: String(places[1]), name: 'L2', selected: true, available: 0 },
        ],
      },
    },
  ]);
  expect(await store.row(goods)).toEqual([5, 5, 5, 0, 0, 5]);
  const { body: history } = await seller.call<{ data: object[] }>('GET', `/products/${product_id}/history`);
  expect(history.data[0]).toMatchObject({
    actor: { kind: 'member' },
    delivery_id: null,
    changes: [{ field: 'quantity_on_hand', before: 2, after: 5 }, { after: shop.domain }],
  });
  await placeOrder(stores, seller, [{ sku: goods.sku, quantity: 2 }]);
  expect((await sync(store, goods)).status).toBe(200);
  expect(await store.row(goods)).toEqual([5, 5, 7, 0, 2, 5]);
  store.set(goods.item, 4, 1);
  expect(await store.row(goods)).toEqual([9, 9, 11, 0, 2, 9]);
  const { body: list } = await seller.call<{ data: Synced[] }>('GET', `/channels/${channel_id}/links`);
  expect(list.data).toMatchObject([{ link_id, stock: { store_quantity: 9, taken_here: 0, shortfall: 0 } }]);
});

test('a shortfall ends with it', async () => {
  const store = await storeWith(stores);
  const goods = await store.linked(5);
  await store.adjust(goods, -3);
  store.set(goods.item, 1);
  expect(await store.row(goods)).toEqual([1, 1, 0, 2, 0, 0]);
  await sync(store, goods);
  expect(await store.row(goods)).toEqual([1, 1, 1, 0, 0, 1]);
});

test('a quantity that is not known is refused', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const goods = await store.linked(5, 4);
  store.set(goods.item, null);
  await store.decided();
  await refused(store, goods);
  store.set(goods.item, 5);
  await store.decided();
  await store.select();
  await refused(store, goods);
  await store.select(...store.places);
  await eventually(
    () => sync(store, goods),
    ({ status }) => status === 200,
  );
  await store.seller.call('PATCH', `/channels/links/${goods.link_id}`, { json: { state: 'ignored' } });
  await refused(store, goods);
  expect(await store.units(goods)).toEqual([9, 0]);
});

test('while the channel is paused, the quantity is as old as the pause, so it is refused', async () => {
  const store = await storeWith(stores);
  const goods = await store.linked(5);
  await store.adjust(goods, -2);
  await store.change({ inbound: 'paused' });
  store.set(goods.item, 1);
  await store.decided();
  await refused(store, goods);
  expect(await store.units(goods)).toEqual([3, 0]);
  const { faults } = store.shop;
  const answers = Promise.withResolvers<void>();
  faults.meanwhile = () => answers.promise;
  await store.change({ inbound: 'active' });
  await refused(store, goods);
  faults.meanwhile = undefined;
  answers.resolve();
  await store.reaches(goods, 0);
  expect((await sync(store, goods)).status).toBe(200);
  expect(await store.row(goods)).toEqual([1, 1, 1, 0, 0, 1]);
});

test('a level that the store no longer has sets nothing, also before it is decided', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { shop, seller, channel_id, places } = store;
  const goods = await store.linked(8, 4);
  shop.catalogue.dropLevel(goods.item, places[1] ?? 0n);
  await runOn(stores.database.adminUrl, (client) =>
    client.query('update channel_link set asked_in = 0 where channel_id = $1', [channel_id]),
  );
  const answers = Promise.withResolvers<void>();
  let asked = 0;
  // The store answers the question about all levels, and then not, so that the delivery about the one waits.
  shop.faults.meanwhile = () => {
    asked += 1;
    return asked > 1 ? answers.promise : Promise.resolve();
  };
  const key = { seller_id: seller.seller_id, channel_id };
  await askLevels(stores.app.services, key, new AbortController().signal);
  await refused(store, goods);
  shop.faults.meanwhile = undefined;
  answers.resolve();
  await store.reaches(goods, 8);
  expect((await sync(store, goods)).status).toBe(200);
  expect(await store.row(goods)).toEqual([8, 8, 8, 0, 0, 8]);
});

test('another seller’s link is not found', async () => {
  const [own, other] = [await storeWith(stores), await storeWith(stores)];
  const theirs = await other.linked(9);
  await other.adjust(theirs, -3);
  expect((await sync(own, theirs)).status).toBe(404);
  expect(await other.units(theirs)).toEqual([6, 0]);
});

test('while it waits for the stock, the deliveries of its store and of others are answered', async () => {
  const [store, other] = [await storeWith(stores), await storeWith(stores)];
  const goods = await store.linked(8);
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from inventory where product_id = $1 for update', [goods.product_id]);
    let isSynced = false;
    const synced = sync(store, goods).finally(() => {
      isSynced = true;
    });
    await eventually(
      () =>
        client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ rowCount }) => rowCount === 1,
    );
    const sent = await Promise.all([store.say(goods.item, 8), other.say(goods.item, 8)]);
    expect([...sent.map(({ status }) => status), isSynced]).toEqual([200, 200, false]);
    await client.query('rollback');
    expect((await synced).status).toBe(200);
  });
});

test('a delivery of a channel that somebody locks holds up no delivery of another store', async () => {
  const [store, other] = [await storeWith(stores), await storeWith(stores)];
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from channel where channel_id = $1 for update', [store.channel_id]);
    let stored = 0;
    const held = Array.from({ length: 5 }, async (_, index) => {
      const { status } = await store.say(BigInt(index + 1), 8);
      stored += 1;
      return status;
    });
    expect([(await other.say(9n, 8)).status, stored]).toEqual([200, 0]);
    await client.query('rollback');
    expect(await Promise.all(held)).toEqual(Array(5).fill(200));
  });
});
