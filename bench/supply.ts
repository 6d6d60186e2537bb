/**
 * Suppliers: pages of the catalogue (limit: a bare server that runs the same query), 10,000 counts in ten events with
 * one listing each (limit: one bare update of as many rows), placements of orders whose stock a supplier counts (limit:
 * those of own stock), and pages of purchase orders of a seller with few and one with many. Set statements write the
 * catalogue, the listings and the orders.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { againstBare, type Kind } from './lab/against-bare.ts';
import { measureFlat } from './lab/flat.ts';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { INTERNAL_TOKEN, type Service } from './lab/service.ts';
import { eventsNumbered, settle } from './lab/settle.ts';
import { heading, median, milliseconds, pairedRatio, report, whole } from './lab/statistics.ts';
import { placeUpTo } from './orders.ts';

const CONNECTIONS = 16;
const ID_DIGITS = 26;
const COUNTS_EACH = 1_000;
const COUNTS_EVENTS = 10;
const LISTINGS = COUNTS_EACH * COUNTS_EVENTS;
const SELLERS = 10;
const PLACED_PRODUCTS = 200;
const PLACED = 500;
const POLL_MS = 20;
const TIMEOUT_MS = 60_000;
const UNITS = 900_000;

const idOf = (prefix: string, n: string) => `'${prefix}_' || lpad((${n})::text, ${ID_DIGITS}, '0')`;

const SUPPLIER = `
  insert into supplier (supplier_id, name, categories, ships_from, currency, minimum_order_minor, status, told_at,
    updated_at)
  values ($1, 'Bench works', '{}', '{"state":"NSW","country":"AU"}', 'AUD', 0, 'active', now(), now())`;
/** Every item is a mug, every 20th a teal one, and each has a SKU of its own. */
const ITEMS = `
  insert into supplier_item (supplier_item_id, supplier_id, supplier_sku, title, brand, mpn, category, image_urls,
    pack_size, minimum_quantity, price_breaks, dropship, status, told_at, published_at, updated_at, search_text)
  select ${idOf('sit', 'n + $3::int')}, $1, 'SKU' || n, 'Stoneware mug number ' || n, 'Harbour Clay', 'HC' || n,
         'Home > Kitchen > Mugs', '{}', 12, 24, '[{"min_quantity":24,"pack_price_minor":6180}]',
         '{"unit_cost_minor":1840,"fee_minor":250}', 'active', now(),
         '2026-01-01'::timestamptz + n * interval '1 s', now(),
         'sku' || n || ' stoneware mug number ' || n || case when n % 20 = 0 then ' teal' else '' end ||
           ' harbour clay hc' || n || ' home kitchen mugs'
    from generate_series(1, $2::int) n`;
/** Products of a seller whose units the supplier counts. */
const PRODUCTS = `
  insert into product (seller_id, product_id, seller_sku, title, currency, status, price_minor, curation_state,
    source_origin, search_text, version, created_at, updated_at)
  select $1, ${idOf('prd', 'n')}, 'SKU' || n, 'Mug ' || n, 'AUD', 'active', 2499, 'approved', 'api', 'mug', 1,
         now(), now()
    from generate_series($2::int + 1, $3::int) n`;
const STOCK = `
  insert into inventory (seller_id, product_id, quantity_on_hand, stock_source, updated_at)
  select $1, ${idOf('prd', 'n')}, case when $4 = 'own' then ${UNITS} else 0 end, $4, now()
    from generate_series($2::int + 1, $3::int) n`;
const LISTED = `
  insert into dropship_listing (seller_id, listing_id, product_id, supplier_item_id, supplier_id, status,
    paused_reasons, buffer_units, unit_cost_minor, fee_minor, version, created_at, updated_at)
  select $1, ${idOf('dsl', 'n')}, ${idOf('prd', 'n')}, ${idOf('sit', 'n + $4::int')}, $5, 'active', '{}', 5, 1840,
         250, 1, now(), now()
    from generate_series($2::int + 1, $3::int) n`;

interface Place {
  readonly seller: Seller;
  readonly n: number;
}
const paged = (name: string, word: (n: number) => string): Kind<Place> => ({
  name: `items, ${name}`,
  path: ({ n }) => `/api/v1/wholesale/items?limit=50&q=${word(n)}`,
  bare: ({ n }) => `/items/${word(n)}:*/x`,
});
const SEARCHES: readonly Kind<Place>[] = [
  paged('one SKU', (n) => `sku${n}`),
  paged('a word that all have', () => 'stoneware'),
  paged('a word that every 20th has', () => 'teal'),
];

async function benchCatalogue(
  service: Service,
  client: pg.Client,
  seller: Seller,
  items: number,
  quick: boolean,
) {
  await client.query(SUPPLIER, ['sup_benchcatalogue']);
  await client.query(ITEMS, ['sup_benchcatalogue', items, 0]);
  // The tokens end while a large catalogue is written.
  await signIn(service, [seller]);
  const places = Array.from({ length: 200 }, () => ({ seller, n: 1 + Math.floor(Math.random() * items) }));
  await againstBare(service, { kinds: SEARCHES, places, size: `${whole(items)} items`, quick });
}

async function tell(service: Service, events: readonly object[]): Promise<void> {
  const response = await fetch(`${service.internalUrl}/internal/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${INTERNAL_TOKEN}` },
    body: JSON.stringify(events),
  });
  const { results } = (await response.json()) as { results: { status: string }[] };
  if (results.some(({ status }) => status !== 'applied')) throw new Error(JSON.stringify(results));
}

/** Events with a count of each item. */
function countEvents(supplierId: string, items: number, available: number): object[] {
  const now = new Date().toISOString();
  return Array.from({ length: Math.ceil(items / COUNTS_EACH) }, (_, event) => ({
    ...{ specversion: '1.0', id: randomUUID(), source: '/bench', subject: supplierId, time: now },
    type: 'marketplace.supplier.availability_changed',
    data: {
      as_of: now,
      items: Array.from({ length: Math.min(COUNTS_EACH, items - event * COUNTS_EACH) }, (__, index) => ({
        supplier_sku: `SKU${event * COUNTS_EACH + index + 1}`,
        available,
      })),
    },
  }));
}

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
  await client.query(ITEMS, [supplierId, LISTINGS, 10_000_000]);
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

async function benchPlacement(
  service: Service,
  client: pg.Client,
  sellers: readonly Seller[],
  rounds: number,
) {
  const [own, mirrored] = sellers;
  if (own === undefined || mirrored === undefined) return;
  const supplierId = 'sup_benchplacement';
  await client.query(SUPPLIER, [supplierId]);
  await client.query(ITEMS, [supplierId, PLACED_PRODUCTS, 20_000_000]);
  for (const { seller_id } of sellers) {
    await client.query(PRODUCTS, [seller_id, 0, PLACED_PRODUCTS]);
    const source = seller_id === own.seller_id ? 'own' : 'supplier';
    await client.query(STOCK, [seller_id, 0, PLACED_PRODUCTS, source]);
  }
  await client.query(LISTED, [mirrored.seller_id, 0, PLACED_PRODUCTS, 20_000_000, supplierId]);
  await tell(service, countEvents(supplierId, PLACED_PRODUCTS, UNITS));
  await untilMirrored(client, [mirrored], UNITS - 5);
  await settle(service);
  const skus = Array.from({ length: PLACED_PRODUCTS }, (_, index) => `SKU${index + 1}`);
  const rates: Record<'own' | 'mirrored', number[]> = { own: [], mirrored: [] };
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, seller] of [['own', own] as const, ['mirrored', mirrored] as const]) {
      const rate = await placeUpTo(service, [seller], skus, {
        from: round * PLACED,
        to: (round + 1) * PLACED,
      });
      await eventsNumbered(service);
      if (round > 0) rates[name].push(rate);
    }
  report({
    name: 'placement of orders with mirrored lines',
    figure: `${whole(median(rates.mirrored))} orders/s`,
    limit: `${whole(median(rates.own))} orders/s (own stock)`,
    ratio: `${(100 * pairedRatio(rates.mirrored, rates.own)).toFixed(0)} %`,
    aim: '>= 90 %',
  });
}

const ORDERS = [
  `insert into purchase_order (seller_id, purchase_order_id, number, supplier_id, supplier_name, status, origin, currency,
     goods_minor, freight_minor, stated_freight_minor, submitted_at, answer_by, version, created_at, updated_at)
   select $1, ${idOf('por', 'n')}, n, 'sup_benchcatalogue', 'Bench works', 'confirmed', 'manual', 'AUD', 6180, 1450,
          1450, now(), now(), 2, now(), now()
     from generate_series(1, $2::int) n`,
  `insert into purchase_line (seller_id, purchase_line_id, purchase_order_id, line_no, supplier_item_id, supplier_sku,
     title, pack_size, ordered_price_minor, pack_price_minor, ordered, unconfirmed, confirmed, received, cancelled,
     shipped, rejected_at_receipt, promised_on, cost_missing)
   select $1, ${idOf('pol', 'n')}, ${idOf('por', 'n')}, 1, ${idOf('sit', '1')}, 'SKU1', 'Mug', 12, 6180, 6180, 12, 0,
          12, 0, 0, 0, 0, '2100-01-01', '{}'
     from generate_series(1, $2::int) n`,
];

async function benchPurchases(
  service: Service,
  client: pg.Client,
  sellers: readonly Seller[],
  rounds: number,
) {
  const sizes = [100, 100_000] as const;
  for (const [index, size] of sizes.entries())
    for (const text of ORDERS) await client.query(text, [sellers[index]?.seller_id, size]);
  await settle(service);
  await signIn(service, sellers);
  const reads = [{ name: 'page of 50 purchase orders', path: () => '/wholesale/purchase-orders?limit=50' }];
  // Within 1.3 times of each other.
  await measureFlat(service, reads, { sellers, sizes, connections: CONNECTIONS, rounds, aim: '>= 77 %' });
}

export async function benchSupply(service: Service, { quick, full }: BenchOptions): Promise<void> {
  heading('Suppliers');
  const rounds = quick ? 3 : 7;
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    const [reader, ...others] = await makeSellers(service, 1 + SELLERS + 2 + 2);
    if (reader === undefined) return;
    const small = quick ? 20_000 : 100_000;
    await benchCatalogue(service, client, reader, full ? 1_000_000 : small, quick);
    await benchCounts(service, client, others.slice(0, SELLERS), rounds);
    await benchPlacement(service, client, others.slice(SELLERS, SELLERS + 2), rounds);
    await benchPurchases(service, client, others.slice(SELLERS + 2), rounds);
  } finally {
    await client.end();
  }
}
