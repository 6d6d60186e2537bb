/**
 * Insights of sellers with 1,000 products and 400 days of 10 orders: the nights of all of them in the worker (limit:
 * making, reading and parsing their facts, bare), the memory of the worker, then the reads of each area beside a bare
 * read of one row.
 */
import pg from 'pg';
import { addDays } from '../src/kernel/australia/settlement-period.ts';
import { sydneyDate } from '../src/kernel/australia/sydney.ts';
import { againstBare, type Kind } from './lab/against-bare.ts';
import { CATEGORY, fillInsightShop, fillReads, SHOP } from './lab/insight-shops.ts';
import { fillLedger } from './lab/ledger.ts';
import { rssMb } from './lab/memory.ts';
import { bareFacts, bareSeries, pair, reportTimes, rollAll } from './lab/nights.ts';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { changeOrders } from './lab/shops.ts';
import { heading, median, milliseconds, report, whole } from './lab/statistics.ts';

const SELLERS = { quick: 4, usual: 20, full: 1_000 };
/** The internal listener takes 500 events at once. */
const SELLERS_AT_ONCE = 400;
const LAST_DAY = { days: 1, each: SHOP.orders_a_day };
const CONNECTIONS = [16];
const FLAT = '<= 1.25x';

async function manySellers(service: Service, count: number): Promise<Seller[]> {
  const sellers: Seller[] = [];
  while (sellers.length < count)
    sellers.push(...(await makeSellers(service, Math.min(SELLERS_AT_ONCE, count - sellers.length))));
  return sellers;
}

/** Nights of the last day. @returns the sellers */
async function measureNights(service: Service, client: pg.Client, count: number, rounds: number) {
  const sellers = await manySellers(service, count);
  const ids = sellers.map(({ seller_id }) => seller_id);
  for (const id of ids) await fillInsightShop(client, id);
  await settle(service);
  const [first, later] = [pair(), pair()];
  const memory = { first: [] as number[], last: [] as number[] };
  const bare = async (): Promise<void> => {
    for (const id of ids) {
      await bareFacts(client, id, LAST_DAY.days);
      await bareSeries(client, id);
    }
  };
  first.ours.push(await milliseconds(() => rollAll(client, ids)));
  first.limits.push(await milliseconds(bare));
  const [one = '', ...others] = ids;
  for (let round = 0; round < rounds; round += 1) {
    await changeOrders(client, ids, { ...SHOP, ...LAST_DAY });
    const ofOne = await milliseconds(() => rollAll(client, [one]));
    memory.first.push(await rssMb(service.pid));
    later.ours.push(ofOne + (await milliseconds(() => rollAll(client, others))));
    memory.last.push(await rssMb(service.pid));
    later.limits.push(await milliseconds(bare));
  }
  const of = `of ${whole(count)} sellers, ${whole(SHOP.products)} products`;
  const perSeller = (name: string, { ours, limits }: ReturnType<typeof pair>): void => {
    const each = (list: readonly number[]) => list.map((ms) => ms / count);
    reportTimes(`${name} ${of}, each`, { ours: each(ours), limits: each(limits) }, '');
  };
  perSeller('first nights', first);
  perSeller('later nights', later);
  const [begin, end] = [median(memory.first), median(memory.last)];
  report({
    name: `resident memory after the last of ${whole(count)}`,
    figure: `${whole(end)} MB`,
    limit: `${whole(begin)} MB after the first`,
    ratio: `${(end / begin).toFixed(2)}x`,
    aim: FLAT,
  });
  return sellers;
}

interface Place {
  readonly seller: Seller;
  /** Who has the product that the limit reads. */
  readonly limitOf: Seller;
}
const PRODUCT = `prd_${'1'.padStart(26, '0')}`;
const PROMOTION = `prm_${'1'.padStart(26, '0')}`;

/** The limit is the kept payload itself, else the row of a product. */
const read = (path: string, contract?: string): Kind<Place> => ({
  name: path.replace(PRODUCT, '{id}').replace(PROMOTION, '{id}').replace(/\?.*/, ''),
  path: () => `/api/v1${path}`,
  bare: ({ limitOf: { seller_id } }) =>
    contract === undefined ? `/one/${seller_id}/${PRODUCT}` : `/kept/${seller_id}/${contract}`,
});
const READS = [
  // What a read of one row reaches.
  read(`/products/${PRODUCT}`),
  read('/forecasting/summary', 'forecasting.summary.v1'),
  read(`/forecasting/products/${PRODUCT}`),
  ...['summary', 'segments', 'cohorts', 'lifetime-value'].map((name) =>
    read(`/customer-analytics/${name}`, `customer-analytics.${name}.v1`),
  ),
  read('/quality/summary'),
  read(`/quality/products/${PRODUCT}`),
  read('/quality/seller-metrics'),
  read(`/pricing/products/${PRODUCT}`),
  read('/search-insights/queries?limit=50'),
  read('/search-insights/reports?limit=50'),
  read('/marketplace-intel/categories'),
  read(`/marketplace-intel/categories/report?category=${encodeURIComponent(CATEGORY)}`),
  read('/marketing/promotions?limit=50'),
  read(`/marketing/promotions/${PROMOTION}`),
  read('/dashboard/summary'),
];
const OF_LEDGER = [
  read('/profitability/components?limit=50'),
  read('/profitability/coverage'),
  read('/dashboard/summary'),
];

async function measureReads(service: Service, client: pg.Client, seller: Seller): Promise<void> {
  const [trader] = await makeSellers(service, 1);
  if (trader === undefined) return;
  await fillReads(client, seller.seller_id);
  const today = sydneyDate(Date.now());
  const { days, orders_a_day, lines_each: linesEach } = SHOP;
  const size = {
    orders: days * orders_a_day,
    linesEach,
    from: addDays(today, -days),
    to: addDays(today, -1),
  };
  await fillLedger(client, trader.seller_id, size);
  await signIn(service, [seller, trader]);
  const shared = { quick: true, connections: CONNECTIONS, aim: '>= 80 %' };
  await againstBare(service, {
    ...shared,
    kinds: READS,
    places: [{ seller, limitOf: seller }],
    size: '1,000 products',
  });
  const entries = `${whole(size.orders)} orders`;
  const places = [{ seller: trader, limitOf: seller }];
  await againstBare(service, { ...shared, kinds: OF_LEDGER, places, size: entries });
}

export async function benchInsights(service: Service, { quick, full }: BenchOptions): Promise<void> {
  heading('Insights');
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    const count = full ? SELLERS.full : quick ? SELLERS.quick : SELLERS.usual;
    const [seller] = await measureNights(service, client, count, quick ? 1 : 3);
    if (seller !== undefined) await measureReads(service, client, seller);
  } finally {
    await client.end();
  }
}
