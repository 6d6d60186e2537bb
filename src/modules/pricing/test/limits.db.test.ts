/** Rules, limits and simulations of prices over HTTP. Source: docs/design/pricing.md. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { applied, catalogueOf, csv, goods } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { pricing } from '../../../../test/support/pricing.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const { now, shop, shown, observed, list, get, limit, rule, costs, passes } = pricing(app);

test('limits of a product: the floor is not above the ceiling, If-Match, and many at once', async () => {
  const seller = await shop();
  const { product_id, sku } = await shown(seller);
  const refused = await limit(seller, product_id, { floor_minor: 200, ceiling_minor: 100 });
  expect([refused.status, refused.body.code]).toEqual([409, 'floor_above_ceiling']);
  const set = await limit(seller, product_id, { floor_minor: 100 });
  expect([set.status, set.body.version]).toEqual([200, 1]);
  const tag = set.headers.get('etag') ?? '';
  const again = () => limit(seller, product_id, { floor_minor: 150 }, { 'if-match': tag });
  expect([(await again()).status, (await again()).status]).toEqual([200, 412]);
  const bulk = await seller.call('POST', '/pricing/guardrails/bulk', {
    json: {
      items: [
        { product_id, floor_minor: 300 },
        { seller_sku: sku, floor_minor: 400, min_margin_bps: 500 },
        { seller_sku: 'NO-SUCH', floor_minor: 1 },
        { product_id, floor_minor: 2, ceiling_minor: 1 },
        { floor_minor: 1 },
      ],
    },
  });
  expect([bulk.status, bulk.body]).toMatchObject([
    200,
    {
      counts: { items: 5, updated: 2, failed: 3 },
      results: [
        { status: 200, guardrails: { floor_minor: 300, version: 3 } },
        {
          status: 200,
          guardrails: { floor_minor: 400, min_margin_bps: 500, ceiling_minor: null, version: 4 },
        },
        { status: 404, outcome: 'failed', error: { code: 'not_found' } },
        { status: 409, outcome: 'failed', error: { code: 'floor_above_ceiling' } },
        {
          ...{ status: 422, outcome: 'failed' },
          error: { detail: [{ type: 'missing', loc: ['body', 'items', 4, 'product_id'] }] },
        },
      ],
    },
  ]);
});

test('rules: twenty at most, one scope each, and the parameter of their strategy', async () => {
  const seller = await shop();
  const problems = async (more: object) => {
    const { status, body } = await rule(seller, more);
    return [status, (body as { detail?: unknown }).detail];
  };
  expect(await problems({ params: { margin_bps: 100 } })).toMatchObject([
    422,
    [{ type: 'params_of_strategy', loc: ['body', 'params'] }],
  ]);
  expect((await problems({ scope: {} }))[0]).toBe(422);
  expect((await problems({ scope: { all: true, skus: ['A'] } }))[0]).toBe(422);
  expect(await problems({ scope: { categories: ['Home', ' > '] } })).toMatchObject([
    422,
    [{ loc: ['body', 'scope', 'categories', 1], msg: 'Name a category, such as Home > Kitchen.' }],
  ]);
  const unknown = await seller.call<{ detail: string }>(
    'GET',
    '/pricing/rules/prr_01j0000000000000000000000',
  );
  expect(unknown.body.detail).toBe('Your account has no rule prr_01j0000000000000000000000.');
  for (let made = 0; made < 20; made += 1)
    expect((await rule(seller, { priority: 100 - made, name: `Rule ${made}` })).status).toBe(201);
  const one = await seller.call<{ data: { rule_id: string }[] }>('GET', '/pricing/rules?limit=1');
  const path = `/pricing/rules/${one.body.data[0]?.rule_id}`;
  const tag = (await seller.call('GET', path)).headers.get('etag') ?? '';
  expect((await seller.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
  const full = await rule(seller);
  expect([full.status, full.body.code]).toEqual([409, 'too_many_rules']);
  const { body } = await seller.call<{ data: { priority: number }[] }>('GET', '/pricing/rules?limit=3');
  expect(body.data.map(({ priority }) => priority)).toEqual([81, 82, 83]);
});

test('without a floor, without a cost, by a penny offer and by an old one nothing is recommended', async () => {
  const seller = await shop();
  const product = async (lowest: number | null, limits: object | null, age_ms = 0) => {
    const { product_id } = await shown(seller);
    if (limits !== null) await limit(seller, product_id, limits);
    const observed_at = new Date(now() - age_ms).toISOString();
    if (lowest !== null) await apply(app, observed(seller, product_id, lowest, { observed_at }));
    return product_id;
  };
  const [floor, day] = [{ floor_minor: 1_000 }, 86_400_000];
  await rule(seller, { params: { below_minor: 0 } });
  const cases: readonly (readonly [id: string, code: string | null])[] = [
    [await product(2_299, null), 'floor_missing'],
    [await product(2_299, { min_margin_bps: 2_000 }), 'margin_not_evaluable'],
    [await product(2_299, { min_margin_bps: 2_000, ...floor }), 'margin_not_evaluable'],
    // Half of 2,499 is 1,249.5.
    [await product(1_249, floor), 'outlier_price'],
    [await product(1_250, floor), null],
    [await product(2_299, floor, day + 1_000), 'competition_stale'],
    [await product(2_299, floor, day - 600_000), null],
    [await product(null, floor), 'competition_missing'],
  ];
  await passes();
  const { data } = await list(seller, 'limit=200');
  for (const [id, code] of cases) {
    const kept = data.find(({ product_id }) => product_id === id);
    const status = code === null ? 'recommended' : 'blocked';
    for (const row of [kept, await get(seller, id)]) {
      expect([row?.evaluation.status, row?.evaluation.code]).toEqual([status, code]);
      expect(row?.change === null).toBe(code !== null);
    }
  }
});

test('a simulation has the golden figures, the fees of the estimate, and names what is missing', async () => {
  const seller = await shop();
  const { product_id } = await shown(seller);
  const simulate = (items: readonly object[]) =>
    seller.call<{ items: Record<string, Record<string, unknown>>[]; detail: unknown }>(
      'POST',
      '/pricing/simulations',
      {
        json: { items },
      },
    );
  const item = { product_id, price_minor: 2_299 };
  const [without] = (await simulate([item])).body.items;
  expect(without).toMatchObject({
    now: { net_minor: 2_219, contribution_minor: null, margin_bps: null },
    floor_check: 'no_floor',
    volume_change_to_break_even_bps: null,
    missing_components: ['demand_response', 'payment_processing', 'supplier_cost'],
  });
  await costs(seller, product_id, 1_100);
  await limit(seller, product_id, { floor_minor: 2_300 });
  const { body } = await simulate([
    item,
    { ...item, price_minor: 2_300, quantity: 3, shipping_minor: 850, seller_discount_minor: 500 },
  ]);
  expect(body).toMatchObject({
    source_contract: 'pricing.simulation.v1',
    semantic_status: 'partial',
    currency: 'AUD',
    items: [
      {
        now: {
          price_minor: 2_499,
          net_minor: 2_219,
          unit_cost_micros: 11_000_000,
          contribution_minor: 1_119,
          margin_bps: 4_478,
        },
        // biome-ignore lint/suspicious/noThenProperty: the name of the field
        then: { price_minor: 2_299, net_minor: 2_039, contribution_minor: 939, margin_bps: 4_084 },
        floor_check: 'below_floor',
        volume_change_to_break_even_bps: 1_917,
        missing_components: ['demand_response', 'payment_processing'],
      },
      { floor_check: 'ok' },
    ],
  });
  const { body: estimate } = await seller.call<{
    data: { components: { component: string; amount_minor: number | null }[] }[];
  }>('POST', '/fees/estimates', {
    json: { items: [{ price_minor: 2_300, quantity: 3, shipping_minor: 850, seller_discount_minor: 500 }] },
  });
  const amounts = (components: unknown) =>
    (components as { component: string; amount_minor: number | null }[]).map(
      ({ component, amount_minor }) => [component, amount_minor],
    );
  expect(amounts(body.items[1]?.['then']?.['components'])).toEqual(amounts(estimate.data[0]?.components));
  const unknown = await simulate([item, { product_id: 'prd_01j0000000000000000000000', price_minor: 1 }]);
  expect([unknown.status, unknown.body.detail]).toEqual([
    404,
    'Your account has no product prd_01j0000000000000000000000 (items.1).',
  ]);
  const much = await simulate([{ ...item, seller_discount_minor: 3_000 }]);
  expect([much.status, much.body.detail]).toMatchObject([
    422,
    [{ loc: ['body', 'items', 0, 'seller_discount_minor'] }],
  ]);
});

test('no price is said to keep a floor that is not known', async () => {
  const seller = await shop();
  const { product_id } = await shown(seller);
  const check = async (price_minor: number) => {
    const json = { items: [{ product_id, price_minor }] };
    const { body } = await seller.call<{ items: { floor_check: string; missing_components: string[] }[] }>(
      'POST',
      '/pricing/simulations',
      { json },
    );
    const [item] = body.items;
    return [item?.floor_check, item?.missing_components.includes('supplier_cost')];
  };
  // The cost is not known, so the least margin may need a higher price than the floor.
  await limit(seller, product_id, { floor_minor: 1_000, min_margin_bps: 2_000 });
  expect([await check(999), await check(1_000)]).toEqual([
    ['below_floor', true],
    ['no_floor', true],
  ]);
  await costs(seller, product_id, 1_100);
  expect([await check(1_613), await check(1_614)]).toEqual([
    ['below_floor', false],
    ['ok', false],
  ]);
});

test('from thirty paid orders on, payment processing is estimated by what providers kept', async () => {
  const seller = await shop();
  const { sku, product_id } = await shown(seller);
  const pay = async (count: number) => {
    for (let order = 0; order < count; order += 1) {
      const id = await placeOrder(app, seller, [{ sku, price: 2_000 }]);
      const paid = { charge_id: `ch_${id}`, captured_minor: 2_000, provider_fee_minor: 41 };
      await apply(app, orderEvent(app, seller, 'order.payment_captured', id, paid));
    }
  };
  const processing = async () => {
    const { body } = await seller.call<{ items: { then: { components: { component: string }[] } }[] }>(
      'POST',
      '/pricing/simulations',
      { json: { items: [{ product_id, price_minor: 2_000 }] } },
    );
    return body.items[0]?.then.components.find(({ component }) => component === 'payment_processing');
  };
  await pay(29);
  expect(await processing()).toMatchObject({ status: 'not_captured', amount_minor: null });
  await pay(1);
  expect(await processing()).toMatchObject({ status: 'estimated', amount_minor: 41 });
});

test('a revert that deletes a product leaves nothing of its prices and forecasts; its costs stay listed', async () => {
  const seller = await shop();
  const { product_id: kept } = await shown(seller);
  const { run_id } = await applied(seller, csv([goods('GONE')]));
  const id = (await catalogueOf(seller)).get('GONE')?.product_id ?? '';
  for (const one of [kept, id]) {
    expect((await limit(seller, one, { floor_minor: 100 })).status).toBe(200);
    await apply(app, observed(seller, one, 2_299));
    expect((await costs(seller, one, 500)).status).toBe(201);
    await seller.call('PUT', `/forecasting/products/${one}/policy`, { json: { lead_time_days: 3 } });
  }
  await rule(seller);
  await passes();
  const rows = () =>
    asOwner<{ kind: string; product_id: string }>(
      app,
      ['price_guardrail', 'competitor_price', 'price_evaluation', 'forecast_policy']
        .map((table) => `select '${table}' as kind, product_id from ${table} where seller_id = $1`)
        .join(' union all '),
      [seller.seller_id],
    );
  expect(await rows()).toHaveLength(8);
  await seller.call('POST', `/products/feed-runs/${run_id}/revert`, { json: {} });
  expect((await seller.call('GET', `/products/${id}`)).status).toBe(404);
  expect((await rows()).map(({ product_id }) => product_id)).toEqual([kept, kept, kept, kept]);
  const { body } = await seller.call<{ data: { product_id: string }[] }>('GET', '/profitability/unit-costs');
  expect(body.data.map(({ product_id }) => product_id).sort()).toEqual([kept, id].sort());
});
