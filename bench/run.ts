/**
 * `npm run bench`: every figure with its limit, measured in the same run on the same server.
 *
 *   npm run bench                     everything (about 10 minutes)
 *   npm run bench -- feeds reads      only these: feeds, reads, exports, orders, money, search, messages, images, ratings, onboarding, facts, insights, supply, webhooks, callbacks, starts, waits, clock, audit, stock, imports
 *   npm run bench -- --quick          shorter and rougher
 *   npm run bench -- --full           reads from a million products as well, and from a million items of suppliers; nights of 1,000 large sellers
 *   BENCH_DATABASE_URL=… BENCH_SUPERUSER_URL=… npm run bench -- reads   behind PgBouncer (docs/performance.md)
 *   BENCH_NODE_OPTIONS=--cpu-prof …   options of Node for the service
 */

import { benchAudit } from './audit.ts';
import { benchCallbacks } from './callbacks.ts';
import { benchClock } from './clock.ts';
import { benchExports } from './exports.ts';
import { benchFacts } from './facts.ts';
import { benchFeeds } from './feeds.ts';
import { benchImages } from './images.ts';
import { benchImports } from './imports.ts';
import { benchInsights } from './insights.ts';
import type { BenchOptions } from './lab/options.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { benchMessages } from './messages.ts';
import { benchMoney } from './money.ts';
import { benchOnboarding } from './onboarding.ts';
import { benchOrders } from './orders.ts';
import { benchRatings } from './ratings.ts';
import { benchReads } from './reads.ts';
import { benchSearch } from './search.ts';
import { benchStarts } from './starts.ts';
import { benchStoreStock } from './store-stock.ts';
import { benchSupply } from './supply.ts';
import { benchWaits } from './waits.ts';
import { benchWebhooks } from './webhooks.ts';

/** These parts run in this order on one service. */
const PARTS: Readonly<Record<string, (service: Service, options: BenchOptions) => Promise<void>>> = {
  feeds: benchFeeds,
  reads: benchReads,
  exports: benchExports,
  orders: benchOrders,
  money: benchMoney,
  search: benchSearch,
  messages: benchMessages,
  images: benchImages,
  ratings: benchRatings,
  onboarding: benchOnboarding,
  facts: benchFacts,
  supply: benchSupply,
  insights: benchInsights,
};
/** These parts run alone, each on its own service. */
const ALONE: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  webhooks: benchWebhooks,
  callbacks: benchCallbacks,
  starts: benchStarts,
  waits: benchWaits,
  clock: benchClock,
  audit: benchAudit,
  stock: benchStoreStock,
  imports: benchImports,
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options: BenchOptions = {
  quick: process.argv.includes('--quick'),
  full: process.argv.includes('--full'),
};
const nodeOptions = (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((text) => text !== '');

const known = [...Object.keys(PARTS), ...Object.keys(ALONE), '--quick', '--full'];
const strange = process.argv.slice(2).filter((name) => !known.includes(name));
if (strange.length > 0) throw new Error(`unknown: ${strange.join(', ')}; there are ${known.join(', ')}`);

const chosen = <Part>(parts: Readonly<Record<string, Part>>): Part[] =>
  Object.entries(parts)
    .filter(([name]) => asked.length === 0 || asked.includes(name))
    .map(([, part]) => part);

const together = chosen(PARTS);
if (together.length > 0)
  await inTemporaryDirectory(async (dir) => {
    const service = await startService(dir, { nodeOptions });
    try {
      for (const part of together) await part(service, options);
    } finally {
      await service.stop();
    }
  });
for (const part of chosen(ALONE)) await part(options);
