/**
 * Search by words, and stock by its last change, in catalogues of 1,000 and of 500,000 products of one seller. The
 * limit is the same read of the small catalogue, measured in alternation. Set statements write the catalogues.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type FlatRead, measureFlat } from './lab/flat.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, milliseconds, report, whole } from './lab/statistics.ts';

const CONNECTIONS = 16;

const FILL = [
  `insert into product (seller_id, product_id, seller_sku, title, brand, currency, status, price_minor,
     curation_state, source_origin, search_text, version, created_at, updated_at)
   select $1, 'prd_' || lpad(n::text, 26, '0'), 'SKU-' || lpad(n::text, 7, '0'),
          'Stoneware mug number ' || n || ' with a glazed handle', 'Harbour Clay', 'AUD', 'active', 2499,
          'approved', 'api',
          'sku-' || lpad(n::text, 7, '0') || ' stoneware mug number ' || n ||
            case when n % 20 = 0 then ' teal' else '' end || ' with a glazed handle harbour clay',
          1, $3, $3::timestamptz + n * interval '1 ms'
     from generate_series(1, $2::int) n`,
  `insert into inventory (seller_id, product_id, quantity_on_hand, updated_at)
   select $1, 'prd_' || lpad(n::text, 26, '0'), 5, $3::timestamptz + n * interval '1 ms'
     from generate_series(1, $2::int) n`,
  `insert into product_search_queue (seller_id, product_ids)
   select $1, array_agg('prd_' || lpad(n::text, 26, '0')) from generate_series(1, $2::int) n where $3 <> ''
    group by n / 1000 order by min(n)`,
];
const BEGIN = '2026-01-01T00:00:00Z';

async function fill(client: pg.Client, seller: Seller, products: number): Promise<void> {
  for (const text of FILL) await client.query(text, [seller.seller_id, products, BEGIN]);
}

async function untilIndexed(client: pg.Client): Promise<void> {
  while ((await client.query('select from product_search_queue limit 1')).rowCount !== 0) await sleep(50);
}

const sinceNear = (products: number): string => new Date(Date.parse(BEGIN) + products - 500).toISOString();
const READS: readonly FlatRead[] = [
  { name: 'q= one SKU', path: (products) => `/products?q=sku-${String(products >> 1).padStart(7, '0')}` },
  { name: 'q= a word that all have', path: () => '/products?q=mug' },
  { name: 'q= a word that every 20th has, two words', path: () => '/products?q=teal+harbour' },
  { name: 'q= a word that none has', path: () => '/products?q=zyzzyva' },
  { name: 'q= a character that none has', path: () => `/products?q=${encodeURIComponent('漢')}` },
  { name: 'q= two characters that all have', path: () => '/products?q=mu' },
  { name: 'status=, none has it', path: () => '/products?status=inactive' },
  { name: 'curation=, none has it', path: () => '/products?curation=rejected' },
  {
    name: 'inventory?updated_since=, 500 changed',
    path: (products) => `/products/inventory?updated_since=${sinceNear(products)}`,
  },
];

export async function benchSearch(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Search and stock by last change (limit: the same of 1,000 products)');
  const sizes = [1_000, quick ? 100_000 : 500_000] as const;
  const sellers = await makeSellers(service, sizes.length);
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    for (const [index, products] of sizes.entries()) {
      const seller = sellers[index];
      if (seller !== undefined) await fill(client, seller, products);
    }
    const ms = await milliseconds(() => untilIndexed(client));
    const size = await client.query<{ bytes: string }>(
      "select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c where relname in ('product_search_gram', 'product_search_block')",
    );
    report({
      name: `indexing of ${whole(sizes[1])} products`,
      figure: `${(ms / 1000).toFixed(1)} s, ${whole(Number(size.rows[0]?.bytes) / 1e6)} MB`,
      limit: '',
      ratio: '',
      aim: '',
    });
  } finally {
    await client.end();
  }
  await settle(service);
  await signIn(service, sellers);
  await measureFlat(service, READS, { sellers, sizes, connections: CONNECTIONS, rounds: quick ? 3 : 7 });
}
