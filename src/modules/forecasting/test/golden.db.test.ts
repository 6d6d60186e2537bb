/** The golden product of docs/forecasting.md through the API: orders over 84 days, and one week without stock. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, approve, placement, stocked } from '../../../../test/support/orders.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { firstInstant } from '../../../kernel/australia/sydney.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-02T14:00:00Z', LOG_LEVEL: 'silent' });
const FIRST = '2026-08-03';
const DAYS = 84;
const OUT = { from: 70, back: 77 };
const HOUR = 3_600_000;
const unitsOf = (day: number): number =>
  day >= OUT.from && day < OUT.back ? 0 : ([2, 2, 3, 3, 4, 6, 5][day % 7] ?? 0) + (day % 3 === 0 ? 1 : 0);
const iso = (ms: number): string => new Date(ms).toISOString();
const moveTo = async (at: number) =>
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: iso(at) } })).status).toBe(
    200,
  );

test('84 days of orders make the figures of the page', { timeout: 240_000 }, async () => {
  const started = await app.seller({ plan: 'Big' });
  let seller = started;
  const { sku, product_id } = await stocked(seller, 10_000, { seller_sku: 'MUG-BLU' });
  await approve(app, seller, product_id);
  const put = async (path: string, json: object) => {
    seller = await started.renew();
    expect(await seller.call('PUT', path, { json })).toMatchObject({ status: 200 });
  };
  const stock = `/products/${product_id}/inventory`;
  const path = `/forecasting/products/${product_id}`;
  expect((await seller.call('GET', path)).body).toMatchObject({
    ...{ status: 'not_computed', semantic_status: 'not_computed', cache_status: 'none' },
    ...{ retry_after_seconds: 15, expected_units: null },
  });
  for (let day = 0; day < DAYS; day += 1) {
    const start = firstInstant(addDays(FIRST, day));
    if (day === OUT.from || day === OUT.back) {
      await moveTo(start);
      await put(stock, { quantity: day === OUT.from ? 0 : 10_000 });
    }
    await moveTo(start + 8 * HOUR);
    const quantity = unitsOf(day);
    if (quantity > 0) await apply(app, placement(app, seller, [{ sku, quantity }]));
    if (day === 26) {
      seller = await started.renew();
      await moveTo(start + 31 * HOUR);
      seller = await started.renew();
      expect((await seller.call('GET', path)).body).toMatchObject({
        ...{ status: 'insufficient_history', semantic_status: 'insufficient_history' },
        needs: [{ what: 'exposure_days', have: 27, required: 28 }],
      });
    }
  }
  await moveTo(firstInstant('2026-10-26') + 7 * HOUR);
  const held = await (await started.renew()).call<{ quantity_reserved: number }>('GET', stock);
  await put(stock, { quantity: 31 + held.body.quantity_reserved });
  await put('/forecasting/policy', { lead_time_days: 10 });
  await put(`${path}/policy`, { incoming_units: 12, pack_size: 6 });
  const read = async (horizon: number) =>
    (await seller.call<Record<string, unknown>>('GET', `${path}?horizon=${horizon}`)).body;
  const week = await read(7);
  expect(week).toMatchObject({
    ...{ seller_sku: 'MUG-BLU', status: 'forecast', horizon: 7, expected_units: 27.2, method: 'dow_ses' },
    quantiles: { p10: 21, p50: 27, p90: 34 },
    seasonality: {
      source: 'product',
      weekday_index: [0.6792, 0.6792, 0.8679, 0.8868, 1.0943, 1.4906, 1.3019],
    },
    dispersion: 1,
    history: { exposure_days: 77, demand_units: 301, capped_days: 0 },
    backtest: { windows: 7, wape_bps: 192, bias_bps: -18, baseline_wape_bps: 183 },
    stock: {
      available: 31,
      position: 43,
      days_of_cover: 11,
      stockout_on: '2026-11-06',
      stockout_risk_bps: 1_032,
    },
    reorder: { due: true, reorder_at: 44, order_up_to: 73, quantity: 30 },
    ...{ facts_through_on: '2026-10-25', cache_status: 'fresh', source_contract: 'forecasting.product.v1' },
    ...{ semantic_status: 'partial', status_reason: null, missing_components: ['annual_seasonality'] },
  });
  expect(week['daily']).toHaveLength(7);
  expect(week['daily']).toMatchObject([{ day: '2026-10-26', expected_units: 2.64 }, {}, {}, {}, {}, {}, {}]);
  expect(await read(14)).toMatchObject({ expected_units: 54.39, quantiles: { p10: 45, p50: 54, p90: 64 } });
  expect(await read(28)).toMatchObject({
    expected_units: 108.78,
    quantiles: { p10: 96, p50: 109, p90: 122 },
  });
  const { body } = await seller.call<{ data: unknown[] }>('GET', `${path}/history?from=2026-10-11&limit=3`);
  expect(body.data).toEqual([
    { day: '2026-10-11', demand_units: 6, exposure_bps: 10_000, used_units: 6 },
    { day: '2026-10-12', demand_units: 0, exposure_bps: 0, used_units: 0 },
    { day: '2026-10-13', demand_units: 0, exposure_bps: 0, used_units: 0 },
  ]);
  const summary = await seller.call('GET', '/forecasting/summary');
  expect(summary.body).toMatchObject({
    products: { forecast: 1, insufficient_history: 0 },
    expected_units: { '7': 27.2, '14': 54.39, '28': 108.78 },
  });
});
