/** A shop of which every source of computed payloads tells something, or all but some. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { account_flags, type TestApp, type TestSeller } from './app.ts';
import { asOwner } from './audit.ts';
import { eventually } from './feeds.ts';
import { untilJobsRest } from './jobs.ts';
import { makePromotion } from './marketing.ts';
import { apply, orderEvent, placement, publishRates } from './orders.ts';
import { pricing } from './pricing.ts';
import { night } from './quality.ts';
import { joinTeam, type Requester } from './team.ts';

/** Monday noon in Sydney: July and the week W31 have ended. */
export const SHOP_CLOCK = '2026-08-03T02:00:00Z';

export const SOURCES = [
  ...['sales', 'buyers', 'provider_fees', 'one_currency', 'stock', 'stock_record', 'lead_time', 'incoming'],
  ...['nights', 'unit_cost', 'freight', 'offers', 'search', 'market_columns', 'cells', 'finance_role'],
] as const;
export type Source = (typeof SOURCES)[number];
export type Gone = ReadonlySet<Source>;

const NOON = 'T02:00:00.000Z';
/** Every other day up to yesterday, so that eight buyers buy six times or seven, first 90 days ago or earlier. */
const DAYS = Array.from({ length: 53 }, (_, place) => addDays('2026-08-02', -2 * place));

/** An order that was paid and delivered. */
function sold(app: TestApp, seller: TestSeller, sku: string, day: string, gone: Gone, more: object = {}) {
  const place = DAYS.indexOf(day) % 8;
  const placed = placement(app, seller, [{ sku, quantity: 2, price: 2_499 }], {
    placed_at: `${day}${NOON}`,
    buyer: gone.has('buyers') ? {} : { alias: `buyer-${place}`, customer_ref: `ref-${place}` },
    ...more,
  });
  const fee = gone.has('provider_fees') ? {} : { provider_fee_minor: 85 };
  const paid = { charge_id: `ch_${placed.subject}`, captured_minor: 4_998, ...fee };
  return [
    placed,
    orderEvent(app, seller, 'order.payment_captured', placed.subject, paid),
    orderEvent(app, seller, 'order.delivered', placed.subject, {
      delivered_at: `${addDays(day, 1)}T00:00:00Z`,
    }),
  ];
}

async function tellSales(app: TestApp, seller: TestSeller, sku: string, gone: Gone): Promise<void> {
  if (!gone.has('sales'))
    for (let at = 0; at < DAYS.length; at += 30)
      await apply(app, ...DAYS.slice(at, at + 30).flatMap((day) => sold(app, seller, sku, day, gone)));
  if (!gone.has('one_currency')) return;
  await publishRates(app, seller, 'NZD');
  await apply(app, ...sold(app, seller, sku, DAYS[16] ?? '', gone, { currency: 'NZD' }));
}

async function tellMarket(
  app: TestApp,
  seller: TestSeller,
  product_id: string,
  category: string,
  gone: Gone,
): Promise<void> {
  const row = { query: 'blue mug', product_id, impressions: 120, clicks: 40, purchases: 3, searchers: 96 };
  const volume = gone.has('market_columns') ? {} : { market_impressions: 4_300 };
  const report = { period: '2026-W31', rows: [{ ...row, ...volume }] };
  const price = { p25_minor: 2_250, p50_minor: 2_574, p75_minor: 2_946 };
  const cell = { period: '2026-07', currency: 'AUD', contributors: 14, largest_share_bps: 2_100, price };
  const { sellerid: _, ...cellEvent } = orderEvent(app, seller, 'intel.observed', category, cell);
  await apply(
    app,
    ...(gone.has('offers') ? [] : [pricing(app).observed(seller, product_id, 2_299)]),
    ...(gone.has('search') ? [] : [orderEvent(app, seller, 'search.observed', seller.seller_id, report)]),
    ...(gone.has('cells') ? [] : [cellEvent]),
  );
}

/** A shop of which everything is known but what these sources tell. @returns reads a payload of it */
export async function shopWithout(app: TestApp, gone: Gone) {
  const { shown, rule, limit } = pricing(app);
  const seller = await app.seller({ plan: 'Big', account_flags });
  const { seller_id } = seller;
  const category = `Home > ${randomUUID()}`;
  const { sku, product_id } = await shown(seller, 2_499, {
    category,
    quantity_on_hand: gone.has('stock') ? null : 200,
  });
  await asOwner(app, 'update product set created_at = $2 where seller_id = $1', [
    seller_id,
    `2026-04-01${NOON}`,
  ]);
  await asOwner(app, 'insert into fact_progress (seller_id, stock_known_from) values ($1, $2)', [
    seller_id,
    gone.has('stock_record') ? `2026-07-30${NOON}` : null,
  ]);
  await tellSales(app, seller, sku, gone);
  await tellMarket(app, seller, product_id, category, gone);
  const put = async (path: string, json: object) =>
    expect([200, 201]).toContain((await seller.call('PUT', path, { json })).status);
  const lead = gone.has('lead_time') ? {} : { lead_time_days: 10 };
  await put(`/products/${product_id}/reorder-point`, { reorder_point: 5_000, ...lead });
  if (!gone.has('incoming')) await put(`/forecasting/products/${product_id}/policy`, { incoming_units: 12 });
  if (!gone.has('freight'))
    await put('/profitability/order-costs', { amount_minor: 100, effective_from: '2026-04-01' });
  if (!gone.has('unit_cost'))
    await put(`/profitability/unit-costs/${product_id}`, {
      amount_minor: 1_100,
      effective_from: '2026-04-01',
    });
  await limit(seller, product_id, { min_margin_bps: 2_000 });
  await rule(seller);
  const { promotion_id } = await makePromotion(app, seller);
  await night(app, seller);
  // A worker may still evaluate the price, or assess the product as it is now.
  await untilJobsRest(app);
  await eventually(
    () => seller.call<{ ready: number | null }>('GET', '/quality/summary'),
    ({ body: { ready } }) => ready === 1,
  );
  if (gone.has('nights'))
    for (const [table, column] of [
      ['insight_snapshot', 'facts_through_on'],
      ['fact_progress', 'through_on'],
    ])
      await asOwner(app, `update ${table} set ${column} = ${column} - 3 where seller_id = $1`, [seller_id]);
  const clerk: Requester = gone.has('finance_role') ? await joinTeam(app, seller, ['fulfilment']) : seller;
  /** @param body sent with POST */
  return <Body>(path: string, body?: (id: string) => object) => {
    const found = path
      .replace('{id}', product_id)
      .replace('{promotion_id}', promotion_id)
      .replace('{category}', encodeURIComponent(category));
    const reader = path.startsWith('/dashboard') ? clerk : seller;
    return body === undefined
      ? reader.call<Body>('GET', found)
      : reader.call<Body>('POST', found, { json: body(product_id) });
  };
}
