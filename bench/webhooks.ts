/**
 * Deliveries to a local receiver; limit: the same number of signed requests of the same size by a bare loop. And
 * how long after a change the first attempt arrives, and its number is there while a feed's events wait for theirs.
 * Service, PostgreSQL, receiver and loop share the machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { feedFile } from './lab/feed-file.ts';
import { feed, makeSellers, type Seller } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { heading, median, report, whole } from './lab/statistics.ts';
import type { BenchOptions } from './run.ts';

const lab = (name: string): string => fileURLToPath(new URL(`./lab/${name}.ts`, import.meta.url));
/** Bytes of an event of a product, about. */
const BODY_BYTES = 1_500;
const CONCURRENCY = 50;
const PATIENCE_MS = 300_000;

interface Told {
  readonly count: number;
  readonly lastAt: number;
  readonly times: readonly number[];
}
class Receiver {
  readonly child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.port = port;
  }

  static async start(): Promise<Receiver> {
    const child = fork(lab('hook-receiver'));
    const [port] = (await once(child, 'message')) as [number];
    return new Receiver(child, port);
  }

  async ask(question: 'count' | 'clear' | 'times'): Promise<Told> {
    this.child.send(question);
    const [told] = (await once(this.child, 'message')) as [Told];
    return told;
  }

  async until(count: number): Promise<Told> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const told = await this.ask('count');
      if (told.count >= count) return told;
      if (performance.now() > end) throw new Error(`${told.count} of ${count} arrived`);
      await sleep(25);
    }
  }
}

async function call(
  service: Service,
  seller: Seller,
  method: string,
  path: string,
  json?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${seller.token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

async function addEndpoint(service: Service, seller: Seller, port: number): Promise<string> {
  const json = {
    url: `http://127.0.0.1:${port}/`,
    event_types: ['product.*'],
    max_concurrency: CONCURRENCY,
  };
  return String((await call(service, seller, 'POST', '/webhooks/endpoints', json))['endpoint_id']);
}

/** So many events of each seller, all numbered, while its endpoint is paused. */
async function prepare(
  service: Service,
  sellers: readonly Seller[],
  port: number,
  each: number,
): Promise<string[]> {
  const endpoints: string[] = [];
  for (const seller of sellers) {
    const id = await addEndpoint(service, seller, port);
    await call(service, seller, 'POST', `/webhooks/endpoints/${id}/pause`);
    await feed(service, seller, feedFile(each));
    endpoints.push(id);
  }
  for (const seller of sellers) {
    for (;;) {
      const overview = await call(service, seller, 'GET', '/webhooks');
      if (Number(overview['last_sequence']) > each) break;
      await sleep(50);
    }
  }
  return endpoints;
}

async function bare(port: number, count: number): Promise<number> {
  const child = fork(lab('bare-hooks'), [port, count, CONCURRENCY, BODY_BYTES].map(String));
  const [ms] = (await once(child, 'message')) as [number];
  return count / (ms / 1_000);
}

async function throughput(
  service: Service,
  receiver: Receiver,
  sellers: number,
  total: number,
): Promise<void> {
  const each = total / sellers;
  const made = await makeSellers(service, sellers);
  const endpoints = await prepare(service, made, receiver.port, each);
  // The first run of the loop warms the receiver for both.
  const limits: number[] = [];
  for (let round = 0; round < 4; round += 1) limits.push(await bare(receiver.port, total));
  await receiver.ask('clear');
  const from = Date.now();
  await Promise.all(
    made.map((seller, index) =>
      call(service, seller, 'POST', `/webhooks/endpoints/${endpoints[index]}/resume`),
    ),
  );
  const { lastAt } = await receiver.until(total);
  const perSecond = total / ((lastAt - from) / 1_000);
  const limit = median(limits.slice(1));
  report({
    name: `deliveries, ${sellers} endpoint${sellers === 1 ? '' : 's'}, ${whole(total)} events`,
    figure: `${whole(perSecond)}/s`,
    limit: `${whole(limit)}/s`,
    ratio: `${((100 * perSecond) / limit).toFixed(0)} %`,
    aim: '>= 50 %',
  });
}

async function latency(service: Service, receiver: Receiver, changes: number): Promise<void> {
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) throw new Error('no seller');
  await addEndpoint(service, seller, receiver.port);
  await receiver.ask('times');
  for (let n = 0; n < changes; n += 1) {
    await call(service, seller, 'POST', '/products', { seller_sku: `L-${n}`, status: 'draft' });
    await sleep(20 + Math.random() * 60);
  }
  const { times } = await receiver.until(changes);
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string =>
    `${whole(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)} ms`;
  report({
    name: `from change to first attempt, ${changes} changes`,
    figure: `p50 ${at(0.5)}, p99 ${at(0.99)}`,
    limit: '',
    ratio: '',
    aim: 'p99 <= 1 s',
  });
}

/** From single changes to their numbers, while the events of a feed that wrote the same products wait for theirs. */
async function besideFeed(service: Service, rows: number, changes: number): Promise<void> {
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) throw new Error('no seller');
  await feed(service, seller, feedFile(rows));
  const listed = await call(service, seller, 'GET', '/products?limit=200');
  // The newest come first: those whose events are numbered last.
  const products = listed['data'] as readonly { readonly product_id: string }[];
  const times: number[] = [];
  let after = 0;
  for (const { product_id } of products.slice(0, changes)) {
    await call(service, seller, 'PATCH', `/products/${product_id}`, { title: 'Changed by hand' });
    const from = performance.now();
    const path = `/webhooks/events?types=product.updated&after_sequence=${after}&wait=25&limit=1`;
    const [event] = (await call(service, seller, 'GET', path))['data'] as { readonly sequence: number }[];
    times.push(performance.now() - from);
    after = event?.sequence ?? after;
  }
  report({
    name: `from change to number, behind a feed of ${whole(rows)} rows`,
    figure: `p50 ${whole(median(times))} ms, longest ${whole(Math.max(...times))} ms`,
    limit: '',
    ratio: '',
    aim: '<= 1 s',
  });
}

/** A service of its own that may call this machine. */
export async function benchWebhooks({ quick }: BenchOptions): Promise<void> {
  heading('Webhooks');
  const nodeOptions = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((text) => text !== '');
  const receiver = await Receiver.start();
  try {
    await inTemporaryDirectory(async (dir) => {
      const env = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
      const service = await startService(dir, { env, nodeOptions });
      try {
        const total = quick ? 5_000 : 20_000;
        await throughput(service, receiver, 1, total);
        await throughput(service, receiver, 10, total);
        await latency(service, receiver, quick ? 100 : 400);
        await besideFeed(service, quick ? 20_000 : 100_000, quick ? 4 : 10);
      } finally {
        await service.stop();
      }
    });
  } finally {
    receiver.child.kill();
  }
}
