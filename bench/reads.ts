/**
 * One product, and a page of 50 at a random depth, under load; limit: a bare server doing the same queries.
 * Everything shares the machine: server, PostgreSQL and load, for both alike.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyLoad, wireGet } from './lab/apply-load.ts';
import { feedFile } from './lab/feed-file.ts';
import type { LoadResult } from './lab/load.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { heading, median, report, whole } from './lab/statistics.ts';

const SELLERS = 100;
const POOL_SIZE = 16;
const REQUESTS = 4_000;
const BARE = fileURLToPath(new URL('./lab/bare-server.ts', import.meta.url));

interface Place {
  readonly seller: Seller;
  readonly productId: string;
  /** Where the next page begins: the last product before it, and the cursor that says so. */
  readonly below: string;
  readonly cursor: string;
}

interface Page {
  readonly data: readonly { readonly product_id: string }[];
  readonly page: { readonly next_cursor: string | null };
}

async function fetchPage(service: Service, seller: Seller, limit: number, cursor: string): Promise<Page> {
  const at = cursor === '' ? '' : `&cursor=${cursor}`;
  const response = await fetch(`${service.url}/api/v1/products?limit=${limit}${at}`, {
    headers: { authorization: `Bearer ${seller.token}` },
  });
  if (response.status !== 200) throw new Error(`page: ${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** Walks all catalogues to their ends; the end of every step is a depth to read at. */
async function walk(service: Service, sellers: readonly Seller[], limit: number): Promise<Place[]> {
  const places: Place[] = [];
  for (const seller of sellers) {
    for (let cursor = ''; ; ) {
      const { data, page } = await fetchPage(service, seller, limit, cursor);
      const below = data.at(-1)?.product_id;
      if (page.next_cursor === null || below === undefined) break;
      cursor = page.next_cursor;
      const productId = data[Math.floor(Math.random() * data.length)]?.product_id ?? below;
      places.push({ seller, productId, below, cursor });
    }
  }
  return places;
}

const pick = (places: readonly Place[]): Place[] =>
  Array.from({ length: REQUESTS }, () => places[Math.floor(Math.random() * places.length)]).filter(
    (place) => place !== undefined,
  );

const KINDS = [
  {
    name: 'one product',
    path: ({ productId }: Place) => `/api/v1/products/${productId}`,
    bare: ({ seller, productId }: Place) => `/one/${seller.seller_id}/${productId}`,
  },
  {
    name: 'page of 50',
    path: ({ cursor }: Place) => `/api/v1/products?limit=50&cursor=${cursor}`,
    bare: ({ seller, below }: Place) => `/page/${seller.seller_id}/${below}`,
  },
] as const;

const figure = (results: readonly LoadResult[]): { readonly perSecond: number; readonly text: string } => {
  const middle = (get: (result: LoadResult) => number): number => median(results.map(get));
  const perSecond = middle((result) => result.perSecond);
  const times = [middle((result) => result.p50Ms), middle((result) => result.p99Ms)].map((ms) =>
    ms.toFixed(1),
  );
  return { perSecond, text: `${whole(perSecond)}/s  p50 ${times[0]} p99 ${times[1]} ms` };
};

/** Both servers compile what they run often; neither is measured while it does. */
async function warmUp(
  ports: { readonly service: number; readonly bare: number },
  places: readonly Place[],
  kind: (typeof KINDS)[number],
): Promise<void> {
  const load = { connections: 16, warmUpMs: 0, ms: 3_000 };
  const requests = places.map((place) => wireGet(kind.path(place), place.seller.token));
  await applyLoad({ ...load, port: ports.service, requests });
  await applyLoad({ ...load, port: ports.bare, requests: places.map((place) => wireGet(kind.bare(place))) });
}

async function measure(
  ports: { readonly service: number; readonly bare: number },
  places: readonly Place[],
  size: string,
  { rounds, ms }: { readonly rounds: number; readonly ms: number },
): Promise<void> {
  for (const kind of KINDS) {
    await warmUp(ports, pick(places), kind);
    for (const connections of [16, 64]) {
      const service: LoadResult[] = [];
      const bare: LoadResult[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const chosen = pick(places);
        const load = { connections, warmUpMs: 700, ms };
        const requests = chosen.map((place) => wireGet(kind.path(place), place.seller.token));
        service.push(await applyLoad({ ...load, port: ports.service, requests }));
        const limits = chosen.map((place) => wireGet(kind.bare(place)));
        bare.push(await applyLoad({ ...load, port: ports.bare, requests: limits }));
      }
      const [ours, limit] = [figure(service), figure(bare)];
      report({
        name: `${kind.name}, ${connections} connections, ${size}`,
        figure: ours.text,
        limit: limit.text,
        ratio: `${((100 * ours.perSecond) / limit.perSecond).toFixed(0)} %`,
        aim: '>= 60 %',
      });
    }
  }
}

/** What loading left to be done (statistics, dead rows, dirty pages) is no part of a read, ours or the limit's. */
async function settle(service: Service): Promise<void> {
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function withBareServer(service: Service, work: (port: number) => Promise<void>): Promise<void> {
  const bare = fork(BARE, [service.superuserUrl, String(POOL_SIZE)]);
  try {
    const [port] = (await once(bare, 'message')) as [number];
    await work(port);
  } finally {
    bare.kill();
    await once(bare, 'exit');
  }
}

export async function benchReads(
  service: Service,
  { quick, full }: { readonly quick: boolean; readonly full: boolean },
): Promise<void> {
  heading('Reads under load (limit: bare node:http and pg)');
  const sellers = await makeSellers(service, SELLERS);
  for (const products of full ? [100_000, 1_000_000] : [100_000]) {
    const perSeller = products / SELLERS;
    const file = feedFile(perSeller);
    for (const seller of sellers) await feed(service, seller, file);
    await settle(service);
    await signIn(service, sellers);
    // A cursor does not depend on the size of the page before it: larger steps for larger catalogues.
    const places = await walk(service, sellers, Math.min(200, perSeller / 20));
    await withBareServer(service, (bare) =>
      measure(
        { service: Number(new URL(service.url).port), bare },
        places,
        `${whole(products)} products`,
        quick ? { rounds: 1, ms: 2_500 } : { rounds: 3, ms: 4_000 },
      ),
    );
  }
}
