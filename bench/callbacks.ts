/**
 * The receivers of callbacks of stores and of the payment provider: how many are received a second (limit: a bare server
 * that verifies and inserts), how many a worker decides a second, and the time of an answer at 500 a second while sellers
 * read. Senders, service, PostgreSQL and the local payment provider share the machine.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { signatureHeader } from '../demo/payment-provider/deliver.ts';
import { BANKS } from '../demo/payment-provider/life.ts';
import {
  type PaymentProvider,
  startPaymentProvider,
} from '../demo/payment-provider/start-payment-provider.ts';
import { signBody } from '../demo/store-platform/sign.ts';
import { applyLoad, wireGet, wirePost } from './lab/apply-load.ts';
import { feedFile } from './lab/feed-file.ts';
import type { LoadResult } from './lab/load.ts';
import type { BenchOptions } from './lab/options.ts';
import { type ProcessorTime, perPiece, timed } from './lab/processor-time.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { heading, median, pairedRatio, rateOf, report, whole } from './lab/statistics.ts';

const BARE = fileURLToPath(new URL('./lab/bare-receiver.ts', import.meta.url));
/** Stores, each of another seller. */
const SHOPS = 20;
const shopOf = (number: number): string => `bench${number % SHOPS}.myshopify.com`;
const STORE_SECRET = 'bench-store-secret';
const API_KEY = 'sk_test_bench';
const PAYMENT_SECRETS = ['whsec_bench_platform', 'whsec_bench_connected'] as const;
/** As many connections as the service has for requests. */
const POOL_SIZE = 8;
const CONNECTIONS = 16;
/** In which the other jobs of a service that has started come to an end. */
const SETTLE_MS = 3_000;
const OFFERED = { perSecond: 500, seconds: 10, reads: 200 };
/** Bytes of an ordinary order and of an account, beside what is read of them. */
const [ORDER_BYTES, ACCOUNT_BYTES] = [3_000, 1_500];

interface Bench {
  readonly service: Service;
  readonly client: pg.Client;
}

interface Receiver {
  readonly name: string;
  readonly path: string;
  readonly barePath: string;
  readonly table: string;
  readonly bareTable: string;
  /** What is true of a row that waits for its decision. */
  readonly waits: string;
  /** Decides about the callbacks of an object. */
  readonly jobKind: string;
  /** One callback in wire format, about another object than that of another number. */
  request(path: string, number: number): string;
}

const store: Receiver = {
  ...{ name: 'store', path: '/api/v1/webhooks/shopify', barePath: '/store' },
  ...{ table: 'channel_delivery', bareTable: 'bare_delivery', waits: "status = 'received'" },
  jobKind: 'channels.deliveries',
  request(path, number) {
    const item = { title: 'A mug', quantity: 1, price: '19.95' };
    const body = JSON.stringify({
      ...{ id: number, name: `#${number}`, currency: 'AUD', total_price: '19.95' },
      ...{ created_at: '2026-07-01T00:00:00Z', updated_at: '2026-07-01T00:00:00Z' },
      ...{ financial_status: 'paid', line_items: [item], note: 'x'.repeat(ORDER_BYTES) },
    });
    const headers = {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': shopOf(number),
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-hmac-sha256': signBody(STORE_SECRET, body),
    };
    return wirePost(path, headers, body);
  },
};

const accountName = (number: number): string => `acct_bench${number}`;
const payment = (accounts: number): Receiver => ({
  ...{ name: 'payment provider', path: '/api/v1/webhooks/stripe', barePath: '/payment' },
  ...{ table: 'provider_callback', bareTable: 'bare_callback', waits: 'decision is null' },
  jobKind: 'payouts.callback',
  request(path, number) {
    const body = JSON.stringify({
      ...{ id: `evt_${randomUUID()}`, object: 'event', type: 'account.updated', livemode: false },
      ...{ created: Math.floor(Date.now() / 1_000), account: accountName(number % accounts) },
      data: { object: { object: 'account', business_profile: 'x'.repeat(ACCOUNT_BYTES) } },
    });
    const signature = signatureHeader(PAYMENT_SECRETS[1], body, Math.floor(Date.now() / 1_000));
    return wirePost(path, { 'stripe-signature': signature }, body);
  },
});

/** No number is used twice: the same order again would be a repetition, which costs otherwise. No order has the id 0. */
let nextNumber = 1;
const requestsOf = (receiver: Receiver, path: string, count: number): string[] =>
  Array.from({ length: count }, () => receiver.request(path, nextNumber++));

/** Sends callbacks, each once. */
async function send(
  port: number,
  requests: readonly string[],
  perSecond: number | null,
): Promise<LoadResult> {
  const connections = perSecond === null ? CONNECTIONS : 4 * CONNECTIONS;
  return applyLoad({ port, requests, connections, warmUpMs: 0, ms: 0, once: { perSecond } });
}

const portOf = ({ url }: Service): number => Number(new URL(url).port);

interface Limit {
  readonly perSecond: number;
  /** Processor time of one, in microseconds. */
  readonly spent: { readonly both: number; readonly text: string };
}

/** Received a second while no worker runs, in alternation with the limit. */
async function measureReceived(
  { service, client }: Bench,
  receiver: Receiver,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<Limit> {
  const { bareTable, table } = receiver;
  await client.query(`create table if not exists ${bareTable} (like ${table} including all)`);
  const args = [service.superuserUrl, String(POOL_SIZE), STORE_SECRET, PAYMENT_SECRETS[1]];
  const bare = fork(BARE, args);
  try {
    const [port] = (await once(bare, 'message')) as [number];
    const [ours, limits]: [LoadResult[], LoadResult[]] = [[], []];
    const [spent, spentBare]: [ProcessorTime[], ProcessorTime[]] = [[], []];
    // The first round warms up the compilers and does not count. PostgreSQL then takes the statistics that it takes of
    // a table within a minute of its first rows; without them it reads all deliveries of a channel for each new one.
    for (let round = 0; round <= rounds; round += 1) {
      const bareOnes = requestsOf(receiver, receiver.barePath, count);
      const limit = await timed(bare.pid ?? 0, client, () => send(port, bareOnes, null));
      const ownOnes = requestsOf(receiver, receiver.path, count);
      const own = await timed(service.pid, client, () => send(portOf(service), ownOnes, null));
      if (round === 0) await client.query(`analyze ${table}, ${bareTable}, job`);
      limits.push(limit.done);
      ours.push(own.done);
      spentBare.push(limit.spent);
      spent.push(own.spent);
    }
    const [each, eachBare] = [spent, spentBare].map((all) => perPiece(all.slice(1), rounds * count));
    if (each === undefined || eachBare === undefined) throw new Error('nothing was measured');
    const rates = (list: readonly LoadResult[]) => list.slice(1).map(({ perSecond }) => perSecond);
    report({
      name: `${receiver.name}: received, ${CONNECTIONS} connections`,
      figure: rateOf(ours.slice(1)),
      limit: rateOf(limits.slice(1)),
      ratio: `${(100 * pairedRatio(rates(ours), rates(limits))).toFixed(0)} %`,
      aim: '>= 60 %',
    });
    report({
      name: `${receiver.name}: processor time of one`,
      figure: each.text,
      limit: eachBare.text,
      ratio: `${((100 * eachBare.both) / each.both).toFixed(0)} %`,
      aim: '',
    });
    return { perSecond: median(rates(limits)), spent: eachBare };
  } finally {
    bare.kill();
    await once(bare, 'exit');
  }
}

async function untilDecided({ client }: Bench, { table, waits }: Receiver): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(`select from ${table} where ${waits} limit 1`);
    if (rowCount === 0) return;
    await sleep(50);
  }
}

/** Puts what waits, and its jobs, out of reach of workers. */
async function hold({ client }: Bench, { table, jobKind }: Receiver): Promise<void> {
  await client.query(`create table held_callback as table ${table}`);
  await client.query(`create table held_job as select * from job where kind = '${jobKind}'`);
  await client.query(`truncate ${table}`);
  await client.query('delete from job where kind = $1', [jobKind]);
}

/** @returns how many wait again */
async function release({ client }: Bench, { table }: Receiver): Promise<number> {
  const { rowCount } = await client.query(
    `with jobs as (insert into job table held_job)
     insert into ${table} table held_callback`,
  );
  return rowCount ?? 0;
}

/**
 * How many callbacks that wait a worker decides a second. Others before warm up the compilers and do not count: the
 * service has just started, and its other jobs run too. The time counts until all are decided, with the half second at
 * most until the worker looks for work.
 */
async function measureDecided(bench: Bench, receiver: Receiver, limit: Limit): Promise<void> {
  const { service, client } = bench;
  await untilDecided(bench, receiver);
  await sleep(SETTLE_MS);
  const left = await release(bench, receiver);
  const { done: seconds, spent } = await timed(service.pid, client, async () => {
    const since = performance.now();
    await untilDecided(bench, receiver);
    return (performance.now() - since) / 1_000;
  });
  const perSecond = left / seconds;
  const each = perPiece([spent], left);
  report({
    name: `${receiver.name}: decided, ${whole(left)} objects`,
    figure: `${whole(perSecond)}/s`,
    limit: `${whole(limit.perSecond)}/s`,
    ratio: `${((100 * perSecond) / limit.perSecond).toFixed(0)} %`,
    aim: '>= 50 %',
  });
  report({
    name: `${receiver.name}: processor time of one decision`,
    figure: each.text,
    limit: limit.spent.text,
    ratio: `${((100 * limit.spent.both) / each.both).toFixed(0)} %`,
    aim: '',
  });
}

/** Answers at a steady rate while sellers read; then the time until the last callback is decided. */
async function measureOffered(bench: Bench, receiver: Receiver, seller: Seller): Promise<void> {
  const { service, client } = bench;
  const count = OFFERED.perSecond * OFFERED.seconds;
  await client.query(`truncate ${receiver.table}`);
  await signIn(service, [seller]);
  const port = portOf(service);
  const read = wireGet('/api/v1/products?limit=50', seller.token);
  const reads = Array.from({ length: OFFERED.reads * OFFERED.seconds }, () => read);
  const callbacks = requestsOf(receiver, receiver.path, count);
  const [answers, beside] = await Promise.all([
    send(port, callbacks, OFFERED.perSecond),
    send(port, reads, OFFERED.reads),
  ]);
  const end = performance.now();
  await untilDecided(bench, receiver);
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  report({
    name: `${receiver.name}: ${OFFERED.perSecond}/s for ${OFFERED.seconds} s, ${OFFERED.reads} reads/s`,
    figure: `p50 ${ms(answers.p50Ms)}, p99 ${ms(answers.p99Ms)}`,
    limit: `reads p99 ${ms(beside.p99Ms)}`,
    ratio: '',
    aim: 'p99 <= 250 ms',
  });
  const { rows } = await client.query<{ stored: number }>(
    `select count(*)::int as stored from ${receiver.table}`,
  );
  if (rows[0]?.stored !== count) throw new Error(`${rows[0]?.stored} of ${count} are stored`);
  report({
    name: `${receiver.name}: all of them decided after`,
    figure: `${((performance.now() - end) / 1_000).toFixed(1)} s`,
    ...{ limit: '', ratio: '', aim: '' },
  });
}

async function withService(dir: string, env: Record<string, string>, work: (bench: Bench) => Promise<void>) {
  const nodeOptions = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((text) => text !== '');
  const service = await startService(dir, { env, nodeOptions });
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    await work({ service, client });
  } finally {
    await client.end();
    await service.stop();
  }
}

/** Sellers with connected stores, and accounts of sellers that only the payment provider writes about. */
async function prepare(
  { service, client }: Bench,
  { life, vouchFor }: PaymentProvider,
  accounts: number,
): Promise<Seller> {
  const sellers = await makeSellers(service, SHOPS);
  const [seller] = sellers;
  if (seller === undefined) throw new Error('no seller');
  const { seller_id, token } = seller;
  await feed(service, seller, feedFile(500));
  for (const [number, { seller_id: owner }] of sellers.entries()) {
    const values = [owner, `chn_bench${number}`, shopOf(number)];
    await client.query(
      `insert into channel (seller_id, channel_id, platform, shop_domain, status, order_visibility, created_at, updated_at)
       values ($1, $2, 'shopify', $3, 'connected', true, now(), now())`,
      values,
    );
    await client.query(
      "insert into channel_shop (platform, shop_domain, seller_id, channel_id) values ('shopify', $3, $1, $2)",
      values,
    );
  }
  vouchFor(seller_id, BANKS.works);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ return_url: 'https://shop.example/' });
  const link = await fetch(`${service.url}/api/v1/payouts/onboarding-links`, {
    method: 'POST',
    headers,
    body,
  });
  if (link.status !== 201) throw new Error(`account: ${link.status} ${await link.text()}`);
  const [account] = Object.values(life.state.accounts);
  if (account === undefined) throw new Error('no account');
  // The local provider looks at all of its own accounts for what time has brought, each time that it is asked: 1 ms of
  // processor time for 5,000. Nothing happens to these.
  const others = Array.from({ length: accounts }, (_, number) => ({ ...account, id: accountName(number) }));
  Object.setPrototypeOf(life.state.accounts, Object.fromEntries(others.map((one) => [one.id, one])));
  await client.query(
    `insert into payout_account
     select (jsonb_populate_record(a, jsonb_build_object(
              'seller_id', 'sel_bench' || n, 'payout_account_id', 'pac_bench' || n,
              'provider_account_id', 'acct_bench' || n))).*
       from payout_account a, generate_series(0, $2::int - 1) n
      where a.seller_id = $1`,
    [seller_id, accounts],
  );
  await client.query(
    `insert into payout_account_owner (provider, provider_account_id, seller_id)
     select 'stripe', 'acct_bench' || n, 'sel_bench' || n from generate_series(0, $1::int - 1) n`,
    [accounts],
  );
  return seller;
}

export async function benchCallbacks({ quick }: BenchOptions): Promise<void> {
  heading('Callbacks (limit: a bare server that verifies and inserts)');
  const [count, rounds, backlog] = quick ? [1_000, 2, 2_000] : [3_000, 5, 5_000];
  const provider = await startPaymentProvider({
    ...{ port: 0, now: Date.now, apiKey: API_KEY, secrets: PAYMENT_SECRETS, funds: 0 },
  });
  const env = {
    ...{ STORE_PLATFORM_CLIENT_ID: 'bench', STORE_PLATFORM_SECRETS: STORE_SECRET },
    ...{ PAYMENT_PROVIDER: 'stripe', PAYMENT_PROVIDER_API_KEY: API_KEY },
    PAYMENT_PROVIDER_API_BASE: provider.url,
    PAYMENT_PROVIDER_WEBHOOK_SECRETS: PAYMENT_SECRETS.join(','),
    RETURN_URL_ORIGINS: 'https://shop.example',
  };
  try {
    for (const receiver of [store, payment(backlog)])
      await inTemporaryDirectory(async (dir) => {
        let [seller, limit]: [Seller | undefined, Limit | undefined] = [undefined, undefined];
        await withService(dir, { ...env, ROLE: 'api' }, async (bench) => {
          seller = await prepare(bench, provider, backlog);
          limit = await measureReceived(bench, receiver, { count, rounds });
          await bench.client.query(`truncate ${receiver.table}`);
          await bench.client.query('delete from job where kind = $1', [receiver.jobKind]);
          for (const isHeld of [true, false]) {
            await send(portOf(bench.service), requestsOf(receiver, receiver.path, backlog), null);
            if (isHeld) await hold(bench, receiver);
          }
        });
        await withService(dir, env, async (bench) => {
          if (seller === undefined || limit === undefined) throw new Error('nothing was received');
          await measureDecided(bench, receiver, limit);
          await measureOffered(bench, receiver, seller);
        });
      });
  } finally {
    await provider.stop();
  }
}
