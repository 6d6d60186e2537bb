/** The stock of a connected store: which level counts, and what it does to the stock here. */
import { describe, expect, test } from 'vitest';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { placeOrder, post, shipAll } from '../../../../test/support/orders.ts';
import { logOf, poster } from '../../../../test/support/store-deliveries.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { changeChannel } from '../actions/ask-store.ts';
import { lookAtLevels } from '../actions/look-at-levels.ts';

const stores = await startStores();
const send = poster(stores);
const now = (): number => stores.app.services.now();

test('the worked example, row by row', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { seller } = store;
  const goods = await store.linked(8, 4);
  const { item, product_id, sku } = goods;
  expect(await store.row(goods)).toEqual([12, 12, 12, 0, 0, 12]);
  const order = await placeOrder(stores, seller, [{ sku, quantity: 3 }]);
  expect(await store.row(goods)).toEqual([12, 12, 12, 0, 3, 9]);
  store.set(item, 6);
  expect(await store.row(goods)).toEqual([10, 10, 10, 0, 3, 7]);
  await post(seller, `${order}/accept`);
  await shipAll(seller, order);
  expect(await store.row(goods)).toEqual([10, 10, 7, 0, 0, 7]);
  await store.say(item, 8, now() - 60_000);
  expect(await store.row(goods)).toEqual([10, 10, 7, 0, 0, 7]);
  const [late, taken] = await store.decided();
  expect(late).toMatchObject({
    ...{ status: 'stale', reason: 'newer_level_applied', object_key: `level:${item}:${store.places[0]}` },
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
  store.set(item, null, 1);
  expect(await store.row(goods)).toEqual([null, 10, 7, 0, 0, 7]);
  expect(await store.count(goods)).toMatchObject({ state: 'untracked', taken_here: null });
  store.set(item, 1, 1);
  expect(await store.row(goods)).toEqual([7, 7, 4, 0, 0, 4]);
  expect(await store.count(goods)).toMatchObject({ state: 'tracked', taken_here: 3 });
  store.set(item, 0);
  store.set(item, 0, 1);
  expect(await store.row(goods)).toEqual([0, 0, 0, 3, 0, 0]);
  store.set(item, 5);
  expect(await store.row(goods)).toEqual([5, 5, 2, 0, 0, 2]);

  const mirror = await store.linked(8, 4);
  await placeOrder(stores, seller, [{ sku: mirror.sku, quantity: 3 }]);
  await store.change({ stock_mode: 'mirror' });
  await eventually(
    () => store.count(mirror),
    ({ base }) => base === 12,
  );
  expect(await store.row(mirror)).toEqual([12, 12, 12, 0, 3, 9]);
  store.set(mirror.item, 6);
  expect(await store.row(mirror)).toEqual([10, 10, 13, 0, 3, 10]);
});

test('a change stands in the history and in the event, with its delivery', async () => {
  const store = await storeWith(stores);
  const { item, product_id } = await store.linked(5);
  store.set(item, 3);
  const [delivery] = await store.decided();
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
    const goods = await store.linked(5);
    const { item } = goods;
    const at = Math.floor(now() / 1_000) * 1_000 + 60_000;
    await store.say(item, 4, at);
    await store.decided();
    // The store knows which of two values of one second is the last.
    store.keep(item, 2, at);
    await store.say(item, 3, at);
    const [last] = await store.decided();
    expect(last).toMatchObject({ status: 'applied' });
    expect(await store.units(goods)).toEqual([2, 0]);
    await store.say(item, 2, at);
    const [again] = await store.decided();
    expect(again).toMatchObject({ status: 'no_effect', reason: 'level_known' });
    // It changes back within the second: the body is one that came before.
    store.keep(item, 4, at);
    await store.say(item, 4, at);
    await store.decided();
    expect(await store.units(goods)).toEqual([4, 0]);
    await store.say(item, 4, at);
    const [repeated] = await store.decided();
    expect(repeated).toMatchObject({ status: 'duplicate', reason: 'same_body' });
  });

  test('that ended comes back with the same value in the same second', async () => {
    const store = await storeWith(stores);
    const goods = await store.linked(5);
    const { item } = goods;
    const at = Math.floor(now() / 1_000) * 1_000 + 60_000;
    store.keep(item, 4, at);
    await store.say(item, 4, at);
    expect(await store.row(goods)).toEqual([4, 4, 4, 0, 0, 4]);
    store.drop(item);
    expect(await store.row(goods)).toEqual([0, 0, 0, 0, 0, 0]);
    store.keep(item, 4, at);
    await store.say(item, 4, at);
    expect(await store.row(goods)).toEqual([4, 4, 4, 0, 0, 4]);
    // The end is told after the return.
    store.drop(item);
    store.keep(item, 4, at);
    await store.say(item, 4, at);
    expect(await store.row(goods)).toEqual([4, 4, 4, 0, 0, 4]);
  });

  test('that ended does not count, whatever order its deliveries have, and may end again', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const { deliveries } = store.shop;
    const goods = await store.linked(5, 4);
    const { item } = goods;
    for (const reversed of [true, false]) {
      deliveries.hold();
      store.set(item, 7, 1);
      store.drop(item, 1);
      deliveries.release({ reversed });
      await store.decided();
      expect(await store.units(goods)).toEqual([5, 0]);
    }
    // The body of an end is the same as before.
    store.set(item, 8, 1);
    await store.decided();
    expect(await store.units(goods)).toEqual([13, 0]);
    store.drop(item, 1);
    store.drop(item);
    await store.decided();
    expect(await store.units(goods)).toEqual([0, 0]);
  });

  test('waits for the store where only the store knows', async () => {
    const store = await storeWith(stores);
    const goods = await store.linked(5);
    store.shop.faults.status = 503;
    store.drop(goods.item);
    await store.shop.deliveries.idle();
    await eventually(
      () => logOf(store.seller, 'topic=inventory_levels/disconnect&status=received'),
      ({ length }) => length === 1,
    );
    expect(await store.units(goods)).toEqual([5, 0]);
    store.shop.faults.status = undefined;
    await store.decided();
    expect(await store.units(goods)).toEqual([0, 0]);
  });

  test('with a wrong body is malformed or foreign and moves nothing', async () => {
    const store = await storeWith(stores);
    const goods = await store.linked(5);
    const { item } = goods;
    const [place = 0n] = store.places;
    const wrong = [1.5, 1_000_000_001, -1_000_000_001, '4', undefined];
    for (const [index, available] of wrong.entries()) await store.say(item, available, now() + index);
    const at = { topic: 'inventory_levels/update', shop: store.domain };
    await send(exactJson({ inventory_item_id: item, location_id: place, available: 4 }), at);
    await send(exactJson({ inventory_item_id: item, available: 4, updated_at: '2026-07-01T00:00:00Z' }), at);
    await send('{"inventory_item_id":-1,"location_id":2,"available":4}', at);
    const log = (await store.decided()).slice(0, 8).map(({ reason }) => reason);
    expect(log.toReversed()).toEqual([
      ...Array(6).fill('level_invalid'),
      ...['shape_of_another_topic', 'id_invalid'],
    ]);
    expect(await store.units(goods)).toEqual([5, 0]);
  });

  test('has the item with exactly its digits', async () => {
    const store = await storeWith(stores);
    const items = [271_878_346_596_884_015n, 271_878_346_596_884_016n];
    const made = await Promise.all(
      items.map(async (item) => {
        const { product, product_id } = await store.goods();
        await store.link(product, product_id, { inventory_item_id: String(item) });
        return { product_id };
      }),
    );
    for (const [index, item] of items.entries()) await store.say(item, index + 6);
    const log = await store.decided();
    expect(log.slice(0, 2).map(({ object_key }) => object_key)).toEqual(
      items.toReversed().map((item) => `level:${item}:${store.places[0]}`),
    );
    expect(await Promise.all(made.map(store.units))).toEqual([
      [6, 0],
      [7, 0],
    ]);
  });

  test('that is sent 20 times at once counts once', async () => {
    const store = await storeWith(stores);
    const goods = await store.linked(9);
    const before = (await store.decided()).length;
    store.shop.deliveries.hold();
    store.set(goods.item, 4);
    store.shop.deliveries.release({ copies: 20 });
    expect(await store.decided()).toHaveLength(before + 1);
    expect(await store.units(goods)).toEqual([4, 0]);
  });

  test('of one seller’s store moves nothing of another seller', async () => {
    const [own, other] = [await storeWith(stores), await storeWith(stores)];
    const { item } = await own.linked(5);
    const theirs = await other.linked(9);
    const body = exactJson({
      ...{ inventory_item_id: theirs.item, location_id: other.places[0], available: 1 },
      updated_at: new Date(now() + 60_000).toISOString(),
    });
    await send(body, { topic: 'inventory_levels/update', shop: own.domain });
    own.set(item, 2);
    await own.decided();
    expect(await other.units(theirs)).toEqual([9, 0]);
    await send(body, { topic: 'inventory_levels/update', shop: other.domain });
    const [foreign] = await other.decided();
    expect(foreign).toMatchObject({ status: 'foreign', reason: 'same_body_elsewhere' });
    expect(await other.issues()).toEqual([]);
  });

  test('of an ignored variant, or while the channel is paused, moves nothing', async () => {
    const store = await storeWith(stores);
    const goods = await store.goods(5);
    await store.link(goods.product, goods.product_id, { state: 'ignored' });
    store.set(goods.item, 1);
    await store.change({ inbound: 'paused' });
    const [ignored] = await store.decided();
    expect(['link_ignored', 'channel_paused']).toContain(ignored?.reason);
    store.set(goods.item, 2);
    const [paused] = await store.decided();
    expect(paused).toMatchObject({ status: 'skipped', reason: 'channel_paused' });
    expect(await store.units(goods)).toEqual([5, 0]);
    expect(await store.issues()).toEqual([]);
  });
});

test('jobs of several levels are woken in the order of their keys, as the receiver does', async () => {
  const { seller, channel_id, shop } = await storeWith(stores);
  const keys = ['level:1:1', 'level:2:1'];
  const jobs = keys.map((key) => `${shop.domain}/${key}`);
  await runOn(stores.database.adminUrl, async (client) => {
    // Another worker has the jobs, so none of them runs.
    await client.query(
      `insert into job (job_id, kind, unique_key, due_at, created_at, lease_until, lease_owner)
       select 'job_' || md5(key), 'channels.deliveries', key, now(), now(), 'infinity', 'another'
         from unnest($1::text[]) as key`,
      [jobs],
    );
    await client.query('begin');
    await client.query('select from job where unique_key = $1 for update', [jobs[0]]);
    const swept = keys.map((object_key) => ({
      ...{ topic: 'inventory_levels/update', object_key, changed_at: null, body: null },
    }));
    const woken = changeChannel(
      stores.app.services,
      { seller_id: seller.seller_id, channel_id },
      (ctx, row) => lookAtLevels(ctx, row, swept.toReversed()),
    );
    await eventually(
      () =>
        client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ rowCount }) => rowCount === 1,
    );
    const free = 'select from job where unique_key = $1 for update skip locked';
    expect((await client.query(free, [jobs[1]])).rowCount).toBe(1);
    await client.query('rollback');
    await woken;
    await client.query('delete from job where unique_key = any($1)', [jobs]);
  });
});
