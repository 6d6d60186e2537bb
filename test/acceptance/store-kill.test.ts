/**
 * `kill -9` while a store sends: every delivery that was acknowledged is decided once, and what was not is decided when
 * the store sends it again. `STORE_KILLS` is the number of kills.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { signBody } from '../../demo/store-platform/sign.ts';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['STORE_KILLS'] ?? 3);
const SENDERS = 8;
/** Acknowledged deliveries before each kill. */
const BEFORE_KILL = 40;
const SECRET = 'store-secret-1';
const SHOP = 'kill.myshopify.com';
/** The lease of a killed worker's job, and some room on a busy machine. */
const DECIDED_MS = 90_000;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({
    ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' },
    ...{ STORE_PLATFORM_CLIENT_ID: 'app', STORE_PLATFORM_SECRETS: SECRET },
  });
const ask = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, [...values])).rows);

/** A channel as the store's consent would have made it. */
async function connect(): Promise<void> {
  const [seller] = await ask<{ seller_id: string }>('select seller_id from seller');
  const values = [seller?.seller_id, 'chn_kill', SHOP];
  await ask(
    `insert into channel (seller_id, channel_id, platform, shop_domain, status, order_visibility, created_at, updated_at)
     values ($1, $2, 'shopify', $3, 'connected', true, '2026-07-01', '2026-07-01')`,
    values,
  );
  await ask(
    "insert into channel_shop (platform, shop_domain, seller_id, channel_id) values ('shopify', $3, $1, $2)",
    values,
  );
}

interface Sent {
  readonly webhookId: string;
  readonly body: string;
}
const order = (id: number): Sent => ({
  webhookId: randomUUID(),
  body: JSON.stringify({ id, line_items: [], updated_at: '2026-07-01T00:00:00Z' }),
});
async function send({ url }: Member, { webhookId, body }: Sent): Promise<number> {
  try {
    const answer = await fetch(`${url}/api/v1/webhooks/shopify`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': 'orders/create',
        'x-shopify-shop-domain': SHOP,
        'x-shopify-webhook-id': webhookId,
        'x-shopify-hmac-sha256': signBody(SECRET, body),
      },
      body,
    });
    return answer.status;
  } catch {
    return 0;
  }
}

test(`deliveries are decided once after ${KILLS} kills`, { timeout: 300_000 }, async () => {
  const acknowledged: Sent[] = [];
  const open: Sent[] = [];
  let serial = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const member = await start();
    if (kill === 0) {
      await cluster.seller(member, 'Free');
      await connect();
    }
    const enough = acknowledged.length + BEFORE_KILL;
    let isAlive = true;
    const sender = async (): Promise<void> => {
      while (isAlive) {
        serial += 1;
        const one = open.pop() ?? order(serial);
        (await send(member, one)) === 200 ? acknowledged.push(one) : open.push(one);
        if (isAlive && acknowledged.length >= enough) {
          isAlive = false;
          await member.end('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
  }
  const member = await start();
  for (const one of open) expect(await send(member, one)).toBe(200);
  const waiting = async () =>
    (await ask<{ n: number }>("select count(*)::int as n from channel_delivery where status = 'received'"))[0]
      ?.n;
  await expect.poll(waiting, { timeout: DECIDED_MS, interval: 250 }).toBe(0);
  const rows = await ask<{ webhook_id: string; status: string }>(
    'select webhook_id, status from channel_delivery',
  );
  const sent = [...acknowledged, ...open].map(({ webhookId }) => webhookId);
  expect(rows.map(({ webhook_id }) => webhook_id).sort()).toEqual([...new Set(sent)].sort());
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['recorded']));
  expect((await ask<{ n: number }>('select count(*)::int as n from store_order'))[0]?.n).toBe(rows.length);
  await member.end('SIGTERM');
});
