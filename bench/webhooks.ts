/**
 * Deliveries to a local receiver; the limit is a bare loop that sends as many signed requests of the same size. Also the
 * time from a change to its first attempt, and to its number while the events of a feed wait for theirs.
 * Service, PostgreSQL, receiver and loop share the machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { feedFile } from './lab/feed-file.ts';
import type { BenchOptions } from './lab/options.ts';
import { feed, makeSellers, type Seller } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, median, pairedRatio, report, whole } from './lab/statistics.ts';

const lab = (name: string): string => fileURLToPath(new URL(`./lab/${name}.ts`, import.meta.url));
/** Approximate size of a product event in bytes. */
const BODY_BYTES = 1_500;
const CONCURRENCY = 50;
const TIMEOUT_MS = 300_000;

interface Answer {
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

  async ask(question: 'count' | 'clear' | 'times'): Promise<Answer> {
    this.child.send(question);
    const [answer] = (await once(this.child, 'message')) as [Answer];
    return answer;
  }

  async until(count: number): Promise<Answer> {
    const end = performance.now() + TIMEOUT_MS;
    for (;;) {
      const answer = await this.ask('count');
      if (answer.count >= count) return answer;
      if (performance.now() > end) throw new Error(`${answer.count} of ${count} arrived`);
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

interface Target {
  readonly seller: Seller;
  readonly endpointId: string;
}

/** Makes this many events of each seller, all numbered, while its endpoint is paused. */
async function prepare(
  service: Service,
  targets: readonly Target[],
  { each, round }: { readonly each: number; readonly round: number },
): Promise<void> {
  for (const { seller, endpointId } of targets) {
    await call(service, seller, 'POST', `/webhooks/endpoints/${endpointId}/pause`);
    // The first file creates the products, each later one changes all of them.
    await feed(service, seller, feedFile(each, round));
  }
  await settle(service);
}

/** @returns deliveries a second from the moment at which the endpoints are resumed */
async function deliver(
  service: Service,
  receiver: Receiver,
  { targets, total }: { readonly targets: readonly Target[]; readonly total: number },
): Promise<number> {
  await receiver.ask('clear');
  const from = Date.now();
  const resumed = targets.map(({ seller, endpointId }) =>
    call(service, seller, 'POST', `/webhooks/endpoints/${endpointId}/resume`),
  );
  await Promise.all(resumed);
  const { lastAt } = await receiver.until(total);
  return total / ((lastAt - from) / 1_000);
}

async function bare(port: number, count: number): Promise<number> {
  const child = fork(lab('bare-hooks'), [port, count, CONCURRENCY, BODY_BYTES].map(String));
  const [ms] = (await once(child, 'message')) as [number];
  return count / (ms / 1_000);
}

/** Measures deliveries and the limit in alternation. The first round warms up the compiler and does not count. */
async function throughput(
  service: Service,
  receiver: Receiver,
  { sellers, total, rounds }: { readonly sellers: number; readonly total: number; readonly rounds: number },
): Promise<void> {
  const targets: Target[] = [];
  for (const seller of await makeSellers(service, sellers))
    targets.push({ seller, endpointId: await addEndpoint(service, seller, receiver.port) });
  const ours: number[] = [];
  const limits: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await prepare(service, targets, { each: total / sellers, round });
    limits.push(await bare(receiver.port, total));
    ours.push(await deliver(service, receiver, { targets, total }));
  }
  report({
    name: `deliveries, ${sellers} endpoint${sellers === 1 ? '' : 's'}, ${whole(total)} events`,
    figure: `${whole(median(ours.slice(1)))}/s`,
    limit: `${whole(median(limits.slice(1)))}/s`,
    ratio: `${(100 * pairedRatio(ours.slice(1), limits.slice(1))).toFixed(0)} %`,
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

/** Time from single changes to their numbers, while the events of a feed on the same products wait for theirs. */
async function besideFeed(service: Service, rows: number, changes: number): Promise<void> {
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) throw new Error('no seller');
  await feed(service, seller, feedFile(rows));
  const listed = await call(service, seller, 'GET', '/products?limit=200');
  // The newest products come first: their events are numbered last.
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

/** Runs on a service of its own, which may call this machine. */
export async function benchWebhooks({ quick }: BenchOptions): Promise<void> {
  heading('Webhooks');
  const nodeOptions = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((text) => text !== '');
  const receiver = await Receiver.start();
  try {
    await inTemporaryDirectory(async (dir) => {
      const env = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
      const service = await startService(dir, { env, nodeOptions });
      try {
        const [total, rounds] = quick ? [5_000, 3] : [20_000, 5];
        await throughput(service, receiver, { sellers: 1, total, rounds });
        await throughput(service, receiver, { sellers: 10, total, rounds });
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
