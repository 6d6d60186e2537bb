/**
 * Pages of purchase orders of a seller with few and one with many, and the receipt of 1,000 lines (limit: bare updates of
 * as much stock). Set statements write the orders that are read.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { measureFlat } from './lab/flat.ts';
import { type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { eventsNumbered, settle } from './lab/settle.ts';
import { median, milliseconds, pairedRatio, report, whole } from './lab/statistics.ts';
import { ITEMS, idOf, PRODUCTS, STOCK, SUPPLIER } from './lab/supply-rows.ts';

const CONNECTIONS = 16;
const SUPPLIER_ID = 'sup_benchpurchases';
/** An order has at most 200 lines. */
const LINES_EACH = 200;
const RECEIVED_LINES = 1_000;
const GOOD = 12;
/** Items of this benchmark begin with this number. */
const ITEMS_FROM = 30_000_000;

const ORDERS = [
  `insert into purchase_order (seller_id, purchase_order_id, number, supplier_id, supplier_name, status, origin, currency,
     goods_minor, freight_minor, stated_freight_minor, submitted_at, answer_by, version, created_at, updated_at)
   select $1, ${idOf('por', 'n')}, n, 'sup_benchpurchases', 'Bench works', 'confirmed', 'manual', 'AUD', 6180, 1450,
          1450, now(), now(), 2, now(), now()
     from generate_series(1, $2::int) n`,
  `insert into purchase_line (seller_id, purchase_line_id, purchase_order_id, line_no, supplier_item_id, supplier_sku,
     title, pack_size, ordered_price_minor, pack_price_minor, ordered, unconfirmed, confirmed, received, cancelled,
     shipped, rejected_at_receipt, promised_on, cost_missing)
   select $1, ${idOf('pol', 'n')}, ${idOf('por', 'n')}, 1, ${idOf('sit', '1')}, 'SKU1', 'Mug', 12, 6180, 6180, 12, 0,
          12, 0, 0, 0, 0, '2100-01-01', '{}'
     from generate_series(1, $2::int) n`,
];

export async function benchPages(
  service: Service,
  client: pg.Client,
  sellers: readonly Seller[],
  rounds: number,
) {
  await client.query(SUPPLIER, [SUPPLIER_ID]);
  const sizes = [100, 100_000] as const;
  for (const [index, size] of sizes.entries())
    for (const text of ORDERS) {
      await client.query(text, [sellers[index]?.seller_id, size]);
      // Without it PostgreSQL checks each foreign key of the next rows by reading all orders.
      await client.query('analyze purchase_order');
    }
  await settle(service);
  await signIn(service, sellers);
  const reads = [{ name: 'page of 50 purchase orders', path: () => '/wholesale/purchase-orders?limit=50' }];
  // Within 1.3 times of each other.
  await measureFlat(service, reads, { sellers, sizes, connections: CONNECTIONS, rounds, aim: '>= 77 %' });
}

interface Purchase {
  readonly purchase_order_id: string;
  readonly lines: readonly { readonly purchase_line_id: string; readonly product_id: string }[];
}

async function post(service: Service, { token }: Seller, path: string, body: object): Promise<Purchase> {
  const response = await fetch(`${service.url}/api/v1/wholesale/purchase-orders${path}`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', authorization: `Bearer ${token}` },
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Purchase;
}

/** Orders 200 products of a seller, more than all rounds receive. */
async function order(service: Service, seller: Seller, first: number): Promise<Purchase> {
  const ship_to = { line1: '1 Kiln Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' };
  const idAt = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, '0')}`;
  const lines = Array.from({ length: LINES_EACH }, (_, index) => ({
    supplier_item_id: idAt('sit', ITEMS_FROM + first + index + 1),
    product_id: idAt('prd', first + index + 1),
    quantity: 100 * GOOD,
  }));
  const draft = await post(service, seller, '', { supplier_id: SUPPLIER_ID, lines, ship_to });
  return post(service, seller, `/${draft.purchase_order_id}/submit`, { freight_cap_minor: 5_000 });
}

const BARE_RECEIPT = `
  update inventory i
     set quantity_on_hand = i.quantity_on_hand + ${GOOD}, updated_at = now()
    from unnest($2::text[]) p (product_id)
   where i.seller_id = $1
     and i.product_id = p.product_id`;

export async function benchReceipts(service: Service, client: pg.Client, seller: Seller, rounds: number) {
  await client.query(ITEMS, [SUPPLIER_ID, RECEIVED_LINES, ITEMS_FROM, 0]);
  await client.query(PRODUCTS, [seller.seller_id, 0, RECEIVED_LINES]);
  await client.query(STOCK, [seller.seller_id, 0, RECEIVED_LINES, 'own']);
  const orders: Purchase[] = [];
  for (let first = 0; first < RECEIVED_LINES; first += LINES_EACH)
    orders.push(await order(service, seller, first));
  await settle(service);
  const figures = { ours: [] as number[], limits: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await milliseconds(async () => {
      for (const { purchase_order_id, lines } of orders)
        await post(service, seller, `/${purchase_order_id}/receipts`, {
          ...{ reference: randomUUID(), received_at: new Date().toISOString() },
          lines: lines.map(({ purchase_line_id }) => ({ purchase_line_id, good: GOOD })),
        });
    });
    await eventsNumbered(service);
    const limit = await milliseconds(async () => {
      for (const { lines } of orders)
        await client.query(BARE_RECEIPT, [seller.seller_id, lines.map(({ product_id }) => product_id)]);
    });
    // The first round warms up.
    if (round === 0) continue;
    figures.ours.push(ours);
    figures.limits.push(limit);
  }
  const perSecond = (list: readonly number[]) => `${whole((1_000 * RECEIVED_LINES) / median(list))} lines/s`;
  report({
    name: `receipt of ${whole(RECEIVED_LINES)} lines in ${RECEIVED_LINES / LINES_EACH} orders`,
    figure: `${perSecond(figures.ours)}, ${whole(median(figures.ours))} ms`,
    limit: `${perSecond(figures.limits)} (bare stock)`,
    ratio: `${(100 * pairedRatio(figures.limits, figures.ours)).toFixed(0)} %`,
    aim: '',
  });
}
