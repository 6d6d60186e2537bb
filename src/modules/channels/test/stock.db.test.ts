/** The stock of a connected store: which level counts, and what it does to the stock here. */
import { describe, expect, test } from 'vitest';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { placeOrder, post, shipAll, stockOf } from '../../../../test/support/orders.ts';
import { logOf, poster } from '../../../../test/support/store-deliveries.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  countOf,
  decidedAll,
  goods,
  issuesOf,
  levelSender,
  link,
  linkedGoods,
  rowOf,
  storeWith,
} from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const send = poster(stores);
const said = levelSender(stores);
const now = (): number => stores.app.services.now();

test('the worked example, row by row', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { seller, shop, channel_id, places } = store;
  const [first = 0n, second = 0n] = places;
  const { item, product_id, sku, link_id } = await linkedGoods(stores, store, [8, 4]);
  const shown = () => rowOf(stores, store, link_id, product_id);
  expect(await shown()).toEqual([12, 12, 12, 0, 0, 12]);
  const order = await placeOrder(stores, seller, [{ sku, quantity: 3 }]);
  expect(await shown()).toEqual([12, 12, 12, 0, 3, 9]);
  shop.setLevel(item, first, 6);
  expect(await shown()).toEqual([10, 10, 10, 0, 3, 7]);
  await post(seller, `${order}/accept`);
  await shipAll(seller, order);
  expect(await shown()).toEqual([10, 10, 7, 0, 0, 7]);
  await said(store, item, first, 8, now() - 60_000);
  expect(await shown()).toEqual([10, 10, 7, 0, 0, 7]);
  const [late, taken] = await decidedAll(seller, shop);
  expect(late).toMatchObject({
    ...{ status: 'stale', reason: 'newer_level_applied', object_key: `level:${item}:${first}` },
    decision: { newer_delivery_id: taken?.delivery_id, product_id },
  });
  expect(taken).toMatchObject({
    status: 'applied',
    decision: { product_id },
    changes: [
      { field: 'store_quantity', before: '12', after: '10' },
      { field: 'quantity_on_hand', before: '12', after: '10' },
    ],
  });
  shop.setLevel(item, second, null);
  expect(await shown()).toEqual([null, 10, 7, 0, 0, 7]);
  expect(await countOf(stores, store, link_id)).toMatchObject({ state: 'untracked', taken_here: null });
  shop.setLevel(item, second, 1);
  expect(await shown()).toEqual([7, 7, 4, 0, 0, 4]);
  expect(await countOf(stores, store, link_id)).toMatchObject({ state: 'tracked', taken_here: 3 });
  shop.setLevel(item, first, 0);
  shop.setLevel(item, second, 0);
  expect(await shown()).toEqual([0, 0, 0, 3, 0, 0]);
  shop.setLevel(item, first, 5);
  expect(await shown()).toEqual([5, 5, 2, 0, 0, 2]);

  const mirror = await linkedGoods(stores, store, [8, 4]);
  await placeOrder(stores, seller, [{ sku: mirror.sku, quantity: 3 }]);
  await seller.call('PATCH', `/channels/${channel_id}`, { json: { stock_mode: 'mirror' } });
  await eventually(
    () => countOf(stores, store, mirror.link_id),
    ({ base }) => base === 12,
  );
  expect(await rowOf(stores, store, mirror.link_id, mirror.product_id)).toEqual([12, 12, 12, 0, 3, 9]);
  shop.setLevel(mirror.item, first, 6);
  expect(await rowOf(stores, store, mirror.link_id, mirror.product_id)).toEqual([10, 10, 13, 0, 3, 10]);
});

test('a change stands in the history and in the event, with its delivery', async () => {
  const store = await storeWith(stores);
  const { item, product_id } = await linkedGoods(stores, store, [5]);
  store.shop.setLevel(item, store.places[0] ?? 0n, 3);
  const [delivery] = await decidedAll(store.seller, store.shop);
  const { body } = await store.seller.call<{ data: object[] }>('GET', `/products/${product_id}/history`);
  expect(body.data[0]).toMatchObject({
    action: 'stock_set',
    actor: { kind: 'channel', id: store.channel_id },
    delivery_id: delivery?.delivery_id,
    changes: [{ field: 'quantity_on_hand', before: 5, after: 3 }, { field: 'reason' }],
  });
  const event = await eventually(
    async () =>
      (
        await store.seller.call<{ data: { type: string; data: object; correlation: object }[] }>(
          'GET',
          '/webhooks/events?limit=200',
        )
      ).body.data.find(({ correlation }) => 'delivery_id' in correlation),
    (found) => found !== undefined,
  );
  expect(event).toMatchObject({
    data: { object: { product_id, quantity_on_hand: 3 }, previous: { quantity_on_hand: 5 } },
    correlation: { delivery_id: delivery?.delivery_id },
  });
});

describe('a level', () => {
  test('of the same second with another value is asked for', async () => {
    const store = await storeWith(stores);
    const { item, product_id } = await linkedGoods(stores, store, [5]);
    const [place = 0n] = store.places;
    const at = Math.floor(now() / 1_000) * 1_000 + 60_000;
    await said(store, item, place, 4, at);
    await decidedAll(store.seller, store.shop);
    // The store knows which of two values of one second is the last.
    const level = store.shop.catalogue.setLevel(item, place, 2);
    Object.assign(level, { updated_at: new Date(at).toISOString() });
    await said(store, item, place, 3, at);
    const [last] = await decidedAll(store.seller, store.shop);
    expect(last).toMatchObject({ status: 'applied' });
    expect(await stockOf(store.seller, product_id)).toEqual([2, 0]);
    await said(store, item, place, 2, at);
    const [again] = await decidedAll(store.seller, store.shop);
    expect(again).toMatchObject({ status: 'no_effect', reason: 'level_known' });
    // It changes back within the second: the body is one that came before.
    const back = store.shop.catalogue.setLevel(item, place, 4);
    Object.assign(back, { updated_at: new Date(at).toISOString() });
    await said(store, item, place, 4, at);
    await decidedAll(store.seller, store.shop);
    expect(await stockOf(store.seller, product_id)).toEqual([4, 0]);
    await said(store, item, place, 4, at);
    const [repeated] = await decidedAll(store.seller, store.shop);
    expect(repeated).toMatchObject({ status: 'duplicate', reason: 'same_body' });
  });

  test('that ended does not count, whatever order its deliveries have, and may end again', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const { shop, seller } = store;
    const [first = 0n, second = 0n] = store.places;
    const { item, product_id } = await linkedGoods(stores, store, [5, 4]);
    for (const reversed of [true, false]) {
      shop.deliveries.hold();
      shop.setLevel(item, second, 7);
      shop.disconnectLevel(item, second);
      shop.deliveries.release({ reversed });
      await decidedAll(seller, shop);
      expect(await stockOf(seller, product_id)).toEqual([5, 0]);
    }
    // The body of an end is the same as before.
    shop.setLevel(item, second, 8);
    await decidedAll(seller, shop);
    expect(await stockOf(seller, product_id)).toEqual([13, 0]);
    shop.disconnectLevel(item, second);
    shop.disconnectLevel(item, first);
    await decidedAll(seller, shop);
    expect(await stockOf(seller, product_id)).toEqual([0, 0]);
  });

  test('waits for the store where only the store knows', async () => {
    const store = await storeWith(stores);
    const { item, product_id } = await linkedGoods(stores, store, [5]);
    store.shop.faults.status = 503;
    store.shop.disconnectLevel(item, store.places[0] ?? 0n);
    await store.shop.deliveries.idle();
    await eventually(
      () => logOf(store.seller, 'topic=inventory_levels/disconnect&status=received'),
      ({ length }) => length === 1,
    );
    expect(await stockOf(store.seller, product_id)).toEqual([5, 0]);
    store.shop.faults.status = undefined;
    await decidedAll(store.seller, store.shop);
    expect(await stockOf(store.seller, product_id)).toEqual([0, 0]);
  });

  test('with a wrong body is malformed or foreign and moves nothing', async () => {
    const store = await storeWith(stores);
    const { item, product_id } = await linkedGoods(stores, store, [5]);
    const [place = 0n] = store.places;
    const wrong = [1.5, 1_000_000_001, -1_000_000_001, '4', undefined];
    for (const [index, available] of wrong.entries())
      await said(store, item, place, available, now() + index);
    const at = { topic: 'inventory_levels/update', shop: store.domain };
    await send(exactJson({ inventory_item_id: item, location_id: place, available: 4 }), at);
    await send(exactJson({ inventory_item_id: item, available: 4, updated_at: '2026-07-01T00:00:00Z' }), at);
    await send('{"inventory_item_id":-1,"location_id":2,"available":4}', at);
    const log = (await decidedAll(store.seller, store.shop)).slice(0, 8).map(({ reason }) => reason);
    expect(log.toReversed()).toEqual([
      ...Array(6).fill('level_invalid'),
      ...['shape_of_another_topic', 'id_invalid'],
    ]);
    expect(await stockOf(store.seller, product_id)).toEqual([5, 0]);
  });

  test('has the item with exactly its digits', async () => {
    const store = await storeWith(stores);
    const [place = 0n] = store.places;
    const items = [271_878_346_596_884_015n, 271_878_346_596_884_016n];
    const made = await Promise.all(
      items.map(async (item) => {
        const { product, product_id } = await goods(store);
        await link(stores, store, product, product_id, { inventory_item_id: String(item) });
        return product_id;
      }),
    );
    for (const [index, item] of items.entries()) await said(store, item, place, index + 6, now());
    const log = await decidedAll(store.seller, store.shop);
    expect(log.slice(0, 2).map(({ object_key }) => object_key)).toEqual(
      items.toReversed().map((item) => `level:${item}:${place}`),
    );
    expect(await Promise.all(made.map((id) => stockOf(store.seller, id)))).toEqual([
      [6, 0],
      [7, 0],
    ]);
  });

  test('that is sent 20 times at once counts once', async () => {
    const store = await storeWith(stores);
    const { item, product_id } = await linkedGoods(stores, store, [9]);
    const before = (await decidedAll(store.seller, store.shop)).length;
    store.shop.deliveries.hold();
    store.shop.setLevel(item, store.places[0] ?? 0n, 4);
    store.shop.deliveries.release({ copies: 20 });
    const log = await decidedAll(store.seller, store.shop);
    expect(log).toHaveLength(before + 1);
    expect(await stockOf(store.seller, product_id)).toEqual([4, 0]);
  });

  test('of one seller’s store moves nothing of another seller', async () => {
    const [own, other] = [await storeWith(stores), await storeWith(stores)];
    const { item } = await linkedGoods(stores, own, [5]);
    const theirs = await linkedGoods(stores, other, [9]);
    const body = exactJson({
      ...{ inventory_item_id: theirs.item, location_id: other.places[0], available: 1 },
      updated_at: new Date(now() + 60_000).toISOString(),
    });
    await send(body, { topic: 'inventory_levels/update', shop: own.domain });
    own.shop.setLevel(item, own.places[0] ?? 0n, 2);
    await decidedAll(own.seller, own.shop);
    expect(await stockOf(other.seller, theirs.product_id)).toEqual([9, 0]);
    await send(body, { topic: 'inventory_levels/update', shop: other.domain });
    const [foreign] = await decidedAll(other.seller, other.shop);
    expect(foreign).toMatchObject({ status: 'foreign', reason: 'same_body_elsewhere' });
    expect(await issuesOf(other)).toEqual([]);
  });

  test('of an ignored variant, or while the channel is paused, moves nothing', async () => {
    const store = await storeWith(stores);
    const [place = 0n] = store.places;
    const { product, item, product_id } = await goods(store, 5);
    await link(stores, store, product, product_id, { state: 'ignored' });
    store.shop.setLevel(item, place, 1);
    await store.seller.call('PATCH', `/channels/${store.channel_id}`, { json: { inbound: 'paused' } });
    const [ignored] = await decidedAll(store.seller, store.shop);
    expect(['link_ignored', 'channel_paused']).toContain(ignored?.reason);
    store.shop.setLevel(item, place, 2);
    const [paused] = await decidedAll(store.seller, store.shop);
    expect(paused).toMatchObject({ status: 'skipped', reason: 'channel_paused' });
    expect(await stockOf(store.seller, product_id)).toEqual([5, 0]);
    expect(await issuesOf(store)).toEqual([]);
  });
});
