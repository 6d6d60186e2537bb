/** Orders of stores: their newest state, for visibility only, and nothing about their buyers. */
import { describe, expect, test } from 'vitest';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { BUYER, orderPayload, productPayload } from '../../../../demo/store-platform/payloads.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { claimsOf } from '../../../../test/support/jobs.ts';
import { create } from '../../../../test/support/products.ts';
import { decided, ordersOf, poster, shopWithOrders } from '../../../../test/support/store-deliveries.ts';
import { connectStore, startStores } from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();
const post = poster(stores);

describe('orders of a store', () => {
  test('are shown in their newest state, for any order of deliveries', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    const lines = [{ variant_id: 642_667_041_472_713_922n, sku: 'MUG-BLU', quantity: 2 }];
    shop.deliveries.hold();
    const { id } = shop.placeOrder({
      lines,
      total: '49.80',
      financial_status: 'pending',
      updated_at: '2026-07-01T00:00:00Z',
    });
    shop.changeOrder(id, 'orders/paid', { financial_status: 'paid' });
    shop.deliveries.release({ reversed: true });
    await shop.deliveries.idle();
    const log = await decided(seller, 2);
    expect(log.map(({ status }) => status).sort()).toEqual(['recorded', 'stale']);
    const [order] = await ordersOf(seller);
    expect(order).toMatchObject({
      ...{ visibility_only: true, external_order_id: String(id), status: 'open', financial_status: 'paid' },
      ...{ total_minor: 4_980, currency: 'AUD', name: '#1001', test: false },
      lines: [{ external_variant_id: '642667041472713922', sku: 'MUG-BLU', quantity: 2, product_id: null }],
    });
    const read = await seller.call('GET', `/channels/orders/${order?.store_order_id}`);
    expect(read.body).toEqual(order);
    expect(
      (await (await stores.seller()).call('GET', `/channels/orders/${order?.store_order_id}`)).status,
    ).toBe(404);
  });

  test('name the products to which their variants are linked, also when these came later', async () => {
    const { seller, shop, domain } = await shopWithOrders(stores);
    const made = shop.catalogue.addProduct({ title: 'Mug', variants: [{ sku: 'MUG-1' }, { sku: 'MUG-2' }] });
    const lines = made.variants.map(({ id, sku }) => ({ variant_id: id, sku, quantity: 1 }));
    shop.placeOrder({ lines });
    await shop.deliveries.idle();
    await decided(seller, 1);
    const named = async () => (await ordersOf(seller))[0]?.lines.map(({ product_id }) => product_id);
    expect(await named()).toEqual([null, null]);
    const { product_id } = await create(seller, { seller_sku: 'MUG-1', status: 'draft' });
    await post(exactJson(productPayload(made)), { topic: 'products/update', shop: domain });
    await decided(seller, 2);
    const [first, second] = (await named()) ?? [];
    expect(first).toBe(product_id);
    expect(second).not.toBe(product_id);
    const [order] = await ordersOf(seller);
    const read = await seller.call('GET', `/channels/orders/${order?.store_order_id}`);
    expect(read.body).toEqual(order);
  });

  test('keep exact digits: two ids beyond 2^53 that differ in the last one are two orders', async () => {
    const { seller, domain } = await shopWithOrders(stores);
    for (const id of [271_878_346_596_884_015n, 271_878_346_596_884_016n])
      await post(exactJson({ id, line_items: [], updated_at: '2026-07-01T10:00:05+10:00' }), {
        shop: domain,
      });
    await decided(seller, 2);
    expect((await ordersOf(seller)).map(({ external_order_id: id }) => id).sort()).toEqual([
      '271878346596884015',
      '271878346596884016',
    ]);
  });

  test('change their own records and the decision log only, and no personal word is kept anywhere', async () => {
    const { seller, shop } = await shopWithOrders(stores);
    await seller.call('POST', '/products', { json: { seller_sku: 'MUG-1', status: 'draft' } });
    /** The rows of every table, as text. */
    const snapshot = () =>
      runOn(stores.database.adminUrl, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
        );
        const tables = new Map<string, string>();
        for (const { name } of rows) {
          const found = await client.query<{ row: string }>(
            `select t::text as row from ${name} t order by 1`,
          );
          tables.set(name, found.rows.map(({ row }) => row).join('\n'));
        }
        return tables;
      });
    const unnumbered = () =>
      runOn(stores.database.adminUrl, async (client) => {
        const { rowCount } = await client.query(
          'select 1 from outbox where sequence is null union all select 1 from audit_entry where seq is null',
        );
        return rowCount;
      });
    /** Once the work of the product and of the connection has ended. */
    await eventually(unnumbered, (count) => count === 0);
    const before = await eventually(snapshot, (tables) => {
      const rest = ['product_search_queue', 'job'].map((name) => tables.get(name) ?? '');
      return rest[0] === '' && !/channels\.prepare/.test(rest[1] ?? '');
    });
    const { id } = shop.placeOrder({ lines: [{ variant_id: 5n, sku: 'MUG-1', quantity: 3 }] });
    for (const topic of ['orders/updated', 'orders/paid', 'orders/fulfilled', 'orders/cancelled'])
      shop.changeOrder(id, topic, { name: `#${topic.length}` });
    await shop.deliveries.idle();
    await decided(seller, 5);
    const after = await snapshot();
    const changed = [...after].filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
    // A job comes with a delivery and ends with its decision. Quality follows the new product at its own pace.
    expect(changed.filter((name) => !/^(job$|quality_)/.test(name))).toEqual([
      'channel_delivery',
      'channel_digest',
      'store_order',
    ]);
    const everything = [...after.values()].join('\n');
    const words = [...Object.values(BUYER), 'Engraving', 'Doorbell', 'vip'];
    expect(words.filter((word) => everything.includes(word))).toEqual([]);
  });

  test('are not recorded where the channel does not show them', async () => {
    const seller = await stores.seller();
    const { shop, domain } = await connectStore(stores, seller);
    await post(exactJson(orderPayload(shop.catalogue.addOrder())), { shop: domain });
    expect(await decided(seller, 1)).toMatchObject([{ status: 'skipped', reason: 'order_visibility_off' }]);
    expect(await ordersOf(seller)).toEqual([]);
  });
});

describe('orders that wait together', () => {
  const DECIDED = `
    select status, xmin::text as decided_in
      from channel_delivery
     where channel_id = $1
       and object_key like 'order:%'`;
  /** Sends orders while the channel is locked, so that all of them wait. */
  const sendTogether = async (count: number, meanwhile: (ids: readonly string[]) => Promise<unknown>) => {
    const { shop, domain, channel_id } = await shopWithOrders(stores);
    const placed = Array.from({ length: count }, () => shop.catalogue.addOrder());
    await runOn(stores.database.adminUrl, async (client) => {
      await client.query('begin');
      await client.query('select from channel where channel_id = $1 for no key update', [channel_id]);
      const sent = placed.map((order) =>
        post(exactJson(orderPayload(order)), { topic: 'orders/create', shop: domain }),
      );
      expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(count).fill(200));
      await meanwhile(placed.map(({ id }) => String(id)));
      await client.query('rollback');
    });
    const decisions = () =>
      runOn(stores.database.adminUrl, async (client) => {
        const { rows } = await client.query<{ status: string; decided_in: string }>(DECIDED, [channel_id]);
        return rows;
      });
    return { decisions };
  };
  const recorded = (rows: readonly { readonly status: string }[]): number =>
    rows.filter(({ status }) => status === 'recorded').length;

  test('are recorded in few transactions, and few of their jobs run', async () => {
    const claims = await claimsOf(stores.database.adminUrl, 'channels.deliveries');
    const { decisions } = await sendTogether(40, () => Promise.resolve());
    const rows = await eventually(decisions, (all) => recorded(all) === 40);
    expect(new Set(rows.map(({ decided_in }) => decided_in)).size).toBeLessThan(10);
    expect(await claims()).toBeLessThan(20);
  });

  test('are recorded one by one if one of them cannot be', async () => {
    const refuse = async ([, id]: readonly string[]) =>
      runOn(stores.database.adminUrl, (client) =>
        client.query(
          `alter table store_order add constraint refused check (external_order_id <> '${id}') not valid`,
        ),
      );
    const { decisions } = await sendTogether(6, refuse);
    const rows = await eventually(decisions, (all) => recorded(all) === 5);
    expect(rows.filter(({ status }) => status === 'received')).toHaveLength(1);
    await runOn(stores.database.adminUrl, (client) =>
      client.query('alter table store_order drop constraint refused'),
    );
    await eventually(decisions, (all) => recorded(all) === 6);
  });
});
