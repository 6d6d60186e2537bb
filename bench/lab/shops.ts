/** Shops with orders of half a year, and rows of the lists that nights make, written by set statements. */
import type pg from 'pg';

/** The days that forecasts read. */
export const DAYS = 182;

export interface Shop {
  readonly products: number;
  readonly orders_a_day: number;
  readonly lines_each: number;
  /** With orders; default: {@link DAYS}. */
  readonly days?: number;
  /** Default: none. */
  readonly category?: string;
  /** All lines of an order but the first are of so many products; default: of all. */
  readonly popular?: number;
}

/** Of number `n`. */
export const PRODUCT_ID = "'prd_' || lpad(n::text, 26, '0')";
/** $1 seller, $2 products, $3 their category. */
const PRODUCTS = `
  insert into product (seller_id, product_id, seller_sku, title, brand, category, currency, status, price_minor,
    identity_strategy, curation_state, live_version, source_origin, search_text, version, created_at, updated_at)
  select $1, ${PRODUCT_ID}, 'SKU-' || n, 'Stoneware mug number ' || n, 'Harbour Clay', $3, 'AUD',
         'active', 2499, 'exempt', 'approved', 1, 'api', 'mug', 1, now() - interval '400 days', now()
    from generate_series(1, $2::int) n`;
const STOCK = `
  insert into inventory (seller_id, product_id, quantity_on_hand, updated_at)
  select $1, ${PRODUCT_ID}, 5000, now() from generate_series(1, $2::int) n`;
/** $1 seller, $2 orders a day, $3 lines of each, $4 days: the newest first, of eight buyers in turn. */
const ORDERS = `
  insert into sales_order (seller_id, order_id, order_number, status, payment_status, refund_status, currency, loyalty,
    items_minor, shipping_minor, seller_discount_minor, total_minor, ship_to, awaiting, accepted_open, placed_at,
    recorded_at, accept_by, placed_facts, search_text, customer_ref, version, updated_at)
  select $1, 'ord_' || lpad(n::text, 26, '0'), n::text, 'delivered', 'captured', 'none', 'AUD', false,
         $3::int * 2499, 0, 0, $3::int * 2499, '{}', 0, 0, at, at, at, '{}', '', 'buyer-' || n % 8, 1, at
    from (select n, now() - interval '1 day' * (1 + n / $2::int) as at
            from generate_series(0, $4::int * $2::int - 1) n) o`;
/** $1 seller, $2 orders, $3 lines of each, $4 products, $5 popular ones. */
const LINES = `
  insert into order_line (seller_id, order_line_id, order_id, line_no, kind, product_id, status, unit_price_minor,
    gross_minor, discount_minor, net_minor, ordered, awaiting, accepted_open, rejected, cancelled, in_transit,
    delivered, lost, returned, reserved)
  select $1, 'oln_' || lpad(n::text, 24, '0') || '_' || l, 'ord_' || lpad(n::text, 26, '0'), l, 'item',
         'prd_' || lpad(((n * 7 + l * 331) % case l when 1 then $4::int else $5::int end + 1)::text, 26, '0'), 'delivered',
         2499, 2499, 0, 2499, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0
    from generate_series(0, $2::int - 1) n, generate_series(1, $3::int) l`;

export async function fillShop(client: pg.Client, sellerId: string, shop: Shop): Promise<void> {
  const { products, orders_a_day, lines_each, days = DAYS, category = null, popular = products } = shop;
  await client.query(PRODUCTS, [sellerId, products, category]);
  await client.query(STOCK, [sellerId, products]);
  await client.query(ORDERS, [sellerId, orders_a_day, lines_each, days]);
  await client.query(LINES, [sellerId, days * orders_a_day, lines_each, products, popular]);
}

/** Changes some orders of each of the last days. Instants have milliseconds, like those that the service writes. */
export async function changeOrders(
  client: pg.Client,
  sellerIds: readonly string[],
  { days, each, orders_a_day }: { days: number; each: number; orders_a_day: number },
): Promise<void> {
  await client.query(
    `update sales_order set updated_at = date_trunc('milliseconds', now())
      where seller_id = any($1) and order_number::int < $2::int * $4::int and order_number::int % $4::int < $3::int`,
    [sellerIds, days, each, orders_a_day],
  );
}

/** $1 seller, $2 products, $3 the seller whose first forecast all have. */
const LISTED = [
  `insert into forecast_product
   select $1, ${PRODUCT_ID}, 'SKU-' || n, f.category, f.status, f.reorder_due,
          current_date + n % 300, f.expected_units, f.model, f.shown, f.through_on
     from generate_series(1, $2::int) n, (select * from forecast_product where seller_id = $3 limit 1) f`,
  `insert into quality_product
   select $1, ${PRODUCT_ID}, n % 3 = 0, n % 100, '{images_few}', 1
     from generate_series(1, $2::int) n where $3 <> ''`,
  `insert into quality_progress (seller_id, sequence, sums)
   select $1, 0, '{}' where $2::int > 0 and $3 <> '' on conflict (seller_id) do update set filled_to = null`,
  `insert into price_evaluation (seller_id, product_id, status, steps, product_version, evaluated_at, pass)
   select $1, ${PRODUCT_ID}, 'no_rule', '[]', 1, now(), 1
     from generate_series(1, $2::int) n where $3 <> ''`,
  `insert into insight_snapshot (seller_id, contract, facts_through_on, generated_at, semantic_status, missing)
   select $1, contract, current_date - 1, now(), 'complete', '{}'
     from unnest(array['forecasting.products.v1', 'pricing.products.v1']) contract where $2::int > 0 and $3 <> ''`,
];

/** A catalogue with forecasts, readiness and evaluated prices. @param like the seller whose first forecast all have */
export async function fillLists(client: pg.Client, sellerId: string, products: number, like: string) {
  await client.query(PRODUCTS, [sellerId, products, null]);
  for (const text of LISTED) await client.query(text, [sellerId, products, like]);
  await allowPricing(client, [sellerId]);
}

export const allowPricing = (client: pg.Client, sellerIds: readonly string[]) =>
  client.query("update seller set account_flags = '{pricing}' where seller_id = any($1)", [sellerIds]);
