/**
 * `npm run bench`: every figure beside its limit, measured in the same run on the same server.
 *
 *   npm run bench                     everything (about 5 minutes)
 *   npm run bench -- feeds reads      only these: feeds, reads, exports, starts
 *   npm run bench -- --quick          shorter and rougher
 *   BENCH_FULL=1 npm run bench        reads from a million products as well
 *   BENCH_NODE_OPTIONS=--cpu-prof …   options of Node for the service
 */
import { benchFeeds } from './feeds.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { benchReads } from './reads.ts';

export interface BenchOptions {
  readonly quick: boolean;
  readonly full: boolean;
}

/** In this order, on one service. */
const PARTS: Readonly<Record<string, (service: Service, options: BenchOptions) => Promise<void>>> = {
  feeds: benchFeeds,
  reads: benchReads,
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options: BenchOptions = {
  quick: process.argv.includes('--quick'),
  full: process.env['BENCH_FULL'] === '1',
};
const nodeOptions = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((text) => text !== '');

await inTemporaryDirectory(async (dir) => {
  const service = await startService(dir, { nodeOptions });
  try {
    for (const [name, part] of Object.entries(PARTS))
      if (asked.length === 0 || asked.includes(name)) await part(service, options);
  } finally {
    await service.stop();
  }
});
