/** One product, and a page of 50 at a random depth, under load; limit: a bare server doing the same queries. */
import { againstBare, type Kind } from './lab/against-bare.ts';
import { feedFile } from './lab/feed-file.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { heading, whole } from './lab/statistics.ts';

const SELLERS = 100;

interface Place {
  readonly seller: Seller;
  readonly productId: string;
  /** The last product before the page; the cursor names the same place. */
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

const KINDS: readonly Kind<Place>[] = [
  {
    name: 'one product',
    path: ({ productId }) => `/api/v1/products/${productId}`,
    bare: ({ seller, productId }) => `/one/${seller.seller_id}/${productId}`,
  },
  {
    name: 'page of 50',
    path: ({ cursor }) => `/api/v1/products?limit=50&cursor=${cursor}`,
    bare: ({ seller, below }) => `/page/${seller.seller_id}/${below}`,
  },
];

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
    await signIn(service, sellers);
    // A cursor does not depend on the size of the page before it: larger steps for larger catalogues.
    const places = await walk(service, sellers, Math.min(200, perSeller / 20));
    await againstBare(service, { kinds: KINDS, places, size: `${whole(products)} products`, quick });
  }
}
