/** The local store platform imitates the real one; where that one has a library, the library is asked. */
import '@shopify/shopify-api/adapters/node';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import { afterAll, describe, expect, test } from 'vitest';
import type { Shop } from './shop.ts';
import { signQuery } from './sign.ts';
import { type StorePlatform, startStorePlatform } from './start-store-platform.ts';

const SECRET = 'store-secret-1';
const CLIENT = 'app';
const REDIRECT = 'https://api.example/callback';
let now = Date.parse('2026-07-01T00:00:00Z');

const platform: StorePlatform = await startStorePlatform({
  ...{ port: 0, now: () => now, clientId: CLIENT, secret: SECRET },
  redirectUris: () => [REDIRECT],
  retryDelaysMs: Array<number>(8).fill(1),
});
afterAll(() => platform.stop());
let shops = 0;
const newShop = (): Shop => {
  shops += 1;
  return platform.shop(`shop-${shops}.myshopify.com`);
};
const urlOf = ({ domain }: Shop, path: string): string => platform.baseUrl.replace('{shop}', domain) + path;

const oracle = shopifyApi({
  ...{ apiKey: CLIENT, apiSecretKey: SECRET, scopes: ['read_products'] },
  ...{ hostName: 'api.example', hostScheme: 'https', isEmbeddedApp: false },
  apiVersion: ApiVersion.January26,
  logger: { level: LogSeverity.Error, log: () => undefined },
});

/** Installs the app. @returns the parameters of the callback, and the tokens */
async function install(shop: Shop, scope = 'read_products') {
  const form = { client_id: CLIENT, redirect_uri: REDIRECT, scope, state: 'st', decision: 'install' };
  const consent = await fetch(urlOf(shop, '/admin/oauth/authorize'), {
    ...{ method: 'POST', body: new URLSearchParams(form), redirect: 'manual' },
  });
  const callback = new URL(consent.headers.get('location') ?? '').searchParams;
  const tokens = await askTokens(shop, { code: callback.get('code') ?? '', expiring: '1' });
  return { callback, tokens: tokens.body };
}
interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}
async function askTokens(shop: Shop, more: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ client_id: CLIENT, client_secret: SECRET, ...more });
  const answer = await fetch(urlOf(shop, '/admin/oauth/access_token'), { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Tokens };
}
async function query(shop: Shop, access: string, text: string) {
  const answer = await fetch(urlOf(shop, '/admin/api/2026-10/graphql.json'), {
    method: 'POST',
    headers: { 'x-shopify-access-token': access },
    body: JSON.stringify({ query: text }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
}

describe('the library of the platform accepts', () => {
  test('the callback that is signed here, and no other', async () => {
    // The library compares the timestamp with the machine's clock.
    now = Date.now();
    const { callback } = await install(newShop());
    const given = Object.fromEntries(callback);
    expect(await oracle.utils.validateHmac(given)).toBe(true);
    await expect(oracle.utils.validateHmac({ ...given, shop: 'other.myshopify.com' })).resolves.toBe(false);
    const { timestamp = '' } = given;
    const odd = signQuery(SECRET, { timestamp, host: 'YQ==', state: 'a b&c=d+e/ü', shop: 'x' });
    expect(await oracle.utils.validateHmac(Object.fromEntries(odd))).toBe(true);
  });

  test('the deliveries that are signed here', async () => {
    const shop = newShop();
    const delivery = shop.deliveries.make('products/update', 'https://api.example', {
      id: 2n ** 60n,
      title: 'Ü',
    });
    const headers = new Headers(delivery.headers);
    const answer = (body: string) =>
      oracle.webhooks.validate({
        rawBody: body,
        rawRequest: {
          method: 'POST',
          url: 'https://api.example/hook',
          headers: Object.fromEntries(headers),
        } as never,
      });
    expect(delivery.body).toContain('1152921504606846976');
    expect(await answer(delivery.body)).toMatchObject({
      valid: true,
      topic: 'PRODUCTS_UPDATE',
      domain: shop.domain,
    });
    expect(await answer(`${delivery.body} `)).toMatchObject({ valid: false });
  });
});

describe('tokens', () => {
  test('a code counts once; each refresh replaces both, and a used one counts until its replacement is used', async () => {
    const shop = newShop();
    const { callback, tokens } = await install(shop);
    expect((await askTokens(shop, { code: callback.get('code') ?? '', expiring: '1' })).status).toBe(400);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const first = await askTokens(shop, refresh);
    const again = await askTokens(shop, refresh);
    expect([again.status, again.body.access_token]).toEqual([200, first.body.access_token]);
    expect((await query(shop, tokens.access_token, '{ shop { id } }')).status).toBe(401);
    expect((await query(shop, first.body.access_token, '{ shop { id } }')).status).toBe(200);
    expect((await askTokens(shop, refresh)).status).toBe(400);
    now += tokens.expires_in * 1_000 + 1;
    expect((await query(shop, first.body.access_token, '{ shop { id } }')).status).toBe(401);
  });

  test('an unknown app, another redirect address and a wrong secret are refused', async () => {
    const shop = newShop();
    const ask = (change: object) => {
      const asked = { client_id: CLIENT, redirect_uri: REDIRECT, ...change };
      return fetch(urlOf(shop, `/admin/oauth/authorize?${new URLSearchParams(asked)}`));
    };
    expect((await ask({})).status).toBe(200);
    expect((await ask({ client_id: 'x' })).status).toBe(400);
    expect((await ask({ redirect_uri: `${REDIRECT}/..` })).status).toBe(400);
    expect((await askTokens(shop, { client_secret: 'x', code: 'x' })).status).toBe(400);
  });
});

describe('the admin API', () => {
  test('refuses an unknown field, costs, throttles, and recovers', async () => {
    const shop = newShop();
    const { access_token } = (await install(shop, 'read_locations')).tokens;
    const unknown = await query(shop, access_token, '{ shop { secretSauce } }');
    expect(JSON.stringify(unknown.body)).toContain('Cannot query field');
    const locations = '{ locations(first: 50) { nodes { id name } } }';
    expect((await query(shop, access_token, locations)).body).toMatchObject({
      extensions: { cost: { requestedQueryCost: 52, throttleStatus: { restoreRate: 100 } } },
    });
    expect(
      (await query(shop, access_token, '{ locations(first: 999) { nodes { id } } }')).body,
    ).toMatchObject({
      errors: [{ extensions: { code: 'MAX_COST_EXCEEDED' } }],
    });
    shop.bucket.drain(1_000, 50);
    expect((await query(shop, access_token, locations)).body).toMatchObject({
      errors: [{ extensions: { code: 'THROTTLED' } }],
    });
    now += 2_000;
    expect((await query(shop, access_token, locations)).body).toMatchObject({
      data: { locations: { nodes: [] } },
    });
  });
});

describe('deliveries', () => {
  const received: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    received.push(String(request.headers['x-shopify-topic']));
    request.resume().on('end', () => response.writeHead(status).end());
  });
  const listening = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    );
  });
  afterAll(() => void server.close());
  const subscribed = async (topic: string) => {
    const shop = newShop();
    shop.deliveries.subscriptions.set(1n, { id: 1n, topic, uri: await listening, failures: 0 });
    received.length = 0;
    return shop;
  };

  test('are tried 8 times again, and after 8 failures in a row the subscription is gone', async () => {
    const shop = await subscribed('products/create');
    status = 500;
    shop.createProduct({ title: 'Mug' });
    await shop.deliveries.idle();
    expect([received.length, shop.deliveries.subscriptions.size]).toEqual([8, 0]);
    status = 200;
  });

  test('come twice and in another order on demand; a body has 100 variants, its list of ids all', async () => {
    const shop = await subscribed('products/update');
    const variants = Array.from({ length: 150 }, (_, index) => ({ title: `V${index}` }));
    const { id } = shop.createProduct({ title: 'Mug', variants });
    shop.deliveries.hold();
    shop.updateProduct(id, { title: 'First' });
    shop.updateProduct(id, { title: 'Second' });
    shop.deliveries.release({ copies: 2, reversed: true });
    await shop.deliveries.idle();
    expect(shop.deliveries.made.map(({ statuses }) => statuses)).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const body = JSON.parse(shop.deliveries.made[0]?.body ?? '{}') as { variants: []; variant_gids: [] };
    expect([body.variants.length, body.variant_gids.length]).toEqual([100, 150]);
  });
});
