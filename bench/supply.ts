/**
 * Suppliers: searches in their catalogue, 10,000 counts in ten events with one listing each (limit: one bare update of as
 * many rows), counts of many items without listings, placements of orders whose stock a supplier counts (limit: those of
 * own stock), pages of purchase orders, and receipts. Set statements write the catalogue and the listings.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { eventsNumbered, settle } from './lab/settle.ts';
import { heading, median, milliseconds, pairedRatio, report, whole } from './lab/statistics.ts';
import {
  COUNTS_EACH,
  countEvents,
  ITEMS,
  LISTED,
  PRODUCTS,
  STOCK,
  SUPPLIER,
  UNITS,
} from './lab/supply-rows.ts';
import { tell } from './lab/tell.ts';
import { placeUpTo } from './orders.ts';
import { benchPages, benchReceipts } from './supply-purchases.ts';
import { benchCatalogue } from './supply-search.ts';

const COUNTS_EVENTS = 10;
const LISTINGS = COUNTS_EACH * COUNTS_EVENTS;
/** Events of one request of the marketplace. */
const EVENTS_AT_ONCE = 10;
const SELLERS = 10;
const PLACED_PRODUCTS = 200;
const PLACED = 500;
const POLL_MS = 20;
const TIMEOUT_MS = 60_000;

/** Waits until the mirror has brought a count to all stocks. */
async function untilMirrored(client: pg.Client, sellers: readonly Seller[], onHand: number): Promise<void> {
  const waiting = `select from inventory where seller_id = any($1) and stock_source = 'supplier'
      and quantity_on_hand - quantity_reserved <> $2 limit 1`;
  const ids = sellers.map(({ seller_id }) => seller_id);
  for (const until = Date.now() + TIMEOUT_MS; (await client.query(waiting, [ids, onHand])).rowCount !== 0; ) {
    if (Date.now() > until) throw new Error('the mirror does not end');
    await sleep(POLL_MS);
  }
}

const BARE_COUNTS = `
  update supplier_item i
     set available = c.available, available_as_of = now(), updated_at = now()
    from unnest($2::text[], $3::int[]) c (supplier_sku, available)
   where i.supplier_id = $1
     and i.supplier_sku = c.supplier_sku`;

async function benchCounts(service: Service, client: pg.Client, sellers: readonly Seller[], rounds: number) {
  const supplierId = 'sup_benchcounts';
  await client.query(SUPPLIER, [supplierId]);
  await client.query(ITEMS, [supplierId, LISTINGS, 10_000_000, 0]);
  for (const [index, { seller_id }] of sellers.entries()) {
    const span = [seller_id, (index * LISTINGS) / SELLERS, ((index + 1) * LISTINGS) / SELLERS];
    await client.query(PRODUCTS, span);
    await client.query(STOCK, [...span, 'supplier']);
    await client.query(LISTED, [...span, 10_000_000, supplierId]);
  }
  await settle(service);
  const skus = Array.from({ length: LISTINGS }, (_, index) => `SKU${index + 1}`);
  const figures = { ours: [] as number[], limits: [] as number[], late: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const available = 100 + round;
    const events = countEvents(supplierId, LISTINGS, available);
    const since = new Date();
    const ours = await milliseconds(() => tell(service, events));
    await untilMirrored(client, sellers, available - 5);
    const { rows } = await client.query<{ ms: number }>(
      `select 1000 * extract(epoch from percentile_disc(0.99) within group (order by updated_at) - $2)::float8 as ms
         from inventory where seller_id = any($1)`,
      [sellers.map(({ seller_id }) => seller_id), since],
    );
    await eventsNumbered(service);
    const limit = await milliseconds(() =>
      client.query(BARE_COUNTS, [supplierId, skus, skus.map(() => 1 + round)]),
    );
    // The first round warms up.
    if (round === 0) continue;
    figures.ours.push(ours);
    figures.limits.push(limit);
    figures.late.push(rows[0]?.ms ?? Number.NaN);
  }
  const perSecond = (list: readonly number[]) => `${whole((1_000 * LISTINGS) / median(list))} counts/s`;
  report({
    name: `${whole(LISTINGS)} counts in ${COUNTS_EVENTS} events`,
    figure: perSecond(figures.ours),
    limit: perSecond(figures.limits),
    ratio: `${(100 * pairedRatio(figures.limits, figures.ours)).toFixed(0)} %`,
    aim: '>= 33 %',
  });
  report({
    name: 'their stock, from the request on, p99',
    figure: `${whole(median(figures.late))} ms`,
    ...{ limit: '', ratio: '', aim: '<= 2,000 ms' },
  });
}

/** Counts of many items that no seller lists. */
async function benchManyCounts(service: Service, client: pg.Client, items: number, rounds: number) {
  const supplierId = 'sup_benchmanycounts';
  await client.query(SUPPLIER, [supplierId]);
  await client.query(ITEMS, [supplierId, items, 40_000_000, 0]);
  await settle(service);
  const skus = Array.from({ length: items }, (_, index) => `SKU${index + 1}`);
  const figures = { ours: [] as number[], limits: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const events = countEvents(supplierId, items, 100 + round);
    const slices = Array.from({ length: Math.ceil(events.length / EVENTS_AT_ONCE) }, (_, index) =>
      events.slice(index * EVENTS_AT_ONCE, (index + 1) * EVENTS_AT_ONCE),
    );
    const ours = await milliseconds(async () => {
      for (const slice of slices) await tell(service, slice);
    });
    const limit = await milliseconds(() =>
      client.query(BARE_COUNTS, [supplierId, skus, skus.map(() => 1 + round)]),
    );
    // The first round warms up.
    if (round === 0) continue;
    figures.ours.push(ours);
    figures.limits.push(limit);
  }
  const perSecond = (list: readonly number[]) => `${whole((1_000 * items) / median(list))} counts/s`;
  report({
    name: `${whole(items)} counts in ${whole(Math.ceil(items / COUNTS_EACH))} events`,
    figure: perSecond(figures.ours),
    limit: perSecond(figures.limits),
    ratio: `${(100 * pairedRatio(figures.limits, figures.ours)).toFixed(0)} %`,
    aim: '>= 33 %',
  });
}

/** Places orders of two sellers by turns, one of whom sells what a supplier counts. */
async function placeByTurns(
  service: Service,
  client: pg.Client,
  sellers: readonly Seller[],
  { rounds, worker }: { readonly rounds: number; readonly worker: boolean },
) {
  const [own, mirrored] = sellers;
  if (own === undefined || mirrored === undefined) return;
  const supplierId = 'sup_benchplacement';
  await client.query(SUPPLIER, [supplierId]);
  await client.query(ITEMS, [supplierId, PLACED_PRODUCTS, 20_000_000, 0]);
  for (const { seller_id } of [own, mirrored]) {
    await client.query(PRODUCTS, [seller_id, 0, PLACED_PRODUCTS]);
    const source = seller_id === own.seller_id ? 'own' : 'supplier';
    await client.query(STOCK, [seller_id, 0, PLACED_PRODUCTS, source]);
  }
  await client.query(LISTED, [mirrored.seller_id, 0, PLACED_PRODUCTS, 20_000_000, supplierId]);
  await tell(service, countEvents(supplierId, PLACED_PRODUCTS, UNITS));
  if (worker) await untilMirrored(client, [mirrored], UNITS - 5);
  else await client.query('update inventory set quantity_on_hand = $1', [UNITS]);
  await client.query('vacuum (analyze)');
  const skus = Array.from({ length: PLACED_PRODUCTS }, (_, index) => `SKU${index + 1}`);
  const rates: Record<'own' | 'mirrored', number[]> = { own: [], mirrored: [] };
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, seller] of [['own', own] as const, ['mirrored', mirrored] as const]) {
      const rate = await placeUpTo(service, [seller], skus, {
        from: round * PLACED,
        to: (round + 1) * PLACED,
      });
      if (worker) await eventsNumbered(service);
      if (round > 0) rates[name].push(rate);
    }
  report({
    name: `placement of orders with mirrored lines${worker ? ', and a worker that routes them' : ''}`,
    figure: `${whole(median(rates.mirrored))} orders/s`,
    limit: `${whole(median(rates.own))} orders/s (own stock)`,
    ratio: `${(100 * pairedRatio(rates.mirrored, rates.own)).toFixed(0)} %`,
    aim: worker ? '' : '>= 90 %',
  });
}

/** Placements without a worker, in a service of their own: what routes the lines afterwards is not part of them. */
const benchPlacement = (rounds: number): Promise<void> =>
  inTemporaryDirectory(async (dir) => {
    const service = await startService(dir, { env: { ROLE: 'api' } });
    const client = new pg.Client({ connectionString: service.superuserUrl });
    await client.connect();
    try {
      await placeByTurns(service, client, await makeSellers(service, 2), { rounds, worker: false });
    } finally {
      await client.end();
      await service.stop();
    }
  });

export async function benchSupply(service: Service, { quick, full }: BenchOptions): Promise<void> {
  heading('Suppliers');
  const rounds = quick ? 3 : 7;
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    const [reader, buyer, ...others] = await makeSellers(service, 2 + SELLERS + 2 + 2);
    if (reader === undefined || buyer === undefined) return;
    const [small, large] = quick ? [5_000, 20_000] : [20_000, 100_000];
    const sizes = [small, full ? 1_000_000 : large] as const;
    await benchCatalogue(service, client, reader, { sizes, rounds, quick });
    await benchCounts(service, client, others.slice(0, SELLERS), rounds);
    await benchManyCounts(service, client, large, rounds);
    await benchPlacement(rounds);
    await placeByTurns(service, client, others.slice(SELLERS, SELLERS + 2), { rounds, worker: true });
    await benchPages(service, client, others.slice(SELLERS + 2), rounds);
    await signIn(service, [buyer]);
    await benchReceipts(service, client, buyer, rounds);
  } finally {
    await client.end();
  }
}
