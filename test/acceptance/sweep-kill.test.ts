/**
 * `kill -9` of a worker in the middle of the comparison of a whole store: between pages, while a refresh of the token is
 * answered, while the store throttles, between pages of levels, and while the differences are decided. The next worker
 * finds everything that differs, once.
 */
import { expect, test } from 'vitest';
import { startStorePlatform } from '../../demo/store-platform/start-store-platform.ts';
import { atEnd } from '../support/at-end.ts';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { goodsOf, UNITS } from '../support/store-imports.ts';
import { runOn } from '../support/test-server.ts';

/** Several pages of products and of levels. */
const PRODUCTS = 120;
/** One is deleted. */
const LEFT = PRODUCTS - 1;
const SHOP = 'sweep.myshopify.com';
const PUBLIC = 'https://api.spp.test';
const CLIENT_ID = 'app';
const SECRET = 'store-secret-1';
const LEASE_MS = 30_000;
const POLL = { timeout: 120_000, interval: 100 };
/** The workers die in the answers to these questions, each time counted from their start. */
const DEATHS = ['/admin/oauth/access_token', 3, 10, 16] as const;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const platform = await startStorePlatform({
  ...{ port: 0, now: Date.now, clientId: CLIENT_ID, secret: SECRET, retryDelaysMs: [] },
  redirectUris: () => [`${PUBLIC}/api/v1/channels/oauth/callback/shopify`],
});
atEnd(() => platform.stop());
const start = (role = 'all'): Promise<Member> =>
  cluster.start({
    ...{ APP_ENV: 'staging', ROLE: role, RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
    ...{ STORE_PLATFORM_CLIENT_ID: CLIENT_ID, STORE_PLATFORM_SECRETS: SECRET },
    STORE_PLATFORM_BASE_URL: platform.baseUrl,
  });
const rows = <Row extends object>(text: string): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text)).rows);
const count = async (of: string): Promise<number> =>
  (await rows<{ n: number }>(`select count(*)::int as n from ${of}`))[0]?.n ?? 0;

/** Goes from the start address over the store's consent to the callback, as the owner's browser does. */
async function install({ url }: Member, startUrl: string): Promise<void> {
  const own = (address: string): string => address.replace(PUBLIC, url);
  const post = { method: 'POST', redirect: 'manual' } as const;
  const begun = await fetch(own(startUrl), post);
  const cookie = begun.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const consent = new URL(begun.headers.get('location') ?? '');
  const body = new URLSearchParams([...consent.searchParams, ['decision', 'install']]);
  const back = await fetch(`${consent.origin}${consent.pathname}`, { ...post, body });
  const end = await fetch(own(back.headers.get('location') ?? ''), { headers: { cookie } });
  expect(end.status).toBe(200);
}

test(`a sweep finds everything once after ${DEATHS.length} kills`, { timeout: 300_000 }, async () => {
  const { catalogue, bucket, faults, tokens } = platform.shop(SHOP);
  bucket.fill(1_000_000);
  const location = catalogue.addLocation('Sydney');
  const made = goodsOf(PRODUCTS).map((one) => catalogue.addProduct(one));
  const levels = made.flatMap(({ variants }) => variants.map(({ inventory_item_id: item }) => item));
  for (const item of levels) catalogue.setLevel(item, location.id, UNITS);

  const first = await start();
  const { token } = await cluster.seller(first);
  const call = async (method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${first.api}${path}`, {
      ...{ method, headers },
      ...(json && { body: JSON.stringify(json) }),
    });
    const body = (await answer.json()) as Record<string, string>;
    expect(answer.ok, JSON.stringify(body)).toBe(true);
    return body;
  };
  const { channel_id, start_url } = await call('POST', '/channels', { platform: 'shopify', shop: SHOP });
  await install(first, start_url ?? '');
  const previews = () => rows<{ run_id: string }>("select run_id from feed_run where status = 'succeeded'");
  await expect.poll(async () => (await previews()).length, POLL).toBe(1);
  await call('POST', `/products/feed-runs/${(await previews())[0]?.run_id}/commit`, {});
  await expect.poll(() => count(`inventory where quantity_on_hand = ${UNITS}`), POLL).toBe(PRODUCTS);
  await call('PATCH', `/channels/${channel_id}`, { inbound: 'paused' });
  await expect
    .poll(() => count("job where kind like 'channels.%' and lease_until is not null"), POLL)
    .toBe(0);

  // No delivery tells of these changes.
  for (const { id } of made) catalogue.changeProduct(id, { body_html: 'New in the store' });
  for (const item of levels) catalogue.setLevel(item, location.id, UNITS + 2);
  const [gone] = made;
  catalogue.products.delete(gone?.id ?? 0n);
  const changesBefore = await count("product_change where actor_kind = 'channel'");
  await first.end('SIGTERM');

  let worker: Promise<Member> | undefined;
  let [asked, deaths] = [0, 0];
  const api = await start('api');
  faults.meanwhile = async (path) => {
    asked += 1;
    const due = DEATHS[deaths];
    if (worker === undefined || (due !== path && due !== asked)) return;
    deaths += 1;
    const dying = worker;
    worker = undefined;
    await (await dying).end('SIGKILL');
    // The next worker begins with an empty bucket.
    bucket.drain(3_000, 1_500);
  };
  tokens.spoil();
  const paused = await fetch(`${api.api}/channels/${channel_id}`, {
    ...{ method: 'PATCH', body: JSON.stringify({ inbound: 'active' }) },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  expect(paused.status).toBe(200);
  for (; deaths < DEATHS.length; ) {
    asked = 0;
    const before = deaths;
    worker = start('worker');
    await worker;
    await expect.poll(() => deaths, POLL).toBe(before + 1);
    const leases = await rows<{ left: number }>(
      `select extract(epoch from lease_until - clock_timestamp()) * 1000 as left
         from job where kind like 'channels.%' and lease_until is not null`,
    );
    expect(leases.filter(({ left }) => left > LEASE_MS)).toEqual([]);
    // No worker is left, so the test does not wait for the ends of leases, neither of jobs nor of the token.
    await rows('update job set lease_until = null, due_at = least(due_at, clock_timestamp())');
    await rows('update channel set refreshing_until = null');
  }
  // One more dies while the differences are decided.
  const decided = () => count("channel_delivery where origin = 'sweep' and status = 'applied'");
  const deciding = await start('worker');
  await expect.poll(decided, POLL).toBeGreaterThan(10);
  await deciding.end('SIGKILL');
  await rows('update job set lease_until = null, due_at = least(due_at, clock_timestamp())');
  const last = await start('worker');
  await expect.poll(() => count('channel where swept_whole_at is not null'), POLL).toBe(1);
  await expect.poll(() => count("channel_delivery where status = 'received'"), POLL).toBe(0);

  // A worker that begins again may report what is not decided yet once more: the second decision changes nothing.
  const swept = await rows<{ topic: string; status: string; n: number; objects: number }>(
    `select topic, status, count(*)::int as n, count(distinct object_key)::int as objects
       from channel_delivery where origin = 'sweep' and status not in ('no_effect', 'duplicate') group by topic, status order by topic`,
  );
  const once = (topic: string, n: number) => ({ topic, status: 'applied', n, objects: n });
  // The end of the pause lets the service ask for all levels, too. Either way a level moves the stock once.
  const found = swept.filter(({ topic }) => topic !== 'inventory_levels/update');
  expect(found).toEqual([once('products/delete', 1), once('products/update', LEFT)]);
  expect(swept.filter(({ n, objects }) => n !== objects)).toEqual([]);
  expect(await count('product')).toBe(PRODUCTS);
  expect(await count(`inventory where quantity_on_hand = ${UNITS + 2}`)).toBe(LEFT);
  expect(await count("product where description = 'New in the store'")).toBe(LEFT);
  const changes = (await count("product_change where actor_kind = 'channel'")) - changesBefore;
  // The content and the stock of each; the one that is gone was never on sale.
  expect(changes).toBe(2 * LEFT);
  await Promise.all([last, api].map((one) => one.end('SIGTERM')));
});
