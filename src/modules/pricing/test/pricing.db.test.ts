/** Recommended prices over HTTP. Source: docs/design/pricing.md. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { tableOf } from '../../../../test/support/csv-tables.ts';
import { feed } from '../../../../test/support/feeds.ts';
import { makePromotion } from '../../../../test/support/marketing.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { pricing } from '../../../../test/support/pricing.ts';
import { joinTeam } from '../../../../test/support/team.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const { now, moveBy, passes, shop, shown, observed, list, get, limit, rule, costs } = pricing(app);
const iso = (ms: number) => new Date(ms).toISOString();

test('without the flag 404, without the plan 402, with both 200; other methods are 405', async () => {
  const read = async (seller: Pick<TestSeller, 'call'>) => {
    const { status, body } = await seller.call<Record<string, unknown>>('GET', '/pricing/automation');
    return [status, body['code'] ?? body['feature_name'] ?? body['live_price_changes']];
  };
  expect(await read(await shop('Big', []))).toEqual([404, 'module_unavailable']);
  expect(await read(await shop('Small'))).toEqual([402, 'pricing']);
  const seller = await shop();
  expect(await read(seller)).toEqual([200, 'unavailable']);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await seller.call(method, '/pricing/automation', { json: {} })).status).toBe(405);
  const viewer = await joinTeam(app, seller, ['viewer']);
  expect((await read(viewer))[0]).toBe(200);
  expect((await rule(viewer)).status).toBe(403);
});

test('a rule becomes recommendations, each with its request, and one event', async () => {
  const seller = await shop();
  const stranger = await shop();
  const [mug, plate, cup] = [
    await shown(seller, 2_499, { category: 'Home > Kitchen > Mugs' }),
    await shown(seller, 2_499, { category: 'Home > Kitchen > Plates' }),
    await shown(seller),
  ];
  expect(await list(seller)).toMatchObject({
    data: [],
    cache_status: 'none',
    semantic_status: 'not_computed',
    retry_after_seconds: 15,
  });
  await limit(seller, mug.product_id, { floor_minor: 1_900 });
  await limit(seller, cup.product_id, { floor_minor: 1_900 });
  const made = await rule(seller, { scope: { categories: ['home > kitchen'] } });
  expect(made.status).toBe(201);
  await apply(app, observed(seller, mug.product_id, 2_299), observed(seller, plate.product_id, 2_299));
  await passes();
  const { data, ...frame } = await list(seller);
  expect(frame).toMatchObject({
    source_contract: 'pricing.products.v1',
    cache_status: 'fresh',
    semantic_status: 'partial',
    missing_components: ['competitor_offers', 'payment_processing', 'supplier_cost'],
  });
  // Each row names what it lacks; the frame names what the rows of the page lack.
  expect(data.find(({ product_id }) => product_id === plate.product_id)).toMatchObject({
    missing_components: ['supplier_cost'],
  });
  const found = data.map(({ seller_sku, evaluation: { status, code } }) => [seller_sku, status, code]);
  expect(new Set(found.map(String))).toEqual(
    new Set([`${mug.sku},recommended,`, `${plate.sku},blocked,floor_missing`, `${cup.sku},no_rule,`]),
  );
  const [row] = (await list(seller, 'status=recommended')).data;
  expect(row).toMatchObject({
    product_id: mug.product_id,
    price_minor: 2_499,
    effective_floor_minor: 1_900,
    competition: { lowest_minor: 2_299, offers_count: 7 },
    change: { method: 'PATCH', path: `/api/v1/products/${mug.product_id}`, body: { price_minor: 2_298 } },
  });
  const one = async (query: string) => (await list(seller, query)).data.map(({ seller_sku }) => seller_sku);
  expect(await one('category=Home > Kitchen > Plates')).toEqual([plate.sku]);
  expect(await one(`sku=${cup.sku}`)).toEqual([cup.sku]);
  expect((await list(stranger)).data).toEqual([]);
  const { rule_id } = made.body;
  expect((await seller.call('GET', `/pricing/rules/${rule_id}`)).body).toMatchObject({ matched_products: 2 });
  const events = await asOwner<{ object: object }>(
    app,
    "select data->'object' as object from outbox where seller_id = $1 and type = 'pricing.recommendations_changed'",
    [seller.seller_id],
  );
  expect(events.map(({ object }) => object)).toEqual([
    expect.objectContaining({ recommended: 1, opened: [mug.product_id], closed: 0 }),
  ]);
  for (const [method, path] of [
    ['GET', `/pricing/rules/${rule_id}`],
    ['PATCH', `/pricing/rules/${rule_id}`],
    ['DELETE', `/pricing/rules/${rule_id}`],
    ['GET', `/pricing/products/${mug.product_id}`],
    ['PUT', `/pricing/products/${mug.product_id}/guardrails`],
  ] as const)
    expect(
      (
        await stranger.call(
          method,
          path,
          method === 'GET' || method === 'DELETE'
            ? {}
            : { json: { ...(method === 'PATCH' && { priority: 1 }) } },
        )
      ).status,
    ).toBe(404);

  // The seller takes the recommendation by the request that it names.
  const { path, body, if_match } = row?.change ?? { path: '', body: {}, if_match: '' };
  const taken = await seller.call('PATCH', path.slice('/api/v1'.length), {
    json: body,
    headers: { 'if-match': if_match },
  });
  expect(taken.status).toBe(200);
  expect((await list(seller, 'status=recommended')).data).toEqual([]);
  expect((await list(seller, `sku=${mug.sku}`)).data[0]).toMatchObject({ price_minor: 2_298, change: null });

  await seller.call('DELETE', `/pricing/rules/${rule_id}`);
  await passes();
  expect((await list(seller)).data.map(({ evaluation }) => evaluation.status)).toEqual([
    'no_rule',
    'no_rule',
    'no_rule',
  ]);
});

test('each change of guardrails, offers, costs and rules is evaluated within a minute', async () => {
  const seller = await shop();
  const { product_id } = await shown(seller);
  await rule(seller);
  await apply(app, observed(seller, product_id, 2_299));
  await passes();
  const next = async () => {
    await passes();
    const [row] = (await list(seller)).data;
    return [row?.evaluation.status, row?.evaluation.code, row?.evaluation.target_minor];
  };
  expect(await next()).toEqual(['blocked', 'floor_missing', null]);
  await limit(seller, product_id, { min_margin_bps: 2_000 });
  expect(await next()).toEqual(['blocked', 'margin_not_evaluable', null]);
  await costs(seller, product_id, 1_100);
  expect(await next()).toEqual(['recommended', null, 2_298]);
  await apply(app, observed(seller, product_id, 1_500));
  expect(await next()).toEqual(['recommended', null, 1_614]);
  await apply(app, observed(seller, product_id, 1));
  expect(await next()).toEqual(['blocked', 'outlier_price', null]);
  await apply(app, observed(seller, product_id, 2_299));
  expect(await next()).toEqual(['recommended', null, 2_298]);
  const { body } = await seller.call<{ data: { rule_id: string }[] }>('GET', '/pricing/rules');
  await seller.call('PATCH', `/pricing/rules/${body.data[0]?.rule_id}`, { json: { active: false } });
  expect(await next()).toEqual(['no_rule', null, null]);
});

test('a product is evaluated now with every step, also against an observation that has grown old', async () => {
  const seller = await shop();
  const { product_id } = await shown(seller);
  await rule(seller);
  await limit(seller, product_id, { floor_minor: 1_900, ceiling_minor: 3_000 });
  await apply(app, observed(seller, product_id, 2_299));
  expect(await get(seller, product_id)).toMatchObject({
    source_contract: 'pricing.product.v1',
    cache_status: 'live',
    missing_components: ['payment_processing', 'supplier_cost'],
    evaluation: { status: 'recommended', target_minor: 2_298 },
    steps: [
      { code: 'live_price', value: 2_499 },
      { code: 'lowest_offer', value: 2_299 },
      { code: 'floor', value: 1_900 },
      { code: 'wanted_price', value: 2_298 },
      { code: 'effective_floor', value: 1_900 },
      { code: 'ceiling', value: 3_000 },
      { code: 'target_price', value: 2_298 },
    ],
  });
  const old = await app.events(observed(seller, product_id, 2_000, { observed_at: iso(now() - 1_000) }));
  expect(old[0]?.status).toBe('stale');
  await apply(app, observed(seller, product_id, 2_400, { observed_at: iso(now() + 1_000) }));
  await moveBy(25 * 3_600_000);
  const stale = await get(await seller.renew(), product_id);
  expect([stale.evaluation.code, stale.steps.at(-1)?.code]).toEqual([
    'competition_stale',
    'competition_stale',
  ]);
});

test('an observation of an unknown seller or product, or without a currency, is rejected', async () => {
  const seller = await shop();
  const { product_id } = await shown(seller);
  const results = await app.events(
    observed(seller, 'prd_01j0000000000000000000000', 1),
    { ...observed(seller, product_id, 1), sellerid: 'slr_01j0000000000000000000000' },
    observed(seller, product_id, 1, { currency: 'XXQ' }),
  );
  expect(results.map(({ status, code }) => [status, code])).toEqual([
    ['rejected', 'product_not_found'],
    ['rejected', 'seller_not_found'],
    ['rejected', 'currency_unknown'],
  ]);
});

test('the file of recommended prices, sent back, changes exactly these prices', async () => {
  const seller = await shop();
  const [first, second, third] = [await shown(seller), await shown(seller, 9_995), await shown(seller)];
  await rule(seller, { params: { below_minor: 0 } });
  for (const { product_id } of [first, second, third])
    await limit(seller, product_id, { floor_minor: 1_000 });
  await apply(app, observed(seller, first.product_id, 2_299), observed(seller, second.product_id, 9_005));
  await passes();
  const needs = await seller.call('GET', '/pricing/products?format=csv');
  expect([needs.status, needs.body]).toMatchObject([
    422,
    { detail: [{ type: 'csv_needs_recommended', loc: ['query', 'format'] }] },
  ]);
  const file = await seller.call('GET', '/pricing/products?status=recommended&format=csv');
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(tableOf(file.text)).toEqual([
    { seller_sku: first.sku, price: '22.99' },
    { seller_sku: second.sku, price: '90.05' },
  ]);
  const prices = async () =>
    Promise.all(
      [first, second, third].map(async ({ product_id }) => {
        const { body } = await seller.call<Record<string, unknown>>('GET', `/products/${product_id}`);
        return [body['price_minor'], body['title'] !== null, body['quantity_on_hand']];
      }),
    );
  const run = await feed(seller, file.text, { query: 'mode=update_only' });
  expect(run.body).toMatchObject({ counts: { rows: 2, updated: 2, rejected: 0 } });
  expect(await prices()).toEqual([
    [2_299, true, 50],
    [9_005, true, 50],
    [2_499, true, 50],
  ]);
  await passes();
  expect((await list(seller, 'status=recommended')).data).toEqual([]);
});

test('a night evaluates every product, and a seller without the plan gets no event', async () => {
  const seller = await shop();
  const { product_id, sku } = await shown(seller);
  await placeOrder(app, seller, [{ sku, price: 2_499 }]);
  await rule(seller);
  await limit(seller, product_id, { floor_minor: 1_900 });
  await apply(app, observed(seller, product_id, 2_299));
  await passes();
  expect((await list(seller)).data[0]?.evaluation.status).toBe('recommended');
  await moveBy(2 * 86_400_000);
  const { data, cache_status } = await list(await seller.renew());
  expect([data[0]?.evaluation.code, cache_status]).toEqual(['competition_stale', 'fresh']);
  await apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, { plan: 'Small' }));
  const count = async () =>
    (
      await asOwner(app, "select from outbox where seller_id = $1 and type like 'pricing.%'", [
        seller.seller_id,
      ])
    ).length;
  const before = await count();
  await apply(app, observed(seller, product_id, 2_299));
  await passes();
  expect(await count()).toBe(before);
});

test('no call to pricing, forecasting, marketing or profitability changes products, stock or money', async () => {
  const seller = await shop('Big', ['pricing', 'marketing']);
  const products = [await shown(seller), await shown(seller, 5_000)];
  const order = await placeOrder(app, seller, [{ sku: products[0]?.sku ?? '', price: 2_499 }]);
  const paid = { charge_id: `ch_${order}`, captured_minor: 2_499 };
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', order, paid),
    orderEvent(app, seller, 'order.delivered', order, { delivered_at: iso(now()) }),
  );
  const promotions: string[] = [];
  const move = (verb: string) => async () => {
    for (const id of promotions)
      await seller.call('POST', `/marketing/promotions/${id}/${verb}`, { json: {} });
  };
  const rest = async () =>
    asOwner(
      app,
      `select (select json_agg(p order by product_id) from product p where seller_id = $1)::text as products,
              (select json_agg(i order by product_id) from inventory i where seller_id = $1)::text as stock,
              (select json_agg(e order by entry_id) from ledger_entry e where seller_id = $1)::text as entries,
              (select json_agg(s order by settlement_id) from settlement s where seller_id = $1)::text as settlements,
              (select count(*) from product_change where seller_id = $1)::int as changes`,
      [seller.seller_id],
    );
  const before = await rest();
  expect(before).toMatchObject([{ entries: expect.stringContaining('gross') }]);
  const product = fc.constantFrom(...products);
  const amount = fc.integer({ min: 0, max: 9_000 });
  const call = fc.oneof(
    fc.record({ product, amount }).map(
      ({ product: { product_id }, amount: floor_minor }) =>
        () =>
          limit(seller, product_id, { floor_minor: floor_minor + 1 }),
    ),
    fc.record({ product, amount }).map(
      ({ product: { product_id }, amount: cost }) =>
        () =>
          costs(seller, product_id, cost),
    ),
    fc.record({ product, amount }).map(
      ({ product: { product_id }, amount: price }) =>
        () =>
          app.events(observed(seller, product_id, price)),
    ),
    amount.map((below) => () => rule(seller, { params: { below_minor: below }, name: randomUUID() })),
    amount.map((margin_bps) => () => rule(seller, { strategy: 'hold_margin', params: { margin_bps } })),
    fc.record({ product, amount }).map(
      ({ product: { product_id }, amount: price }) =>
        () =>
          seller.call('POST', '/pricing/simulations', {
            json: { items: [{ product_id, price_minor: price + 1 }] },
          }),
    ),
    fc.constant(() =>
      seller.call('PUT', '/profitability/order-costs', {
        json: { amount_minor: 5, effective_from: '2026-07-01' },
      }),
    ),
    fc.record({ product, amount }).map(
      ({ product: { product_id }, amount: incoming_units }) =>
        () =>
          seller.call('PUT', `/forecasting/products/${product_id}/policy`, { json: { incoming_units } }),
    ),
    fc.constant(async () => {
      promotions.push((await makePromotion(app, seller)).promotion_id);
    }),
    fc.constantFrom(move('submit'), move('withdraw'), move('end')),
    fc
      .constantFrom('/forecasting/summary', '/profitability/coverage', '/profitability/skus')
      .map((path) => () => seller.call('GET', path)),
    fc.constant(() => seller.call('POST', '/pricing/automation', { json: {} })),
    fc.constant(() => list(seller, 'status=recommended')),
    fc.constant(() => passes()),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 15 }), async (calls) => {
      for (const one of calls) await one();
      await passes();
      expect(await rest()).toEqual(before);
    }),
    { numRuns: 5 },
  );
});
