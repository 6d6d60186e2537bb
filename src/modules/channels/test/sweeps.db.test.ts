/** Sweeps: what differs between a store and what was applied of it becomes a delivery. */
import { describe, expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { type CatalogueProduct, catalogueOf, eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { logOf } from '../../../../test/support/store-deliveries.ts';
import { commitImport, goodsOf, linksOf, storeWith, UNITS } from '../../../../test/support/store-imports.ts';
import { readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { sweepChannel } from '../actions/sweep.ts';

const stores = await startStores({
  ...{ CLOCK: 'manual', CLOCK_START: '2026-07-01T00:00:00.000Z', LOG_LEVEL: 'silent' },
});
const { services } = stores.app;
const minutesLater = (minutes: number) =>
  callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + minutes * 60_000).toISOString() },
  });

const productsOf = async (seller: TestSeller): Promise<CatalogueProduct[]> => [
  ...(await catalogueOf(await seller.renew())).values(),
];
const swept = async (seller: TestSeller) =>
  (await logOf(await seller.renew())).filter(({ webhook_id: id }) => id.startsWith('cdl_'));

/** A store, some of whose deliveries are lost: the service gets no delivery of a change of its `catalogue`. */
async function connected(count = 2) {
  const seller = await stores.seller();
  const store = await storeWith(stores, seller, goodsOf(count));
  const key = { seller_id: seller.seller_id, channel_id: store.channel_id };
  const sweep = async (whole: boolean) => {
    await sweepChannel(services, key, whole, new AbortController().signal);
    await eventually(
      () => swept(seller),
      (all) => all.every(({ status }) => status !== 'received'),
    );
    return readChannel(await seller.renew(), store.channel_id);
  };
  return { seller, ...store, sweep };
}

async function imported(count?: number) {
  const store = await connected(count);
  await commitImport(stores, store.seller, store.preview);
  await eventually(
    () => productsOf(store.seller),
    (all) => all.every(({ quantity_on_hand: units }) => units === UNITS),
  );
  return store;
}

describe('a sweep', () => {
  test('of a store that is as it was applied finds nothing', async () => {
    const { sweep, seller } = await imported(3);
    const { health } = await sweep(true);
    expect(health.last_sweep).toMatchObject({ whole: true, compared: 3, differences: 0, missed: 0 });
    expect(await swept(seller)).toEqual([]);
  });

  test('finds a change that no delivery told, and no edit here is overwritten', async () => {
    const { seller, shop, made, sweep } = await imported();
    const [first] = await productsOf(seller);
    const own = made.find(({ title }) => title === first?.title);
    if (first === undefined || own === undefined) throw new Error('no product');
    const owner = await seller.renew();
    const edit = { json: { title: 'My own title' } };
    expect((await owner.call('PATCH', `/products/${first.product_id}`, edit)).status).toBe(200);
    await minutesLater(20);
    shop.catalogue.changeProduct(own.id, { body_html: 'New in the store', title: 'The title of the store' });
    await minutesLater(20);
    const { health } = await sweep(false);
    expect(health.last_sweep).toMatchObject({ whole: false, differences: 1, missed: 1 });
    expect(await swept(seller)).toMatchObject([{ topic: 'products/update', status: 'applied' }]);
    const after = (await productsOf(seller)).find(({ product_id }) => product_id === first.product_id);
    expect(after).toMatchObject({ title: 'My own title', description: 'New in the store' });
    expect((await sweep(true)).health.last_sweep).toMatchObject({ compared: 2, differences: 0 });
  });

  test('happens by itself, for each store', async () => {
    const both = [await imported(), await imported()];
    await minutesLater(1);
    for (const { shop, made } of both)
      shop.catalogue.changeProduct(made[0]?.id ?? 0n, { body_html: 'New in the store' });
    // Under a manual clock the job that plans it runs once a day.
    await minutesLater(25 * 60);
    for (const { seller } of both)
      await eventually(
        () => swept(seller),
        (all) => all.length === 1 && all.every(({ status }) => status === 'applied'),
      );
  });

  test('finds lost levels; units that were taken here do not come back', async () => {
    const { seller, shop, made, location, sweep } = await imported(1);
    const [product] = await productsOf(seller);
    const item = made[0]?.variants[0]?.inventory_item_id;
    if (product === undefined || item === undefined) throw new Error('no product');
    const owner = await seller.renew();
    const taken = { json: { adjustments: [{ product_id: product.product_id, delta: -2 }] } };
    expect((await owner.call('POST', '/products/inventory/adjust', taken)).status).toBe(200);
    await minutesLater(1);
    shop.catalogue.setLevel(item, location.id, UNITS - 1);
    expect((await sweep(false)).health.last_sweep?.differences).toBe(0);
    expect((await sweep(true)).health.last_sweep?.differences).toBe(1);
    const [after] = await productsOf(seller);
    expect(after?.quantity_on_hand).toBe(UNITS - 2 - 1);
    expect((await sweep(true)).health.last_sweep?.differences).toBe(0);
  });

  test('finds the end of the last level of an item', async () => {
    const { seller, shop, made, location, sweep } = await imported(1);
    await minutesLater(1);
    shop.catalogue.dropLevel(made[0]?.variants[0]?.inventory_item_id ?? 0n, location.id);
    expect((await sweep(true)).health.last_sweep).toMatchObject({ compared: 1, differences: 1 });
    expect((await productsOf(seller)).map(({ quantity_on_hand: units }) => units)).toEqual([0]);
    expect((await sweep(true)).health.last_sweep?.differences).toBe(0);
  });

  test('asks once more for what is gone, and takes it off sale', async () => {
    const { seller, channel_id, shop, made, sweep } = await imported(2);
    await minutesLater(30);
    const [gone] = made;
    if (gone === undefined) throw new Error('no product');
    shop.catalogue.products.delete(gone.id);
    const { health } = await sweep(true);
    expect(health.last_sweep).toMatchObject({ compared: 1, differences: 1, missed: 1 });
    expect(await swept(seller)).toMatchObject([{ topic: 'products/delete', status: 'applied' }]);
    expect((await linksOf(stores, channel_id)).map(({ state }) => state).sort()).toEqual(['gone', 'linked']);
    expect((await sweep(true)).health.last_sweep?.differences).toBe(0);
  });

  test('leaves out what the seller has not imported yet, but not what is new in the store', async () => {
    const { seller, shop, sweep } = await connected(2);
    expect((await sweep(true)).health.last_sweep).toMatchObject({ compared: 2, differences: 0 });
    await minutesLater(30);
    shop.catalogue.addProduct({ title: 'New', variants: [{ sku: 'NEW' }] });
    await minutesLater(30);
    expect((await sweep(false)).health.last_sweep).toMatchObject({ differences: 1, missed: 1 });
    expect((await productsOf(seller)).map(({ title }) => title)).toEqual(['New']);
  });

  test('does not happen while the channel is paused; afterwards everything is compared', async () => {
    const { seller, channel_id, shop, made, sweep } = await imported(1);
    const set = async (inbound: string) =>
      (await seller.renew()).call('PATCH', `/channels/${channel_id}`, { json: { inbound } });
    expect((await set('paused')).status).toBe(200);
    const [product] = made;
    if (product === undefined) throw new Error('no product');
    await minutesLater(30);
    shop.updateProduct(product.id, { body_html: 'Sent while it was paused' });
    await shop.deliveries.idle();
    await eventually(
      async () => logOf(await seller.renew()),
      ([newest]) => newest?.status === 'skipped',
    );
    expect((await sweep(true)).health.last_sweep).toBeNull();
    expect((await set('active')).status).toBe(200);
    await eventually(
      () => productsOf(seller),
      ([one]) => one?.['description'] === 'Sent while it was paused',
    );
    const { health } = await eventually(
      async () => readChannel(await seller.renew(), channel_id),
      ({ health: { last_sweep: last } }) => last !== null,
    );
    expect(health.last_sweep).toMatchObject({ whole: true, differences: 1, missed: 0 });
  });

  test('comes with the hourly check, at night whole', async () => {
    const { seller, channel_id } = await imported(1);
    await minutesLater(26 * 60);
    const { health } = await eventually(
      async () => readChannel(await seller.renew(), channel_id),
      ({ health: { last_sweep: last } }) => last?.whole === true,
    );
    expect(health.last_sweep).toMatchObject({ compared: 1, differences: 0 });
  });
});
