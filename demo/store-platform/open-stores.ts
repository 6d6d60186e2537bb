/** The store platform of the demo: every domain is a store that a visitor can connect. It forgets with the process. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../../src/config.ts';
import type { Clock, Configuration } from '../../src/kernel/context.ts';
import { API_PREFIX } from '../../src/kernel/route-path.ts';
import type { Shop } from './shop.ts';
import { startStorePlatform } from './start-store-platform.ts';

export interface DemoStores {
  /** The settings with which the service reaches it. */
  readonly settings: Configuration;
  stop(): Promise<void>;
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
  const api = `${config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`}${API_PREFIX}`;
  const [clientId, secret] = ['demo-app', randomBytes(24).toString('hex')];
  const platform = await startStorePlatform({
    ...{ port: 0, now, clientId, secret, furnish },
    redirectUris: () => [`${api}/channels/oauth/callback/shopify`],
    complianceUri: () => `${api}/webhooks/shopify`,
  });
  return {
    settings: {
      STORE_PLATFORM_CLIENT_ID: clientId,
      STORE_PLATFORM_SECRETS: [secret],
      STORE_PLATFORM_BASE_URL: platform.baseUrl,
    },
    stop: platform.stop,
  };
}
