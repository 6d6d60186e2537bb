/** Stock of variants that are gone for a time: it ends as if they had never gone. */
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../demo/store-platform/catalogue.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { barcode, createBody, linksOf, productsOf } from '../../../../test/support/store-products.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { askLevels } from '../actions/ask-levels.ts';

const stores = await startStores();
const itemOf = ({ variants }: Product): bigint => variants[0]?.inventory_item_id ?? 0n;

/** Goods of which the store has 8 and 4 units at two locations, and 3 are sold here. */
async function goodsOf() {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { shop, seller, channel_id } = store;
  const variants = [{ sku: 'MUG-BLU', barcode: barcode(), price: '26.99' }];
  const made = shop.createProduct({ title: 'Blue mug', variants });
  await store.decided();
  const [goods] = await productsOf(seller);
  if (goods === undefined) throw new Error('no product');
  store.set(itemOf(made), 8);
  store.set(itemOf(made), 4, 1);
  await store.reaches(goods, 12);
  await store.adjust(goods, -3);
  return {
    store,
    item: itemOf(made),
    /** The link of the product: store’s quantity, base, on hand, shortfall, reserved, available. */
    row: async () => {
      await untilJobsRest(stores);
      const [link] = await linksOf(seller, channel_id, `product_id=${goods.product_id}`);
      return store.row({ link_id: link?.link_id ?? '', product_id: goods.product_id });
    },
    go: async () => {
      shop.deleteProduct(made.id);
      await store.decided();
      expect(await linksOf(seller, channel_id)).toMatchObject([{ state: 'gone' }]);
    },
    /** It is made again, with these levels. */
    comeBack: async (...levels: readonly number[]) => {
      const other = shop.catalogue.addProduct({ title: made.title, variants });
      for (const [place, units] of levels.entries()) store.keep(itemOf(other), units, undefined, place);
      shop.deliveries.publish('products/create', createBody(other));
      await store.decided();
      expect(await linksOf(seller, channel_id, 'state=linked')).toMatchObject([
        { product_id: goods.product_id, external: { product_id: String(other.id) } },
      ]);
    },
  };
}

describe.each([true, false])('whether the variant was gone (%s) or not', (isGone) => {
  test('the units of a location that the store closes meanwhile are gone', async () => {
    const { store, row, go, comeBack } = await goodsOf();
    if (isGone) await go();
    store.shop.updateLocation(store.places[1] ?? 0n, { active: false });
    await store.decided();
    await untilJobsRest(stores);
    if (isGone) await comeBack(8);
    expect(await row()).toEqual([8, 8, 5, 0, 0, 5]);
  });

  test('units that the store sells after another selection are gone', async () => {
    const { store, row, item, go, comeBack } = await goodsOf();
    if (isGone) await go();
    await store.select(store.places[0] ?? 0n);
    await untilJobsRest(stores);
    await store.say(item, 6, stores.app.services.now() + 1_000);
    await store.decided();
    if (isGone) await comeBack(6, 4);
    expect(await row()).toEqual([6, 6, 7, 0, 0, 7]);
  });
});

test('the levels of several links lock the stock of their products once, in the order of all writers', async () => {
  const store = await storeWith(stores);
  const [first, second] = [await store.linked(8), await store.linked(4)];
  const key = { seller_id: store.seller.seller_id, channel_id: store.channel_id };
  store.keep(first.item, 7, stores.app.services.now() + 1_000);
  await runOn(stores.database.adminUrl, async (client) => {
    // The base of the second one waits, so it counts before and after its levels change.
    await client.query('update channel_link set base_level = null where link_id = $1', [second.link_id]);
    await client.query('update channel_link set asked_in = 0 where channel_id = $1', [store.channel_id]);
    await client.query('begin');
    await client.query('select from inventory where product_id = $1 for update', [first.product_id]);
    const asked = askLevels(stores.app.services, key, new AbortController().signal);
    await eventually(
      () =>
        client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ rowCount }) => (rowCount ?? 0) > 0,
    );
    const free = 'select from inventory where product_id = $1 for update nowait';
    expect((await client.query(free, [second.product_id])).rowCount).toBe(1);
    await client.query('rollback');
    await asked;
  });
  expect(await store.row(first)).toEqual([7, 7, 7, 0, 0, 7]);
  expect(await store.row(second)).toEqual([4, 4, 4, 0, 0, 4]);
});
