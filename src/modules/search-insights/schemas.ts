import Type, { type Static } from 'typebox';
import { WEEK_PATTERN } from '../../kernel/australia/iso-week.ts';
import type { CsvColumn } from '../../kernel/csv-writer.ts';
import { frameFields, liveFrame } from '../../kernel/frame.ts';
import { allows, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { PERIOD_STATES, type PeriodState } from './domain/periods.ts';
import { type Counts, ctrBps, ratesOf } from './domain/report.ts';
import type { Figures, ReportRow } from './store.ts';

export const QUERY_CHARS_MAX = 100;

export const week = (description: string) =>
  Type.String({ ...allows(WEEK_PATTERN, 'Use a week of ISO 8601, such as 2026-W30.'), description });
const period = Type.String({ description: 'Week of ISO 8601, Monday to Sunday in Sydney' });
const state = StringEnum(PERIOD_STATES, {
  title: 'SearchPeriodState',
  description:
    '`available`: there are rows; `below_threshold`: every row was held back; `pending`: the report is awaited for 10 days after the week; `not_generated`: none came',
});
const count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = {
  impressions: count('How often the products were shown'),
  clicks: count('How often they were opened from there'),
  purchases: count('Purchases that the marketplace attributes to the search; they are not orders'),
};
const bps = (description: string) => Nullable(Type.Integer({ description }));
const CTR = 'Clicks to impressions, in basis points; null below 50 impressions';

const Other = Type.Object(counts, {
  title: 'OtherSearches',
  description: 'The sums of rows that are held back because they have fewer than 20 searchers.',
});

export const Report = Type.Object(
  {
    period,
    state,
    received_at: Nullable(Instant({ description: 'When the newest report of the week came' })),
    rows: Nullable(count('Rows that can be read')),
    withheld_rows: Nullable(count('Rows that are not stored because the search may say who searched')),
    other: Nullable(Other),
  },
  { title: 'SearchReport', description: 'The report of a week; without one its fields are null.' },
);
export const REPORT_EXAMPLE: Static<typeof Report> = {
  period: '2026-W30',
  state: 'available',
  received_at: '2026-07-28T01:00:00.000Z',
  rows: 412,
  withheld_rows: 2,
  other: { impressions: 940, clicks: 31, purchases: 2 },
};

export const toReport = (name: string, shown: PeriodState, row?: ReportRow): Static<typeof Report> => ({
  period: name,
  state: shown,
  received_at: row?.updated_at ?? null,
  rows: row?.row_count ?? null,
  withheld_rows: row?.withheld_rows ?? null,
  other: row?.other ?? null,
});

const rates = {
  ctr_bps: bps(CTR),
  conversion_bps: bps('Purchases to clicks, in basis points; null below 20 clicks'),
  impression_share_bps: bps(
    'Impressions to those of all sellers for the same search, in basis points; null if these are not known',
  ),
  ctr_change_bps: bps('Change of `ctr_bps` from the week before; null if one of them is'),
};
const product_id = Type.String({ description: 'The product' });
const seller_sku = Nullable(Type.String({ description: 'Its SKU' }));
const query = Type.String({ description: 'The search, in lower case' });

export const QueryFigures = Type.Object(
  { query, product_id, seller_sku, ...counts, ...rates },
  { title: 'SearchQuery', description: 'A product among the results of a search.' },
);
export const ProductFigures = Type.Object(
  { product_id, seller_sku, ...counts, ...rates },
  { title: 'SearchedProduct', description: 'A product among the results of all searches that are shown.' },
);

export function toProduct(row: Figures): Static<typeof ProductFigures> {
  const { product_id: id, seller_sku: sku, impressions, clicks, purchases } = row;
  const { before_impressions, before_clicks } = row;
  const before =
    before_impressions === null || before_clicks === null
      ? undefined
      : { impressions: before_impressions, clicks: before_clicks };
  return { product_id: id, seller_sku: sku, impressions, clicks, purchases, ...ratesOf(row, before) };
}
export const toQuery = (row: Figures): Static<typeof QueryFigures> => ({
  query: row.query,
  ...toProduct(row),
});

export const QUERY_EXAMPLE = toQuery({
  ...{ query: 'blue mug', product_id: 'prd_01j0000000000000000000000', seller_sku: 'MUG-BLU' },
  ...{ impressions: 120, clicks: 9, purchases: 1, market_impressions: 4_300 },
  ...{ before_impressions: 100, before_clicks: 6 },
});
const { query: _, ...PRODUCT } = QUERY_EXAMPLE;
export const PRODUCT_EXAMPLE: Static<typeof ProductFigures> = PRODUCT;

type ProductColumn = CsvColumn<Static<typeof ProductFigures>>;
const NUMBERS = [...Object.keys(counts), ...Object.keys(rates)] as (
  | keyof typeof counts
  | keyof typeof rates
)[];
const PRODUCT_COLUMNS: readonly ProductColumn[] = [
  { name: 'product_id', kind: 'text', value: (row) => row.product_id },
  { name: 'seller_sku', kind: 'text', value: (row) => row.seller_sku },
  ...NUMBERS.map((name): ProductColumn => ({ name, kind: 'number', value: (row) => row[name] })),
];
export const QUERY_COLUMNS: readonly CsvColumn<Static<typeof QueryFigures>>[] = [
  { name: 'query', kind: 'text', value: (row) => row.query },
  ...PRODUCT_COLUMNS,
];

const TrendPoint = Type.Object(
  {
    period,
    state,
    impressions: Nullable(counts.impressions),
    clicks: Nullable(counts.clicks),
    purchases: Nullable(counts.purchases),
    ctr_bps: rates.ctr_bps,
  },
  {
    title: 'SearchTrendPoint',
    description:
      'A search in a week. The counts are null without a report, and where the report does not show the search: that is not a measured zero.',
  },
);
type TrendPoint = Static<typeof TrendPoint>;

export function toPoint(name: string, shown: PeriodState, found: Counts | undefined): TrendPoint {
  const { impressions, clicks, purchases } = found ?? { impressions: null, clicks: null, purchases: null };
  const ctr_bps = found === undefined ? null : ctrBps(found);
  return { period: name, state: shown, impressions, clicks, purchases, ctr_bps };
}

/** The fields beside the rows of a week. */
export const weekFields = { period, state, ...frameFields };

const STATUSES = {
  available: {},
  below_threshold: { semantic_status: 'below_threshold', status_reason: 'below_disclosure_threshold' },
  pending: { semantic_status: 'no_usable_report', status_reason: 'report_pending' },
  not_generated: { semantic_status: 'no_usable_report', status_reason: 'report_not_generated' },
} as const;

/** Says whether figures are usable. @param row the newest report of them */
export function frameOf(at: string, contract: string, shown: PeriodState, row: ReportRow | undefined) {
  const isComplete = shown === 'below_threshold' || row?.has_market === true;
  return liveFrame(at, `search-insights.${contract}.v1`, {
    facts_through_on: row?.ends_on ?? null,
    missing: row === undefined ? ['search_report'] : isComplete ? [] : ['market_volume'],
    ...STATUSES[shown],
  });
}

export const frameExample = (contract: string) =>
  liveFrame('2026-07-28T01:00:00.000Z', `search-insights.${contract}.v1`, { facts_through_on: '2026-07-26' });

export const Trend = Type.Object(
  { data: Type.Array(TrendPoint, { description: 'A row for each week' }), ...frameFields },
  { title: 'SearchTrend', description: 'A search week by week.' },
);
export const TREND_EXAMPLE: Static<typeof Trend> = {
  data: [
    toPoint('2026-W29', 'not_generated', undefined),
    toPoint('2026-W30', 'available', { impressions: 120, clicks: 9, purchases: 1 }),
  ],
  ...frameExample('trends'),
};
