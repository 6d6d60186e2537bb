/** A primary with one synchronous standby: the standby freezes, the service connects to it, and it takes over. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods } from '../support/feeds.ts';
import { startPair } from '../support/primary-and-standby.ts';
import { runOn } from '../support/test-server.ts';

const pair = await startPair();
const cluster = await prepareCluster(pair.url(pair.primary, pair.standby));
const POOLS = { DB_POOL_SIZE: '8', DB_LONG_POOL_SIZE: '4', RATE_LIMITS: 'off' };
/** The answers of a server that cannot write now. The client sends the request again, with the same key. */
const RETRIED = new Set([503, 504]);
const ATTEMPT_MS = 20_000;

/** A seller with one product, which it reads and whose stock it changes. */
async function sellerOf(member: Member) {
  const { token } = await cluster.seller(member);
  const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    fetch(`${member.api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(ATTEMPT_MS),
      ...(body !== undefined && { body }),
    });
  await call('POST', '/products/feed-runs', csv([goods('MUG', { quantity: 0 })]), {
    'content-type': 'text/csv',
    'idempotency-key': 'goods',
  });
  const { data } = (await (await call('GET', '/products')).json()) as { data: { product_id: string }[] };
  const product_id = data[0]?.product_id ?? '';
  return {
    read: () => call('GET', `/products/${product_id}`),
    add: (key: string) =>
      call('POST', '/products/inventory/adjust', JSON.stringify({ product_id, delta: 1 }), {
        'idempotency-key': key,
      }),
    async quantity() {
      const product = await (await call('GET', `/products/${product_id}`)).json();
      return (product as { quantity_on_hand: number }).quantity_on_hand;
    },
  };
}
type Seller = Awaited<ReturnType<typeof sellerOf>>;

/** Adds one unit, and repeats the request until it succeeds. Notes each status in `seen`. */
async function addForSure(seller: Seller, seen: number[]): Promise<void> {
  for (const key = randomUUID(); ; ) {
    const status = await seller.add(key).then(
      (response) => response.status,
      () => 504,
    );
    seen.push(status);
    if (!RETRIED.has(status)) return;
    await after(50);
  }
}

const ready = async (member: Member): Promise<number> => (await fetch(`${member.url}/health/ready`)).status;
const becomes = (member: Member, status: number) =>
  eventually(
    () => ready(member),
    (now) => now === status,
  );

test('commits that wait for a frozen standby do not hold up reads', async () => {
  const member = await cluster.start(POOLS);
  const sellers = [await sellerOf(member), await sellerOf(member), await sellerOf(member)];
  const thaw = await pair.freeze();
  const seen: number[] = [];
  const writes = sellers.flatMap((seller) => Array.from({ length: 8 }, () => addForSure(seller, seen)));
  const waiting = () =>
    runOn(pair.primary.superuserUrl, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where application_name = 'spp-short' and (wait_event = 'SyncRep' or wait_event_type = 'Lock')",
      );
      return rows[0]?.count ?? 0;
    });
  try {
    // Writes have six of the eight connections. All six wait: for commits, or for changes of the same product.
    await eventually(waiting, (count) => count === 6);
    const reads = sellers.flatMap((seller) =>
      Array.from({ length: 20 }, async () => (await seller.read()).status),
    );
    expect(new Set(await Promise.all(reads))).toEqual(new Set([200]));
    expect([await ready(member), await waiting()]).toEqual([200, 6]);
  } finally {
    thaw();
  }
  await Promise.all(writes);
  expect(seen.filter((status) => status !== 200 && !RETRIED.has(status))).toEqual([]);
  expect(await Promise.all(sellers.map((seller) => seller.quantity()))).toEqual([8, 8, 8]);
  await member.end('SIGTERM');
});

/** Starts a proxy that leads each new connection to the server that `to` names. */
async function startSwitch() {
  const sockets = new Set<Socket>();
  const target = { port: pair.primary.port };
  const server = createServer((client) => {
    const upstream = dial(target.port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, target, cut };
}

test('a standby is not ready; its sessions are replaced when the address leads to a primary', async () => {
  const { code, said } = await cluster.ends({ DATABASE_URL: pair.url(pair.standby) });
  expect([code, said]).toEqual([1, expect.stringContaining('target_session_attrs=read-write')]);
  expect(said.trim().split('\n')).toHaveLength(1);

  const { port, target, cut } = await startSwitch();
  const member = await cluster.start({
    ...POOLS,
    ROLE: 'api',
    DATABASE_URL: pair.url({ ...pair.primary, port }),
  });
  const seller = await sellerOf(member);
  target.port = pair.standby.port;
  cut();
  await becomes(member, 503);
  const refused = await seller.add('first');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    503,
    '1',
    { code: 'unavailable' },
  ]);
  expect((await seller.read()).status).toBe(200);
  // The connections to the standby stay open; only new ones lead to the primary.
  target.port = pair.primary.port;
  await becomes(member, 200);
  expect([(await seller.add('first')).status, await seller.quantity()]).toEqual([200, 1]);
  await member.end('SIGTERM');
});

test('when the standby takes over, no acknowledged change is lost or applied twice', async () => {
  const member = await cluster.start(POOLS);
  const sellers = [await sellerOf(member), await sellerOf(member)];
  const seen: number[] = [];
  let over = false;
  const sent = [0, 0];
  const writers = sellers.flatMap((seller, index) =>
    Array.from({ length: 3 }, async () => {
      while (!over) {
        await addForSure(seller, seen);
        sent[index] = (sent[index] ?? 0) + 1;
      }
    }),
  );
  const answered = async () => seen.filter((status) => status === 200).length;
  await eventually(answered, (count) => count >= 50);
  await pair.killPrimary();
  const before = await answered();
  await becomes(member, 503);
  await pair.promote();
  await becomes(member, 200);
  await eventually(answered, (count) => count >= before + 50);
  over = true;
  await Promise.all(writers);
  expect(await Promise.all(sellers.map((seller) => seller.quantity()))).toEqual(sent);
  expect(seen.filter((status) => status !== 200 && !RETRIED.has(status))).toEqual([]);
  expect((await member.end('SIGTERM')).code).toBe(0);
});
