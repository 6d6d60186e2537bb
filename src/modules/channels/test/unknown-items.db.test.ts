/** Items of a store of which it is not known which product they are. */
import { describe, expect, test } from 'vitest';
import { stockOf } from '../../../../test/support/orders.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  countOf,
  decidedAll,
  goods,
  issuesOf,
  levelSender,
  link,
  storeWith,
} from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const said = levelSender(stores);
const now = (): number => stores.app.services.now();

describe('an unknown item', () => {
  test('is one issue, never a guess; when it is linked its last level is applied', async () => {
    const store = await storeWith(stores);
    const { seller, shop, places } = store;
    const [place = 0n] = places;
    const twin = await goods(store, 5);
    const barcode = '9300675024235';
    const product = shop.catalogue.addProduct({ title: 'Twin', variants: [{ sku: twin.sku, barcode }] });
    const item = product.variants[0]?.inventory_item_id ?? 0n;
    for (let units = 10; units <= 20; units += 1)
      await said(store, item, place, units, now() + units * 1_000);
    const log = await decidedAll(seller, shop);
    const [issue, ...others] = await issuesOf(store);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({
      ...{ kind: 'unknown_inventory_item', times: 11, state: 'open' },
      facts: {
        ...{ inventory_item_id: String(item), location_id: String(place), available: 20, sku: twin.sku },
        ...{ external_product_id: String(product.id), external_variant_id: String(product.variants[0]?.id) },
      },
      candidates: [{ product_id: null, reason: 'variant_of_item' }],
    });
    expect(new Set(log.slice(0, 11).map((one) => `${one.status} ${one.reason}`))).toEqual(
      new Set(['needs_action item_unknown']),
    );
    expect(log[0]).toMatchObject({ issue_id: issue?.issue_id });
    expect(await stockOf(seller, twin.product_id)).toEqual([5, 0]);

    const { link_id } = await link(stores, store, product, twin.product_id);
    expect(await stockOf(seller, twin.product_id)).toEqual([20, 0]);
    expect(await countOf(stores, store, link_id)).toMatchObject({ store_quantity: 20 });
    expect(await issuesOf(store)).toEqual([]);
    expect(await issuesOf(store, 'resolved')).toMatchObject([{ issue_id: issue?.issue_id, times: 11 }]);
  });

  test('becomes known when the store says that it is a linked variant', async () => {
    const store = await storeWith(stores);
    const { product, item, product_id } = await goods(store, 5);
    await link(stores, store, product, product_id, { inventory_item_id: null });
    store.shop.setLevel(item, store.places[0] ?? 0n, 3);
    const [known] = await decidedAll(store.seller, store.shop);
    expect(known).toMatchObject({ status: 'applied', decision: { product_id } });
    expect(await stockOf(store.seller, product_id)).toEqual([3, 0]);
    expect(await issuesOf(store)).toEqual([]);
  });

  test('of an unlinked variant names its link', async () => {
    const store = await storeWith(stores);
    const { product, item } = await goods(store);
    const { link_id } = await link(stores, store, product, null);
    store.shop.setLevel(item, store.places[0] ?? 0n, 3);
    await decidedAll(store.seller, store.shop);
    expect(await issuesOf(store)).toMatchObject([{ candidates: [{ link_id }], times: 1 }]);
  });

  test('stays unknown while the store does not answer', async () => {
    const store = await storeWith(stores);
    const { item } = await goods(store);
    store.shop.faults.status = 503;
    store.shop.setLevel(item, store.places[0] ?? 0n, 3);
    await decidedAll(store.seller, store.shop);
    expect(await issuesOf(store)).toMatchObject([{ candidates: [], times: 1 }]);
  });
});
