/**
 * The activity log: what an entry costs a write (limit: the same service without entries, in alternation), how fast
 * entries are sealed and verified, and a page of the log of a short and of a long one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyLoad, wireGet } from './lab/apply-load.ts';
import { feedFile } from './lab/feed-file.ts';
import type { LoadOrder, LoadResult } from './lab/load.ts';
import type { BenchOptions } from './lab/options.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, milliseconds, pairedRatio, rateOf, report, whole } from './lab/statistics.ts';
import { tell } from './lab/tell.ts';

const WITHOUT = fileURLToPath(new URL('./lab/without-audit.mjs', import.meta.url));
const SELLERS = 10;
const PRODUCTS = 200;
const PRICES = 5;
const SHORT_LOG = 10_000;
const LONG_LOG = 1_000_000;
/** Entries whose sealing is timed. */
const SEALED = 50_000;

function wirePatch(path: string, token: string, body: object): string {
  const json = JSON.stringify(body);
  const head = `PATCH ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}

const rates = (list: readonly LoadResult[]): number[] => list.map(({ perSecond }) => perSecond);

/** Changes of prices, each of another product. */
async function prepareWrites(service: Service): Promise<LoadOrder> {
  const sellers = await makeSellers(service, SELLERS);
  const products: { readonly path: string; readonly token: string }[] = [];
  for (const seller of sellers) {
    await feed(service, seller, feedFile(PRODUCTS));
    const response = await fetch(`${service.url}/api/v1/products?limit=${PRODUCTS}`, {
      headers: { authorization: `Bearer ${seller.token}` },
    });
    const { data } = (await response.json()) as { data: { product_id: string }[] };
    for (const { product_id } of data)
      products.push({ path: `/api/v1/products/${product_id}`, token: seller.token });
  }
  await settle(service);
  const requests = Array.from({ length: PRICES }, (_, index) =>
    products.map(({ path, token }) => wirePatch(path, token, { price_minor: 1_000 + index })),
  ).flat();
  return { port: Number(new URL(service.url).port), connections: 16, requests, warmUpMs: 300, ms: 3_000 };
}

async function measureWrites(service: Service, quick: boolean): Promise<void> {
  await inTemporaryDirectory(async (dir) => {
    const bare = await startService(dir, { nodeOptions: ['--import', WITHOUT] });
    try {
      const loads = [await prepareWrites(service), await prepareWrites(bare)] as const;
      for (const load of loads) await applyLoad({ ...load, ms: 8_000 });
      const results: [LoadResult[], LoadResult[]] = [[], []];
      for (let round = 0; round < (quick ? 4 : 9); round += 1)
        for (const [place, load] of loads.entries()) results[place]?.push(await applyLoad(load));
      report({
        name: 'change of one product, 16 connections',
        figure: rateOf(results[0]),
        limit: `${rateOf(results[1])} (no entries)`,
        ratio: `${(100 * pairedRatio(rates(results[0]), rates(results[1]))).toFixed(0)} %`,
        aim: '>= 95 %',
      });
    } finally {
      await bare.stop();
    }
  });
}

const ENTRIES = `
  insert into audit_entry (seller_id, audit_id, at, actor_kind, actor_id, roles, aal, action, target_type,
                           target_id, result, status, changed_fields, request_id, ip_prefix, user_agent_family)
  select $1, 'aud_0' || lpad(($2 + n)::text, 25, '0'), now(), 'member', 'mbr_01j0000000000000000000000', '{owner}',
         'aal2', 'products.update', 'product', 'prd_' || lpad((n % 5000)::text, 26, '0'), 'done', 200,
         '{price_minor}', gen_random_uuid()::text, '203.0.113.0/24', 'node'
    from generate_series(1, $3::int) n`;

interface Log {
  readonly service: Service;
  readonly seller: Seller;
  readonly client: pg.Client;
  entries: number;
}

async function sealedAll({ client }: Log): Promise<void> {
  const waiting = 'select exists (select from audit_entry where seq is null) as waiting';
  while ((await client.query<{ waiting: boolean }>(waiting)).rows[0]?.waiting === true) await sleep(20);
}

/** Adds entries as requests leave them. @returns the milliseconds until all were sealed */
async function grow(log: Log, count: number): Promise<number> {
  await log.client.query(ENTRIES, [log.seller.seller_id, log.entries, count]);
  log.entries += count;
  return milliseconds(() => sealedAll(log));
}

const pageLoad = ({ service, seller }: Log): LoadOrder => ({
  port: Number(new URL(service.url).port),
  connections: 4,
  requests: [wireGet('/api/v1/audit/entries?limit=50', seller.token)],
  warmUpMs: 500,
  ms: 2_000,
});

/** The pages of a short and of a long log, in alternation. */
async function measurePages(short: Log, long: Log, quick: boolean): Promise<void> {
  await settle(long.service);
  await signIn(long.service, [short.seller, long.seller]);
  const results: [LoadResult[], LoadResult[]] = [[], []];
  for (let round = 0; round < (quick ? 3 : 7); round += 1)
    for (const [place, log] of [long, short].entries()) results[place]?.push(await applyLoad(pageLoad(log)));
  report({
    name: `page of 50, of ${whole(long.entries)} entries`,
    figure: rateOf(results[0]),
    limit: `${rateOf(results[1])} (of ${whole(short.entries)})`,
    ratio: `${(100 * pairedRatio(rates(results[0]), rates(results[1]))).toFixed(0)} %`,
    aim: '>= 90 %',
  });
}

async function measureLog(short: Log, log: Log, quick: boolean): Promise<void> {
  const { service, seller } = log;
  await grow(short, SHORT_LOG);
  const ms = await grow(log, SEALED);
  report({
    name: `sealing, ${whole(SEALED)} entries of one seller`,
    figure: `${whole((SEALED / ms) * 1_000)}/s`,
    limit: '2,000/s',
    ratio: `${(SEALED / ms / 2).toFixed(1)}x`,
    aim: '>= 1x',
  });
  await grow(log, (quick ? SHORT_LOG * 10 : LONG_LOG) - log.entries);
  await measurePages(short, log, quick);
  let valid = false;
  const verified = await milliseconds(async () => {
    const response = await fetch(`${service.url}/api/v1/audit/verification`, {
      headers: { authorization: `Bearer ${seller.token}` },
    });
    ({ valid } = (await response.json()) as { valid: boolean });
  });
  if (!valid) throw new Error('the chain does not verify');
  report({
    name: `verification, ${whole(log.entries)} entries`,
    figure: `${whole((log.entries / verified) * 1_000)}/s`,
    limit: '',
    ratio: '',
    aim: '',
  });
}

/** Switches the area on for a seller. */
async function enable(service: Service, { seller_id }: Seller): Promise<void> {
  const event = { specversion: '1.0', source: '/bench', type: 'marketplace.seller.standing_changed' };
  const about = { id: randomUUID(), subject: seller_id, sellerid: seller_id };
  await tell(service, [{ ...event, ...about, data: { account_flags: ['audit'] } }]);
}

export async function benchAudit({ quick }: BenchOptions): Promise<void> {
  heading('Activity log (limit: the same service without entries)');
  await inTemporaryDirectory(async (dir) => {
    const service = await startService(dir);
    const client = new pg.Client({ connectionString: service.superuserUrl });
    await client.connect();
    try {
      await measureWrites(service, quick);
      const logs = (await makeSellers(service, 2)).map((seller) => ({ service, seller, client, entries: 0 }));
      for (const { seller } of logs) await enable(service, seller);
      const [short, long] = logs;
      if (short !== undefined && long !== undefined) await measureLog(short, long, quick);
    } finally {
      await client.end();
      await service.stop();
    }
  });
}
