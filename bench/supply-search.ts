/**
 * Searches in the catalogue of suppliers: limit is a bare server that runs the same query, and then the same searches
 * with fewer items.
 */
import type pg from 'pg';
import { againstBare, type Kind } from './lab/against-bare.ts';
import { applyLoad, wireGet } from './lab/apply-load.ts';
import type { LoadResult } from './lab/load.ts';
import { type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { median, rateOf, report, whole } from './lab/statistics.ts';
import { ITEMS, SUPPLIER } from './lab/supply-rows.ts';

const SUPPLIER_ID = 'sup_benchcatalogue';
const CONNECTIONS = 16;
const SLICE_MS = 1_500;
const REQUESTS = 200;

interface Place {
  readonly seller: Seller;
  readonly n: number;
}
const paged = (name: string, word: (n: number) => string, bare = 'items'): Kind<Place> => ({
  name: `items, ${name}`,
  path: ({ n }) => `/api/v1/wholesale/items?limit=50&q=${word(n)}`,
  bare: ({ n }) => `/${bare}/${word(n)}:*/x`,
});
const SEARCHES: readonly Kind<Place>[] = [
  paged('one SKU', (n) => `sku${n}`, 'rareitems'),
  paged('a word that all have', () => 'stoneware'),
  paged('a word that every 20th has', () => 'teal'),
];

interface Sizes {
  readonly sizes: readonly [few: number, many: number];
  readonly rounds: number;
  readonly quick: boolean;
}

/** The rates of each search, its requests spread over all items. */
async function rates(service: Service, { token }: Seller, items: number, rounds: number) {
  const port = Number(new URL(service.url).port);
  const results: LoadResult[][] = SEARCHES.map(() => []);
  const seller = { seller_id: '', email: '', token };
  // The first round warms up the compiler.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, { path }] of SEARCHES.entries()) {
      const requests = Array.from({ length: REQUESTS }, () =>
        wireGet(path({ seller, n: 1 + Math.floor(Math.random() * items) }), token),
      );
      const result = await applyLoad({
        port,
        connections: CONNECTIONS,
        warmUpMs: 300,
        ms: SLICE_MS,
        requests,
      });
      if (round > 0) results[index]?.push(result);
    }
  return results;
}

/** @param sizes numbers of items */
export async function benchCatalogue(
  service: Service,
  client: pg.Client,
  seller: Seller,
  { sizes: [few, many], rounds, quick }: Sizes,
): Promise<void> {
  await client.query(SUPPLIER, [SUPPLIER_ID]);
  await client.query(ITEMS, [SUPPLIER_ID, few, 0, 0]);
  await settle(service);
  await signIn(service, [seller]);
  const before = await rates(service, seller, few, rounds);
  await client.query(ITEMS, [SUPPLIER_ID, many, 0, few]);
  await settle(service);
  // The token ends while a large catalogue is written.
  await signIn(service, [seller]);
  const after = await rates(service, seller, many, rounds);
  const middle = (results: readonly LoadResult[] = []) => median(results.map(({ perSecond }) => perSecond));
  for (const [index, { name }] of SEARCHES.entries())
    report({
      name: `${name}, ${whole(many)}`,
      figure: rateOf(after[index] ?? []),
      limit: `${rateOf(before[index] ?? [])} (${whole(few)})`,
      ratio: `${((100 * middle(after[index])) / middle(before[index])).toFixed(0)} %`,
      aim: '>= 90 %',
    });
  await signIn(service, [seller]);
  const places = Array.from({ length: REQUESTS }, () => ({
    seller,
    n: 1 + Math.floor(Math.random() * many),
  }));
  await againstBare(service, { kinds: SEARCHES, places, size: `${whole(many)} items`, quick });
}
