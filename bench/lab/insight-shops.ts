/** Shops with 400 days of orders and facts, and with all that the nights and the reads of insights need. */
import type pg from 'pg';
import { addWeeks, weekOf } from '../../src/kernel/australia/iso-week.ts';
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { firstInstant, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { fillShop, PRODUCT_ID, type Shop } from './shops.ts';

export const CATEGORY = 'Home > Kitchen > Mugs';
/** Of so many orders most products sell too little for a forecast; the popular ones have one. */
export const SHOP = {
  ...{ products: 1_000, popular: 200, orders_a_day: 10, lines_each: 3 },
  ...{ days: 400, category: CATEGORY },
} satisfies Shop;

/** What the marketplace sees as the categories of {@link CATEGORY}. */
const FOLDED = ['home', 'home > kitchen', 'home > kitchen > mugs'];
const SEARCHES = 2_000;
const WEEKS = 4;
const PROMOTIONS = 20;

/** $1 seller, $2 the day before which all days are counted. */
const FACTS = `
  insert into fact_sku_day (seller_id, day, product_id, demand_units, ordered_units, ordered_minor, other_units)
  select o.seller_id, (o.placed_at at time zone 'Australia/Sydney')::date, l.product_id, sum(l.ordered),
         sum(l.ordered), sum(l.net_minor), 0
    from sales_order o
    join order_line l on l.seller_id = $1 and l.order_id = o.order_id
   where o.seller_id = $1 and (o.placed_at at time zone 'Australia/Sydney')::date < $2::date
   group by 1, 2, 3`;
/** The night counts yesterday, and finds the orders that changed since a day ago. */
const PROGRESS = `
  insert into fact_progress (seller_id, through_on, watermark_at) values ($1, $2, $3)
      on conflict (seller_id) do update set through_on = excluded.through_on, watermark_at = excluded.watermark_at`;

/** $1 seller, $2 products. All are long known, so that no pass but that of the night is due. */
const PRICES = [
  `insert into price_guardrail (seller_id, product_id, floor_minor, version, created_at, updated_at)
   select $1, ${PRODUCT_ID}, 1900, 1, now() - interval '30 days', now() - interval '30 days'
     from generate_series(1, $2::int) n`,
  `insert into competitor_price (seller_id, product_id, condition, currency, observed_at, offers_count, lowest_minor,
     featured_minor, featured_is_own, recorded_at)
   select $1, ${PRODUCT_ID}, 'new', 'AUD', now(), 5, 2299 + n % 300, 2399, false, now() - interval '30 days'
     from generate_series(1, $2::int) n`,
  `insert into unit_cost (seller_id, cost_id, product_id, component, currency, effective_from, amount_micros,
     entered_at, entered_by)
   select $1, 'ucs_' || lpad(n::text, 26, '0'), ${PRODUCT_ID}, 'supplier_cost', 'AUD',
          current_date - 400, 11000000, now() - interval '30 days', 'bench'
     from generate_series(1, $2::int) n`,
  `insert into price_rule (seller_id, rule_id, name, priority, scope, strategy, params, active, version, created_at,
     updated_at)
   select $1, 'prr_' || lpad('1', 26, '0'), 'All', 1, '{"all":true}', 'match_lowest', '{"below_minor":1}', true, 1,
          now() - interval '30 days', now() - interval '30 days'
    where $2::int > 0`,
];

/** Writes the shop and its facts of all days but the last, which is left to the night. */
export async function fillInsightShop(client: pg.Client, sellerId: string): Promise<void> {
  const today = sydneyDate(Date.now());
  const yesterday = addDays(today, -1);
  await fillShop(client, sellerId, SHOP);
  for (const text of PRICES) await client.query(text, [sellerId, SHOP.products]);
  await client.query(FACTS, [sellerId, yesterday]);
  const watermark = new Date(firstInstant(yesterday)).toISOString();
  await client.query(PROGRESS, [sellerId, addDays(yesterday, -1), watermark]);
  await client.query(
    "update seller set account_flags = '{pricing,marketplace-intel,marketing}' where seller_id = $1",
    [sellerId],
  );
}

/** $1 seller, $2 week, $3 products. */
const SEARCH = [
  `insert into search_report (seller_id, period, ends_on, status, row_count, withheld_rows, other, has_market, told_at,
     version, created_at, updated_at)
   select $1, $2, current_date - 7, 'available', ${SEARCHES}, 0, '{"impressions":0,"clicks":0,"purchases":0}', true,
          now(), 1, now(), now()
    where $3::int > 0`,
  `insert into search_row (seller_id, period, query, product_id, impressions, clicks, purchases, market_impressions)
   select $1, $2, 'blue mug ' || n / 2, 'prd_' || lpad((n % $3::int + 1)::text, 26, '0'), 50 + n, n % 40, n % 5,
          4000 + n
     from generate_series(1, ${SEARCHES}) n`,
];
/** $1 category, $2 month. */
const CELL = `
  insert into intel_cell (category, period, measure, currency, status, value, contributors_band, published_at)
  values ($1, $2, 'price_band', 'AUD', 'published', '{"p25_minor":2250,"p50_minor":2550,"p75_minor":2950}', '10-19',
          now())
      on conflict do nothing`;
/** $1 seller. */
const PROMOTION = `
  insert into promotion (seller_id, promotion_id, name, kind, value_bps, applies_to, starts_at, ends_at, currency,
    budget_minor, status, used_orders, used_units, used_minor, version, created_at, updated_at)
  select $1, 'prm_' || lpad(n::text, 26, '0'), 'Spring ' || n, 'percent_off', 1500, '{"all":true}',
         now() + interval '1 day', now() + interval '30 days', 'AUD', 100000, 'draft', 0, 0, 0, 1, now(), now()
    from generate_series(1, ${PROMOTIONS}) n`;

/** Adds what only the reads need: searches of some weeks, cells of the market, promotions. */
export async function fillReads(client: pg.Client, sellerId: string): Promise<void> {
  const today = sydneyDate(Date.now());
  const lastWeek = weekOf(addDays(today, -7));
  for (let back = 0; back < WEEKS; back += 1)
    for (const text of SEARCH) await client.query(text, [sellerId, addWeeks(lastWeek, -back), SHOP.products]);
  const month = addDays(`${today.slice(0, 7)}-01`, -1).slice(0, 7);
  for (const category of FOLDED) await client.query(CELL, [category, month]);
  await client.query(PROMOTION, [sellerId]);
}
