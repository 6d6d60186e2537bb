import Type, { type Static } from 'typebox';
import { requireDays } from '../../kernel/australia/day-window.ts';
import { addDays } from '../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { coreErrors, requireFound } from '../../kernel/errors.ts';
import { snapshotFields } from '../../kernel/frame.ts';
import { allows, nameFilter, StringEnum, withDefault } from '../../kernel/schema.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../platform/http/etag.ts';
import { reads, writes } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { answerKept, DAYS_KEPT, readFactsFrame, readSeries, readSnapshot, usedDays } from '../facts/index.ts';
import { readTrading } from '../sellers/index.ts';
import { daysOf, PRODUCTS, SUMMARY } from './actions/night.ts';
import { readPolicy, setPolicy } from './actions/policies.ts';
import { dailyOf, emptyRow, forecastRow, HORIZON_DEFAULT, supplyOf } from './actions/show.ts';
import { needsOf } from './domain/forecast.ts';
import {
  CSV_COLUMNS,
  FORECAST_EXAMPLE,
  Forecast,
  ForecastRow,
  frameExample,
  HistoryDay,
  needs,
  Policy,
  PolicyInput,
  ProductPolicyInput,
  ROW_EXAMPLE,
  Summary,
  type SummaryBody,
} from './schemas.ts';
import {
  ALL_PRODUCTS,
  forecasts,
  type Listed,
  listForecasts,
  policiesOf,
  type Sellable,
  sellable,
} from './store.ts';

const read = { ...reads('growth'), plan: 'forecasting' } as const;
const write = { ...writes('growth'), plan: 'forecasting' } as const;
const params = Type.Object({ product_id: Type.String({ description: 'Id of the product, `prd_…`' }) });
const PRODUCT = 'forecasting.product.v1';
const HISTORY = 'forecasting.history.v1';
const HORIZON_MAX = 90;

/** @throws ApiError 404 */
const requireProduct = async (ctx: HandlerCtx, id: string) =>
  requireFound((await sellable(ctx, [id])).get(id));

/** The answer with a tag of what it shows. */
const tagged = <T extends object>(body: T) => ({ body, etag: shownTag('f', body) });

const NO_SUMMARY: SummaryBody = {
  ...{ products: null, expected_units: null, reorder_due: null, stockout_in_14_days: null },
  needs: [],
};
const summary = defineRoute({
  id: 'forecasting.summary.get',
  method: 'GET',
  path: '/summary',
  tagged: true,
  summary: 'Read what all products are expected to sell',
  description: 'As the last night computed it, for products that were in demand in the last 182 days.',
  access: read,
  ok: okJson('The sums', Summary, {
    products: { forecast: 12, insufficient_history: 3 },
    expected_units: { '7': 190.4, '14': 381.02, '28': 761.5 },
    ...{ reorder_due: 2, stockout_in_14_days: 3, needs: [] },
    ...frameExample(SUMMARY),
  }),
  errors: [],
  handler: (ctx) =>
    answerKept(
      ctx,
      SUMMARY,
      () => 'f',
      () => NO_SUMMARY,
    ),
});

/** With what it is sorted by. */
type Placed = Listed & { readonly place: string | number };

const products = pageRoute({
  id: 'forecasting.products.list',
  path: '/products',
  summary: 'List the forecasts of products',
  description: `Of the next ${HORIZON_DEFAULT} days, with stock and policies as they were that night. Products without demand in the last 182 days are left out.`,
  access: read,
  filters: {
    sku: nameFilter('Exact `seller_sku`'),
    category: Type.Optional(Type.String({ maxLength: 500, description: 'Exact category' })),
    status: Type.Optional(
      StringEnum(['forecast', 'insufficient_history'], { description: 'Rows with this status' }),
    ),
    reorder_due: Type.Optional(
      Type.Boolean({ description: 'Whether the product is due to be reordered, where that is known' }),
    ),
    sort: Type.Optional(
      withDefault(
        'stockout_on',
        StringEnum(['stockout_on', '-expected_units'], { description: 'The earliest, or the most, first' }),
      ),
    ),
  },
  schema: ForecastRow,
  example: ROW_EXAMPLE,
  read: async (ctx, { filters, after, limit }) => {
    const byUnits = filters.sort === '-expected_units';
    const rows = await listForecasts(ctx, filters, after, limit);
    return rows.map((row) => ({ ...row, place: byUnits ? row.expected_units : row.stockout_on }));
  },
  position: ({ place, product_id }: Placed) => [place, product_id],
  json: ({ shown }: Placed) => shown,
  view: ({ shown }: Placed) => JSON.parse(shown) as ForecastRow,
  csv: { name: 'forecasts', columns: CSV_COLUMNS },
  more: {
    properties: { needs, ...snapshotFields },
    example: { needs: [], ...frameExample(PRODUCTS) },
    read: async (ctx) => {
      const { frame, body } = await readSnapshot(ctx, PRODUCTS, needs);
      return { needs: body ?? [], ...frame };
    },
  },
});

/** All that the forecast of a product is made of, read together. @throws ApiError 404 */
async function forecastParts(ctx: HandlerCtx, id: string) {
  const [{ frame }, product, kept, trading, ofProducts] = await Promise.all([
    readSnapshot(ctx, PRODUCTS, Type.Null()),
    requireProduct(ctx, id),
    forecasts.find(ctx, { product_id: id }),
    readTrading(ctx),
    policiesOf(ctx, [id]),
  ]);
  const supply = supplyOf(product, ofProducts, trading.default_lead_time_days);
  return { frame, product, supply, model: kept?.model ?? null };
}

/** The forecast from the model of the night, with stock and policy of now. */
async function rowFor(
  ctx: HandlerCtx,
  { product, supply, model }: Omit<Awaited<ReturnType<typeof forecastParts>>, 'frame'>,
  horizon: number,
  through: string,
) {
  if (model === null) {
    const [series] = await readSeries(ctx, [product.product_id]);
    const needs = needsOf(usedDays(daysOf(series ?? { units: [], exposure: [], from: through })));
    return { row: emptyRow(product, 'insufficient_history', needs, horizon), daily: [], backtest: null };
  }
  const today = addDays(through, 1);
  return {
    row: forecastRow(product, model, supply, today, horizon),
    daily: dailyOf(model, today, horizon),
    backtest: model.backtest,
  };
}

const product = defineRoute({
  id: 'forecasting.products.get',
  method: 'GET',
  path: '/products/{product_id}',
  summary: 'Read the forecast of a product',
  description: 'From the model of the last night; stock and policy are those of now.',
  access: read,
  params,
  query: Type.Object({
    horizon: Type.Optional(
      withDefault(
        HORIZON_DEFAULT,
        Type.Integer({ minimum: 1, maximum: HORIZON_MAX, description: 'Number of days' }),
      ),
    ),
  }),
  ok: okJson('The forecast', Forecast, FORECAST_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { product_id }, query: { horizon = HORIZON_DEFAULT } }) => {
    const { frame, ...parts } = await forecastParts(ctx, product_id);
    const { facts_through_on: through } = frame;
    const common = { ...frame, source_contract: PRODUCT };
    if (through === null) {
      const row = emptyRow(parts.product, 'not_computed', [], horizon);
      return tagged({ ...row, daily: [], backtest: null, ...common });
    }
    const { row, daily, backtest } = await rowFor(ctx, parts, horizon, through);
    const recent = frame.cache_status === 'stale' ? (['recent_days'] as const) : [];
    return tagged({
      ...row,
      ...{ daily, backtest },
      ...common,
      semantic_status: row.status === 'forecast' ? ('partial' as const) : ('insufficient_history' as const),
      missing_components: [...row.missing_components, ...recent].sort(),
    });
  },
});

/** The calendar reads it, so a day of another millennium is refused. */
const YEARS = allows('^2', 'Use a day from the year 2000 on, such as 2026-08-31.');
const day = (description: string) => Type.Optional(Type.String({ format: 'date', ...YEARS, description }));

const history = pageRoute({
  id: 'forecasting.history.list',
  path: '/products/{product_id}/history',
  summary: 'List the days that a forecast is made of',
  description: 'The oldest first, from the first on which the product existed.',
  access: read,
  params,
  filters: {
    from: day('First Sydney day; default: the first that forecasts read, 182 days back'),
    to: day('Last Sydney day; default: the last one that is counted'),
  },
  schema: HistoryDay,
  example: { day: '2026-10-25', demand_units: 5, exposure_bps: 10_000, used_units: 5 },
  errors: [coreErrors.not_found],
  read: async (ctx, { filters: { from, to }, after, limit }, { product_id: id = '' }) => {
    await requireProduct(ctx, id);
    requireDays({ from, to }, addDays(sydneyDate(ctx.now()), -DAYS_KEPT));
    const [used] = await readSeries(ctx, [id]);
    const [asked] =
      from === undefined && to === undefined ? [used] : await readSeries(ctx, [id], { from, to });
    if (used === undefined || asked === undefined) return [];
    const { units } = usedDays(daysOf(used));
    const kept = new Map(units.map((sold, offset) => [addDays(used.from, offset), sold]));
    const days = asked.units.map((sold, offset) => ({
      day: addDays(asked.from, offset),
      demand_units: sold,
      exposure_bps: offset < asked.days_unknown ? null : Math.round((asked.exposure[offset] ?? 0) * 10_000),
    }));
    return days
      .filter((one) => after === undefined || one.day > String(after[0]))
      .slice(0, limit + 1)
      .map((one) => ({ ...one, used_units: kept.get(one.day) ?? null }));
  },
  position: (one) => [one.day],
  view: (one) => one,
  more: {
    properties: snapshotFields,
    example: { ...frameExample(HISTORY), semantic_status: 'complete', missing_components: [] },
    read: async (ctx, _filters, rows) =>
      readFactsFrame(
        ctx,
        HISTORY,
        (await rows).some(({ exposure_bps }) => exposure_bps === null) ? ['stock_history'] : [],
      ),
  },
});

const tagOf = (version: number): string => `p${version}`;
const POLICY_EXAMPLE = {
  product_id: null,
  ...{ lead_time_days: 10, review_days: 7, service_level_bps: 9_000, pack_size: 1, incoming_units: null },
  source: {
    ...{ lead_time_days: 'policy', review_days: 'default', service_level_bps: 'default' },
    ...{ pack_size: 'default', incoming_units: 'none' },
  } as const,
  version: 1,
};
const policyAnswer = [
  { status: 200, description: 'The policy', schema: Policy, example: POLICY_EXAMPLE },
] as const;
const INPUT_NOTE =
  'Fields that are left out stay, and null removes one. The next night counts with it; `GET` of a product does at once.';

interface PolicyDef {
  /** The ids of the routes begin with it. */
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Of a product; otherwise the policy is that of all products. */
  readonly params?: typeof params;
  readonly input: typeof PolicyInput | typeof ProductPolicyInput;
  readonly example: Static<typeof ProductPolicyInput>;
}

/** Declares the GET and the PUT of a policy. */
function policyRoutes({ id, path, summary: what, description, input, example, ...of }: PolicyDef) {
  const errors = of.params === undefined ? [] : [coreErrors.not_found];
  const productOf = async (ctx: HandlerCtx, given: unknown) =>
    of.params && requireProduct(ctx, (given as Static<typeof params>).product_id);
  const answer = async (ctx: HandlerCtx, found: Sellable | undefined) => {
    const body = await readPolicy(ctx, found);
    return { body, etag: tagOf(body.version) };
  };
  return [
    defineRoute({
      ...{ id: `${id}.get`, method: 'GET', path, summary: `Read ${what}`, description, access: read, ...of },
      tagged: true,
      ok: policyAnswer,
      errors,
      handler: async (ctx, request) => answer(ctx, await productOf(ctx, request.params)),
    }),
    defineRoute({
      ...{ id: `${id}.set`, method: 'PUT', path, summary: `Set ${what}`, access: write, ...of },
      description: INPUT_NOTE,
      body: { kind: 'json', schema: input, example },
      ok: policyAnswer,
      errors: [...errors, coreErrors.precondition_failed],
      handler: async (ctx, request) => {
        const found = await productOf(ctx, request.params);
        await setPolicy(ctx, found?.product_id ?? ALL_PRODUCTS, request.body, (version) =>
          checkIfMatch(request.headers, tagOf(version)),
        );
        return answer(ctx, found);
      },
    }),
  ];
}

export const forecastRoutes = [
  ...[summary, products, product, history],
  ...policyRoutes({
    id: 'forecasting.policy',
    path: '/policy',
    summary: 'how the seller orders',
    description: 'What holds for products without a policy of their own.',
    input: PolicyInput,
    example: { lead_time_days: 10 },
  }),
  ...policyRoutes({
    id: 'forecasting.product_policy',
    path: '/products/{product_id}/policy',
    summary: 'how the seller orders a product',
    description: 'With the source of each value.',
    params,
    input: ProductPolicyInput,
    example: { pack_size: 6, incoming_units: 12 },
  }),
];
