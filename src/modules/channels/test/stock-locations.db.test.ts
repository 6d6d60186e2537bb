/** Which locations of a store count, and when its stock is not known. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { stockOf } from '../../../../test/support/orders.ts';
import { readChannel, startStores } from '../../../../test/support/store-platform.ts';
import {
  countOf,
  decidedAll,
  goods,
  issuesOf,
  levelSender,
  link,
  linkedGoods,
  rowOf,
  select,
  storeWith,
} from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const said = levelSender(stores);

describe('the locations', () => {
  test('of a store with one are selected by themselves; of several the seller selects', async () => {
    const store = await storeWith(stores, ['Sydney', 'Perth']);
    const { seller, shop, channel_id, places } = store;
    const [first = 0n, second = 0n] = places;
    expect((await select(seller, channel_id, [])).body.locations.map(({ selected }) => selected)).toEqual([
      false,
      false,
    ]);
    const [issue] = await issuesOf(store);
    expect(issue).toMatchObject({ kind: 'locations_unselected', state: 'open' });
    const { product, item, product_id } = await goods(store, 1);
    await link(stores, store, product, product_id);
    await said(store, item, first, 5);
    await said(store, item, second, 7);
    const log = await decidedAll(seller, shop);
    expect(log.slice(0, 2)).toMatchObject(
      Array(2).fill({ status: 'needs_action', reason: 'locations_unselected', issue_id: issue?.issue_id }),
    );
    expect(await stockOf(seller, product_id)).toEqual([1, 0]);
    await select(seller, channel_id, [second]);
    expect(await issuesOf(store)).toEqual([]);
    // Levels that waited are applied.
    await eventually(
      () => stockOf(seller, product_id),
      ([on_hand]) => on_hand === 7,
    );
    shop.updateLocation(second, { active: false });
    await decidedAll(seller, shop);
    expect((await readChannel(seller, channel_id)).locations).toMatchObject([
      { location_id: String(first), selected: true },
      { location_id: String(second), selected: false, active: false },
    ]);
  });

  test('that are unknown are refused', async () => {
    const store = await storeWith(stores);
    const { status, body } = await select(store.seller, store.channel_id, [...store.places, 5n]);
    expect([status, body.detail]).toMatchObject([
      422,
      [{ loc: ['body', 'locations', 1], type: 'location_unknown' }],
    ]);
  });

  test('that are selected anew move no stock; the next level counts from there', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const { seller, shop, channel_id, places } = store;
    const [first = 0n, second = 0n] = places;
    const { item, product_id, link_id } = await linkedGoods(stores, store, [8, 4]);
    await seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta: -2 } });
    await select(seller, channel_id, [second]);
    await eventually(
      () => countOf(stores, store, link_id),
      ({ base }) => base === 4,
    );
    // A level that comes before the job has set the base is a difference to the quantity before it.
    await stores.app.services.withSystem('jobs', 'write', (db) =>
      db.run({ text: 'update channel_link set base_level = null where link_id = $1', values: [link_id] }),
    );
    shop.setLevel(item, second, 3);
    await decidedAll(seller, shop);
    expect(await rowOf(stores, store, link_id, product_id)).toEqual([3, 3, 9, 0, 0, 9]);
    await select(seller, channel_id, [first, second]);
    await eventually(
      () => countOf(stores, store, link_id),
      ({ base }) => base === 11,
    );
    expect(await stockOf(seller, product_id)).toEqual([9, 0]);
  });

  test('that the store closes take their units with them', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const { seller, shop, places } = store;
    const { product_id } = await linkedGoods(stores, store, [8, 4]);
    shop.updateLocation(places[1] ?? 0n, { active: false });
    await eventually(
      () => stockOf(seller, product_id),
      ([on_hand]) => on_hand === 8,
    );
  });
});

test('an unknown stock here stays unknown in a pool', async () => {
  const store = await storeWith(stores);
  const { item, product_id } = await linkedGoods(stores, store, [8]);
  await store.seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: null } });
  store.shop.setLevel(item, store.places[0] ?? 0n, 5);
  await decidedAll(store.seller, store.shop);
  expect(await stockOf(store.seller, product_id)).toEqual([null, 0]);
});

test('the end of a store deletes what it said of its stock', async () => {
  const store = await storeWith(stores);
  await linkedGoods(stores, store, [8]);
  const count = () =>
    stores.app.services.withSystem('jobs', 'read', (db) =>
      db.all({ text: 'select from channel_level where channel_id = $1', values: [store.channel_id] }),
    );
  expect(await count()).toHaveLength(1);
  await store.seller.call('POST', `/channels/${store.channel_id}/disconnect`, { json: { uninstall: false } });
  store.shop.comply('shop/redact', { id: randomUUID() });
  await eventually(count, ({ length }) => length === 0);
});
