/** Forecasts, policies and the event, for products whose facts are written as a night would have. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { afterJobs } from '../../../../test/support/jobs.ts';
import { stocked } from '../../../../test/support/orders.ts';
import { movePurchase, mugSupplier, submitted } from '../../../../test/support/purchases.ts';
import { night as runNight } from '../../../../test/support/quality.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';

/** Wednesday, 11:00 in Sydney. */
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-10-28T00:00:00Z', LOG_LEVEL: 'silent' });
const { services } = app.app;
const YESTERDAY = '2026-10-27';

const run = ({ seller_id }: TestSeller, text: string, values: readonly unknown[]) =>
  services.withSeller(seller_id, 'write', (db) => db.run(sql(text, values)));
/** The facts of a product up to yesterday: units of its last days. */
async function sold(seller: TestSeller, product_id: string, units: readonly number[]): Promise<void> {
  const days = units.map((_, at) => addDays(YESTERDAY, at + 1 - units.length));
  const { seller_id } = seller;
  await run(seller, `update product set created_at = $3 where seller_id = $1 and product_id = $2`, [
    ...[seller_id, product_id, `${days[0]}T00:00:00Z`],
  ]);
  await run(
    seller,
    `insert into fact_sku_day (seller_id, product_id, day, demand_units, ordered_units, ordered_minor, other_units)
     select $1, $2, d.day::date, d.units, d.units, 0, 0 from unnest($3::text[], $4::int[]) d (day, units) where d.units > 0`,
    [seller_id, product_id, days, units],
  );
  await run(
    seller,
    `insert into fact_progress (seller_id, through_on, watermark_at) values ($1, $2, $3)
         on conflict (seller_id) do update set through_on = $2, watermark_at = $3`,
    [seller_id, YESTERDAY, new Date(services.now()).toISOString()],
  );
}
const night = (seller: TestSeller): Promise<void> => runNight(app, seller);
const days = (count: number, units: number): number[] => Array<number>(count).fill(units);
interface List {
  readonly data: readonly Record<string, unknown>[];
  readonly missing_components: readonly string[];
  readonly page: { readonly next_cursor: string | null };
}

test('a fresh seller reads what is not computed, then that its history is too short', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const read = async (path: string) => (await seller.call<List>('GET', `/forecasting${path}`)).body;
  for (const path of ['/summary', '/products'])
    expect(await read(path)).toMatchObject({ semantic_status: 'not_computed', cache_status: 'none' });
  const computed = await afterJobs(
    app,
    () => read('/summary'),
    (body) => !('retry_after_seconds' in body),
  );
  expect(computed).toMatchObject({
    ...{ semantic_status: 'insufficient_history', cache_status: 'fresh', facts_through_on: YESTERDAY },
    ...{ products: { forecast: 0, insufficient_history: 0 }, expected_units: null, reorder_due: null },
  });
  expect(await read('/products')).toMatchObject({
    ...{ data: [], semantic_status: 'insufficient_history' },
    needs: [{ what: 'forecasts', have: 0, required: 1 }],
  });
});

test('too little history is named; without a lead time nothing is said about orders', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const [little, plain, uncounted] = [
    await stocked(seller, 9),
    await stocked(seller, 9),
    await stocked(seller, null),
  ];
  await sold(seller, little.product_id, [...days(9, 1), ...days(21, 0)]);
  await sold(seller, plain.product_id, days(40, 2));
  await sold(seller, uncounted.product_id, days(40, 1));
  await night(seller);
  const read = async (id: string) =>
    (await seller.call<Record<string, unknown>>('GET', `/forecasting/products/${id}`)).body;
  expect(await read(little.product_id)).toMatchObject({
    ...{ status: 'insufficient_history', expected_units: null, quantiles: null, daily: [] },
    needs: [{ what: 'demand_units', have: 9, required: 10 }],
  });
  expect(await read(plain.product_id)).toMatchObject({
    ...{ status: 'forecast', reorder: null, expected_units: 56, method: 'mean28' },
    stock: {
      available: 9,
      position: 9,
      days_of_cover: 4,
      stockout_on: '2026-11-01',
      stockout_risk_bps: null,
    },
    missing_components: ['annual_seasonality', 'incoming_stock', 'lead_time'],
  });
  expect(await read(uncounted.product_id)).toMatchObject({
    ...{ stock: null, reorder: null },
    missing_components: ['annual_seasonality', 'incoming_stock', 'lead_time', 'stock_history'],
  });
  const other = await app.seller({ plan: 'Big' });
  for (const path of [plain.product_id, `${plain.product_id}/history`, `${plain.product_id}/policy`])
    expect(await other.call('GET', `/forecasting/products/${path}`)).toMatchObject({ status: 404 });
  expect(await seller.call('GET', `/forecasting/products/${plain.product_id}?horizon=91`)).toMatchObject({
    status: 422,
  });
  const history = `/forecasting/products/${plain.product_id}/history`;
  expect((await seller.call('GET', `${history}?from=2024-01-01`)).text).toContain('date_too_old');
  const turned = await seller.call('GET', `${history}?from=2026-10-02&to=2026-10-01`);
  expect(turned).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'from'] }] } });
});

test('units that suppliers owe are on their way, as the suggestions to reorder say', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { product_id } = await stocked(seller, 9, { reorder_point: 10 });
  await sold(seller, product_id, days(40, 2));
  const order = await submitted(seller, await mugSupplier(app), {}, { product_id });
  const path = `/forecasting/products/${product_id}`;
  const read = async (from: string) => (await seller.call<Record<string, unknown>>('GET', from)).body;
  const suggested = await seller.call<List>('GET', '/products/reorder-suggestions');
  expect(suggested.body.data).toMatchObject([{ product_id, quantity_incoming: 144 }]);
  await night(seller);
  const owed = {
    stock: { available: 9, position: 153 },
    missing_components: ['annual_seasonality', 'lead_time'],
  };
  expect(await read(path)).toMatchObject(owed);
  expect(await read('/forecasting/products')).toMatchObject({ data: [owed] });
  await seller.call('PUT', `${path}/policy`, { json: { incoming_units: 12 } });
  expect(await read(path)).toMatchObject({ stock: { position: 165 } });
  await movePurchase(seller, order, 'cancel', { reason: 'Found elsewhere' });
  expect(await read(path)).toMatchObject({ stock: { position: 21 } });
});

test('what is known of no product is null in the summary, and due is neither true nor false', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const uncounted = await stocked(seller, null);
  await sold(seller, uncounted.product_id, days(40, 1));
  await night(seller);
  const summary = async () => (await seller.call('GET', '/forecasting/summary')).body;
  const due = async (value: boolean) =>
    (await seller.call<List>('GET', `/forecasting/products?reorder_due=${value}`)).body.data.map(
      (row) => row['product_id'],
    );
  expect(await summary()).toMatchObject({
    ...{ products: { forecast: 1 }, reorder_due: null, stockout_in_14_days: null },
    missing_components: ['annual_seasonality', 'incoming_stock', 'lead_time', 'stock_history'],
  });
  expect([await due(true), await due(false)]).toEqual([[], []]);
  const counted = await stocked(seller, 9);
  await sold(seller, counted.product_id, days(40, 2));
  await night(seller);
  expect(await summary()).toMatchObject({ reorder_due: null, stockout_in_14_days: 1 });
  await seller.call('PUT', '/forecasting/policy', { json: { lead_time_days: 1 } });
  await night(seller);
  expect(await summary()).toMatchObject({
    ...{ reorder_due: 0, stockout_in_14_days: 1, semantic_status: 'partial' },
    missing_components: ['annual_seasonality', 'incoming_stock', 'stock_history'],
  });
  expect([await due(true), await due(false)]).toEqual([[], [counted.product_id]]);
});

test('the days of a product say what they lack, whatever the forecasts of others lack', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { product_id } = await stocked(seller, 9);
  const read = async (query: string) =>
    (await seller.call<List>('GET', `/forecasting/products/${product_id}/history${query}`)).body;
  expect(await read('')).toMatchObject({ data: [], semantic_status: 'not_computed', cache_status: 'none' });
  // The read has asked for a night, which would replace facts that no order has made.
  await night(seller);
  await sold(seller, product_id, days(500, 1));
  const exposure = async (query: string) => (await read(query)).data.map((row) => row['exposure_bps']);
  await night(seller);
  expect(await read('')).toMatchObject({
    ...{ semantic_status: 'complete', status_reason: null, missing_components: [], cache_status: 'fresh' },
    ...{ source_contract: 'forecasting.history.v1', facts_through_on: YESTERDAY },
  });
  // Outages are kept for 400 days.
  expect(await exposure('?from=2025-09-22&limit=4')).toEqual([null, null, 10_000, 10_000]);
  const at = '2026-10-20T00:00:00Z';
  await run(seller, 'update fact_progress set stock_known_from = $2 where seller_id = $1', [
    ...[seller.seller_id, at],
  ]);
  const around = await read('?from=2026-10-19&to=2026-10-22');
  expect(around).toMatchObject({
    data: [
      { day: '2026-10-19', demand_units: 1, exposure_bps: null, used_units: 1 },
      { day: '2026-10-20', demand_units: 1, exposure_bps: null, used_units: 1 },
      { day: '2026-10-21', demand_units: 1, exposure_bps: 10_000, used_units: 1 },
      { day: '2026-10-22', demand_units: 1, exposure_bps: 10_000, used_units: 1 },
    ],
    ...{ semantic_status: 'partial', missing_components: ['stock_history'] },
  });
  expect(await read('?from=2026-10-21')).toMatchObject({
    ...{ semantic_status: 'complete', missing_components: [] },
  });
  await run(seller, 'update fact_progress set through_on = $2 where seller_id = $1', [
    ...[seller.seller_id, '2026-10-24'],
  ]);
  expect(await read('?from=2026-10-21')).toMatchObject({
    ...{ semantic_status: 'partial', missing_components: ['recent_days'], cache_status: 'stale' },
    facts_through_on: '2026-10-24',
  });
});

test('days that are not kept any more are no days without demand', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { product_id } = await stocked(seller, 9);
  await sold(seller, product_id, days(1_000, 1));
  const read = (query: string) =>
    seller.call<List>('GET', `/forecasting/products/${product_id}/history${query}`);
  const { body } = await read('?to=2024-10-10');
  // 760 days before today.
  expect(body.data[0]).toMatchObject({ day: '2024-09-28', demand_units: 1 });
  expect(body.data).toHaveLength(13);
  for (const query of ['?to=2024-09-27', '?from=2024-09-27'])
    expect(await read(query)).toMatchObject({ status: 422, body: { detail: [{ type: 'date_too_old' }] } });
  expect((await read('?from=2024-09-28&to=2024-09-28')).body.data).toHaveLength(1);
});

test('lists are sorted, filtered and paged, also as a file', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const [slow, fast] = [
    await stocked(seller, 100, { seller_sku: 'SLOW', category: 'Home > Mugs' }),
    await stocked(seller, 20, { seller_sku: 'FAST' }),
  ];
  await sold(seller, slow.product_id, days(40, 1));
  await sold(seller, fast.product_id, days(40, 5));
  await seller.call('PUT', '/forecasting/policy', { json: { lead_time_days: 5 } });
  await night(seller);
  const list = async (query: string) =>
    (await seller.call<List>('GET', `/forecasting/products${query}`)).body;
  const skus = async (query: string) => (await list(query)).data.map((row) => row['seller_sku']);
  expect(await skus('')).toEqual(['FAST', 'SLOW']);
  expect(await skus('?sort=-expected_units')).toEqual(['FAST', 'SLOW']);
  expect(await skus('?reorder_due=true')).toEqual(['FAST']);
  expect(await skus('?reorder_due=false')).toEqual(['SLOW']);
  expect(await skus('?sku=SLOW')).toEqual(['SLOW']);
  expect(await skus('?category=Home%20%3E%20Mugs')).toEqual(['SLOW']);
  expect(await skus('?status=insufficient_history')).toEqual([]);
  const first = await list('?limit=1&sort=-expected_units');
  expect(await skus(`?limit=1&sort=-expected_units&cursor=${first.page.next_cursor}`)).toEqual(['SLOW']);
  const { text } = await seller.call('GET', '/forecasting/products?format=csv');
  expect(text.split('\r\n')[1]).toMatch(
    /^prd_\w+,FAST,forecast,140,\d+,140,\d+,mean28,20,4,2026-11-01,true,\d+$/,
  );
  expect((await seller.call('GET', '/forecasting/summary')).body).toMatchObject({
    ...{ products: { forecast: 2, insufficient_history: 0 }, reorder_due: 1, stockout_in_14_days: 1 },
    expected_units: { '7': 42, '14': 84, '28': 168 },
  });
});

test('a product that is newly due makes one event, and all of a night one notification', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const both = [await stocked(seller, 3), await stocked(seller, 4)];
  for (const { product_id } of both) await sold(seller, product_id, days(40, 2));
  await seller.call('PUT', '/forecasting/policy', { json: { lead_time_days: 3 } });
  await night(seller);
  await night(seller);
  const events = async () =>
    (
      await seller.call<{ data: { data: { object: object } }[] }>(
        'GET',
        '/webhooks/events?types=forecast.reorder_due',
      )
    ).body.data;
  const found = await afterJobs(app, events, (data) => data.length >= 2);
  expect(found).toHaveLength(2);
  expect(found[0]?.data.object).toMatchObject({
    status: 'forecast',
    reorder: { due: true },
    facts_through_on: YESTERDAY,
  });
  const notices = async () =>
    (await seller.call<{ data: { title: string }[] }>('GET', '/notifications')).body.data.filter(
      ({ title }) => title.includes('reordered'),
    );
  expect(await afterJobs(app, notices, (data) => data.length > 0)).toMatchObject([
    { title: 'Products due to be reordered: 2', severity: 'warning' },
  ]);
});

test('a policy says where each value comes from, and keeps what is not named', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { product_id } = await stocked(seller, 9);
  const path = `/forecasting/products/${product_id}/policy`;
  const put = (to: string, json: object, headers = {}) => seller.call('PUT', to, { json, headers });
  expect((await seller.call('GET', path)).body).toMatchObject({
    ...{
      product_id,
      lead_time_days: null,
      review_days: 7,
      service_level_bps: 9_000,
      pack_size: 1,
      version: 0,
    },
    source: { lead_time_days: 'none', review_days: 'default', incoming_units: 'none' },
  });
  await seller.call('PATCH', '/sellers/me/settings', { json: { default_lead_time_days: 21 } });
  expect((await seller.call('GET', path)).body).toMatchObject({
    lead_time_days: 21,
    source: { lead_time_days: 'settings' },
  });
  await put(`/products/${product_id}/reorder-point`, { reorder_point: 1, lead_time_days: 14 });
  expect((await seller.call('GET', path)).body).toMatchObject({
    lead_time_days: 14,
    source: { lead_time_days: 'product' },
  });
  await put('/forecasting/policy', { lead_time_days: 10, review_days: 14 });
  expect((await seller.call('GET', path)).body).toMatchObject({
    lead_time_days: 10,
    source: { lead_time_days: 'policy' },
  });
  const set = await put(path, { lead_time_days: 0, pack_size: 6 });
  expect(set.body).toMatchObject({
    ...{ lead_time_days: 0, review_days: 14, pack_size: 6, version: 1 },
    source: { lead_time_days: 'product_policy', review_days: 'policy', pack_size: 'product_policy' },
  });
  const tag = { 'if-match': set.headers.get('etag') ?? '' };
  expect((await put(path, { lead_time_days: null }, tag)).body).toMatchObject({
    lead_time_days: 10,
    pack_size: 6,
  });
  expect((await put(path, { pack_size: 2 }, tag)).status).toBe(412);
  for (const wrong of [
    { review_days: 0 },
    { service_level_bps: 4_999 },
    { lead_time_days: 366 },
    { pack: 1 },
  ])
    expect((await put(path, wrong)).status).toBe(422);
  expect((await put('/forecasting/policy', { incoming_units: 1 })).status).toBe(422);
});

test('of two first policies at once both count, and only one with the tag of none', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { product_id } = await stocked(seller, 9);
  const put = (path: string, json: object, headers = {}) =>
    seller.call<Record<string, unknown>>('PUT', path, { json, headers });
  /** Holds writes of policies until both requests wait for one. */
  const atOnce = <T>(...requests: readonly (() => Promise<T>)[]) =>
    runOn(app.database.adminUrl, async (client) => {
      await client.query('begin; lock table forecast_policy in share row exclusive mode');
      const answers = Promise.all(requests.map((request) => request()));
      await eventually(
        () =>
          client.query(
            "select from pg_locks where not granted and relation = 'forecast_policy'::regclass and database = (select oid from pg_database where datname = current_database())",
          ),
        ({ rowCount }) => rowCount === requests.length,
      );
      await client.query('commit');
      return answers;
    });
  await atOnce(
    () => put('/forecasting/policy', { lead_time_days: 3 }),
    () => put('/forecasting/policy', { review_days: 9 }),
  );
  expect((await seller.call('GET', '/forecasting/policy')).body).toMatchObject({
    ...{ lead_time_days: 3, review_days: 9, version: 2 },
  });
  const path = `/forecasting/products/${product_id}/policy`;
  const tag = { 'if-match': '"p0"' };
  const both = await atOnce(
    () => put(path, { pack_size: 4 }, tag),
    () => put(path, { pack_size: 5 }, tag),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect((await put(path, { pack_size: 6 }, tag)).status).toBe(412);
  expect((await seller.call('GET', path)).body).toMatchObject({ version: 1 });
});

test('a plan without forecasts is 402, and still has sales per day', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { product_id } = await stocked(seller, 1, { reorder_point: 5 });
  await sold(seller, product_id, days(28, 3));
  const bulk = await stocked(seller, 1, { reorder_point: 5 });
  await sold(seller, bulk.product_id, [...days(27, 3), 500]);
  await night(seller);
  for (const path of ['/summary', '/products', '/products?cursor=bad', `/products/${product_id}`, '/policy'])
    expect(await seller.call('GET', `/forecasting${path}`)).toMatchObject({
      status: 402,
      body: { feature_name: 'forecasting' },
    });
  const { body } = await seller.call<List>('GET', '/products/reorder-suggestions');
  expect(body).toMatchObject({
    // The order of 500 units counts as 12, as forecasts count it.
    data: [{ sales_per_day: 3.32 }, { sales_per_day: 3, days_of_cover: 0, quantity_incoming: null }],
    missing_components: ['lead_time'],
  });
});
