/** Deliveries about the store itself: its locations, its end, and requests to erase data. */
import { describe, expect, test } from 'vitest';
import { BUYER } from '../../../../demo/store-platform/payloads.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { decided, logOf, ordersOf, shopWithOrders } from '../../../../test/support/store-deliveries.ts';
import { connectStore, readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();

test('a delivery about locations makes the service ask for all of them', async () => {
  const { seller, shop, channel_id } = await shopWithOrders(stores);
  // A check of the start would read the locations before the deliveries do.
  await untilJobsRest(stores);
  shop.deliveries.hold();
  const { id } = shop.addLocation('Sydney');
  shop.updateLocation(id, { name: 'Sydney CBD' });
  const gone = shop.addLocation('Perth');
  shop.deleteLocation(gone.id);
  shop.deliveries.release({ reversed: true });
  await shop.deliveries.idle();
  const log = await decided(seller, 4);
  expect(log.map(({ status }) => status).sort()).toEqual(['applied', 'no_effect', 'no_effect', 'no_effect']);
  expect(log.find(({ status }) => status === 'applied')?.changes).toEqual([
    { field: `locations.${id}`, before: null, after: 'Sydney CBD' },
  ]);
  expect((await readChannel(seller, channel_id)).locations).toEqual([
    { location_id: String(id), name: 'Sydney CBD', active: true, selected: true },
  ]);
});

test('an hourly check that read the locations earlier does not replace what a delivery made the service read', async () => {
  const { seller, shop, channel_id, channel } = await shopWithOrders(stores);
  const names = async () => (await readChannel(seller, channel_id)).locations.map(({ name }) => name);
  let asked = 0;
  shop.faults.meanwhile = async (path) => {
    if (!path.startsWith('/admin/api/')) return;
    asked += 1;
    if (asked > 1) return;
    shop.addLocation('Perth');
    await shop.deliveries.idle();
    await eventually(names, (all) => all.includes('Perth'));
  };
  const key = `job_${channel.channel_id.slice(-26)}`;
  await runOn(stores.database.adminUrl, (client) =>
    client.query(
      `insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at)
       values ($1, 'channels.prepare', $2, json_build_object('channel_id', $3::text), $3, now(), now())`,
      [key, seller.seller_id, channel_id],
    ),
  );
  await eventually(
    async () => asked,
    (count) => count > 1,
  );
  await untilJobsRest(stores);
  expect(await names()).toEqual(['Perth']);
  shop.faults.meanwhile = undefined;
});

test('a question that the store throttles waits, and is asked again', async () => {
  const { seller, shop } = await shopWithOrders(stores);
  shop.bucket.drain(2_000, 1_000);
  shop.addLocation('Sydney');
  await shop.deliveries.idle();
  expect(await decided(seller, 1)).toMatchObject([{ status: 'applied' }]);
  expect(shop.bucket.throttled).toBe(1);
});

describe('the end', () => {
  test('is not believed of a store that is only frozen, and nothing about locations delays it', async () => {
    const { seller, shop, channel_id } = await shopWithOrders(stores);
    shop.faults.status = 402;
    shop.addLocation('Sydney');
    await shop.deliveries.idle();
    shop.deliveries.publish('app/uninstalled', { id: shop.id, myshopify_domain: shop.domain });
    await shop.deliveries.idle();
    await eventually(
      () => logOf(seller),
      ({ length }) => length === 2,
    );
    expect(await readChannel(seller, channel_id)).toMatchObject({ status: 'connected' });
    shop.tokens.revoke();
    shop.faults.status = undefined;
    const ended = await eventually(
      () => logOf(seller, 'topic=app/uninstalled&status=applied'),
      ({ length }) => length === 1,
    );
    expect(ended).toHaveLength(1);
    expect(await readChannel(seller, channel_id)).toMatchObject({ status_reason: 'revoked' });
  });

  test('an uninstalled app ends the channel, and the store can be connected by another seller', async () => {
    const { seller, shop, channel_id, domain } = await shopWithOrders(stores);
    shop.uninstall();
    await shop.deliveries.idle();
    const [decision] = await decided(seller, 1);
    expect(decision).toMatchObject({ topic: 'app/uninstalled', status: 'applied' });
    expect(await readChannel(seller, channel_id)).toMatchObject({
      status: 'ended',
      status_reason: 'revoked',
    });
    expect((await seller.call<{ data: unknown[] }>('GET', '/channels/issues')).body.data).toEqual([]);
    await connectStore(stores, await stores.seller(), { shop: domain });
  });

  test('a request to redact deletes the named orders; a request for data notifies the operator', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    const first = shop.placeOrder();
    const second = shop.placeOrder();
    await shop.deliveries.idle();
    await decided(seller, 2);
    shop.comply('customers/data_request', { customer: BUYER, orders_requested: [first.id] });
    shop.comply('customers/redact', { customer: BUYER, orders_to_redact: [first.id] });
    await shop.deliveries.idle();
    const log = await decided(seller, 4);
    expect(log[0]).toMatchObject({
      topic: 'customers/redact',
      status: 'recorded',
      decision: { deleted_orders: 1 },
    });
    expect((await ordersOf(seller)).map(({ external_order_id: id }) => id)).toEqual([String(second.id)]);
    const [told] = await marketplaceEvents(stores, seller, 'channel.data_request', 1);
    expect(told?.data.object).toMatchObject({ shop: shop.domain });
    const { body } = await seller.call<{ data: { type: string }[] }>(
      'GET',
      '/webhooks/events?types=channel.*',
    );
    expect(body.data.map(({ type }) => type)).not.toContain('channel.data_request');
  });

  test('a request to erase a store empties its ended channel; a new connection has the same id', async () => {
    const { seller, shop, channel_id, domain } = await shopWithOrders(stores);
    shop.addLocation('Sydney');
    shop.placeOrder();
    await shop.deliveries.idle();
    await decided(seller, 2);
    await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
    await eventually(
      async () => shop.tokens.scope,
      (scope) => scope === undefined,
    );
    shop.comply('shop/redact');
    await shop.deliveries.idle();
    const [newest] = await eventually(
      () => logOf(seller, 'topic=shop/redact&status=recorded'),
      ({ length }) => length === 1,
    );
    expect(newest).toMatchObject({ decision: { deleted_orders: 1 } });
    expect(await readChannel(seller, channel_id)).toMatchObject({
      ...{ status: 'ended', status_reason: 'erased', locations: [] },
      shop: { domain, name: null },
    });
    expect(await ordersOf(seller)).toEqual([]);
    const again = await seller.call<{ code: string }>('POST', `/channels/${channel_id}/reauthorise`, {
      json: {},
    });
    expect([again.status, again.body.code]).toEqual([409, 'channel_ended']);
    expect((await connectStore(stores, seller, { shop: domain })).channel_id).toBe(channel_id);
  });
});
