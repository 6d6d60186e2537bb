/**
 * PostgreSQL is killed and restarted while a store and the payment provider send callbacks and a seller reads: each
 * callback that was answered 200 is stored once and decided, and each that was not is stored when its sender repeats it.
 * `CALLBACKS` is their number for each receiver.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { BANKS } from '../../demo/payment-provider/life.ts';
import { startPaymentProvider } from '../../demo/payment-provider/start-payment-provider.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import { isAlive, readPostmaster } from '../../src/platform/embedded-postgres/running-server.ts';
import { prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { connectByHand, orderDelivery, STORE_SETTINGS, sendDelivery } from '../support/store-by-hand.ts';
import { runOn } from '../support/test-server.ts';

const CALLBACKS = Number(process.env['CALLBACKS'] ?? 600);
/** `SIGINT` ends PostgreSQL as a restart does. */
const OUTAGES = ['SIGKILL', 'SIGINT', 'SIGKILL'] as const;
const LANES = 6;
/** One in so many is sent again after it was acknowledged. */
const REPEATED = 10;
const REST_MS = 50;
const SHOP = 'outage.myshopify.com';
/** The leases of the jobs that ran when PostgreSQL died, and some room on a busy machine. */
const DECIDED_MS = 180_000;

const dataDir = mkdtempSync(join(tmpdir(), 'spp-callbacks-'));
chmodSync(dataDir, 0o755);
const server = await startEmbedded({ dataDir, log: () => undefined });
await migrate({ url: server.superuserUrl, runtimeLogin: server.user });
const apiKey = 'sk_test_of_the_tests';
const secrets = ['whsec_1', 'whsec_2'] as const;
const provider = await startPaymentProvider({ port: 0, now: Date.now, apiKey, secrets, funds: 0 });
const cluster = await prepareCluster(server.url);
afterAll(async () => {
  await provider.stop();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
const rows = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  runOn(server.superuserUrl, async (client) => (await client.query<Row>(text, [...values])).rows);

/** Ends PostgreSQL; the embedded server starts it again. */
async function endServer(signal: NodeJS.Signals): Promise<void> {
  const pid = readPostmaster(join(dataDir, 'postgres', 'data'))?.pid ?? 0;
  process.kill(pid, signal);
  await eventually(
    async () => isAlive(pid),
    (alive) => !alive,
  );
}

/** Sends callbacks as their sender does: each until it is acknowledged, some once more. */
class Sender {
  acknowledged = 0;
  readonly statuses = new Map<number, number>();
  private next = 0;
  private readonly send: (number: number) => Promise<number>;

  constructor(send: (number: number) => Promise<number>) {
    this.send = send;
  }

  async lane(): Promise<void> {
    while (this.next < CALLBACKS) {
      this.next += 1;
      const number = this.next;
      while (!(await this.isTaken(number))) await rest(REST_MS);
      this.acknowledged += 1;
      if (number % REPEATED === 0) await this.isTaken(number);
    }
  }

  private async isTaken(number: number): Promise<boolean> {
    const status = await this.send(number);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return status === 200;
  }
}

test(`no callback that was answered is lost by ${OUTAGES.length} outages of PostgreSQL`, {
  timeout: 600_000,
}, async () => {
  const member = await cluster.start({
    ...{ APP_ENV: 'staging', RATE_LIMITS: 'off', LOG_LEVEL: 'silent', ...STORE_SETTINGS },
    ...{ RETURN_URL_ORIGINS: 'https://shop.example', PAYMENT_PROVIDER: 'stripe' },
    ...{ PAYMENT_PROVIDER_API_KEY: apiKey, PAYMENT_PROVIDER_API_BASE: provider.url },
    PAYMENT_PROVIDER_WEBHOOK_SECRETS: secrets.join(','),
  });
  const { token } = await cluster.seller(member);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [{ seller_id } = { seller_id: '' }] = await rows<{ seller_id: string }>(
    'select seller_id from seller',
  );
  await connectByHand(rows, seller_id, SHOP);
  provider.vouchFor(seller_id, BANKS.works);
  const body = JSON.stringify({ return_url: 'https://shop.example/' });
  const link = await fetch(`${member.api}/payouts/onboarding-links`, { method: 'POST', headers, body });
  expect(link.status).toBe(201);
  const [account = ''] = Object.keys(provider.life.state.accounts);

  const store = new Sender((number) =>
    sendDelivery(member.url, SHOP, { webhookId: `order-${number}`, ...orderDelivery(number) }),
  );
  const payments = new Sender((number) =>
    provider.send(`${member.api}/webhooks/stripe`, {
      ...{ id: `evt_${number}`, object: 'event', type: 'account.updated', created: 1, livemode: false },
      ...{ account, data: { object: {} } },
    }),
  );
  const both = [store, payments];
  const reads = new Set<number>();
  let [isOver, outages] = [false, 0];
  const reader = async (): Promise<void> => {
    while (!isOver) {
      reads.add((await fetch(`${member.api}/products`, { headers })).status);
      await rest(REST_MS);
    }
  };
  const breaker = async (): Promise<void> => {
    for (const [index, signal] of OUTAGES.entries()) {
      const enough = (CALLBACKS * (index + 1)) / (OUTAGES.length + 1);
      while (both.some(({ acknowledged }) => acknowledged < enough)) await rest(REST_MS);
      await endServer(signal);
      outages += 1;
    }
  };
  const reading = reader();
  await Promise.all([breaker(), ...both.flatMap((one) => Array.from({ length: LANES }, () => one.lane()))]);
  isOver = true;
  await reading;

  expect(outages).toBe(OUTAGES.length);
  expect(both.map(({ acknowledged }) => acknowledged)).toEqual([CALLBACKS, CALLBACKS]);
  // The service lives on; while the database is away it acknowledges nothing.
  for (const { statuses } of both) expect([...statuses.keys()].sort()).toEqual([200, 503]);
  expect([...reads].filter((status) => status !== 200 && status !== 503)).toEqual([]);

  const left = async () =>
    (
      await rows<{ left: number }>(
        `select (select count(*) from channel_delivery where status = 'received')::int
              + (select count(*) from provider_callback where decision is null)::int as left`,
      )
    )[0]?.left;
  await expect.poll(left, { timeout: DECIDED_MS, interval: 500 }).toBe(0);
  const count = async (text: string) =>
    (await rows<{ n: number }>(`select count(*)::int as n from ${text}`))[0]?.n;
  expect({
    deliveries: await count('channel_delivery'),
    known: await count('(select distinct webhook_id from channel_delivery) d'),
    recorded: await count("channel_delivery where status = 'recorded'"),
    orders: await count('store_order'),
    callbacks: await count('provider_callback'),
    decided: await count("provider_callback where decision in ('fetched', 'no_change')"),
  }).toEqual({
    ...{ deliveries: CALLBACKS, known: CALLBACKS, recorded: CALLBACKS, orders: CALLBACKS },
    ...{ callbacks: CALLBACKS, decided: CALLBACKS },
  });
  await member.end('SIGTERM');
});
