/**
 * The store of the shop with a past: its owner connects it soon after the start and imports it; from then on it sells
 * something every minute.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '../../src/kernel/context.ts';
import { isObject, listOf, type Owner, textOf } from '../shop-owner.ts';
import { JUNE_STORE } from './june-goods.ts';
import type { Shop } from './shop.ts';

const SELL_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
const LOOKS_MAX = 120;
/** Its price differs in the store and here, so that a person decides. */
const DISPUTED = { sku: 'CANDLE-GUM', here_minor: 3_490, store: '34.50' } as const;

interface StoreLifeOptions {
  readonly shop: Shop;
  readonly owner: Owner;
  readonly log: Logger;
  /** The address at which the service listens. @param uri an address as the service knows itself */
  readonly reach: (uri: string) => string;
}

export interface StoreLife {
  start(): void;
  stop(): Promise<void>;
}

/** Does what the owner's browser does between the start address and the end of the callback. */
export async function consent(startUrl: string, reach: StoreLifeOptions['reach']): Promise<void> {
  const begun = await fetch(reach(startUrl), { method: 'POST', redirect: 'manual' });
  const page = new URL(begun.headers.get('location') ?? '');
  const form = new URLSearchParams([...page.searchParams, ['decision', 'install']]);
  const address = page.origin + page.pathname;
  const decided = await fetch(address, { method: 'POST', body: form, redirect: 'manual' });
  const cookie = begun.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  await fetch(reach(decided.headers.get('location') ?? ''), { headers: { cookie }, redirect: 'manual' });
}

/** One unit of a variant is sold, each time of another one. */
function sell(shop: Shop): void {
  const { catalogue } = shop;
  const variants = [...catalogue.products.values()].flatMap((product) => product.variants);
  const variant = variants[catalogue.orders.size % variants.length];
  if (variant === undefined) return;
  const { id: variant_id, sku, price: total, inventory_item_id: item } = variant;
  const [level] = catalogue.levelsOf(item);
  if (level !== undefined) shop.setLevel(item, level.location_id, (level.available ?? 0) - 1);
  shop.placeOrder({ lines: [{ variant_id, sku, quantity: 1 }], total });
}

/** The first things that a visitor finds: a price on which both sides differ, an unknown item, orders. */
async function begin(shop: Shop, owner: Owner): Promise<void> {
  const { catalogue } = shop;
  const { body } = await owner.get(`/products?sku=${DISPUTED.sku}`);
  const [here] = listOf(body);
  const there = [...catalogue.products.values()].find(({ variants: [one] }) => one?.sku === DISPUTED.sku);
  const [location] = catalogue.locations.values();
  if (here === undefined || there === undefined || location === undefined) return;
  await owner.patch(`/products/${textOf(here['product_id'])}`, { price_minor: DISPUTED.here_minor });
  const variants = there.variants.map((variant) => ({ ...variant, price: DISPUTED.store }));
  shop.updateProduct(there.id, { variants });
  shop.setLevel(catalogue.nextId(), location.id, 4);
  for (let count = 0; count < 3; count += 1) sell(shop);
}

export function createStoreLife({ shop, owner, log, reach }: StoreLifeOptions): StoreLife {
  const ending = new AbortController();
  const { signal } = ending;
  const { catalogue } = shop;
  let running: Promise<void> = Promise.resolve();

  /** Reads again until there is something. @throws if there is nothing for two minutes, or at the end */
  async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const found = await read();
      if (found !== undefined) return found;
      await rest(LOOK_EVERY_MS, undefined, { signal });
    }
    throw new Error('the demo store waits too long for the service');
  }

  const channelOf = async () =>
    listOf((await owner.get('/channels')).body).find((channel) => channel['shop'] === JUNE_STORE);

  async function connect(): Promise<string> {
    const known = await channelOf();
    if (known !== undefined) return textOf(known['channel_id']);
    const json = { platform: 'shopify', shop: JUNE_STORE, order_visibility: true };
    const { body } = await owner.post('/channels', `store-${shop.id}`, json);
    const begun = isObject(body) ? body : {};
    await consent(textOf(begun['start_url']), reach);
    return textOf(begun['channel_id']);
  }

  /** Commits the preview and selects both locations. A commit that was made before is refused, and changes nothing. */
  async function importAll(channelId: string): Promise<void> {
    const preview = await eventually(async () => {
      const runs = listOf((await owner.get('/products/feed-runs?kind=channel_import&limit=1')).body);
      return runs.find(({ status }) => status === 'succeeded' || status === 'succeeded_with_errors');
    });
    await owner.post(`/products/feed-runs/${textOf(preview['run_id'])}/commit`, `commit-${shop.id}`, {});
    const locations = [...catalogue.locations.keys()].map(String);
    await owner.patch(`/channels/${channelId}`, { locations });
  }

  async function live(): Promise<void> {
    const channelId = await connect();
    if (catalogue.orders.size === 0) {
      await importAll(channelId);
      // Deliveries begin with the subscriptions, which the service makes after the connection.
      await eventually(async () => (shop.deliveries.subscriptions.size > 0 ? true : undefined));
      await begin(shop, owner);
    }
    for (;;) {
      await rest(SELL_EVERY_MS, undefined, { signal });
      if (shop.tokens.scope !== undefined) sell(shop);
    }
  }

  return {
    start() {
      running = live().catch((error: Error) => {
        if (!signal.aborted) log.warn({ err: error.message }, 'the demo store stands still');
      });
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}
