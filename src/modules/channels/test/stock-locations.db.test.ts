/** Which locations of a store count, and when its stock is not known. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { Browser, begin, readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { prepareChannel } from '../actions/prepare-channel.ts';

const stores = await startStores();

describe('the locations', () => {
  test('of a store with one are selected by themselves; of several the seller selects', async () => {
    const store = await storeWith(stores, ['Sydney', 'Perth']);
    const { seller, shop, channel_id, places } = store;
    const [first = 0n, second = 0n] = places;
    expect((await store.select()).body.locations.map(({ selected }) => selected)).toEqual([false, false]);
    const [issue] = await store.issues();
    expect(issue).toMatchObject({ kind: 'locations_unselected', state: 'open' });
    const goods = await store.goods(1);
    store.set(goods.item, 5);
    store.set(goods.item, 7, 1);
    await store.decided();
    await store.link(goods.product, goods.product_id);
    // The store is asked for the levels of the new link.
    await untilJobsRest(stores);
    store.set(goods.item, 6);
    store.set(goods.item, 8, 1);
    const log = await store.decided();
    expect(log.slice(0, 2)).toMatchObject(
      Array(2).fill({ status: 'needs_action', reason: 'locations_unselected', issue_id: issue?.issue_id }),
    );
    expect(await store.units(goods)).toEqual([1, 0]);
    await store.select(second);
    expect(await store.issues()).toEqual([]);
    // Levels that waited are applied.
    await store.reaches(goods, 8);
    shop.updateLocation(second, { active: false });
    await store.decided();
    expect((await readChannel(seller, channel_id)).locations).toMatchObject([
      { location_id: String(first), selected: true },
      { location_id: String(second), selected: false, active: false },
    ]);
  });

  test('that are unknown are refused', async () => {
    const store = await storeWith(stores);
    const { status, body } = await store.select(...store.places, 5n);
    expect([status, body.detail]).toMatchObject([
      422,
      [{ loc: ['body', 'locations', 1], type: 'location_unknown' }],
    ]);
  });

  test('that are selected anew move no stock; the next level counts from there', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const [first = 0n, second = 0n] = store.places;
    const goods = await store.linked(8, 4);
    await store.adjust(goods, -2);
    await store.select(second);
    await eventually(
      () => store.count(goods),
      ({ base }) => base === 4,
    );
    // A level that comes before the job is a difference to the quantity before it.
    await stores.app.services.withSystem('jobs', 'write', (db) =>
      db.run({
        text: 'update channel_link set base_level = 12, counted_by = counted_by - 1 where link_id = $1',
        values: [goods.link_id],
      }),
    );
    store.set(goods.item, 3, 1);
    await store.decided();
    expect(await store.row(goods)).toEqual([3, 3, 9, 0, 0, 9]);
    await store.select(first, second);
    await eventually(
      () => store.count(goods),
      ({ base }) => base === 11,
    );
    expect(await store.units(goods)).toEqual([9, 0]);
  });

  test('that the store closes take their units with them, also the last ones of an item', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const goods = await store.linked(8, 4);
    const there = await store.goods();
    store.keep(there.item, 3, undefined, 1);
    await store.link(there.product, there.product_id);
    await store.reaches(there, 3);
    store.shop.updateLocation(store.places[1] ?? 0n, { active: false });
    await store.reaches(goods, 8);
    await store.reaches(there, 0);
  });

  test.each(['before', 'after'])(
    'are the only ones that are left when another closes: units that move there %s that count once',
    async (order) => {
      const store = await storeWith(stores, ['L1', 'L2']);
      const [first = 0n] = store.places;
      await store.select(first);
      const goods = await store.linked(10, 0);
      const move = async () => {
        store.set(goods.item, 0);
        store.set(goods.item, 10, 1);
        await store.decided();
      };
      if (order === 'before') await move();
      store.shop.updateLocation(first, { active: false });
      await store.decided();
      if (order === 'after') await move();
      await untilJobsRest(stores);
      expect(await store.row(goods)).toEqual([10, 10, 10, 0, 0, 10]);
    },
  );

  test('are changed without writing a link, of which a seller may have many', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const [first = 0n] = store.places;
    const goods = await store.linked(8, 4);
    await runOn(stores.database.adminUrl, async (client) => {
      await client.query('begin');
      await client.query('select from channel_link where link_id = $1 for update', [goods.link_id]);
      expect((await store.select(first)).status).toBe(200);
      await client.query('rollback');
    });
    await eventually(
      () => store.count(goods),
      ({ base }) => base === 8,
    );
    store.set(goods.item, 6);
    expect(await store.row(goods)).toEqual([6, 6, 10, 0, 0, 10]);
  });

  test('change one after another, also for a variant that follows later', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const [first = 0n, second = 0n] = store.places;
    await store.select(first);
    const goods = await store.goods();
    store.keep(goods.item, 8);
    store.keep(goods.item, 4, undefined, 1);
    const { link_id } = await store.link(goods.product, goods.product_id);
    await store.reaches(goods, 8);
    await store.change({ inbound: 'paused' });
    // The seller selects another location, which moves no stock; then the store closes it, and its units are gone.
    await store.change({ locations: [String(first), String(second)] });
    const { catalogue } = store.shop;
    catalogue.changeLocation(second, { active: false });
    const key = { seller_id: store.seller.seller_id, channel_id: store.channel_id };
    await prepareChannel(stores.app.services, key, new AbortController().signal);
    expect(await store.units(goods)).toEqual([8, 0]);
    await store.change({ inbound: 'active' });
    await store.reaches(goods, 4);
    expect(await store.row({ ...goods, link_id })).toEqual([8, 8, 4, 0, 0, 4]);
  });
});

test('an unknown stock here stays unknown in a pool', async () => {
  const store = await storeWith(stores);
  const goods = await store.linked(8);
  await store.seller.call('PUT', `/products/${goods.product_id}/inventory`, { json: { quantity: null } });
  store.set(goods.item, 5);
  await store.decided();
  expect(await store.units(goods)).toEqual([null, 0]);
});

test('a variant that is linked while the channel is paused takes its stock afterwards', async () => {
  const store = await storeWith(stores);
  const goods = await store.goods(2);
  await store.say(goods.item, 9);
  await store.decided();
  await store.change({ inbound: 'paused' });
  await store.link(goods.product, goods.product_id);
  expect(await store.units(goods)).toEqual([2, 0]);
  store.keep(goods.item, 6, stores.app.services.now() + 1_000);
  await store.change({ inbound: 'active' });
  await store.reaches(goods, 6);
});

test('a store that is connected again says its present levels; the connection itself writes no link', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { seller, shop, domain, channel_id } = store;
  const goods = await store.linked(8, 4);
  await store.adjust(goods, -3);
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ removal }) => removal?.status === 'done',
  );
  store.keep(goods.item, 7, stores.app.services.now() + 1_000);
  shop.catalogue.dropLevel(goods.item, store.places[1] ?? 0n);
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from channel_link where link_id = $1 for update', [goods.link_id]);
    const { body } = await begin(seller, domain);
    expect((await new Browser(stores).install(body.start_url)).status).toBe(200);
    await client.query('rollback');
  });
  await store.reaches(goods, 4);
  expect(await store.row(goods)).toEqual([7, 7, 4, 0, 0, 4]);
});

test('the end of a store deletes what it said of its stock', async () => {
  const store = await storeWith(stores);
  await store.linked(8);
  const count = () =>
    stores.app.services.withSystem('jobs', 'read', (db) =>
      db.all({ text: 'select from channel_level where channel_id = $1', values: [store.channel_id] }),
    );
  expect(await count()).toHaveLength(1);
  await store.seller.call('POST', `/channels/${store.channel_id}/disconnect`, { json: { uninstall: false } });
  store.shop.comply('shop/redact', { id: randomUUID() });
  await eventually(count, ({ length }) => length === 0);
});
