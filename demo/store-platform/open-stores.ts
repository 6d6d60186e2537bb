/**
 * The store platform of the demo: every domain is a store that a visitor can connect. It forgets them with the process,
 * except the store of the shop with a past.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../src/config.ts';
import type { Clock, Configuration, Logger } from '../../src/kernel/context.ts';
import { API_PREFIX } from '../../src/kernel/route-path.ts';
import { createOwner, type OwnerOptions } from '../shop-owner.ts';
import { throughPort } from '../trade/start-trade.ts';
import { furnishJune, JUNE_STORE } from './june-goods.ts';
import { consent, createStoreLife, type StoreLife } from './june-store.ts';
import { keepShop } from './keep-shop.ts';
import type { Shop } from './shop.ts';
import { startStorePlatform } from './start-store-platform.ts';

interface DemoStores {
  /** The settings with which the service reaches it. */
  readonly settings: Configuration;
  /** Lets the owner of the shop with a past connect its store, and the store sell. @param apiUrl where the service listens */
  live(options: LifeOptions): void;
  /** Does what the browser of a store's owner does. @param apiUrl where the service listens */
  install(startUrl: string, apiUrl: string): Promise<void>;
  stop(): Promise<void>;
}

interface LifeOptions extends Omit<OwnerOptions, 'send'> {
  readonly apiUrl: string;
  readonly log: Logger;
}

/** What a new store has. */
function furnish({ catalogue }: Shop): void {
  const [shop, store] = ['Shop in Sydney', 'Warehouse in Melbourne'].map((name) =>
    catalogue.addLocation(name),
  );
  for (const title of ['Blue mug', 'Teapot', 'Cake stand']) {
    const { variants } = catalogue.addProduct({
      title,
      variants: [{ sku: title.toUpperCase().replaceAll(' ', '-') }],
    });
    for (const { inventory_item_id } of variants)
      for (const location of [shop, store])
        if (location !== undefined) catalogue.setLevel(inventory_item_id, location.id, 6);
  }
}

/** @returns undefined if a store platform is configured, or the work is split over processes, which share no memory */
export async function openStores(config: Config, now: Clock): Promise<DemoStores | undefined> {
  const isConfigured = (config as Configuration)['STORE_PLATFORM_CLIENT_ID'] !== undefined;
  if (isConfigured || config.ROLE !== 'all') return undefined;
  const own = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
  let listening = own;
  const reach = (uri: string): string => uri.replace(own, listening);
  const api = `${own}${API_PREFIX}`;
  const [clientId, secret] = ['demo-app', randomBytes(24).toString('hex')];
  const platform = await startStorePlatform({
    ...{ port: 0, now, clientId, secret, reach },
    furnish: (shop) => (shop.domain === JUNE_STORE ? furnishJune : furnish)(shop),
    redirectUris: () => [`${api}/channels/oauth/callback/shopify`],
    complianceUri: () => `${api}/webhooks/shopify`,
  });
  const shop = platform.shop(JUNE_STORE);
  const keep = keepShop(shop, join(config.DATA_DIR, 'store-platform.json'));
  let life: StoreLife | undefined;
  return {
    settings: {
      STORE_PLATFORM_CLIENT_ID: clientId,
      STORE_PLATFORM_SECRETS: [secret],
      STORE_PLATFORM_BASE_URL: platform.baseUrl,
    },
    live({ apiUrl, log, ...owner }) {
      listening = apiUrl;
      life = createStoreLife({
        ...{ shop, log, reach },
        owner: createOwner({ ...owner, send: throughPort(apiUrl) }),
      });
      life.start();
    },
    install(startUrl, apiUrl) {
      listening = apiUrl;
      return consent(startUrl, reach);
    },
    async stop() {
      await life?.stop();
      keep();
      await platform.stop();
    },
  };
}
