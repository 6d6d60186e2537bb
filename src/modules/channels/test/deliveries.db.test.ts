/** What stores send: what is refused, stored and decided. */
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../../demo/store-platform/deliveries.ts';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { orderPayload } from '../../../../demo/store-platform/payloads.ts';
import { signBody } from '../../../../demo/store-platform/sign.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  decided,
  logOf,
  ordersOf,
  poster,
  RECEIVER,
  shopWithOrders,
} from '../../../../test/support/store-deliveries.ts';
import {
  newShop,
  OLD_SECRET,
  readChannel,
  SECRET,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { type NewDelivery, storeDeliveries } from '../store/arrived-deliveries.ts';

const stores = await startStores();
const post = poster(stores);
/** The same bytes again, under other headers. */
const again = ({ body, headers }: Delivery, more: Parameters<typeof post>[1] = {}) =>
  post(body, {
    topic: headers['x-shopify-topic'] ?? '',
    shop: headers['x-shopify-shop-domain'] ?? '',
    ...more,
  });

describe('the receiver', () => {
  test('refuses a wrong signature in any spelling, and accepts the previous secret', async () => {
    const body = '{"id":1}';
    const right = signBody(SECRET, body);
    const wrong = [
      signBody('another', body),
      right.slice(0, -1),
      Buffer.from(right, 'base64').toString('hex'),
      Buffer.from(right, 'base64').toString('base64url'),
      '',
    ];
    for (const signature of wrong) {
      const { status, body: shown } = await post(body, { headers: { 'x-shopify-hmac-sha256': signature } });
      expect([signature, status, shown.code]).toEqual([signature, 401, 'signature_invalid']);
    }
    expect((await post(`${body} `, { headers: { 'x-shopify-hmac-sha256': right } })).status).toBe(401);
    expect((await post(body, { secret: OLD_SECRET })).status).toBe(200);
  });

  test('needs topic, store and id, once each', async () => {
    const { status, body } = await post('{}', { headers: { 'x-shopify-topic': '' } });
    expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['header', 'x-shopify-topic']]]);
  });

  test('refuses another encoding and more than 10 MiB', async () => {
    expect((await post('{}', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    expect((await post(`"${'x'.repeat(10 * 1024 * 1024)}"`)).status).toBe(413);
  });

  test('acknowledges and drops deliveries of no channel', async () => {
    for (const shop of [newShop(), 'evil.example', 'a.myshopify.com/..'])
      expect((await post('{"id":1}', { shop })).body).toEqual({ received: true });
    for (const topic of ['customers/data_request', 'customers/redact', 'shop/redact'])
      expect((await post('{}', { topic })).status).toBe(200);
    const metrics = await fetch(`${stores.internalUrl}/metrics`, {
      headers: { authorization: `Bearer ${stores.internalToken}` },
    });
    expect(await metrics.text()).toMatch(/spp_store_deliveries_total\{result="dropped"\} [1-9]/);
  });

  test('does not exist without a store platform', async () => {
    const bare = await startStores({ STORE_PLATFORM_CLIENT_ID: '', STORE_PLATFORM_SECRETS: '' });
    const { status, body } = await bare.call<{ code: string }>('POST', RECEIVER, { json: {} });
    expect([status, body.code]).toEqual([404, 'module_unavailable']);
  });
});

describe('a delivery', () => {
  test('is stored and decided once, even if it is sent often', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    shop.deliveries.hold();
    shop.placeOrder();
    shop.deliveries.release({ copies: 20 });
    await shop.deliveries.idle();
    const [delivery] = shop.deliveries.made.filter(
      ({ headers }) => headers['x-shopify-topic'] === 'orders/create',
    );
    expect(delivery?.statuses).toEqual(Array(20).fill(200));
    await decided(seller, 1);
    expect((await logOf(seller)).map(({ status }) => status)).toEqual(['recorded']);
    expect(await ordersOf(seller)).toHaveLength(1);
  });

  test('of an event that was stored under another id is not stored again', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    shop.placeOrder();
    await shop.deliveries.idle();
    const first = shop.deliveries.made.at(-1) as Delivery;
    const eventId = first.headers['x-shopify-event-id'] ?? '';
    expect((await again(first, { eventId })).status).toBe(200);
    await decided(seller, 1);
    expect(await logOf(seller)).toHaveLength(1);
  });

  test('with a known body is a duplicate under any topic and id, and foreign in another channel', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    const other = await shopWithOrders(stores);
    shop.placeOrder();
    await shop.deliveries.idle();
    const [first] = await decided(seller, 1);
    const delivery = shop.deliveries.made.at(-1) as Delivery;
    await again(delivery);
    await again(delivery, { topic: 'orders/cancelled' });
    const log = await decided(seller, 3);
    const repeated = {
      status: 'duplicate',
      reason: 'same_body',
      decision: { repeats_delivery_id: first?.delivery_id },
    };
    expect(log.slice(0, 2)).toMatchObject([repeated, repeated]);

    await again(delivery, { shop: other.domain });
    expect(await decided(other.seller, 1)).toMatchObject([
      { status: 'foreign', reason: 'same_body_elsewhere', decision: {} },
    ]);
    expect(await ordersOf(other.seller)).toEqual([]);
    expect(JSON.stringify(await logOf(other.seller))).not.toContain(first?.delivery_id);
  });

  test('that is sent without end, under new ids, does not fill the log', async () => {
    const { seller, shop, domain } = await shopWithOrders(stores);
    const order = exactJson(orderPayload(shop.catalogue.addOrder()));
    const end = JSON.stringify({ id: 5, myshopify_domain: domain });
    for (let round = 0; round < 3; round += 1) {
      const topics = ['orders/create', 'products/update', `unknown/topic-${round}`];
      const sent = [...topics.map((topic) => [order, topic]), [end, 'app/uninstalled']] as const;
      for (const [body = '', topic = ''] of [...sent, ...sent, ...sent])
        expect((await post(body, { topic, shop: domain })).status).toBe(200);
      await eventually(
        () => logOf(seller, 'status=received'),
        ({ length }) => length === 0,
      );
    }
    const log = await logOf(seller);
    expect(log.map(({ topic, status }) => `${topic} ${status}`).sort()).toEqual([
      'app/uninstalled no_effect',
      'orders/create duplicate',
      'orders/create recorded',
      'products/update foreign',
      'unknown/topic-0 unsupported',
    ]);
  });

  const copiesOf =
    (shop: string) =>
    (count: number, status: NewDelivery['status'], at: number): NewDelivery[] =>
      Array.from({ length: count }, () => {
        const { ids } = stores.app.services;
        return {
          ...{ delivery_id: ids.next('cdl_'), job_id: ids.next('job_'), webhook_id: ids.next('cdl_') },
          ...{ shop, status, topic: 'orders/create', body_sha256: 'a'.repeat(64), object_key: 'order:1' },
          ...{ received_at: new Date(at).toISOString(), body: null, event_id: null, triggered_at: null },
          ...{ reason: null, processed_at: null },
        };
      });

  test.each([
    ['received', 2],
    ['malformed', 1],
  ] as const)(
    'of which copies arrive in two statements at once (%s) is stored %i times',
    async (status, most) => {
      const { domain } = await shopWithOrders(stores);
      const { now, withSystem } = stores.app.services;
      const store = (db: Parameters<Parameters<typeof withSystem>[2]>[0]) =>
        db.all(storeDeliveries(copiesOf(domain)(2, status, now()), false, now()));
      const [stored, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = withSystem('channels', 'write', async (db) => {
        const { length } = await store(db);
        stored.resolve();
        await end.promise;
        return length;
      });
      await stored.promise;
      const second = withSystem('channels', 'write', async (db) => (await store(db)).length);
      // The second one waits, or has ended.
      await Promise.race([
        second,
        eventually(
          () =>
            runOn(stores.database.adminUrl, (client) =>
              client.query('select from pg_locks where not granted'),
            ),
          ({ rowCount }) => (rowCount ?? 0) > 0,
        ),
      ]);
      end.resolve();
      expect((await first) + (await second)).toBe(most);
    },
  );

  test('of which many copies arrive at once, or others have waited long, is stored as often as needed', async () => {
    const { domain: shop } = await shopWithOrders(stores);
    const { now, withSystem } = stores.app.services;
    const copies = copiesOf(shop);
    const undo = new Error('undo');
    const stored: number[] = [];
    const HOUR_MS = 3_600_000;
    const work = withSystem('channels', 'write', async (db) => {
      const store = async (rows: NewDelivery[]) =>
        stored.push((await db.all(storeDeliveries(rows, false, now()))).length);
      const old = copies(2, 'received', now() - 2 * HOUR_MS);
      await store(old);
      // What was stored before is sent again, and keeps back nothing either.
      await store([...old, ...copies(64, 'received', now())]);
      await store(copies(1, 'received', now()));
      await store(copies(64, 'malformed', now()));
      await store(copies(1, 'malformed', now()));
      throw undo;
    });
    await expect(work).rejects.toBe(undo);
    expect(stored).toEqual([2, 2, 0, 1, 0]);
  });

  test('with a wrong topic or store changes nothing, and the decision says why', async () => {
    const { seller, shop, domain, channel_id } = await shopWithOrders(stores);
    const order = exactJson(orderPayload(shop.catalogue.addOrder()));
    const tried = [
      [order, 'app/uninstalled', 'foreign', 'shape_of_another_topic'],
      [order, 'locations/update', 'foreign', 'shape_of_another_topic'],
      [order, 'products/update', 'foreign', 'shape_of_another_topic'],
      [order, 'products/delete', 'foreign', 'shape_of_another_topic'],
      [order, 'themes/update', 'unsupported', 'topic_unsupported'],
      ['{"id":5,"title":"Mug"}', 'products/create', 'malformed', 'instant_invalid'],
      ['{"id":5,"myshopify_domain":"other.myshopify.com"}', 'app/uninstalled', 'foreign', 'another_shop'],
      [`{"id":5,"myshopify_domain":"${domain}"}`, 'app/uninstalled', 'no_effect', 'token_works'],
      [`{"shop_domain":"${domain}"}`, 'shop/redact', 'no_effect', 'channel_not_ended'],
      ['{"shop_domain":"other.myshopify.com"}', 'shop/redact', 'foreign', 'another_shop'],
      [
        `{"shop_domain":"${domain}","customer":{"id":1},"orders_to_redact":[]}`,
        'shop/redact',
        'foreign',
        'shape_of_another_topic',
      ],
      ['{"id":5}', 'orders/create', 'foreign', 'shape_of_another_topic'],
      [
        '{"id":-5,"line_items":[],"updated_at":"2026-07-01T00:00:00Z"}',
        'orders/paid',
        'malformed',
        'id_invalid',
      ],
      ['[1]', 'orders/create', 'malformed', 'not_json'],
      ['{"id":', 'orders/create', 'malformed', 'not_json'],
    ] as const;
    for (const [body, topic] of tried) expect((await post(body, { topic, shop: domain })).status).toBe(200);
    const log = (await decided(seller, tried.length)).toReversed();
    expect(log.map(({ topic, status, reason }) => [topic, status, reason])).toEqual(
      tried.map(([, topic, status, reason]) => [topic, status, reason]),
    );
    expect(await readChannel(seller, channel_id)).toMatchObject({
      status: 'connected',
      waiting_on: 'nobody',
    });
    expect(await ordersOf(seller)).toEqual([]);
  });

  test('has filters, can be read alone, and is shown to its seller only', async () => {
    const { seller, shop, channel_id } = await shopWithOrders(stores);
    const stranger = await stores.seller();
    const { id } = shop.placeOrder();
    shop.placeOrder();
    await shop.deliveries.idle();
    const [newest] = await decided(seller, 2);
    const key = `order:${id}`;
    expect((await logOf(seller, `external_id=${id}`)).map(({ object_key }) => object_key)).toEqual([key]);
    expect(await logOf(seller, `channel_id=${channel_id}&topic=orders/create&status=recorded`)).toHaveLength(
      2,
    );
    expect(await logOf(seller, 'status=failed')).toEqual([]);
    const path = `/channels/deliveries/${newest?.delivery_id}`;
    expect((await seller.call('GET', path)).body).toEqual(newest);
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect(await logOf(stranger)).toEqual([]);
    const { health } = await readChannel(seller, channel_id);
    expect(health).toMatchObject({ deliveries_24h: { recorded: 2 }, oldest_unprocessed_seconds: 0 });
    expect(health.last_delivery_at).not.toBeNull();
  });

  test('is skipped while the channel is paused', async () => {
    const { seller, shop, channel_id } = await shopWithOrders(stores);
    await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound: 'paused' } });
    shop.placeOrder();
    shop.addLocation('Perth');
    await shop.deliveries.idle();
    const log = await decided(seller, 2);
    expect(log.map(({ status, reason }) => [status, reason])).toEqual(
      Array(2).fill(['skipped', 'channel_paused']),
    );
    expect((await readChannel(seller, channel_id)).locations).toEqual([]);
    // Its body stays bound to this channel.
    const other = await shopWithOrders(stores);
    for (const delivery of shop.deliveries.made) await again(delivery, { shop: other.domain });
    const elsewhere = await decided(other.seller, 2);
    expect(elsewhere.map(({ status }) => status)).toEqual(['foreign', 'foreign']);
    // What was skipped was never applied, so it is no repetition when it comes again.
    await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound: 'active' } });
    for (const delivery of shop.deliveries.made) await again(delivery);
    const after = (await decided(seller, 4)).slice(0, 2);
    expect(after.map(({ status }) => status).sort()).toEqual(['applied', 'recorded']);
    for (const delivery of shop.deliveries.made) await again(delivery);
    const twice = (await decided(seller, 6)).slice(0, 2);
    expect(twice.map(({ status }) => status)).toEqual(['duplicate', 'duplicate']);
  });
});
