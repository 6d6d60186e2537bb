/** Feed runs over HTTP with upload, evidence and events. The limit is COPY and upsert of the same columns. */
import { type CopyLimit, openCopyLimit } from './lab/copy-limit.ts';
import { feedFile } from './lab/feed-file.ts';
import { watchMemory } from './lab/memory.ts';
import { feed, makeSellers, type Seller } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { eventsNumbered } from './lab/settle.ts';
import { heading, median, milliseconds, pairedRatio, report, whole } from './lab/statistics.ts';

const PHASES = [
  { name: 'new rows', outcome: 'created', extra: 0 },
  { name: 'fed again unchanged', outcome: 'unchanged', extra: 0 },
  { name: 'every price changed', outcome: 'updated', extra: 1 },
] as const;

interface Round {
  readonly service: number[];
  readonly limit: number[];
}

async function runFeed(
  service: Service,
  seller: Seller,
  rows: number,
  phase: (typeof PHASES)[number],
): Promise<number> {
  const file = feedFile(rows, phase.extra);
  let counts: Record<string, number> = {};
  const ms = await milliseconds(async () => {
    counts = await feed(service, seller, file);
  });
  if (counts[phase.outcome] !== rows) throw new Error(`${phase.name}: ${JSON.stringify(counts)}`);
  return ms;
}

async function runLimit(limit: CopyLimit, seller: Seller, phase: (typeof PHASES)[number]): Promise<number> {
  const data = await limit.take(seller.seller_id);
  return milliseconds(() => limit.write(data, phase.outcome === 'unchanged'));
}

async function measure(service: Service, rows: number, rounds: number): Promise<void> {
  const results: Round[] = PHASES.map(() => ({ service: [], limit: [] }));
  for (const [number, seller] of (await makeSellers(service, rounds)).entries()) {
    const limit = await openCopyLimit(service.superuserUrl, `slr_limit_${rows}_${number}`);
    for (const [index, phase] of PHASES.entries()) {
      results[index]?.service.push(await runFeed(service, seller, rows, phase));
      await eventsNumbered(service);
      results[index]?.limit.push(await runLimit(limit, seller, phase));
    }
    await limit.stop();
  }
  for (const [index, phase] of PHASES.entries()) {
    const { service: ours = [], limit: theirs = [] } = results[index] ?? {};
    const [ms, limitMs] = [median(ours), median(theirs)];
    report({
      name: `${whole(rows)} rows, ${phase.name}`,
      figure: `${(ms / 1000).toFixed(2)} s  ${whole((rows / ms) * 1000)} rows/s`,
      limit: `${(limitMs / 1000).toFixed(2)} s  ${whole((rows / limitMs) * 1000)} rows/s`,
      ratio: `${pairedRatio(ours, theirs).toFixed(2)}x`,
      aim: '<= 3x',
    });
  }
}

async function memory(service: Service, rows: number): Promise<void> {
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) return;
  const file = feedFile(rows);
  const { idleHeapMb, peakHeapMb, peakRssMb } = await watchMemory(service, () => feed(service, seller, file));
  report({
    name: `${whole(rows)} rows, heap above idle`,
    figure: `${whole(peakHeapMb - idleHeapMb)} MB  (peak resident ${whole(peakRssMb)} MB)`,
    limit: '250 MB',
    ratio: `${((peakHeapMb - idleHeapMb) / 250).toFixed(2)}x`,
    aim: '<= 1x',
  });
}

export async function benchFeeds(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Feed runs (time of the whole request; limit: COPY and upsert)');
  // The first run of a fresh process compiles its code; that happens once.
  const [first] = await makeSellers(service, 1);
  if (first !== undefined) await feed(service, first, feedFile(5_000));
  await measure(service, 10_000, quick ? 3 : 9);
  if (quick) return;
  await measure(service, 100_000, 1);
  await memory(service, 100_000);
}
