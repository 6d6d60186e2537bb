/** Deliveries that somebody sends again on the next day: as they were, under other topics, and to another store. */
import { expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import {
  decided,
  logOf,
  ordersOf,
  poster,
  shopWithOrders,
} from '../../../../test/support/store-deliveries.ts';
import { readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { issuesOf, linksOf, productsOf } from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { mayAskAbout } from '../actions/ask-budget.ts';

const stores = await startStores({
  ...{ CLOCK: 'manual', CLOCK_START: '2026-07-01T00:00:00.000Z', LOG_LEVEL: 'silent' },
});
const { services } = stores.app;
const post = poster(stores);
const REPEATED = [
  ...['products/create', 'products/update', 'products/delete', 'inventory_levels/update'],
  ...['inventory_levels/disconnect', 'locations/update', 'orders/create', 'orders/cancelled'],
];

const stateOf = async (seller: TestSeller, channelId: string) => ({
  products: await productsOf(seller),
  links: await linksOf(seller, channelId),
  orders: await ordersOf(seller),
  issues: await issuesOf(seller),
});

test('a replay of the next day changes nothing, under any id, topic and store, and the decision says why', async () => {
  const { seller, shop, domain, channel_id } = await shopWithOrders(stores);
  const other = await shopWithOrders(stores);
  const { id: place } = shop.addLocation('Sydney');
  await eventually(
    () => readChannel(seller, channel_id),
    ({ locations }) => locations.length === 1,
  );
  const made = shop.createProduct({ title: 'Mug', variants: [{ sku: 'MUG' }] });
  await shop.deliveries.idle();
  await decided(seller, 2);
  const item = made.variants[0]?.inventory_item_id ?? 0n;
  for (const units of [8, 5]) {
    shop.setLevel(item, place, units);
    await shop.deliveries.idle();
    await callInternal(stores, 'POST', '/internal/v1/clock', {
      body: { now: new Date(services.now() + 60_000).toISOString() },
    });
  }
  shop.updateProduct(made.id, { title: 'Blue mug' });
  shop.placeOrder();
  await shop.deliveries.idle();
  expect((await decided(seller, 6)).map(({ status }) => status).toSorted()).toEqual([
    ...Array(5).fill('applied'),
    'recorded',
  ]);
  const before = await stateOf(seller, channel_id);
  expect(before).toMatchObject({
    products: [{ title: 'Blue mug', quantity_on_hand: 5 }],
    links: [{ state: 'linked' }],
    orders: [{ status: 'open' }],
  });

  await callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + 86_400_000).toISOString() },
  });
  const [owner, stranger] = [await seller.renew(), await other.seller.renew()];
  const known = new Set((await logOf(owner)).map(({ delivery_id }) => delivery_id));
  const bodies = shop.deliveries.made.map(({ body }) => body);
  expect(bodies).toHaveLength(known.size);
  for (const body of bodies)
    for (const topic of REPEATED)
      for (const to of [domain, other.domain])
        expect((await post(body, { topic, shop: to })).status).toBe(200);
  const log = await eventually(
    async () => [await logOf(owner), await logOf(stranger)].flat(),
    (all) => all.every(({ status }) => status !== 'received'),
  );
  const replayed = log.filter(({ delivery_id }) => !known.has(delivery_id));
  expect(new Set(replayed.map(({ status, reason }) => `${status} ${reason ?? ''}`))).toEqual(
    new Set([
      ...['duplicate same_body', 'foreign same_body_elsewhere', 'foreign shape_of_another_topic'],
      // The end of a level is a question to the store; the level is still there.
      ...['no_effect ', 'no_effect item_unknown'],
    ]),
  );
  expect(await stateOf(owner, channel_id)).toEqual(before);
  // A body is deleted with its decision.
  const left = await runOn(stores.database.adminUrl, (client) =>
    client.query('select topic, status from channel_delivery where body is not null'),
  );
  expect(left.rows).toEqual([]);
  expect(await stateOf(stranger, other.channel_id)).toEqual({
    products: [],
    links: [],
    orders: [],
    issues: [],
  });
});

test('a delivery that the store must be asked about waits for the next minute after 120 questions', async () => {
  const { seller, shop, domain, channel_id } = await shopWithOrders(stores);
  let asked = 0;
  shop.faults.meanwhile = async () => {
    asked += 1;
  };
  const ask = () => mayAskAbout(services, channel_id, 'locations');
  expect(Array.from({ length: 121 }, ask)).toEqual([...Array(120).fill(true), false]);
  expect(mayAskAbout(services, channel_id, 'shop')).toBe(true);
  const body = '{"id":1,"name":"Sydney"}';
  expect((await post(body, { topic: 'locations/update', shop: domain })).status).toBe(200);
  await untilJobsRest(stores);
  const statuses = async () => (await logOf(await seller.renew())).map(({ status }) => status);
  expect([await statuses(), asked]).toEqual([['received'], 0]);
  await callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + 2 * 86_400_000).toISOString() },
  });
  await eventually(statuses, ([only]) => only !== 'received');
  expect(asked).toBeGreaterThan(0);
});
