/** Items of a store of which it is not known which product they are. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { beginImport, ended, lastImport } from '../../../../test/support/store-imports.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { linksOf } from '../../../../test/support/store-products.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();
const now = (): number => stores.app.services.now();

describe('an unknown item', () => {
  test('is one issue, never a guess; when it is linked its last level is applied', async () => {
    const store = await storeWith(stores);
    const { catalogue } = store.shop;
    const twin = await store.goods(5);
    const barcode = '9300675024235';
    const product = catalogue.addProduct({ title: 'Twin', variants: [{ sku: twin.sku, barcode }] });
    const item = product.variants[0]?.inventory_item_id ?? 0n;
    const begin = now();
    for (let units = 10; units <= 20; units += 1) await store.say(item, units, begin + units * 1_000);
    store.keep(item, 20, begin + 20_000);
    const log = await store.decided();
    const [issue, ...others] = await store.issues();
    expect(others).toEqual([]);
    expect(issue).toMatchObject({
      ...{ kind: 'unknown_inventory_item', times: 11, state: 'open' },
      facts: {
        ...{ inventory_item_id: String(item), location_id: String(store.places[0]), available: 20 },
        ...{ external_product_id: String(product.id), external_variant_id: String(product.variants[0]?.id) },
        sku: twin.sku,
      },
      candidates: [{ product_id: null, reason: 'variant_of_item' }],
    });
    expect(new Set(log.slice(0, 11).map((one) => `${one.status} ${one.reason}`))).toEqual(
      new Set(['needs_action item_unknown']),
    );
    expect(log[0]).toMatchObject({ issue_id: issue?.issue_id });
    expect(await store.units(twin)).toEqual([5, 0]);

    const { link_id } = await store.link(product, twin.product_id);
    expect(await store.units(twin)).toEqual([20, 0]);
    expect(await store.count({ link_id })).toMatchObject({ store_quantity: 20 });
    expect(await store.issues()).toEqual([]);
    expect(await store.issues('resolved')).toMatchObject([{ issue_id: issue?.issue_id, times: 11 }]);
  });

  test('becomes known when the store says that it is a linked variant, with its levels elsewhere', async () => {
    const store = await storeWith(stores, ['L1', 'L2']);
    const goods = await store.goods(5);
    await store.link(goods.product, goods.product_id, { inventory_item_id: null });
    store.keep(goods.item, 4, now(), 1);
    store.set(goods.item, 3);
    const log = await store.decided();
    expect(log.at(-1)).toMatchObject({ status: 'applied', decision: { product_id: goods.product_id } });
    await store.reaches(goods, 7);
    expect(await store.issues()).toEqual([]);
  });

  test('of an unlinked variant names its link', async () => {
    const store = await storeWith(stores);
    const { product, item } = await store.goods();
    const { link_id } = await store.link(product, null);
    store.set(item, 3);
    await store.decided();
    expect(await store.issues()).toMatchObject([{ candidates: [{ link_id }], times: 1 }]);
  });

  test('stays unknown while the store does not answer; a retry asks it', async () => {
    const store = await storeWith(stores);
    const goods = await store.goods();
    await store.link(goods.product, goods.product_id, { inventory_item_id: null });
    store.shop.faults.status = 503;
    store.set(goods.item, 3);
    await store.decided();
    const [issue] = await store.issues();
    expect(issue).toMatchObject({ candidates: [], times: 1 });
    store.shop.faults.status = undefined;
    const retried = await store.seller.call('POST', `/channels/issues/${issue?.issue_id}/resolve`, {
      json: { action: 'retry' },
    });
    expect(retried.status).toBe(200);
    await store.reaches(goods, 3);
    await eventually(store.issues, ({ length }) => length === 0);
    expect(await store.issues('resolved')).toMatchObject([{ issue_id: issue?.issue_id, times: 1 }]);
  });
});

test('a variant whose item is another one counts on, so that units sold here do not come back', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { catalogue } = store.shop;
  const goods = await store.linked(8, 4);
  await store.adjust(goods, -3);
  const variants = goods.product.variants.map((variant) => ({
    ...variant,
    inventory_item_id: catalogue.nextId(),
  }));
  const item = variants[0]?.inventory_item_id ?? 0n;
  catalogue.changeProduct(goods.product.id, { variants });
  store.shop.faults.status = 503;
  await store.say(item, 7, now() + 30_000);
  await store.decided();
  expect(await store.issues()).toMatchObject([{ kind: 'unknown_inventory_item' }]);
  store.shop.faults.status = undefined;
  store.keep(item, 4, now() + 60_000, 1);
  await store.say(item, 6, now() + 60_000);
  store.keep(item, 6, now() + 60_000);
  await store.decided();
  expect(await store.units(goods)).toEqual([7, 0]);
  store.keep(item, 3, now() + 120_000, 1);
  await store.say(item, 3, now() + 120_000, 1);
  expect(await store.row(goods)).toEqual([9, 9, 6, 0, 0, 6]);
  expect(await store.issues()).toEqual([]);
});

test('while an import is applied, the level of an item without a link waits, and is an issue only if the import has not linked it', async () => {
  const store = await storeWith(stores);
  const { seller, channel_id } = store;
  const { item, product } = await store.goods();
  await lastImport(seller);
  const { run_id } = (await beginImport(seller, channel_id, true)).body;
  await ended(seller, run_id);
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    // The job that links the variants reads the file.
    await client.query('lock table file_chunk in access exclusive mode');
    expect((await seller.call('POST', `/products/feed-runs/${run_id}/commit`)).status).toBe(201);
    await store.say(item, 7);
    await store.say(5n, 3);
    await eventually(
      () =>
        client.query(
          "select from job where kind = 'channels.deliveries' and (lease_until is not null or due_at <= now())",
        ),
      ({ rowCount }) => rowCount === 0,
    );
    expect(await store.issues()).toEqual([]);
    await client.query('rollback');
  });
  await store.decided();
  expect(await linksOf(seller, channel_id)).toMatchObject([
    { state: 'linked', external: { product_id: String(product.id) } },
  ]);
  expect(await store.issues()).toMatchObject([
    { kind: 'unknown_inventory_item', facts: { inventory_item_id: '5' } },
  ]);
  expect(await store.issues('resolved')).toEqual([]);
});
