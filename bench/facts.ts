/**
 * The nights: facts of 300 changed orders on 30 days (limit: the same delete and insert, bare), forecasts of 1,000
 * products (limit: reading and parsing their days), whole nights of small sellers in the worker, lists of 50 of small
 * and of large catalogues, and a feed with and without the trigger of outages. The aims are those of
 * docs/performance.md.
 */
import pg from 'pg';
import { pino } from 'pino';
import type { Acting } from '../src/kernel/context.ts';
import { createIds } from '../src/kernel/ids.ts';
import { fillFacts } from '../src/modules/facts/actions/fill-facts.ts';
import { forecastNight } from '../src/modules/forecasting/actions/night.ts';
import { acting } from '../src/platform/acting.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { createWithSeller } from '../src/platform/db/scope.ts';
import { againstBare, type Kind } from './lab/against-bare.ts';
import { feedFile } from './lab/feed-file.ts';
import { type FlatRead, measureFlat } from './lab/flat.ts';
import { bareFacts, bareSeries, pair, reportTimes, rollAll } from './lab/nights.ts';
import type { BenchOptions } from './lab/options.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { eventsNumbered, settle } from './lab/settle.ts';
import { allowPricing, changeOrders, DAYS, fillLists, fillShop, type Shop } from './lab/shops.ts';
import { heading, milliseconds, whole } from './lab/statistics.ts';

const CONNECTIONS = 16;
const LARGE: Shop = { products: 1_000, orders_a_day: 100, lines_each: 3 };
const CHANGED = { days: 30, each: 10 };
const SMALL: Shop = { products: 20, orders_a_day: 1, lines_each: 2 };
const CHANGED_SMALL = { days: 3, each: 1 };
const TIMEOUT_MS = 300_000;

/** Both as the job makes them: in a transaction of the seller. */
function nightOf(service: Service, { seller_id }: Seller) {
  const log = pino({ level: 'silent' });
  const pool = createPool({ url: service.superuserUrl, max: 1, name: 'bench', log, longWork: true });
  const withSeller = createWithSeller(pool);
  const services = { now: Date.now, ids: createIds(Date.now), secrets: {} } as Parameters<typeof acting>[0];
  return {
    run: <T>(work: (ctx: Acting) => Promise<T>): Promise<T> =>
      withSeller(seller_id, 'write', (db) => work(acting(services, { db, seller_id })), {
        statementTimeoutMs: TIMEOUT_MS,
      }),
    end: () => pool.end(),
  };
}

/** The facts and the forecasts of a large seller, statement beside statement. */
async function measureNight(service: Service, client: pg.Client, seller: Seller, rounds: number) {
  const { seller_id } = seller;
  await fillShop(client, seller_id, LARGE);
  const night = nightOf(service, seller);
  const [facts, forecasts] = [pair(), pair()];
  let rolled = 0;
  try {
    const through_on = await night.run((ctx) => fillFacts(ctx, 'AUD'));
    await settle(service);
    const standing = { currency: 'AUD' } as Parameters<typeof forecastNight.run>[1]['standing'];
    // The first round of each warms up.
    for (let round = 0; round <= rounds; round += 1) {
      await changeOrders(client, [seller_id], { ...CHANGED, ...LARGE });
      const times = [
        await milliseconds(() => night.run((ctx) => fillFacts(ctx, 'AUD'))),
        await milliseconds(async () => {
          rolled = await bareFacts(client, seller_id, CHANGED.days);
        }),
        await milliseconds(() => night.run((ctx) => forecastNight.run(ctx, { through_on, standing }))),
        await milliseconds(() => bareSeries(client, seller_id)),
      ] as const;
      if (round === 0) continue;
      facts.ours.push(times[0]);
      facts.limits.push(times[1]);
      forecasts.ours.push(times[2]);
      forecasts.limits.push(times[3]);
    }
  } finally {
    await night.end();
  }
  reportTimes(`facts of ${CHANGED.days * CHANGED.each} changed orders`, facts, '<= 2.5x', [rolled, 'facts']);
  const products = whole(LARGE.products);
  reportTimes(`forecasts of ${products} products, written`, forecasts, '<= 6x, <= 1 s', [
    LARGE.products,
    'products',
  ]);
}

/** Whole nights, with the steps of all areas. The limit makes and reads the same facts, one seller after another. */
async function measureNights(service: Service, client: pg.Client, count: number, rounds: number) {
  const ids = (await makeSellers(service, count)).map(({ seller_id }) => seller_id);
  for (const id of ids) await fillShop(client, id, SMALL);
  await allowPricing(client, ids);
  await settle(service);
  const [first, later] = [pair(), pair()];
  const bare = async (days: number): Promise<void> => {
    for (const id of ids) {
      await bareFacts(client, id, days);
      await bareSeries(client, id);
    }
  };
  first.ours.push(await milliseconds(() => rollAll(client, ids)));
  first.limits.push(await milliseconds(() => bare(DAYS)));
  for (let round = 0; round < rounds; round += 1) {
    await changeOrders(client, ids, { ...CHANGED_SMALL, ...SMALL });
    later.ours.push(await milliseconds(() => rollAll(client, ids)));
    later.limits.push(await milliseconds(() => bare(CHANGED_SMALL.days)));
  }
  const of = `of ${whole(count)} sellers with ${SMALL.products} products`;
  reportTimes(`first nights ${of}`, first, '', [count, 'sellers']);
  reportTimes(`later nights ${of}`, later, '', [count, 'sellers']);
}

const AREAS = { forecasting: 'forecasts', quality: 'readiness', pricing: 'prices' };
const LISTS: readonly FlatRead[] = Object.keys(AREAS).map((area) => ({
  name: `/${area}/products`,
  path: () => `/${area}/products?limit=50`,
}));
const KINDS: readonly Kind<{ readonly seller: Seller }>[] = Object.entries(AREAS).map(([area, bare]) => ({
  name: `/${area}/products`,
  path: () => `/api/v1/${area}/products?limit=50`,
  bare: ({ seller }) => `/${bare}/${seller.seller_id}/0`,
}));

async function measureFeed(service: Service, client: pg.Client, rows: number, rounds: number): Promise<void> {
  const sellers = await makeSellers(service, 4 * rounds + 2);
  const times = pair();
  const switchTo = async (state: 'enable' | 'disable'): Promise<void> => {
    for (const name of ['outage_begins', 'outage_flips'])
      await client.query(`alter table inventory ${state} trigger ${name}`);
  };
  const file = feedFile(rows);
  try {
    for (const [turn, seller] of sellers.entries()) {
      // On, off, off, on: what grows with each feed counts for both alike.
      const isOn = turn % 4 === 0 || turn % 4 === 3;
      await switchTo(isOn ? 'enable' : 'disable');
      const ms = await milliseconds(() => feed(service, seller, file));
      await eventsNumbered(service);
      // The first of each warm up.
      if (turn > 1) (isOn ? times.ours : times.limits).push(ms);
    }
  } finally {
    await switchTo('enable');
  }
  reportTimes(`feed of ${whole(rows)} rows, with the trigger of outages`, times, '<= 1.03x');
}

export async function benchFacts(service: Service, { quick }: BenchOptions): Promise<void> {
  heading('Facts, nights and their lists');
  const sizes = [1_000, quick ? 50_000 : 500_000] as const;
  const rounds = quick ? 2 : 7;
  const [seller, ...sellers] = await makeSellers(service, 1 + sizes.length);
  if (seller === undefined) return;
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    await measureNight(service, client, seller, rounds);
    await measureNights(service, client, quick ? 40 : 400, rounds);
    for (const [index, size] of sizes.entries())
      await fillLists(client, sellers[index]?.seller_id ?? '', size, seller.seller_id);
    await settle(service);
    await signIn(service, sellers);
    await measureFlat(service, LISTS, { sellers, sizes, connections: CONNECTIONS, rounds });
    const places = sellers.slice(0, 1).map((one) => ({ seller: one }));
    await againstBare(service, { kinds: KINDS, places, size: `${whole(sizes[0])} products`, quick });
    await measureFeed(service, client, quick ? 10_000 : 100_000, rounds);
  } finally {
    await client.end();
  }
}
