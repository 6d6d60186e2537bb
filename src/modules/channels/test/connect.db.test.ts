/** Connecting a store: the steps of the browser, the refusals, and how a connection ends. */
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { signQuery } from '../../../../demo/store-platform/sign.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import {
  Browser,
  begin,
  connectStore,
  newShop,
  readChannel,
  SECRET,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { topicsOf } from '../domain/topics.ts';

const logged: string[] = [];
const log = new Writable({
  write(chunk: Buffer, _encoding, done) {
    logged.push(chunk.toString('utf8'));
    done();
  },
});
const stores = await startStores({ LOG_LEVEL: 'debug' }, log);
let seller: TestSeller;
beforeAll(async () => {
  seller = await stores.seller({ plan: 'Big' });
});

/** Every row of every table, as text. */
const everything = (): Promise<string> =>
  runOn(stores.database.adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    let text = '';
    for (const { name } of rows) {
      const found = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      text += found.rows.map(({ row }) => row).join('\n');
    }
    return text;
  });

const events = async (one: TestSeller, count: number) =>
  (
    await eventually(
      () =>
        one.call<{ data: { type: string; data: { object: Record<string, unknown> } }[] }>(
          'GET',
          '/webhooks/events?types=channel.connected,channel.ended,integration_issue.*',
        ),
      ({ body }) => body.data.length >= count,
    )
  ).body.data;

describe('a store is connected', () => {
  test('by a page that names the business, the store’s consent and the callback; no token is shown or stored', async () => {
    const one = await stores.seller();
    const shop = newShop();
    const store = stores.platform.shop(shop);
    store.catalogue.addLocation('Sydney');
    const { status, body, headers } = await begin(one, shop.toUpperCase());
    expect([status, body.status, headers.get('cache-control')]).toEqual([201, 'authorising', 'no-store']);
    expect(await readChannel(one, body.channel_id)).toMatchObject({
      ...{ status: 'authorising', waiting_on: 'seller' },
      action: { kind: 'call', href: `/api/v1/channels/${body.channel_id}/reauthorise` },
    });

    const browser = new Browser(stores);
    const page = await browser.go(body.start_url);
    expect(page.status).toBe(200);
    for (const part of ['Test Goods', shop, 'Stock', 'never change']) expect(page.text).toContain(part);
    expect(page.text).not.toMatch(/<script|src=|href=/);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https://*.myshopify.com http://127.0.0.1:");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-frame-options')).toBe('DENY');

    const end = await browser.install(body.start_url);
    expect([end.status, end.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const channel = await eventually(
      () => readChannel(one, body.channel_id),
      ({ health }) => health.status === 'ok',
    );
    expect(channel).toMatchObject({
      ...{ status: 'connected', status_reason: null, waiting_on: 'nobody', action: null },
      scopes: ['read_products', 'read_inventory', 'read_locations'],
      shop: { domain: shop, name: store.name, currency: 'AUD' },
      locations: [{ name: 'Sydney', active: true }],
    });
    expect([...store.deliveries.subscriptions.values()].map(({ topic }) => topic).sort()).toEqual([
      'app/uninstalled',
      'inventory_levels/disconnect',
      'inventory_levels/update',
      'locations/create',
      'locations/delete',
      'locations/update',
      'products/create',
      'products/delete',
      'products/update',
    ]);
    const list = await one.call<{ data: unknown[] }>('GET', '/channels');
    expect(list.body.data).toEqual([
      expect.objectContaining({ channel_id: 'marketplace', kind: 'marketplace' }),
      expect.objectContaining({ channel_id: body.channel_id, shop, status: 'connected', open_issues: 0 }),
    ]);
    expect((await events(one, 1)).map(({ type }) => type)).toEqual(['channel.connected']);

    const secrets = [...store.tokens.issued, SECRET, ...browser.cookies];
    const seen = {
      tables: await everything(),
      log: logged.join(''),
      channel: JSON.stringify(channel),
      list: list.text,
    };
    expect(secrets.length).toBeGreaterThan(3);
    const found = Object.entries(seen).flatMap(([place, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${place}`),
    );
    expect(found).toEqual([]);
    expect(logged.length).toBeGreaterThan(0);
  });

  test('with the store’s orders on request; the browser returns to the return address', async () => {
    const shop = newShop();
    const return_url = 'http://localhost:3000/done?tab=1';
    const { body } = await begin(seller, shop, { order_visibility: true, return_url });
    const end = await new Browser(stores).install(body.start_url);
    const query = `tab=1&channel_id=${body.channel_id}&result=connected`;
    expect([end.status, end.to]).toEqual([303, `http://localhost:3000/done?${query}`]);
    const channel = await eventually(
      () => readChannel(seller, body.channel_id),
      ({ health }) => health.status === 'ok',
    );
    expect(channel.scopes).toContain('read_orders');
    const wanted = topicsOf({ order_visibility: true }).length;
    expect(channel.health.subscriptions).toEqual({ wanted, present: wanted });
    // Without them again, their subscriptions go.
    const { body: again } = await seller.call<{ start_url: string }>(
      'POST',
      `/channels/${body.channel_id}/reauthorise`,
      { json: { order_visibility: false } },
    );
    await new Browser(stores).install(again.start_url);
    const { subscriptions } = stores.platform.shop(shop).deliveries;
    await eventually(
      async () => subscriptions.size,
      (size) => size === topicsOf({ order_visibility: false }).length,
    );
    await seller.call('POST', `/channels/${body.channel_id}/disconnect`, { json: {} });
  });

  test('again by the same request with the same key', async () => {
    const shop = newShop();
    const request = {
      headers: { 'idempotency-key': 'connect-1' },
      json: { platform: 'shopify', shop },
    };
    const one = await stores.seller();
    const first = await one.call('POST', '/channels', request);
    const second = await one.call('POST', '/channels', request);
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await everything()).not.toContain(JSON.parse(first.text).start_url);
  });
});

describe('connecting is refused', () => {
  test.each(['a.myshopify.com.evil.com', 'a.myshopify.com/..', 'a\n.myshopify.com', 'ａ.myshopify.com'])(
    'for %j',
    async (shop) => {
      const { status, body } = await begin(seller, shop);
      expect([status, body.detail]).toEqual([422, [expect.objectContaining({ type: 'shop_invalid' })]]);
    },
  );

  test('for a return address elsewhere', async () => {
    const { status, body } = await begin(seller, newShop(), { return_url: 'https://evil.example/' });
    expect([status, body.detail[0]?.type]).toEqual([422, 'return_url_not_allowed']);
  });

  test('for a store that is connected here or to another seller, and beyond five', async () => {
    const one = await stores.seller();
    const other = await stores.seller();
    const { domain, channel_id } = await connectStore(stores, one);
    expect((await begin(one, domain)).body).toMatchObject({ code: 'shop_already_connected', channel_id });
    const elsewhere = await begin(other, domain);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'shop_connected_elsewhere']);
    expect(elsewhere.text).not.toContain(one.seller_id);
    for (let count = 1; count < 5; count += 1) expect((await begin(one, newShop())).status).toBe(201);
    expect((await begin(one, newShop())).body.code).toBe('channel_limit');
  });

  test('for an ended channel too, while the terms are overdue', async () => {
    const one = await stores.seller();
    const { channel_id } = (await begin(one, newShop())).body;
    const again = () =>
      one.call<{ code?: string }>('POST', `/channels/${channel_id}/reauthorise`, { json: {} });
    await runOn(stores.database.adminUrl, (client) =>
      client.query(
        "update seller set agreement_version = '1', agreement_due_at = now() where seller_id = $1",
        [one.seller_id],
      ),
    );
    expect((await again()).status).toBe(201);
    await runOn(stores.database.adminUrl, (client) =>
      client.query("update channel set status = 'ended', status_reason = 'abandoned' where channel_id = $1", [
        channel_id,
      ]),
    );
    const refused = await again();
    expect([refused.status, refused.body.code]).toEqual([403, 'agreement_required']);
    expect((await readChannel(one, channel_id)).status).toBe('ended');
  });
});

describe('the callback', () => {
  /** A browser just before the callback, for a new store. */
  async function atTheDoor(more: object = {}) {
    const one = await stores.seller();
    const { body } = await begin(one, newShop(), more);
    const browser = new Browser(stores);
    const callback = await browser.decide(await browser.toConsent(body.start_url));
    const url = new URL(callback);
    const { hmac: _, ...parameters } = Object.fromEntries(url.searchParams);
    /** The same callback with other parameters, signed again. */
    const changed = (change: Readonly<Record<string, string>>) =>
      `${url.origin}${url.pathname}?${signQuery(SECRET, { ...parameters, ...change })}`;
    return { one, browser, callback, changed, parameters, channel_id: body.channel_id };
  }
  const codeOf = (text: string): string | undefined => /<code>(\w+)<\/code>/.exec(text)?.[1];
  const statusOf = async ({
    one,
    channel_id,
  }: Pick<Awaited<ReturnType<typeof atTheDoor>>, 'one' | 'channel_id'>) =>
    (await readChannel(one, channel_id)).status;

  test('refuses a doubled parameter, a wrong signature and an old one, and the authorisation goes on', async () => {
    const door = await atTheDoor();
    const { browser, callback, changed, parameters } = door;
    const now = Number(parameters['timestamp']);
    const refused = [
      ['parameters_invalid', `${callback}&shop=x.myshopify.com`],
      ['signature_invalid', callback.replace(/hmac=../, 'hmac=00')],
      ['signature_invalid', `${callback}&extra=1`],
      ['expired', changed({ timestamp: String(now - 120) })],
      ['expired', changed({ timestamp: String(now + 120) })],
      ['expired', changed({ timestamp: 'soon' })],
      ['state_unknown', changed({ state: 'another' })],
    ] as const;
    for (const [code, url] of refused) {
      const { status, text } = await browser.go(url);
      expect([status, codeOf(text)], code).toEqual([400, code]);
    }
    expect(await statusOf(door)).toBe('authorising');
    // The browser has its cookie still.
    expect((await browser.go(callback)).status).toBe(200);
  });

  test('refuses another browser, and ends the authorisation', async () => {
    const door = await atTheDoor();
    const stranger = new Browser(stores);
    expect(codeOf((await stranger.go(door.callback)).text)).toBe('browser_mismatch');
    expect(codeOf((await door.browser.go(door.callback)).text)).toBe('state_unknown');
    expect(await statusOf(door)).toBe('ended');
  });

  test('refuses another store', async () => {
    const door = await atTheDoor();
    const { text } = await door.browser.go(door.changed({ shop: newShop() }));
    expect(codeOf(text)).toBe('shop_mismatch');
    expect(await statusOf(door)).toBe('ended');
  });

  test('works once', async () => {
    const door = await atTheDoor();
    const { cookie } = door.browser;
    expect((await door.browser.go(door.callback)).status).toBe(200);
    door.browser.cookie = cookie;
    expect(codeOf((await door.browser.go(door.callback)).text)).toBe('state_unknown');
    expect(await statusOf(door)).toBe('connected');
  });

  test('says that the store’s owner refused, or granted too little', async () => {
    const one = await stores.seller();
    const return_url = 'http://localhost:3000/';
    const denied = await begin(one, newShop(), { return_url });
    const answer = await new Browser(stores).install(denied.body.start_url, 'cancel');
    expect(answer.to).toContain('result=denied&code=denied');
    expect(await readChannel(one, denied.body.channel_id)).toMatchObject({ status_reason: 'abandoned' });

    const shop = newShop();
    stores.platform.shop(shop).faults.grants = 'read_products';
    const little = await begin(one, shop);
    expect(codeOf((await new Browser(stores).install(little.body.start_url)).text)).toBe('scopes_missing');
    expect(await readChannel(one, little.body.channel_id)).toMatchObject({ scopes: [] });
  });

  test('refuses a member who may no longer connect stores', async () => {
    const one = await stores.seller({ plan: 'Small' });
    const admin = await joinTeam(stores, one, ['admin']);
    const { body } = await begin(admin, newShop());
    const browser = new Browser(stores);
    const callback = await browser.decide(await browser.toConsent(body.start_url));
    await one.call('PATCH', `/sellers/me/members/${admin.member_id}`, { json: { roles: ['viewer'] } });
    expect(codeOf((await browser.go(callback)).text)).toBe('not_allowed');
  });

  test('a start address works until the callback, and an unknown one never', async () => {
    const door = await atTheDoor();
    await door.browser.go(door.callback);
    for (const method of ['GET', 'POST']) {
      const { status, text } = await door.browser.go(
        'http://spp.test/api/v1/channels/oauth/start/unknown',
        method,
      );
      expect([status, text]).toEqual([404, expect.stringContaining('does not work')]);
    }
  });
});

describe('a connection ends', () => {
  test('at once here, and then in the store; a new connection has the same channel', async () => {
    const one = await stores.seller();
    const { channel_id, domain, shop } = await connectStore(stores, one);
    const ended = await one.call<{ status: string; status_reason: string }>(
      'POST',
      `/channels/${channel_id}/disconnect`,
      { json: {} },
    );
    expect(ended.body).toMatchObject({ status: 'ended', status_reason: 'disconnected' });
    await eventually(
      () => readChannel(one, channel_id),
      ({ removal }) => removal?.status === 'done',
    );
    expect(shop.tokens.scope).toBeUndefined();
    const again = await one.call<{ code: string }>('POST', `/channels/${channel_id}/disconnect`, {
      json: {},
    });
    expect([again.status, again.body.code]).toEqual([409, 'channel_ended']);
    const paused = await one.call<{ code: string }>('PATCH', `/channels/${channel_id}`, {
      json: { inbound: 'paused' },
    });
    expect([paused.status, paused.body.code]).toEqual([409, 'channel_ended']);

    expect((await connectStore(stores, one, { shop: domain })).channel_id).toBe(channel_id);
    expect((await events(one, 3)).map(({ type }) => type)).toEqual([
      'channel.connected',
      'channel.ended',
      'channel.connected',
    ]);
    expect(await marketplaceEvents(stores, one, 'channel.', 0)).toEqual([]);
  });

  test('and frees the store for another seller; without uninstalling, only the subscriptions are removed', async () => {
    const [one, other] = [await stores.seller(), await stores.seller()];
    const { channel_id, domain, shop } = await connectStore(stores, one);
    await one.call('POST', `/channels/${channel_id}/disconnect`, { json: { uninstall: false } });
    await eventually(
      () => readChannel(one, channel_id),
      ({ removal }) => removal?.status === 'done',
    );
    expect(shop.deliveries.subscriptions.size).toBe(0);
    expect(shop.tokens.scope).toBeDefined();
    await connectStore(stores, other, { shop: domain });
    expect(await readChannel(one, channel_id)).toMatchObject({ status: 'ended' });
  });

  test('a channel is paused and resumed', async () => {
    const { channel_id } = await connectStore(stores, await stores.seller().then((one) => (seller = one)));
    for (const inbound of ['paused', 'active'])
      expect(
        (await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound } })).body,
      ).toMatchObject({ inbound });
  });
});

test('without a store platform nothing can be connected', async () => {
  const bare = await startStores({ STORE_PLATFORM_CLIENT_ID: '', STORE_PLATFORM_SECRETS: '' });
  const { status, body } = await begin(await bare.seller(), newShop());
  expect([status, body.code]).toEqual([404, 'module_unavailable']);
});
