/**
 * `kill -9` while a store is imported: while it is read, while its rows are applied, and while its variants are linked.
 * Every run ends, and each product and each link is there once.
 */
import { expect, test } from 'vitest';
import { consent } from '../../demo/store-platform/june-store.ts';
import { startStorePlatform } from '../../demo/store-platform/start-store-platform.ts';
import { systemNow } from '../../src/platform/db/clock.ts';
import { atEnd } from '../support/at-end.ts';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const PRODUCTS = 200;
const PUBLIC = 'https://spp.test';
/** The lease of a killed worker's job, and some room on a busy machine. */
const ENDS_MS = 120_000;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const app = { clientId: 'app', secret: 'store-secret-1' };
const platform = await startStorePlatform({
  ...{ ...app, port: 0, now: systemNow },
  redirectUris: () => [`${PUBLIC}/api/v1/channels/oauth/callback/shopify`],
  // No delivery arrives, so that only the import works.
  reach: () => 'http://127.0.0.1:1',
});
atEnd(() => platform.stop());
const start = (): Promise<Member> =>
  cluster.start({
    // In production a store has https.
    ...{ APP_ENV: 'staging', RATE_LIMITS: 'off', LOG_LEVEL: 'warn', PUBLIC_URL: PUBLIC },
    ...{ STORE_PLATFORM_CLIENT_ID: app.clientId, STORE_PLATFORM_SECRETS: app.secret },
    STORE_PLATFORM_BASE_URL: platform.baseUrl,
  });

const count = (text: string): Promise<number> =>
  runOn(database.adminUrl, async (client) => {
    const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${text}`);
    return rows[0]?.n ?? 0;
  });
const reaches = (text: string, least: number, ms = ENDS_MS): Promise<number> =>
  eventually(
    () => count(text),
    (found) => found >= least,
    ms,
  );

test('a killed import ends, with each product and each link once', { timeout: 600_000 }, async () => {
  const shop = platform.shop('kill.myshopify.com');
  shop.bucket.fill(1_000_000);
  for (let index = 0; index < PRODUCTS; index += 1)
    shop.catalogue.addProduct({ title: `Mug ${index}`, variants: [{ sku: `K-${index}` }] });
  let member = await start();
  const { token, sub } = await cluster.seller(member, 'Big');
  const post = async (bearer: string, path: string, json: object) => {
    const response = await fetch(`${member.api}${path}`, {
      ...{ method: 'POST', body: JSON.stringify(json) },
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });
    return (await response.json()) as Record<string, string>;
  };
  const { start_url = '', channel_id = '' } = await post(token, '/channels', {
    ...{ platform: 'shopify', shop: shop.domain },
  });
  await consent(start_url, (uri) => uri.replace(PUBLIC, member.url));

  await reaches("feed_run where rows_done > 0 and status = 'received'", 1);
  await member.end('SIGKILL');
  member = await start();
  await reaches("feed_run where dry_run and status = 'succeeded'", 1);
  expect(await count('product')).toBe(0);

  const marketplace_token = await cluster.session(sub);
  const { access_token = '' } = await post('', '/auth/exchange', { marketplace_token });
  const { run_id } = await post(access_token, `/channels/${channel_id}/imports`, { dry_run: false });
  await reaches(`feed_run where run_id = '${run_id}' and file_id is not null`, 1);
  await member.end('SIGKILL');
  member = await start();
  await reaches(`feed_run where run_id = '${run_id}' and status = 'succeeded'`, 1);
  await member.end('SIGKILL');
  member = await start();
  await reaches("channel_link where state = 'linked'", PRODUCTS);
  await eventually(
    () => count("job where kind in ('channels.import', 'feed.finish', 'products.channel_run_ended')"),
    (jobs) => jobs === 0,
    ENDS_MS,
  );
  expect([
    await count('product'),
    await count('channel_link'),
    await count("feed_run where status = 'succeeded'"),
    await count('feed_run'),
    await count(`feed_row where run_id = '${run_id}'`),
  ]).toEqual([PRODUCTS, PRODUCTS, 2, 2, PRODUCTS]);
  await member.end('SIGTERM');
});
