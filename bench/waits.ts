/**
 * Long polls: how much 2,000 waiting requests slow down ordinary reads, and the memory of each. The limit is the same
 * service without them, measured in alternation.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { applyLoad, wireGet } from './lab/apply-load.ts';
import { feedFile } from './lab/feed-file.ts';
import type { LoadResult } from './lab/load.ts';
import { heapAndBuffersMb } from './lab/memory.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, pairedRatio, rateOf, report, whole } from './lab/statistics.ts';
import { startWaiters } from './lab/waiters.ts';

const WAITERS = 2_000;
const SELLERS = 20;
const PRODUCTS = 500;
const COLLECT = fileURLToPath(new URL('./lab/collect-on-signal.mjs', import.meta.url));
/** Time for all long polls to begin, and for a garbage collection. */
const SETTLE_MS = 3_000;

interface Bench {
  readonly service: Service;
  readonly port: number;
  readonly sellers: readonly Seller[];
  readonly reads: readonly string[];
}

async function prepare(service: Service): Promise<Bench> {
  const sellers = await makeSellers(service, SELLERS);
  const reads: string[] = [];
  for (const seller of sellers) {
    await feed(service, seller, feedFile(PRODUCTS));
    const response = await fetch(`${service.url}/api/v1/products?limit=200`, {
      headers: { authorization: `Bearer ${seller.token}` },
    });
    const { data } = (await response.json()) as { data: { product_id: string }[] };
    for (const { product_id } of data) reads.push(wireGet(`/api/v1/products/${product_id}`, seller.token));
  }
  await settle(service);
  await signIn(service, sellers);
  return { service, port: Number(new URL(service.url).port), sellers, reads };
}

async function collectedMb(service: Service): Promise<number> {
  process.kill(service.pid, 'SIGUSR2');
  await sleep(SETTLE_MS);
  return heapAndBuffersMb(service);
}

async function measureRates({ service, port, sellers, reads }: Bench, quick: boolean): Promise<void> {
  const load = { port, connections: 16, requests: reads, warmUpMs: 300, ms: 2_000 };
  await applyLoad({ ...load, ms: 12_000 });
  const withWaits: LoadResult[] = [];
  const alone: LoadResult[] = [];
  for (let round = 0; round < (quick ? 3 : 7); round += 1) {
    alone.push(await applyLoad(load));
    const waiters = await startWaiters(service.url, sellers, WAITERS);
    await sleep(SETTLE_MS);
    withWaits.push(await applyLoad(load));
    waiters.stop();
    if (waiters.failures > 0) throw new Error(`${waiters.failures} waits were not answered 200`);
    await sleep(SETTLE_MS);
  }
  const rates = (results: readonly LoadResult[]) => results.map(({ perSecond }) => perSecond);
  report({
    name: `one product, 16 connections, ${whole(WAITERS)} waiting`,
    figure: rateOf(withWaits),
    limit: `${rateOf(alone)} (none waiting)`,
    ratio: `${(100 * pairedRatio(rates(withWaits), rates(alone))).toFixed(0)} %`,
    aim: '>= 90 %',
  });
}

async function measureMemory({ service, sellers }: Bench): Promise<void> {
  const before = await collectedMb(service);
  const waiters = await startWaiters(service.url, sellers, WAITERS);
  await sleep(SETTLE_MS);
  const kb = ((await collectedMb(service)) - before) * (1e3 / WAITERS);
  waiters.stop();
  report({
    name: `memory of a waiting request, ${whole(WAITERS)} waiting`,
    figure: `${kb.toFixed(1)} kB`,
    limit: '30 kB',
    ratio: `${(kb / 30).toFixed(2)}x`,
    aim: '<= 1x',
  });
}

export async function benchWaits({ quick }: { readonly quick: boolean }): Promise<void> {
  heading('Waiting requests (limit: the same service without them)');
  await inTemporaryDirectory(async (dir) => {
    const service = await startService(dir, { nodeOptions: ['--expose-gc', '--import', COLLECT] });
    try {
      const bench = await prepare(service);
      await measureRates(bench, quick);
      await signIn(service, bench.sellers);
      await measureMemory(bench);
    } finally {
      await service.stop();
    }
  });
}
