/** The local store platform beside the service, and a browser that goes from one to the other and back. */

import { type StorePlatform, startStorePlatform } from '../../demo/store-platform/start-store-platform.ts';
import { systemNow } from '../../src/platform/db/clock.ts';
import { type Call, startTestApp, type TestApp, type TestSeller } from './app.ts';
import { atEnd } from './at-end.ts';
import { afterJobs, untilJobsRest } from './jobs.ts';

export { signBody, signQuery } from '../../demo/store-platform/sign.ts';

/** The address of the service, as it knows itself (`test/support/app.ts`). */
const PUBLIC = 'http://spp.test';
export const CLIENT_ID = 'test-app';
export const SECRET = 'store-secret-1';
/** The previous secret, which still verifies. */
export const OLD_SECRET = 'store-secret-0';

export interface Stores extends TestApp {
  readonly platform: StorePlatform;
}

/** Starts the service with a store platform; both end with the last test of the calling file. */
export async function startStores(
  env: Readonly<Record<string, string>> = {},
  output?: Parameters<typeof startTestApp>[1],
): Promise<Stores> {
  let app: TestApp | undefined;
  const platform = await startStorePlatform({
    port: 0,
    now: () => app?.app.services.now() ?? systemNow(),
    clientId: CLIENT_ID,
    secret: SECRET,
    redirectUris: () => [`${PUBLIC}/api/v1/channels/oauth/callback/shopify`],
    complianceUri: () => `${PUBLIC}/api/v1/webhooks/shopify`,
    reach: (uri) => uri.replace(PUBLIC, app?.url ?? ''),
    retryDelaysMs: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400],
  });
  atEnd(() => platform.stop());
  app = await startTestApp(
    {
      STORE_PLATFORM_CLIENT_ID: CLIENT_ID,
      STORE_PLATFORM_SECRETS: `${SECRET},${OLD_SECRET}`,
      STORE_PLATFORM_BASE_URL: platform.baseUrl,
      ...env,
    },
    output,
  );
  return { ...app, platform };
}

let shops = 0;
/** A domain of a store that no other test has. */
export const newShop = (): string => {
  shops += 1;
  return `shop-${process.pid}-${shops}.myshopify.com`;
};

export interface Started {
  readonly channel_id: string;
  readonly status: string;
  readonly start_url: string;
  readonly expires_at: string;
}

/** Begins to connect a store. */
export const begin = ({ call }: Pick<TestSeller, 'call'>, shop: string, more: object = {}) =>
  call<Started & { code: string; detail: { type: string }[] }>('POST', '/channels', {
    json: { platform: 'shopify', shop, ...more },
  });

/** A browser with the cookie that the service gave it. */
export class Browser {
  cookie = '';
  /** The values that the service gave it. */
  readonly cookies: string[] = [];
  private readonly stores: Stores;

  constructor(stores: Stores) {
    this.stores = stores;
  }

  async go(url: string, method = 'GET', form?: URLSearchParams) {
    const { call } = this.stores;
    const own = url.startsWith(PUBLIC);
    const answer = own
      ? await call(method, url.slice(PUBLIC.length), { headers: { cookie: this.cookie } })
      : await fetch(url, { method, redirect: 'manual', ...(form && { body: form }) });
    const given = own ? answer.headers.get('set-cookie') : null;
    if (given !== null) {
      this.cookie = given.split(';', 1)[0] ?? '';
      const [, value = ''] = this.cookie.split('=');
      if (value !== '') this.cookies.push(value);
    }
    const text = typeof answer.text === 'string' ? answer.text : await answer.text();
    const { status, headers } = answer;
    return { status, headers, text, to: headers.get('location') ?? '' };
  }

  /** From the start address to the store's page. @returns the address of that page */
  async toConsent(startUrl: string): Promise<string> {
    await this.go(startUrl);
    const { status, to, text } = await this.go(startUrl, 'POST');
    if (status !== 303) throw new Error(`start: ${status} ${text}`);
    return to;
  }

  /** Decides on the store's page. @returns the address of the callback */
  async decide(consent: string, decision: 'install' | 'cancel' = 'install'): Promise<string> {
    const fields = new URLSearchParams([...new URL(consent).searchParams, ['decision', decision]]);
    const { status, to, text } = await this.go(consent.split('?', 1)[0] ?? '', 'POST', fields);
    if (status !== 302) throw new Error(`consent: ${status} ${text}`);
    return to;
  }

  /** The whole way. @returns the answer of the callback */
  async install(startUrl: string, decision: 'install' | 'cancel' = 'install') {
    return this.go(await this.decide(await this.toConsent(startUrl), decision));
  }
}

export interface Channel {
  readonly channel_id: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly scopes: readonly string[];
  readonly order_visibility: boolean;
  readonly inbound: string;
  readonly shop: { readonly domain: string; readonly name: string | null; readonly currency: string | null };
  readonly removal: { readonly status: string; readonly error: string | null } | null;
  readonly waiting_on: string;
  readonly action: { readonly kind: string; readonly href: string | null } | null;
  readonly locations: readonly {
    readonly location_id: string;
    readonly name: string;
    readonly active: boolean;
  }[];
  readonly health: {
    readonly status: string;
    readonly last_delivery_at: string | null;
    readonly subscriptions: { readonly wanted: number; readonly present: number };
    readonly last_sweep: {
      readonly whole: boolean;
      readonly compared: number;
      readonly differences: number;
      readonly missed: number;
    } | null;
    readonly token_expires_at: string | null;
  };
  readonly version: number;
}

export const readChannel = async ({ call }: { readonly call: Call }, id: string): Promise<Channel> =>
  (await call<Channel>('GET', `/channels/${id}`)).body;

/** Connects a store, and waits until the service has prepared it. */
export async function connectStore(
  stores: Stores,
  seller: TestSeller,
  { shop = newShop(), ...more }: { readonly shop?: string; readonly order_visibility?: boolean } = {},
) {
  const { status, body, text } = await begin(seller, shop, more);
  if (status !== 201) throw new Error(`connect: ${status} ${text}`);
  const end = await new Browser(stores).install(body.start_url);
  if (end.status !== 200) throw new Error(`callback: ${end.status} ${end.text}`);
  const channel = await afterJobs(
    stores,
    () => readChannel(seller, body.channel_id),
    ({ health }) => health.status === 'ok',
  );
  // The preview that begins with a connection reads the store.
  await untilJobsRest(stores);
  return { channel, channel_id: body.channel_id, shop: stores.platform.shop(shop), domain: shop };
}
