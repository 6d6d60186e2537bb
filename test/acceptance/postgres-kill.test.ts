/**
 * `kill -9` of PostgreSQL right after an answer. The single commits of a batch do not wait for the disk; the answer
 * waits for all of them. So no acknowledged order is lost.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import { isAlive, readPostmaster } from '../../src/platform/embedded-postgres/running-server.ts';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods } from '../support/feeds.ts';
import { placement } from '../support/orders.ts';
import { runOn } from '../support/test-server.ts';

const BATCHES = 2;
const ORDERS = 30;

const dataDir = mkdtempSync(join(tmpdir(), 'spp-killed-'));
chmodSync(dataDir, 0o755);
const server = await startEmbedded({ dataDir, log: () => undefined });
await migrate({ url: server.superuserUrl, runtimeLogin: server.user });
const cluster = await prepareCluster(server.url);
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Kills PostgreSQL; the embedded server starts it again. */
async function killServer(): Promise<void> {
  const pid = readPostmaster(join(dataDir, 'postgres', 'data'))?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await eventually(
    async () => isAlive(pid),
    (alive) => !alive,
  );
}

const storedOrders = (): Promise<string[]> =>
  runOn(server.superuserUrl, async (client) => {
    const { rows } = await client.query<{ order_id: string }>('select order_id from sales_order');
    return rows.map(({ order_id }) => order_id).sort();
  });

const orders = (seller: { readonly seller_id: string }, count: number) =>
  Array.from({ length: count }, () =>
    placement({ app: { services: { now: Date.now } } }, seller, [{ sku: 'MUG' }]),
  );

const send = (member: Member, body: unknown): Promise<Response> =>
  fetch(`${member.internalUrl}/internal/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const statusesOf = async (response: Response): Promise<string[]> => {
  const { results } = (await response.json()) as { results: { status: string }[] };
  return results.map(({ status }) => status);
};

const storedAfterStart = () =>
  eventually(
    () => storedOrders().catch(() => undefined),
    (stored) => stored !== undefined,
  );

async function sellerWithGoods(member: Member): Promise<{ readonly seller_id: string }> {
  const { token } = await cluster.seller(member);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'text/csv',
    'idempotency-key': 'goods',
  };
  const body = csv([goods('MUG', { quantity: 10_000 })]);
  await fetch(`${member.api}/products/feed-runs`, { method: 'POST', headers, body });
  const me = await fetch(`${member.api}/sellers/me`, { headers: { authorization: `Bearer ${token}` } });
  return (await me.json()) as { seller_id: string };
}

// PostgreSQL also writes its log at intervals, which could hide an answer that did not wait.
beforeAll(() =>
  runOn(server.superuserUrl, async (client) => {
    await client.query("alter system set wal_writer_delay = '10s'");
    await client.query('select pg_reload_conf()');
  }),
);

test('orders of an answered batch survive a kill of PostgreSQL', async () => {
  const member = await cluster.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent' });
  const seller = await sellerWithGoods(member);
  const answered: string[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const events = orders(seller, ORDERS);
    const response = await eventually(
      () => send(member, events),
      ({ status }) => status === 200,
    );
    await killServer();
    expect((await statusesOf(response)).filter((status) => status !== 'applied')).toEqual([]);
    answered.push(...events.map(({ subject }) => String(subject)));
    expect(await storedAfterStart()).toEqual(answered.toSorted());
  }
  await member.end('SIGKILL');
});

test('an order whose duplicate was answered survives, although its own batch was not answered', async () => {
  // No worker runs, because its writes would put the order on the disk.
  const member = await cluster.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent', ROLE: 'api' });
  const [first, second] = orders(await sellerWithGoods(member), 2);
  const holder = new pg.Client({ connectionString: server.superuserUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', [
    `marketplace-event:${second?.['source']}\n${second?.id}`,
  ]);
  const batch = send(member, [first, second]);
  await eventually(storedOrders, (stored) => stored.includes(String(first?.subject)));
  const response = await send(member, first);
  await killServer();
  await batch;
  expect(await statusesOf(response)).toEqual(['duplicate']);
  expect(await storedAfterStart()).toContain(first?.subject);
});
