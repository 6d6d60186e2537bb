/**
 * The stock of a connected store: the time from the start of a callback until another connection sees the changed stock,
 * at a steady rate (limit: the interval at which a worker that has nothing to do looks for jobs), and how many levels of
 * one store are applied a second (limit: the same number of locked changes of a stock, one transaction each).
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { signBody } from '../demo/store-platform/sign.ts';
import type { CountingRule } from '../src/modules/channels/domain/counting.ts';
import { feedFile } from './lab/feed-file.ts';
import type { BenchOptions } from './lab/options.ts';
import { feed, makeSellers } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, milliseconds, report, whole } from './lab/statistics.ts';

const SHOP = 'bench.myshopify.com';
const SECRET = 'bench-store-secret';
const LOCATION = 7;
const PRODUCTS = 300;
const PER_SECOND = 10;
const POLL_MS = 500;
/** The observer looks at stock that changed within this time. */
const WINDOW_MS = 10_000;
/** As long as the observer rests between two looks. */
const LOOK_MS = 2;

const RULE: CountingRule = { no: 1, open: [String(LOCATION)], closed: [], mode: 'pool', moves: false };

/** A connected store, each item of which is linked to a product of the seller. @returns products by item */
async function connect(client: pg.Client, sellerId: string): Promise<ReadonlyMap<string, number>> {
  const run = (text: string) => client.query(text, [sellerId]);
  await run(`
    insert into channel (seller_id, channel_id, platform, shop_domain, status, selected_locations, counting,
                         created_at, updated_at)
    values ($1, 'chn_bench', 'shopify', '${SHOP}', 'connected', '{${LOCATION}}', '${JSON.stringify([RULE])}',
            now(), now())`);
  await run(`insert into channel_shop values ('shopify', '${SHOP}', $1, 'chn_bench')`);
  await run(`insert into channel_location (seller_id, channel_id, location_id, name, active)
             values ($1, 'chn_bench', '${LOCATION}', 'Sydney', true)`);
  const { rows } = await run(`
    insert into channel_link (seller_id, link_id, channel_id, external_product_id, external_variant_id,
                              inventory_item_id, title, product_id, state, external_updated_at, content_sha256,
                              asked_in, counted_by, created_at, updated_at)
    select seller_id, 'lnk_' || n, 'chn_bench', n, n, n, 'Mug', product_id, 'linked', now(), '', 1, ${RULE.no},
           now(), now()
      from (select seller_id, product_id, (row_number() over (order by product_id))::text as n
              from product where seller_id = $1) p
    returning product_id, inventory_item_id`);
  return new Map(
    (rows as { product_id: string; inventory_item_id: string }[]).map((row) => [
      row.product_id,
      Number(row.inventory_item_id),
    ]),
  );
}

/** Sends the level of an item. The store's instant is later than that of the item's level before. */
async function send({ url }: Service, item: number, available: number): Promise<void> {
  const body = JSON.stringify({
    ...{ inventory_item_id: item, location_id: LOCATION, available },
    updated_at: new Date().toISOString(),
  });
  const { status } = await fetch(`${url}/api/v1/webhooks/shopify`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': 'inventory_levels/update',
      'x-shopify-shop-domain': SHOP,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-hmac-sha256': signBody(SECRET, body),
    },
    body,
  });
  if (status !== 200) throw new Error(`the service answers ${status}`);
}

const STOCK = `select product_id, quantity_on_hand from inventory where seller_id = $1 and updated_at >= $2`;

/** Looks at the stock until every product has its quantity. @returns when each one had it first */
async function watch(
  client: pg.Client,
  sellerId: string,
  expected: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  while (seen.size < expected.size) {
    const { rows } = await client.query<{ product_id: string; quantity_on_hand: number }>(STOCK, [
      sellerId,
      new Date(Date.now() - WINDOW_MS),
    ]);
    const now = performance.now();
    for (const { product_id, quantity_on_hand } of rows)
      if (!seen.has(product_id) && expected.get(product_id) === quantity_on_hand) seen.set(product_id, now);
    await sleep(LOOK_MS);
  }
  return seen;
}

async function measureDelay(
  service: Service,
  client: pg.Client,
  sellerId: string,
  items: ReadonlyMap<string, number>,
): Promise<void> {
  const expected = new Map([...items].map(([product, item]) => [product, 10_000 + item]));
  const watching = watch(client, sellerId, expected);
  const begun = new Map<string, number>();
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (const [index, [product, item]] of [...items].entries()) {
    await sleep(Math.max(0, start + (index * 1_000) / PER_SECOND - performance.now()));
    begun.set(product, performance.now());
    sent.push(send(service, item, 10_000 + item));
  }
  await Promise.all(sent);
  const seen = await watching;
  const delays = [...begun]
    .map(([product, at]) => (seen.get(product) ?? Number.NaN) - at)
    .sort((a, b) => a - b);
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  report({
    name: `callback to changed stock, ${PER_SECOND} a second`,
    figure: `p50 ${whole(at(0.5))} p99 ${whole(at(0.99))} ms`,
    limit: `${POLL_MS} ms (interval of the worker)`,
    ratio: (at(0.99) / POLL_MS).toFixed(1),
    aim: '',
  });
}

const BARE = `
  update inventory i set quantity_on_hand = $3, version = i.version + 1, updated_at = now()
    from (select from inventory where seller_id = $1 and product_id = $2 for update) locked
   where i.seller_id = $1 and i.product_id = $2`;

async function measureBurst(
  service: Service,
  client: pg.Client,
  sellerId: string,
  items: ReadonlyMap<string, number>,
): Promise<void> {
  const expected = new Map([...items].map(([product, item]) => [product, 20_000 + item]));
  const ms = await milliseconds(async () => {
    const watching = watch(client, sellerId, expected);
    for (const [, item] of items) await send(service, item, 20_000 + item);
    await watching;
  });
  const bare = await milliseconds(async () => {
    for (const product of items.keys()) await client.query(BARE, [sellerId, product, 1]);
  });
  report({
    name: 'levels of one store, received and applied',
    figure: `${whole((items.size * 1_000) / ms)}/s`,
    limit: `${whole((items.size * 1_000) / bare)}/s`,
    ratio: `${((100 * bare) / ms).toFixed(0)} %`,
    aim: '',
  });
}

export async function benchStoreStock({ quick }: BenchOptions): Promise<void> {
  heading('Stock of a connected store');
  await inTemporaryDirectory(async (dir) => {
    const env = { STORE_PLATFORM_CLIENT_ID: 'bench', STORE_PLATFORM_SECRETS: SECRET };
    const service = await startService(dir, { env });
    const client = new pg.Client({ connectionString: service.superuserUrl });
    try {
      await client.connect();
      const [seller] = await makeSellers(service, 1);
      if (seller === undefined) throw new Error('no seller');
      await feed(service, seller, feedFile(quick ? PRODUCTS / 3 : PRODUCTS));
      const items = await connect(client, seller.seller_id);
      await settle(service);
      // The first levels meet a process that is not warm yet.
      const warm = new Map([...items].map(([product, item]) => [product, 5_000 + item]));
      const warming = watch(client, seller.seller_id, warm);
      for (const item of items.values()) await send(service, item, 5_000 + item);
      await warming;
      await measureDelay(service, client, seller.seller_id, items);
      await measureBurst(service, client, seller.seller_id, items);
    } finally {
      await client.end();
      await service.stop();
    }
  });
}
