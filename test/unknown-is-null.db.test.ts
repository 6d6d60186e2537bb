/**
 * What a source does not tell is null in every computed payload and named beside it; it is never zero. Each source is
 * taken away in turn, then several by chance. Source: docs/design/computed-payloads.md.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { account_flags, startTestApp } from './support/app.ts';
import { untilJobsRest } from './support/jobs.ts';
import { type Gone, SHOP_CLOCK, SOURCES, type Source, shopWithout } from './support/known-shop.ts';
import { night } from './support/quality.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: SHOP_CLOCK, LOG_LEVEL: 'silent' });

interface Payload {
  /** `{id}` is the product, `{category}` its category, `{promotion_id}` a promotion. */
  readonly path: string;
  /** Sent with POST. */
  readonly body?: (id: string) => object;
  /** What is missing whatever the sources tell. */
  readonly always?: readonly string[];
  /** What is missing without a source. */
  readonly lacks?: Readonly<Record<string, readonly Source[]>>;
  /** The status without a source that decides about all figures. */
  readonly status?: Partial<Record<Source, string>>;
  /** Without it there is nothing that could lack the others. */
  readonly empty?: readonly Source[];
  /** Figures, with the sources without one of which they are null. */
  readonly figures: Readonly<Record<string, readonly Source[]>>;
  /** Zeros that the records say when there are no sales. */
  readonly measured?: RegExp;
}

const STOCK = {
  lead_time: ['lead_time'],
  incoming_stock: ['incoming'],
  stock_history: ['stock', 'stock_record'],
  recent_days: ['nights'],
} as const;
const FORECAST = {
  always: ['annual_seasonality'],
  lacks: STOCK,
  status: { sales: 'insufficient_history' },
} as const;
const forecastFigures = (row: string): Payload['figures'] => ({
  [`${row}expected_units`]: ['sales'],
  [`${row}quantiles.p90`]: ['sales'],
  [`${row}stock.position`]: ['sales', 'stock'],
  [`${row}stock.stockout_on`]: ['sales', 'stock'],
  [`${row}stock.stockout_risk_bps`]: ['sales', 'stock', 'lead_time'],
  [`${row}reorder.quantity`]: ['sales', 'stock', 'lead_time'],
});
const PROCESSING = { payment_processing: ['provider_fees', 'sales'] } as const;
const OUTSIDE = { supplier_cost: ['unit_cost', 'sales'], external_freight: ['freight', 'sales'] } as const;
const COSTS = { ...OUTSIDE, payment_processing: ['provider_fees'] } as const;
const MARGIN: Payload['figures'] = {
  'data.0.net_payout_minor': ['sales'],
  'data.0.supplier_cost_minor': ['sales', 'unit_cost'],
  'data.0.margin_minor': ['sales', 'unit_cost', 'freight'],
  'data.0.margin_bps': ['sales', 'unit_cost', 'freight'],
  // Payment processing.
  'data.0.components.4.amount_minor': ['sales', 'provider_fees'],
};
const BUYERS = {
  lacks: { customer_identity: ['buyers'], other_currencies: ['one_currency'], recent_days: ['nights'] },
  status: { sales: 'insufficient_history', buyers: 'insufficient_history' },
} as const;
const SEARCH = {
  lacks: { search_report: ['search'], market_volume: ['market_columns'] },
  status: { search: 'no_usable_report' },
} as const;
const ofBuyers = (path: string, figure: string): Payload => ({
  path: `/customer-analytics/${path}`,
  ...BUYERS,
  figures: { [figure]: ['sales', 'buyers'] },
});

const PAYLOADS: readonly Payload[] = [
  {
    path: '/forecasting/summary',
    ...FORECAST,
    figures: {
      'expected_units.28': ['sales'],
      reorder_due: ['sales', 'stock', 'lead_time'],
      stockout_in_14_days: ['sales', 'stock'],
    },
    measured: /^products\./,
  },
  { path: '/forecasting/products', ...FORECAST, figures: forecastFigures('data.0.') },
  {
    path: '/forecasting/products/{id}?horizon=7',
    ...FORECAST,
    figures: {
      ...forecastFigures(''),
      ...{ 'daily.0.expected_units': ['sales'], 'backtest.wape_bps': ['sales'] },
    },
  },
  {
    path: '/forecasting/products/{id}/history?limit=50',
    lacks: { stock_history: ['stock_record'], recent_days: ['nights'] },
    figures: { 'data.0.demand_units': [], 'data.0.used_units': [], 'data.0.exposure_bps': ['stock_record'] },
  },
  {
    path: '/products/reorder-suggestions',
    lacks: { lead_time: ['lead_time'], stock_history: ['stock_record'], recent_days: ['nights'] },
    empty: ['stock'],
    figures: {
      'data.0.sales_per_day': ['stock'],
      'data.0.days_of_cover': ['stock', 'sales'],
      'data.0.lead_time_days': ['stock', 'lead_time'],
    },
    measured: /^data\.\*\.sales_per_day$/,
  },
  { path: '/quality/summary', figures: { products: [], ready: [], score_mean: [] } },
  { path: '/quality/products', figures: { 'data.0.score': [] } },
  { path: '/quality/products/{id}', figures: { score: [] } },
  {
    path: '/quality/seller-metrics?window=90',
    lacks: { recent_days: ['nights'] },
    status: { sales: 'insufficient_sample' },
    figures: { 'metrics.2.rate_bps': ['sales'], 'metrics.2.denominator': [] },
    measured: /^metrics\.\*\.denominator$/,
  },
  {
    path: '/quality/seller-metrics/defect/history',
    lacks: { recent_days: ['nights'] },
    figures: { 'data.0.denominator': [] },
    measured: /^data\.\*\.denominator$/,
  },
  {
    path: '/pricing/products',
    lacks: {
      ...PROCESSING,
      ...{ supplier_cost: ['unit_cost'], competitor_offers: ['offers'], recent_days: ['nights'] },
    },
    figures: {
      'data.0.price_minor': [],
      'data.0.competition.lowest_minor': ['offers'],
      'data.0.effective_floor_minor': ['unit_cost'],
      'data.0.evaluation.target_minor': ['offers', 'unit_cost'],
    },
  },
  {
    path: '/pricing/products/{id}',
    lacks: { ...PROCESSING, supplier_cost: ['unit_cost'], competitor_offers: ['offers'] },
    figures: {
      'competition.lowest_minor': ['offers'],
      effective_floor_minor: ['unit_cost'],
      'evaluation.target_minor': ['offers', 'unit_cost'],
    },
  },
  {
    path: '/pricing/simulations',
    body: (product_id) => ({ items: [{ product_id, price_minor: 2_299 }] }),
    always: ['demand_response'],
    lacks: { ...PROCESSING, supplier_cost: ['unit_cost'] },
    figures: {
      'items.0.now.net_minor': [],
      'items.0.now.unit_cost_micros': ['unit_cost'],
      'items.0.now.contribution_minor': ['unit_cost'],
      'items.0.then.margin_bps': ['unit_cost'],
      'items.0.volume_change_to_break_even_bps': ['unit_cost'],
      'items.0.now.components.3.amount_minor': ['provider_fees', 'sales'],
    },
  },
  {
    path: '/profitability/components',
    lacks: { ...COSTS, other_currencies: ['one_currency'] },
    empty: ['sales'],
    figures: MARGIN,
  },
  {
    path: '/profitability/skus?from=2026-05-01',
    lacks: { ...COSTS, other_currencies: ['one_currency'] },
    empty: ['sales'],
    figures: MARGIN,
  },
  {
    path: '/profitability/coverage',
    lacks: {
      ...{ supplier_cost: ['unit_cost'], external_freight: ['freight'], other_currencies: ['one_currency'] },
    },
    empty: ['sales'],
    figures: { gross_minor: [], covered_bps: ['sales'] },
    measured: /gross_minor$|covered_bps$/,
  },
  ofBuyers('summary', 'repeat_rate_bps'),
  ofBuyers('segments', 'segments.0.mean_net_minor'),
  ofBuyers('cohorts', 'cohorts.0.cells.1.retained_bps'),
  ofBuyers('lifetime-value', 'overall.0'),
  ...['queries', 'products'].map(
    (list): Payload => ({
      path: `/search-insights/${list}`,
      ...SEARCH,
      figures: {
        ...{ 'data.0.impressions': ['search'], 'data.0.ctr_bps': ['search'] },
        'data.0.impression_share_bps': ['search', 'market_columns'],
      },
    }),
  ),
  {
    path: '/search-insights/trends?query=blue%20mug&periods=1',
    ...SEARCH,
    figures: { 'data.0.impressions': ['search'], 'data.0.ctr_bps': ['search'] },
  },
  { path: '/search-insights/reports', figures: { 'data.0.rows': ['search'], 'data.0.other': ['search'] } },
  {
    path: '/marketplace-intel/categories/report?category={category}',
    lacks: { market_volume: ['cells'], other_currencies: ['one_currency'], recent_days: ['nights'] },
    status: { cells: 'no_usable_report' },
    figures: {
      'measures.0.value.p50_minor': ['cells'],
      'own_position.own_median_minor': ['sales'],
      'own_position.quarter': ['sales', 'cells'],
    },
  },
  {
    path: '/marketplace-intel/categories/trend?category={category}&measure=price_band&periods=1',
    lacks: { market_volume: ['cells'] },
    status: { cells: 'no_usable_report' },
    figures: { 'data.0.value.p50_minor': ['cells'] },
  },
  {
    path: '/marketing/promotions/{promotion_id}',
    figures: { 'estimate.0.fees_saved_minor': [], 'estimate.0.true_cost_minor': [] },
  },
  {
    path: '/dashboard/summary',
    always: ['storefront_traffic', 'supplier_cost'],
    lacks: {
      ...{ finance: ['finance_role'], settlement_holds: ['finance_role'], integrations: ['finance_role'] },
      payment_processing: ['provider_fees'],
    },
    empty: ['sales', 'finance_role'],
    measured: /^(finance|stock)\./,
    figures: {
      finance: ['finance_role'],
      settlement_holds: ['finance_role'],
      'quality.not_ready': [],
      'quality.metrics_missed': [],
    },
  },
];

interface Body {
  readonly semantic_status?: string;
  readonly status_reason?: string | null;
  readonly missing_components?: readonly string[];
  readonly withheld_components?: readonly string[];
  readonly needs?: readonly unknown[];
}

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce((found, name) => (found as Record<string, unknown> | null | undefined)?.[name], value) ?? null;

/** The paths of all zeros, with `*` for each place of a list. */
function zerosOf(value: unknown, path = ''): string[] {
  if (value === 0) return [path.slice(1)];
  if (typeof value !== 'object' || value === null) return [];
  const name = (key: string): string => (Array.isArray(value) ? '*' : key);
  return [...new Set(Object.entries(value).flatMap(([key, one]) => zerosOf(one, `${path}.${name(key)}`)))];
}

/** What there is too little of, and the place in a ledger. */
const COUNTED = /(^|\.)(have|ledger_position)$/;
const FIGURELESS = /^(insufficient_history|no_usable_report|below_threshold|not_computed)$/;

/** What is wrong with a payload of a shop without these sources. @param zeros of the shop that has them all */
function problemsOf(payload: Payload, body: Body, gone: Gone, zeros: readonly string[]): string[] {
  const { always = [], lacks = {}, status = {}, empty = [], figures, measured } = payload;
  const isGone = (sources: readonly Source[]) => sources.some((one) => gone.has(one));
  const names = [...(body.missing_components ?? []), ...(body.withheld_components ?? [])].sort();
  const expected = [
    ...always,
    ...Object.entries(lacks).flatMap(([name, sources]) => (isGone(sources) ? [name] : [])),
  ].sort();
  const decided = SOURCES.flatMap((source) => (gone.has(source) ? (status[source] ?? []) : []));
  const usual = expected.length > 0 ? 'partial' : 'complete';
  const said = body.semantic_status ?? usual;
  const wrong = (what: string, is: unknown, should: unknown) => [
    `${payload.path} without ${[...gone].join()}: ${what} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`,
  ];
  const isFree = FIGURELESS.test(said) || isGone(empty);
  const reasons = [...names, ...(body.needs ?? []), ...(body.status_reason ? [body.status_reason] : [])];
  return [
    ...(isGone(empty) || (decided.length > 0 ? decided : [usual]).includes(said)
      ? []
      : wrong('the status', said, decided[0] ?? usual)),
    ...((isFree ? names.every((name) => expected.includes(name)) : String(names) === String(expected))
      ? []
      : wrong('what is named', names, expected)),
    ...(FIGURELESS.test(said) && reasons.length === 0 ? wrong('the reason', null, 'a name') : []),
    ...Object.entries(figures).flatMap(([path, needs]) =>
      (at(body, path) === null) === isGone(needs)
        ? []
        : wrong(path, at(body, path), isGone(needs) ? null : 'a figure'),
    ),
    ...zerosOf(body)
      .filter((path) => !(zeros.includes(path) || COUNTED.test(path) || measured?.test(path)))
      .flatMap((path) => wrong(path, 0, null)),
  ];
}

test('a figure is null and named where its source says nothing, and zero only where the records say so', {
  timeout: 600_000,
}, async () => {
  const zeros = new Map<Payload, string[]>();
  const check = async (gone: Gone) => {
    const read = await shopWithout(app, gone);
    const problems: string[] = [];
    for (const payload of PAYLOADS) {
      const { status, body, text } = await read<Body>(payload.path, payload.body);
      if (status !== 200) throw new Error(`${payload.path}: ${status} ${text}`);
      if (gone.size === 0) zeros.set(payload, zerosOf(body));
      problems.push(...problemsOf(payload, body, gone, zeros.get(payload) ?? []));
    }
    expect(problems).toEqual([]);
  };
  await check(new Set());
  const pairs = [
    ['unit_cost', 'freight'],
    ['sales', 'one_currency'],
  ] as const;
  const each = [...SOURCES.map((source) => [source]), ...pairs, SOURCES];
  await fc.assert(
    fc.asyncProperty(fc.subarray([...SOURCES], { minLength: 2 }), (taken) => check(new Set(taken))),
    { examples: each.map((taken) => [[...taken]]), numRuns: each.length + 4, endOnFailure: true },
  );
});

/** Of a seller without products and orders these counts are measured, and zero. */
const COUNTED_OF_NOTHING: Readonly<Record<string, RegExp>> = {
  '/forecasting/summary': /^products\./,
  '/quality/summary': /^(products|ready|score_tens\.\*)$/,
  '/quality/seller-metrics?window=90': /(numerator|denominator|contested)$/,
  '/quality/seller-metrics/defect/history': /(numerator|denominator)$/,
  '/profitability/coverage': /gross_minor$/,
  '/dashboard/summary': /^(finance|orders|feeds|messages|stock|quality|integrations)\./,
};
const COMPUTED_AT_NIGHT = /^\/(forecasting|customer-analytics|pricing)\//;

test('a fresh seller reads every payload: not computed, then too little, and no zero that was not counted', async () => {
  const seller = await app.seller({ plan: 'Big', account_flags });
  const paths = PAYLOADS.flatMap(({ path, body }) => (path.includes('{') || body ? [] : [path]));
  expect(paths.length).toBeGreaterThan(18);
  const statuses = new Map<string, (string | undefined)[]>(paths.map((path) => [path, []]));
  for (const _ of ['before the first night', 'after it']) {
    for (const path of paths) {
      const { status, body } = await seller.call<Body>('GET', path);
      expect([path, status]).toEqual([path, 200]);
      const zeros = zerosOf(body).filter((zero) => !COUNTED.test(zero));
      expect([path, zeros.filter((zero) => COUNTED_OF_NOTHING[path]?.test(zero) !== true)]).toEqual([
        path,
        [],
      ]);
      statuses.get(path)?.push(body.semantic_status);
    }
    await night(app, seller);
    await untilJobsRest(app);
  }
  // The first read asks for the night, which may be over at the next one.
  expect(statuses.get('/forecasting/summary')).toEqual(['not_computed', 'insufficient_history']);
  for (const [path, [first, second]] of statuses) {
    if (!COMPUTED_AT_NIGHT.test(path)) continue;
    expect(['not_computed', second]).toContain(first);
    expect([path, second]).toEqual([path, path.startsWith('/pricing') ? 'partial' : 'insufficient_history']);
  }
});
