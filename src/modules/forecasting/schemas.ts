import Type, { type Static } from 'typebox';
import type { CsvColumn } from '../../kernel/csv-writer.ts';
import { liveFrame, missingComponent, snapshotFields } from '../../kernel/frame.ts';
import type { ReadonlyDeep } from '../../kernel/route.ts';
import { Nullable, StringEnum } from '../../kernel/schema.ts';
import { METHODS } from './domain/methods.ts';
import { POLICY_FIELDS, POLICY_SOURCES } from './domain/policy.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const day = (description: string) => Type.String({ format: 'date', description });
const units = (description: string) => Type.Number({ description });
const signedBps = (description: string) => Type.Integer({ description });

const Need = Type.Object(
  {
    what: StringEnum(['exposure_days', 'demand_units', 'forecasts'], { description: 'What is too little' }),
    have: Type.Number({ description: 'What there is' }),
    required: Type.Integer({ description: 'What a forecast needs' }),
  },
  { title: 'ForecastNeed', description: 'What is missing for a forecast.' },
);
export const needs = Type.Array(Need, { description: 'With `insufficient_history`: what is too little' });

const Stock = Type.Object(
  {
    available: count('Units that can be sold'),
    position: count('The same and the units on their way'),
    days_of_cover: count('Whole days, up to 365, that the position covers'),
    stockout_on: Nullable(day('The first day that it does not cover; null: none within a year')),
    stockout_risk_bps: Nullable(
      count('Probability that demand until a delivery is above the position; null without a lead time'),
    ),
  },
  { title: 'ForecastStock', description: 'How long stock lasts.' },
);
const Reorder = Type.Object(
  {
    due: Type.Boolean({ description: 'The position is at or below `reorder_at`' }),
    reorder_at: count('Units that are enough for the lead time at the service level'),
    order_up_to: count('Units that are enough until the order after the next one arrives'),
    quantity: count('Units that fill the position up to it, in whole packs'),
  },
  { title: 'ForecastReorder', description: 'When and how much to order. The service orders nothing.' },
);

const method = StringEnum(METHODS, {
  title: 'ForecastMethod',
  description: 'Plain mean, weekdays on a smoothed level, or size and chance of a sale',
});

const rowFields = {
  product_id: Type.String({ description: 'Id of the product, `prd_…`' }),
  seller_sku: Nullable(Type.String({ description: 'SKU of the seller' })),
  status: StringEnum(['forecast', 'insufficient_history', 'not_computed'], {
    title: 'ForecastStatus',
    description: '`not_computed`: the first night is still to come',
  }),
  horizon: count('Number of days that are forecast'),
  expected_units: Nullable(units('Expected units of all these days')),
  quantiles: Nullable(
    Type.Object(
      {
        p10: count('In one of ten cases it is so many or fewer'),
        p50: count('In half of the cases'),
        p90: count('In nine of ten cases'),
      },
      { title: 'ForecastQuantiles', description: 'Units that are enough with a probability.' },
    ),
  ),
  method: Nullable(method),
  seasonality: Nullable(
    Type.Object(
      {
        source: StringEnum(['product', 'seller', 'none'], {
          description: 'Whose sales the index is made of',
        }),
        weekday_index: Type.Array(Type.Number(), { description: 'Monday to Sunday; their mean is 1' }),
      },
      { title: 'ForecastSeasonality', description: 'How the weekdays differ.' },
    ),
  ),
  dispersion: Nullable(
    Type.Number({ description: 'Variance of the units of a week relative to their mean; at least 1' }),
  ),
  history: Nullable(
    Type.Object(
      {
        exposure_days: count('Days on which buyers could buy it'),
        demand_units: count('Units in demand, bulk orders capped'),
        capped_days: count('Days whose units were capped'),
      },
      { title: 'ForecastHistory', description: 'What the forecast is made of: the last 182 days.' },
    ),
  ),
  stock: Nullable(Stock),
  reorder: Nullable(Reorder),
  needs,
};

const missing = Type.Array(missingComponent, { description: 'What the figures of this product lack' });
export const ForecastRow = Type.Object(
  { ...rowFields, missing_components: missing },
  { title: 'ForecastRow', description: 'The forecast of a product, as the last night made it.' },
);
export type ForecastRow = Static<typeof ForecastRow>;

export const Forecast = Type.Object(
  {
    ...rowFields,
    daily: Type.Array(
      Type.Object(
        { day: day('Sydney day'), expected_units: units('Expected units') },
        { title: 'ForecastDay', description: 'A day of the horizon.' },
      ),
      { description: 'Each day of the horizon' },
    ),
    backtest: Nullable(
      Type.Object(
        {
          windows: count('Weeks that were forecast from the days before them'),
          wape_bps: Nullable(
            count('Sum of the errors of the weeks, relative to their units; null if they have none'),
          ),
          bias_bps: Nullable(signedBps('The same with signs: above 0, forecasts were too high')),
          baseline_wape_bps: Nullable(count('Error of the plain mean')),
          compared: Type.Array(method, { description: 'Methods that were tried' }),
        },
        { title: 'ForecastBacktest', description: 'How far off the method was in the last weeks.' },
      ),
    ),
    ...snapshotFields,
  },
  { title: 'Forecast', description: 'The forecast of a product.' },
);
export type Forecast = Static<typeof Forecast>;

const HORIZONS = ['7', '14', '28'] as const;
export const Summary = Type.Object(
  {
    products: Nullable(
      Type.Object(
        {
          forecast: count('Products with a forecast'),
          insufficient_history: count('Products that sold in the last 182 days, but too little for one'),
        },
        { title: 'ForecastProducts', description: 'Numbers of products.' },
      ),
    ),
    expected_units: Nullable(
      Type.Object(
        Object.fromEntries(HORIZONS.map((days) => [days, units(`Units of the next ${days} days`)])) as Record<
          (typeof HORIZONS)[number],
          ReturnType<typeof units>
        >,
        { title: 'ForecastUnits', description: 'Expected units of all products.' },
      ),
    ),
    reorder_due: Nullable(count('Products that are due to be reordered; null: it is known of none')),
    stockout_in_14_days: Nullable(
      count('Products whose stock ends within 14 days; null: it is known of none'),
    ),
    needs,
    ...snapshotFields,
  },
  { title: 'ForecastSummary', description: 'What the last night expects of all products.' },
);
export type SummaryBody = Pick<
  Static<typeof Summary>,
  'products' | 'expected_units' | 'reorder_due' | 'stockout_in_14_days' | 'needs'
>;

export const HistoryDay = Type.Object(
  {
    day: day('Sydney day'),
    demand_units: count('Ordered units less those that the buyer or the marketplace cancelled'),
    exposure_bps: Nullable(
      count(
        'Share of the day in which buyers could buy the product; null where it is not known: before its stock was recorded, or more than 400 days ago. The forecast counts such a day as whole',
      ),
    ),
    used_units: Nullable(count('What the forecast counts; null for days that it does not read')),
  },
  { title: 'ForecastHistoryDay', description: 'The demand of a day.' },
);

const limits = {
  lead_time_days: Type.Integer({
    minimum: 0,
    maximum: 365,
    description: 'Days from an order to its arrival',
  }),
  review_days: Type.Integer({ minimum: 1, maximum: 90, description: 'Days between two orders' }),
  service_level_bps: Type.Integer({
    minimum: 5_000,
    maximum: 9_900,
    description: 'Probability that stock lasts until a delivery',
  }),
  pack_size: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Units that are ordered together' }),
  incoming_units: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Units on their way' }),
};
const { incoming_units: _, ...ofAll } = limits;
const change = <T extends Type.TProperties>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
  ) as { [K in keyof T]: Type.TOptional<Type.TUnsafe<Static<T[K]> | null>> };
export const PolicyInput = Type.Object(change(ofAll), {
  title: 'ForecastPolicyInput',
  description: 'Fields that are left out stay; null removes one.',
});
export const ProductPolicyInput = Type.Object(change(limits), {
  title: 'ForecastProductPolicyInput',
  description: 'Fields that are left out stay; null removes one, and that of all products holds.',
});

const source = StringEnum(POLICY_SOURCES, {
  title: 'ForecastPolicySource',
  description:
    'Where the value comes from: the policy of the product or of all products, the product (`lead_time_days`), the settings (`default_lead_time_days`), the built-in default, or nothing',
});
export const Policy = Type.Object(
  {
    product_id: Nullable(Type.String({ description: 'Null: it holds for all products' })),
    ...(Object.fromEntries(POLICY_FIELDS.map((field) => [field, Nullable(limits[field])])) as Record<
      (typeof POLICY_FIELDS)[number],
      Type.TUnsafe<number | null>
    >),
    source: Type.Object(
      Object.fromEntries(POLICY_FIELDS.map((field) => [field, source])) as Record<
        (typeof POLICY_FIELDS)[number],
        typeof source
      >,
      { title: 'ForecastPolicySources', description: 'Where each value comes from.' },
    ),
    version: count('0: nothing was set'),
  },
  { title: 'ForecastPolicy', description: 'How the seller orders, as forecasts use it.' },
);

/** Golden figures of docs/forecasting.md. */
export const ROW_EXAMPLE: ForecastRow = {
  product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  seller_sku: 'MUG-BLU',
  status: 'forecast',
  horizon: 28,
  expected_units: 108.78,
  quantiles: { p10: 96, p50: 109, p90: 122 },
  method: 'dow_ses',
  seasonality: {
    source: 'product',
    weekday_index: [0.6792, 0.6792, 0.8679, 0.8868, 1.0943, 1.4906, 1.3019],
  },
  dispersion: 1,
  history: { exposure_days: 77, demand_units: 301, capped_days: 0 },
  stock: {
    available: 31,
    position: 43,
    days_of_cover: 11,
    stockout_on: '2026-11-06',
    stockout_risk_bps: 1_032,
  },
  reorder: { due: true, reorder_at: 44, order_up_to: 73, quantity: 30 },
  needs: [],
  missing_components: ['annual_seasonality'],
};
export const frameExample = (contract: string) => ({
  ...liveFrame('2026-10-25T17:02:11.000Z', contract, {
    facts_through_on: '2026-10-25',
    missing: ['annual_seasonality'],
  }),
  cache_status: 'fresh' as const,
});
export const FORECAST_EXAMPLE: Forecast = {
  ...ROW_EXAMPLE,
  horizon: 7,
  expected_units: 27.2,
  quantiles: { p10: 21, p50: 27, p90: 34 },
  daily: [{ day: '2026-10-26', expected_units: 2.64 }],
  backtest: {
    ...{ windows: 7, wape_bps: 192, bias_bps: -18, baseline_wape_bps: 183 },
    compared: ['mean28', 'dow_ses', 'tsb'],
  },
  ...frameExample('forecasting.product.v1'),
};

export const CSV_COLUMNS: readonly CsvColumn<ReadonlyDeep<ForecastRow>>[] = [
  { name: 'product_id', kind: 'text', value: (row) => row.product_id },
  { name: 'seller_sku', kind: 'text', value: (row) => row.seller_sku },
  { name: 'status', kind: 'text', value: (row) => row.status },
  { name: 'expected_units_28', kind: 'number', value: (row) => row.expected_units },
  { name: 'p10', kind: 'number', value: (row) => row.quantiles?.p10 ?? null },
  { name: 'p50', kind: 'number', value: (row) => row.quantiles?.p50 ?? null },
  { name: 'p90', kind: 'number', value: (row) => row.quantiles?.p90 ?? null },
  { name: 'method', kind: 'text', value: (row) => row.method },
  { name: 'position', kind: 'number', value: (row) => row.stock?.position ?? null },
  { name: 'days_of_cover', kind: 'number', value: (row) => row.stock?.days_of_cover ?? null },
  { name: 'stockout_on', kind: 'date', value: (row) => row.stock?.stockout_on ?? null },
  { name: 'reorder_due', kind: 'boolean', value: (row) => row.reorder?.due ?? null },
  { name: 'reorder_quantity', kind: 'number', value: (row) => row.reorder?.quantity ?? null },
];
