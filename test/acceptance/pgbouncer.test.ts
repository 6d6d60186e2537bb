/** The service behind PgBouncer. Skipped where no PgBouncer is installed; `PGBOUNCER` names one that is not in the path. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { INTERNAL_TOKEN, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.ts';

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const version = pgbouncerVersion();
const [major, minor] = version ?? [0, 0];
const found = version === undefined ? 'no PgBouncer is installed' : `PgBouncer ${major}.${minor}`;
/** PgBouncer supports prepared statements since 1.21, and by default since 1.24. */
const knowsStatements = major > 1 || minor >= 21;
/** Each mode, and whether PgBouncer then keeps the prepared statements of its clients apart. */
const MODES = [
  // Fewer sessions than connections, so that transactions get the sessions of others.
  {
    keeps: knowsStatements,
    settings: {
      pool_mode: 'transaction',
      default_pool_size: 4,
      ...(knowsStatements && minor < 24 && { max_prepared_statements: 200 }),
    },
  },
  ...(knowsStatements
    ? [
        {
          keeps: false,
          settings: { pool_mode: 'transaction', default_pool_size: 4, max_prepared_statements: 0 },
        },
      ]
    : []),
  { keeps: true, settings: { pool_mode: 'session' } },
];

const behind = async (settings: Record<string, string | number>) => ({
  DATABASE_URL: await startPgbouncer(database.url, settings),
});

test.skipIf(version === undefined).each(MODES)(
  `in $settings.pool_mode mode, prepared statements kept apart: $keeps, everything works (${found})`,
  { timeout: 120_000 },
  async ({ keeps, settings }) => {
    const env = await behind(settings);
    const member = await cluster.start({
      ...env,
      DB_POOL_SIZE: '8',
      DB_LONG_POOL_SIZE: '4',
      RATE_LIMITS: 'off',
    });
    const { token } = await cluster.seller(member);
    const send = (method: string, path: string, body?: string, type = 'application/json') =>
      fetch(`${member.api}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'idempotency-key': randomUUID(),
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body }),
      });
    const rows = Array.from({ length: 300 }, (_, index) => goods(`P-${index}`, { quantity: 5 }));
    expect((await send('POST', '/products/feed-runs', csv(rows), 'text/csv')).status).toBe(201);
    const { data } = (await (await send('GET', '/products?limit=50')).json()) as {
      data: { product_id: string }[];
    };
    const requests = data.flatMap(({ product_id }) => [
      send('GET', `/products/${product_id}`),
      send('POST', '/products/inventory/adjust', JSON.stringify({ product_id, delta: 1 })),
      send('GET', '/products?limit=10'),
    ]);
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // The worker numbers the events, and a stream reads them all.
    await eventually(
      async () => (await (await send('GET', '/webhooks/events?limit=1')).json()) as { data: unknown[] },
      ({ data: events }) => events.length > 0,
    );
    const exported = await send('GET', '/products/export?format=csv');
    expect([exported.status, (await exported.text()).split('\n').length]).toEqual([200, 302]);
    const metrics = await fetch(`${member.internalUrl}/metrics`, {
      headers: { authorization: `Bearer ${INTERNAL_TOKEN}` },
    });
    expect(await metrics.text()).toContain('spp_database_up 1');
    expect((await member.end('SIGTERM')).code).toBe(0);
    const warnings = member
      .output()
      .split('\n')
      .filter((line) => /"level":"(warn|error)"/.test(line));
    const [ofPools, others] = [/each statement is parsed anew/, /"msg":"(?!.*parsed anew)/].map((text) =>
      warnings.filter((line) => text.test(line)),
    );
    expect(others).toEqual([]);
    // One for each pool.
    expect(ofPools).toHaveLength(keeps ? 0 : 2);
  },
);

test.skipIf(version === undefined)(
  `in statement mode the start is refused with a sentence (${found})`,
  { timeout: 60_000 },
  async () => {
    const { code, said } = await cluster.ends(await behind({ pool_mode: 'statement' }));
    expect([code, said]).toEqual([1, expect.stringContaining('pool_mode = transaction')]);
    expect(said.trim().split('\n')).toHaveLength(1);
  },
);

/** A way to the database that can be closed, as when its machine is lost. */
async function startWay() {
  const target = new URL(database.url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  const open = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await open(0);
  onTestFinished(close);
  const { port } = server.address() as { port: number };
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { url: url.href, close, open: () => open(port) };
}

test.skipIf(version === undefined)(
  `while PgBouncer reaches no server every answer is 503, and a feed is not applied later (${found})`,
  async () => {
    const way = await startWay();
    const member = await cluster.start({
      DATABASE_URL: await startPgbouncer(way.url, { pool_mode: 'transaction', server_login_retry: 1 }),
      RATE_LIMITS: 'off',
    });
    const { token } = await cluster.seller(member);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
    const list = () => fetch(`${member.api}/products`, { headers });
    const feed = (key: string) =>
      fetch(`${member.api}/products/feed-runs`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key },
        body: csv([goods('MUG')]),
      });
    const event = () =>
      fetch(`${member.internalUrl}/internal/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ specversion: '1.0', id: randomUUID(), source: '/test', time: new Date().toISOString() },
          ...{
            type: 'marketplace.seller.tax_id_released',
            subject: '123456789',
            data: { tax_id: '123456789' },
          },
        }),
      });
    expect((await list()).status).toBe(200);
    way.close();
    const seen = new Set<string>();
    for (let round = 0; round < 4; round += 1)
      for (const answer of await Promise.all([list(), feed(`lost-${round}`), event()])) {
        const { code } = (await answer.json()) as { code: string };
        seen.add(`${answer.status} ${code} ${answer.headers.has('retry-after')}`);
      }
    expect([...seen].filter((one) => !/^503 \w+ true$/.test(one))).toEqual([]);
    await way.open();
    await eventually(
      async () => (await list()).status,
      (status) => status === 200,
    );
    expect(((await (await list()).json()) as { data: unknown[] }).data).toEqual([]);
    expect((await feed('lost-0')).status).toBe(201);
  },
);
