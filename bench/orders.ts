/**
 * Orders: placements per second, and reads of one order and of a page of 50 under load, compared with a bare server that
 * runs the same queries; with 1,000 orders and with 100,000.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { againstBare, type Kind } from './lab/against-bare.ts';
import { feedFile } from './lab/feed-file.ts';
import { feed, makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { heading, milliseconds, report, whole } from './lab/statistics.ts';
import { tell } from './lab/tell.ts';

const SELLERS = 20;
const PRODUCTS = 200;
/** Half of the most events that one request may have. */
const BATCH = 500;
/** The number of orders, the last ones, whose intake is timed. */
const TIMED = 1_000;
const PLACES = 2_000;

interface Place {
  readonly seller: Seller;
  readonly orderId: string;
  /** RFC 3339. The page has the orders that were recorded before it. */
  readonly before: string;
}

const KINDS: readonly Kind<Place>[] = [
  {
    name: 'one order',
    path: ({ orderId }) => `/api/v1/orders/${orderId}`,
    bare: ({ seller, orderId }) => `/order/${seller.seller_id}/${orderId}`,
  },
  {
    name: 'page of 50 orders',
    path: ({ before }) => `/api/v1/orders?limit=50&created_before=${before}`,
    bare: ({ seller, before }) => `/orders/${seller.seller_id}/${before}`,
  },
];

function placement(seller: Seller, skus: readonly string[], number: number): object {
  const sku = (offset: number): string | undefined => skus[(number * 7 + offset) % skus.length];
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/bench',
    type: 'marketplace.order.placed',
    subject: `ord_${randomUUID().replaceAll('-', '')}`,
    sellerid: seller.seller_id,
    time: new Date().toISOString(),
    data: {
      order_number: `B-${number}`,
      currency: 'AUD',
      placed_at: new Date().toISOString(),
      buyer: { alias: `buyer_${number}`, customer_ref: 'cus_1' },
      ship_to: {
        name: 'Mia Chen',
        line1: '1 George Street',
        city: 'Sydney',
        state: 'NSW',
        postcode: '2000',
        country: 'AU',
      },
      lines: [
        { kind: 'item', seller_sku: sku(0), quantity: 1, unit_price_minor: 2_499 },
        { kind: 'item', seller_sku: sku(1), quantity: 2, unit_price_minor: 1_250 },
        { kind: 'shipping', unit_price_minor: 995 },
      ],
    },
  };
}

/** Places orders of all sellers in turn. @returns the rate of the last thousand, per second */
export async function placeUpTo(
  service: Service,
  sellers: readonly Seller[],
  skus: readonly string[],
  orders: { readonly from: number; readonly to: number },
): Promise<number> {
  let lastMs = 0;
  for (let first = orders.from; first < orders.to; first += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, orders.to - first) }, (_, index) => {
      const seller = sellers[(first + index) % sellers.length];
      return seller === undefined ? {} : placement(seller, skus, first + index);
    });
    const ms = await milliseconds(() => tell(service, events));
    if (first >= orders.to - TIMED) lastMs += ms;
  }
  return (Math.min(TIMED, orders.to - orders.from) / lastMs) * 1_000;
}

/** Random orders at which pages begin. */
async function places(service: Service, sellers: readonly Seller[]): Promise<Place[]> {
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ seller_id: string; order_id: string; before: string }>(
      'select seller_id, order_id, ' +
        `to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as before ` +
        'from sales_order where seller_id = any($1) order by random() limit $2',
      [sellers.map(({ seller_id }) => seller_id), PLACES],
    );
    const byId = new Map(sellers.map((seller) => [seller.seller_id, seller]));
    return rows.flatMap(({ seller_id, order_id, before }) => {
      const seller = byId.get(seller_id);
      return seller === undefined ? [] : [{ seller, orderId: order_id, before }];
    });
  } finally {
    await client.end();
  }
}

export async function benchOrders(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Orders (limit of reads: bare node:http and pg)');
  const sellers = await makeSellers(service, SELLERS);
  for (const seller of sellers) await feed(service, seller, feedFile(PRODUCTS));
  const [first] = sellers;
  if (first === undefined) return;
  const listed = await fetch(`${service.url}/api/v1/products?limit=${PRODUCTS}`, {
    headers: { authorization: `Bearer ${first.token}` },
  });
  const skus = ((await listed.json()) as { data: { seller_sku: string }[] }).data.map(
    ({ seller_sku }) => seller_sku,
  );
  let placed = 0;
  for (const to of quick ? [1_000, 10_000] : [1_000, 100_000]) {
    const perSecond = await placeUpTo(service, sellers, skus, { from: placed, to });
    placed = to;
    report({
      name: `orders placed, up to ${whole(to)}`,
      figure: `${whole(perSecond)} orders/s`,
      limit: '',
      ratio: '',
      aim: '',
    });
    await signIn(service, sellers);
    const found = await places(service, sellers);
    await againstBare(service, { kinds: KINDS, places: found, size: `${whole(to)} orders`, quick });
  }
}
