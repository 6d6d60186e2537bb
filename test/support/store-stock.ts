/** A connected store whose items are linked to products, and what both sides count. */
import type { Product } from '../../demo/store-platform/catalogue.ts';
import { exactJson } from '../../demo/store-platform/exact-json.ts';
import type { Shop } from '../../demo/store-platform/shop.ts';
import { applyWaitingLevels } from '../../src/modules/channels/actions/apply-levels.ts';
import { showLinkStock } from '../../src/modules/channels/actions/show-link-stock.ts';
import { channels } from '../../src/modules/channels/store/channels.ts';
import { type LinkRow, links } from '../../src/modules/channels/store/links.ts';
import { acting } from '../../src/platform/acting.ts';
import { firstVersion } from '../../src/platform/db/table.ts';
import type { TestSeller } from './app.ts';
import { afterJobs } from './jobs.ts';
import { stocked, stockOf } from './orders.ts';
import { logOf, poster } from './store-deliveries.ts';
import { connectStore, newShop, type Stores } from './store-platform.ts';

/** A seller whose store has these locations, all of them selected, and what both sides do with their stock. */
export async function storeWith(stores: Stores, names: readonly string[] = ['Sydney']) {
  const seller = await stores.seller({ plan: 'Big' });
  const domain = newShop();
  const places = names.map((name) => stores.platform.shop(domain).catalogue.addLocation(name).id);
  const connected = await connectStore(stores, seller, { shop: domain });
  const { shop, channel_id } = connected;
  await select(seller, channel_id, places);
  const own: Store = { ...connected, seller, places };
  const placeOf = (index = 0): bigint => places[index] ?? 0n;
  return {
    ...own,
    goods: (quantity?: number | null) => goods(own, quantity),
    link: (product: Product, productId: string | null, more?: Partial<LinkRow>) =>
      link(stores, own, product, productId, more),
    /** Goods that are linked, with these levels at the locations. */
    linked: (...levels: readonly number[]) => linkedGoods(stores, own, levels),
    /** Changes a level in the store, which sends it. @param place number of the location */
    set: (item: bigint, available: number | null, place?: number) =>
      shop.setLevel(item, placeOf(place), available),
    /** Changes a level in the store at an instant (milliseconds). Nothing is sent. */
    keep: (item: bigint, available: number | null, at = stores.app.services.now(), place?: number) =>
      Object.assign(shop.catalogue.setLevel(item, placeOf(place), available), {
        updated_at: new Date(at).toISOString(),
      }),
    /** The store no longer has an item at a location. */
    drop: (item: bigint, place?: number) => shop.disconnectLevel(item, placeOf(place)),
    /** Sends a level as a delivery has it, with an instant of its own (milliseconds). */
    say: (item: bigint, available: unknown, at = stores.app.services.now(), place?: number) =>
      poster(stores)(
        exactJson({
          ...{ inventory_item_id: item, location_id: placeOf(place), available },
          updated_at: new Date(at).toISOString(),
        }),
        { topic: 'inventory_levels/update', shop: domain },
      ),
    /** Waits until all that the store sent is decided. @returns the decisions about levels, newest first */
    decided: () => decidedAll(seller, shop),
    /** Changes the channel. */
    change: (json: object) => seller.call('PATCH', `/channels/${channel_id}`, { json }),
    select: (...chosen: readonly bigint[]) => select(seller, channel_id, chosen),
    count: ({ link_id }: Pick<LinkRow, 'link_id'>) => countOf(stores, own, link_id),
    /** Units on hand and reserved here. */
    units: ({ product_id }: { readonly product_id: string }) => stockOf(seller, product_id),
    /** Waits until so many units are on hand here. */
    reaches: ({ product_id }: { readonly product_id: string }, units: number | null) =>
      afterJobs(
        seller,
        () => stockOf(seller, product_id),
        ([on_hand]) => on_hand === units,
      ),
    /** Moves units by hand. */
    adjust: ({ product_id }: { readonly product_id: string }, delta: number) =>
      seller.call('POST', '/products/inventory/adjust', { json: { product_id, delta } }),
    /** The store's quantity, base, on hand, shortfall, reserved, available, once all deliveries are decided. */
    row: async ({ link_id, product_id }: { readonly link_id: string; readonly product_id: string }) => {
      await decidedAll(seller, shop);
      const { store_quantity, base, shortfall, quantity_available } = await countOf(stores, own, link_id);
      const [on_hand, reserved] = await stockOf(seller, product_id);
      return [store_quantity, base, on_hand, shortfall, reserved, quantity_available];
    },
    issues: async (state = 'open') =>
      (await seller.call<{ data: Issue[] }>('GET', `/channels/issues?state=${state}`)).body.data,
  };
}
export type Store = Awaited<ReturnType<typeof connectStore>> & {
  readonly seller: TestSeller;
  readonly places: readonly bigint[];
};

const select = (seller: TestSeller, channelId: string, places: readonly bigint[]) =>
  seller.call<{ detail: { loc: unknown[]; type: string }[]; locations: { selected: boolean }[] }>(
    'PATCH',
    `/channels/${channelId}`,
    { json: { locations: places.map(String) } },
  );

async function decidedAll(seller: TestSeller, shop: Shop) {
  await shop.deliveries.idle();
  const log = await afterJobs(
    seller,
    () => logOf(seller),
    (all) => all.every(({ status }) => status !== 'received'),
  );
  return log.filter(({ topic }) => topic.startsWith('inventory_levels/'));
}

/** A variant of the store, and a product here with so many units. */
async function goods({ seller, shop }: Store, quantity: number | null = null) {
  const product = shop.catalogue.addProduct({ title: 'Mug' });
  const [variant] = product.variants;
  if (variant === undefined) throw new Error('no variant');
  const { product_id, sku } = await stocked(seller, quantity);
  return { product, item: variant.inventory_item_id, product_id, sku };
}

/** Links the first variant of a store's product, as an import or a member does. */
async function link(
  stores: Stores,
  { seller: { seller_id }, channel_id }: Pick<Store, 'seller' | 'channel_id'>,
  product: Product,
  product_id: string | null,
  more: Partial<LinkRow> = {},
): Promise<LinkRow> {
  const { services } = stores.app;
  const [variant] = product.variants;
  const row: LinkRow = {
    ...{ link_id: services.ids.next('lnk_'), channel_id, external_product_id: String(product.id) },
    ...{ external_variant_id: String(variant?.id), inventory_item_id: String(variant?.inventory_item_id) },
    ...{ external_sku: null, title: product.title, product_id, base: {}, base_level: null, shortfall: 0n },
    state: product_id === null ? 'unlinked' : 'linked',
    linked_by: product_id === null ? null : 'member',
    ...{ external_updated_at: product.updated_at, content_sha256: '' },
    ...firstVersion(new Date(services.now()).toISOString()),
    ...more,
  };
  await services.withSeller(seller_id, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id });
    const channel = await channels.find(ctx, { channel_id }, 'for update');
    await links.insert(ctx, row);
    if (channel !== undefined && row.state === 'linked') await applyWaitingLevels(ctx, channel, [row]);
  });
  return row;
}

/** A product that is linked to an item with these levels at the store's locations, and both count the same. */
export async function linkedGoods(stores: Stores, store: Store, levels: readonly number[]) {
  const made = await goods(store);
  for (const [index, units] of levels.entries())
    store.shop.catalogue.setLevel(made.item, store.places[index] ?? 0n, units);
  const { link_id } = await link(stores, store, made.product, made.product_id);
  const sum = levels.reduce((units, more) => units + more, 0);
  await afterJobs(
    store.seller,
    () => stockOf(store.seller, made.product_id),
    ([on_hand]) => on_hand === Math.max(0, sum),
  );
  return { ...made, link_id };
}

/** The stock of a link as the API shows it, and what is stored of it. */
async function countOf(stores: Stores, { seller: { seller_id }, channel_id }: Store, link_id: string) {
  const { services } = stores.app;
  return services.withSeller(seller_id, 'read', async (db) => {
    const ctx = acting(services, { db, seller_id });
    const row = await links.find(ctx, { link_id });
    const channel = await channels.find(ctx, { channel_id });
    if (row === undefined || channel === undefined) throw new Error('no link');
    const stock = (await showLinkStock(ctx, channel, [row])).get(link_id);
    return { ...stock, base: row.base_level === null ? null : Number(row.base_level) };
  });
}

interface Issue {
  readonly issue_id: string;
  readonly kind: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly candidates: readonly object[];
  readonly times: number;
  readonly state: string;
}
