/** Market cells over HTTP. Source: docs/design/marketplace-intel.md. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { tell } from '../../../../test/support/conversations.ts';
import { apply, orderEvent, placement } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import { night } from '../../../../test/support/quality.ts';

// Monday: July and the week W31 have ended.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T02:00:00Z' });
const { services } = app.app;

interface Cell {
  readonly measure: string;
  readonly status: string;
  readonly value: unknown;
  readonly contributors_band: string | null;
}
interface Body {
  readonly measures: Cell[];
  readonly data: { readonly category?: string; readonly period?: string; readonly status?: string }[];
  readonly [field: string]: unknown;
}
const path = (route: string, query: object) =>
  `/marketplace-intel/categories${route}?${new URLSearchParams({ ...query })}`;
const call = (seller: TestSeller, route: string, query: object = {}) =>
  seller.call<Body>('GET', path(route, query));
const read = async (seller: TestSeller, route: string, query: object = {}): Promise<Body> => {
  const { status, body, text } = await call(seller, route, query);
  if (status !== 200) throw new Error(`${route}: ${status} ${text}`);
  return body;
};
/** `intel.observed`; it names no seller. */
const observed = (category: string, data: object) => ({
  ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core', subject: category },
  ...{ type: 'marketplace.intel.observed', time: new Date(services.now()).toISOString() },
  data: { currency: 'AUD', contributors: 14, largest_share_bps: 2_100, ...data },
});
const PRICES = { period: '2026-07', price: { p25_minor: 2_250, p50_minor: 2_574, p75_minor: 2_946 } };
const PUBLISHED = { p25_minor: 2_250, p50_minor: 2_550, p75_minor: 2_950 };
const WEEK = { period: '2026-W30', demand_index: 112, search_index: 113 };

async function standing(seller: TestSeller, data: object): Promise<TestSeller> {
  await apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));
  return seller.renew();
}
/** A seller with an active product in a category of its own. */
async function shop(name = randomUUID()) {
  const seller = await standing(await app.seller({ plan: 'Big' }), { account_flags: ['marketplace-intel'] });
  const category = `Home > ${name} > Mugs`;
  const product = await create(seller, { category });
  return { seller, category, product, key: category.toLowerCase() };
}

test('golden cells: prices of a month and indexes of a week are rounded', async () => {
  const { seller, category, key } = await shop();
  await apply(app, observed(category, PRICES), observed(category.toUpperCase(), WEEK));
  await night(app, seller);
  const month = await read(seller, '/report', { category, period: '2026-07' });
  expect(month).toMatchObject({
    ...{ category: key, period: '2026-07', currency: 'AUD', currency_exponent: 2 },
    measures: [{ measure: 'price_band', status: 'complete', value: PUBLISHED, contributors_band: '10-19' }],
    own_position: { own_median_minor: null, quarter: null },
    ...{ semantic_status: 'complete', facts_through_on: '2026-07-31' },
    ...{ source_contract: 'marketplace-intel.report.v1', missing_components: [] },
  });
  expect(await read(seller, '/report', { category, period: '2026-W30' })).toMatchObject({
    measures: [
      { measure: 'demand_index', value: 110 },
      { measure: 'search_index', value: 115 },
    ],
    ...{ own_position: null, facts_through_on: '2026-07-26' },
  });
  // By default the last month that has ended.
  expect(await read(seller, '/report', { category })).toMatchObject({ measures: month.measures });
});

test.each([
  [{ contributors: 9 }, 'below_threshold'],
  [{ contributors: 10 }, 'complete'],
  [{ largest_share_bps: 4_001 }, 'below_threshold'],
  [{ largest_share_bps: 4_000 }, 'complete'],
])('with %j the cell is %s', async (facts, status) => {
  const { seller, category } = await shop();
  await apply(app, observed(category, { ...PRICES, ...facts }));
  await night(app, seller);
  const body = await read(seller, '/report', { category });
  const isHeld = status === 'below_threshold';
  expect(body).toMatchObject({
    measures: [{ status, value: isHeld ? null : PUBLISHED }],
    ...{ semantic_status: status, status_reason: isHeld ? 'below_disclosure_threshold' : null },
  });
  const [stored] = await asOwner<Record<string, unknown>>(
    app,
    'select status, value, contributors_band from intel_cell where category = $1',
    [category.toLowerCase()],
  );
  expect(stored).toMatchObject(
    isHeld ? { status: 'held_back', value: null, contributors_band: null } : { status: 'published' },
  );
});

test('a category of others is answered like one that does not exist', async () => {
  const [{ seller }, other] = [await shop(), await shop()];
  await apply(app, observed(other.category, PRICES), observed(other.category, WEEK));
  const ask = async (route: string, category: string, more: object) => {
    const { status, body } = await call(seller, route, { category, ...more });
    return [status, { ...body, request_id: '' }];
  };
  for (const [route, more] of [
    ['/report', { period: '2026-07' }],
    ['/report', { period: '2026-W30' }],
    ['/trend', { measure: 'price_band' }],
  ] as const) {
    const theirs = await ask(route, other.category, more);
    expect(theirs).toMatchObject([404, { code: 'category_not_yours' }]);
    for (const madeUp of ['Home > Nothing', 'a > > b', 'a>b>c>d>e>f'])
      expect(await ask(route, madeUp, more)).toEqual(theirs);
  }
  // The categories above an own one are own ones.
  expect((await read(seller, '/report', { category: 'HOME' })).measures).toMatchObject([
    { status: 'no_usable_report' },
  ]);
});

test('a second event of a cell is stale and changes nothing', async () => {
  const { seller, category } = await shop();
  const held = { ...PRICES, contributors: 3 };
  expect(await tell(app, observed(category, held), observed(category, PRICES))).toEqual(['applied', 'stale']);
  expect((await read(seller, '/report', { category })).measures).toMatchObject([
    { status: 'below_threshold' },
  ]);
  const half = { period: '2026-W30', demand_index: 100 };
  expect(
    await tell(app, observed(category, half), observed(category, WEEK), observed(category, WEEK)),
  ).toEqual([...['applied', 'applied', 'stale']]);
  expect((await read(seller, '/report', { category, period: '2026-W30' })).measures).toMatchObject([
    { value: 100 },
    { value: 115 },
  ]);
});

test('events without the facts that decide, or that contradict themselves, are rejected', async () => {
  const { category } = await shop();
  const missing = [{ contributors: null }, { largest_share_bps: undefined }].map((less) =>
    observed(category, { ...PRICES, ...less }),
  );
  expect(await tell(app, ...missing)).toEqual(['disclosure_facts_missing', 'disclosure_facts_missing']);
  const { price } = PRICES;
  const wrong = [
    observed(category, { period: '2026-07', demand_index: 100 }),
    observed(category, { ...PRICES, period: '2026-W30' }),
    observed(category, { ...PRICES, ...WEEK }),
    observed(category, { period: '2026-W30' }),
    observed(category, { ...PRICES, price: { ...price, p50_minor: 9_999 } }),
    observed(category, { ...WEEK, period: '2025-W53' }),
    // They have not ended: a cell would be frozen before its month is over.
    observed(category, { ...WEEK, period: '2026-W32' }),
    observed(category, { ...PRICES, period: '2026-08' }),
    observed('a > b > c > d > e > f', PRICES),
  ];
  expect(await tell(app, ...wrong)).toEqual(wrong.map(() => 'data_invalid'));
  expect(await tell(app, observed(category, { ...PRICES, currency: 'XXQ' }))).toEqual(['currency_unknown']);
});

test('the trend has a row for each period, also held back and missing ones', async () => {
  const { seller, category } = await shop();
  await apply(
    app,
    observed(category, { ...WEEK, period: '2026-W29', contributors: 9 }),
    observed(category, { ...WEEK, period: '2026-W31', demand_index: 131 }),
    observed(category, { ...PRICES, period: '2026-06', currency: 'NZD' }),
  );
  expect(await read(seller, '/trend', { category, measure: 'demand_index', periods: 4 })).toMatchObject({
    data: [
      { period: '2026-W28', status: 'no_usable_report', value: null },
      { period: '2026-W29', status: 'below_threshold', value: null },
      { period: '2026-W30', status: 'no_usable_report', value: null },
      { period: '2026-W31', status: 'complete', value: 130 },
    ],
    ...{ semantic_status: 'partial', missing_components: ['market_volume'], facts_through_on: '2026-08-02' },
  });
  // Prices in another currency are left out.
  expect(await read(seller, '/trend', { category, measure: 'price_band', periods: 2 })).toMatchObject({
    data: [{ period: '2026-06', status: 'no_usable_report' }, { period: '2026-07' }],
    semantic_status: 'no_usable_report',
  });
  const refused = async (period: string) => {
    const { status, body } = await call(seller, '/report', { category, period });
    return [status, (body['detail'] as { type: string }[])[0]?.type];
  };
  expect(await refused('2026-08')).toEqual([422, 'period_not_closed']);
  expect(await refused('2026-W32')).toEqual([422, 'period_not_closed']);
  expect(await refused('2025-W53')).toEqual([422, 'format_invalid']);
  expect((await refused('July'))[0]).toBe(422);
});

test('the own categories are those of active products and of sales of 90 days, page by page', async () => {
  const { seller, category, key } = await shop();
  const [idle, sold] = [`Garden > ${randomUUID()}`, `Lamps > ${randomUUID()}`];
  await create(seller, { category: idle, status: 'draft' });
  const { product_id, seller_sku } = await create(seller, { category: sold });
  const placed_at = '2026-07-20T02:00:00Z';
  await apply(app, placement(app, seller, [{ sku: String(seller_sku) }], { placed_at }));
  expect((await seller.call('DELETE', `/products/${product_id}`)).status).toBe(200);
  await night(app, seller);
  await apply(app, observed(category, PRICES), observed(category, { ...WEEK, contributors: 2 }));
  const names: (string | undefined)[] = [];
  for (let cursor: object = {}; ; ) {
    const { data, page } = await read(seller, '', { limit: 2, ...cursor });
    names.push(...data.map((row) => row.category));
    const next = (page as { next_cursor: string | null }).next_cursor;
    if (next === null) break;
    cursor = { cursor: next };
  }
  const [home, middle] = ['home', key.replace(' > mugs', '')];
  expect(names).toEqual([home, middle, key, 'lamps', sold.toLowerCase()]);
  expect((await read(seller, '')).data[2]).toEqual({
    category: key,
    measures: [
      { measure: 'price_band', latest_period: '2026-07', status: 'complete' },
      { measure: 'demand_index', latest_period: '2026-W30', status: 'below_threshold' },
      { measure: 'search_index', latest_period: '2026-W30', status: 'below_threshold' },
    ],
  });
});

test('the own position is computed from the seller’s own sales, and from no others', async () => {
  const name = randomUUID();
  const [mine, theirs] = [await shop(name), await shop(name)];
  await apply(app, observed(mine.category, PRICES));
  const sell = ({ seller, product }: typeof mine, price: number, quantity: number, day = '2026-07-10') =>
    apply(
      app,
      placement(app, seller, [{ sku: String(product.seller_sku), price, quantity }], {
        placed_at: `${day}T02:00:00Z`,
      }),
    );
  await sell(mine, 2_600, 2, '2026-07-10');
  await sell(mine, 2_700, 3, '2026-07-11');
  await sell(mine, 9_000, 9, '2026-06-10');
  await sell(theirs, 1_000, 50);
  // What was sold is not known before the first night.
  expect(await read(mine.seller, '/report', { category: mine.category })).toMatchObject({
    own_position: { own_median_minor: null, quarter: null },
    ...{ semantic_status: 'partial', missing_components: ['sales_history'] },
  });
  await night(app, mine.seller);
  await night(app, theirs.seller);
  const of = async (seller: TestSeller) => {
    const { measures, own_position } = await read(seller, '/report', { category: mine.category });
    return { value: measures[0]?.value, own_position };
  };
  expect(await of(mine.seller)).toEqual({
    value: PUBLISHED,
    own_position: { own_median_minor: 2_700, quarter: 'p50_p75' },
  });
  // What is published does not depend on the reader.
  expect(await of(theirs.seller)).toEqual({
    value: PUBLISHED,
    own_position: { own_median_minor: 1_000, quarter: 'below_p25' },
  });
  // Of a month that is not kept any more nothing is known: that is no month without sales.
  const old = await read(mine.seller, '/report', { category: mine.category, period: '2024-05' });
  expect(old).toMatchObject({
    own_position: { own_median_minor: null, quarter: null },
    missing_components: ['market_volume', 'sales_history'],
  });
  // Of this one only the last days are kept.
  await sell(mine, 2_600, 9, '2024-07-20');
  await night(app, mine.seller);
  expect(await read(mine.seller, '/report', { category: mine.category, period: '2024-07' })).toMatchObject({
    own_position: { own_median_minor: null, quarter: null },
    missing_components: ['market_volume', 'sales_history'],
  });
});

test('what was held back changes no answer, of the category and of those above and below it', async () => {
  const names = fc.constantFrom('', ' > Mugs');
  const facts = fc.oneof(
    fc.record({ contributors: fc.nat(9), largest_share_bps: fc.nat(10_000) }),
    fc.record({ contributors: fc.nat(500), largest_share_bps: fc.integer({ min: 4_001, max: 10_000 }) }),
  );
  const prices = fc.array(fc.nat(90_000), { minLength: 3, maxLength: 3 });
  const held = fc.record({ facts, prices, indexes: fc.array(fc.nat(400), { minLength: 2, maxLength: 2 }) });
  const answersWith = async (one: { facts: object; prices: number[]; indexes: number[] }, below: string) => {
    const { seller, category, key } = await shop();
    const parent = category.replace(' > Mugs', '');
    const [p25_minor, p50_minor, p75_minor] = one.prices.toSorted((a, b) => a - b);
    const [demand_index, search_index] = one.indexes;
    const price = { p25_minor, p50_minor, p75_minor };
    const [seen, hidden] = [below === '' ? category : parent, `${parent}${below}`];
    await apply(
      app,
      observed(hidden, { period: '2026-07', price, ...one.facts }),
      observed(hidden, { period: '2026-W30', demand_index, search_index, ...one.facts }),
      observed(seen, PRICES),
      observed(seen, WEEK),
    );
    const asked = [category, parent].flatMap((name) => [
      ['/report', { category: name, period: '2026-07' }] as const,
      ['/report', { category: name, period: '2026-W30' }] as const,
      ...['price_band', 'demand_index', 'search_index'].map(
        (measure) => ['/trend', { category: name, measure, periods: 3 }] as const,
      ),
    ]);
    const answers = await Promise.all(asked.map(([route, query]) => call(seller, route, query)));
    const all = [...answers.map(({ text }) => text), (await call(seller, '')).text].join('\n');
    return all.replaceAll(key.split(' > ')[1] ?? '', 'NAME');
  };
  await fc.assert(
    fc.asyncProperty(held, held, names, async (one, other, below) => {
      expect(await answersWith(one, below)).toBe(await answersWith(other, below));
    }),
    { numRuns: 6 },
  );
});

test('no stored cell has a value under the thresholds, whatever the marketplace sends', async () => {
  const { category } = await shop();
  const period = fc.tuple(fc.integer({ min: 2000, max: 2025 }), fc.integer({ min: 1, max: 12 }));
  const event = fc.record({ at: period, contributors: fc.nat(40), largest_share_bps: fc.nat(10_000) });
  const sent = fc.sample(event, 60).map(({ at: [year, month], ...facts }) => ({
    ...facts,
    period: `${year}-${String(month).padStart(2, '0')}`,
  }));
  await app.events(...sent.map((data) => observed(category, { ...PRICES, ...data })));
  const first = new Map(sent.toReversed().map((one) => [one.period, one]));
  const stored = await asOwner<{ period: string; status: string; value: unknown }>(
    app,
    'select period, status, value from intel_cell where category = $1',
    [category.toLowerCase()],
  );
  expect(stored).toHaveLength(first.size);
  for (const { period: at, status, value } of stored) {
    const { contributors = 0, largest_share_bps = 0 } = first.get(at) ?? {};
    const isShown = contributors >= 10 && largest_share_bps <= 4_000;
    expect([status, value]).toEqual(isShown ? ['published', PUBLISHED] : ['held_back', null]);
  }
});

test('without the flag 404, without the plan 402', async () => {
  const seller = await standing(await app.seller({ plan: 'Big' }), { account_flags: [] });
  expect(await call(seller, '')).toMatchObject({ status: 404, body: { code: 'module_unavailable' } });
  const small = await standing(seller, { plan: 'Small', account_flags: ['marketplace-intel'] });
  for (const [route, query] of [
    ['', {}],
    ['/report', { category: 'Home' }],
    ['/trend', { category: 'Home', measure: 'price_band' }],
  ] as const)
    expect(await call(small, route, query)).toMatchObject({
      ...{ status: 402, body: { feature_name: 'marketplace_intel' } },
    });
});
