import Type, { type Static } from 'typebox';
import { CONTRIBUTORS_BANDS } from '../../kernel/disclosure.ts';
import { frameFields, liveFrame } from '../../kernel/frame.ts';
import { currencyExponent } from '../../kernel/money.ts';
import { CurrencyCode, described, documentedAs, Nullable, StringEnum } from '../../kernel/schema.ts';
import { CELL_STATUSES, type CellStatus, MEASURES } from './domain/cells.ts';
import type { Cell } from './store.ts';

const AT = '2026-08-03T01:00:00.000Z';

export const measure = StringEnum(MEASURES, {
  title: 'MarketMeasure',
  description:
    '`price_band`: quartiles of one price per seller, by month; `demand_index`, `search_index`: points by week, 100 in the base week of the marketplace',
});
const status = StringEnum(CELL_STATUSES, {
  title: 'MarketCellStatus',
  description:
    '`below_threshold`: held back, because it would say too much about single sellers; `no_usable_report`: the marketplace has sent nothing',
});
const category = Type.String({ description: 'Category, in small letters' });
const period = Type.String({ description: 'Month `2026-07` or week `2026-W30`' });

const price = (description: string) => Type.Integer({ description, minimum: 0 });
const Band = Type.Object(
  {
    p25_minor: price('A quarter of the prices is lower'),
    p50_minor: price('Half of the prices are lower'),
    p75_minor: price('Three quarters of the prices are lower'),
  },
  { title: 'MarketPriceBand', description: 'Quartiles of prices, rounded to 50.' },
);
const value = Nullable(
  documentedAs(
    Type.Union([Band, Type.Integer({ description: 'Points of an index, rounded to 5' })], {
      title: 'MarketValue',
      description: 'Quartiles for `price_band`, points for an index.',
    }),
  ),
);
const contributors_band = Nullable(
  StringEnum(CONTRIBUTORS_BANDS, { title: 'ContributorsBand', description: 'How many sellers contributed' }),
);

export const OwnCategory = Type.Object(
  {
    category,
    measures: Type.Array(
      Type.Object(
        { measure, latest_period: Nullable(period), status },
        { title: 'MarketMeasureState', description: 'The newest cell of a measure.' },
      ),
      { description: 'Every measure' },
    ),
  },
  { title: 'MarketCategory', description: 'A category in which the seller sells.' },
);
export const CATEGORY_EXAMPLE: Static<typeof OwnCategory> = {
  category: 'home > kitchen > mugs',
  measures: [
    { measure: 'price_band', latest_period: '2026-07', status: 'complete' },
    { measure: 'demand_index', latest_period: '2026-W30', status: 'below_threshold' },
    { measure: 'search_index', latest_period: null, status: 'no_usable_report' },
  ],
};

export const statusOf = (cell: Cell | undefined): CellStatus => {
  if (cell === undefined) return 'no_usable_report';
  return cell.value === null ? 'below_threshold' : 'complete';
};

const money = {
  currency: CurrencyCode({ description: 'Currency of the prices' }),
  currency_exponent: Type.Integer({ description: 'Its decimal places' }),
};
export const moneyOf = (currency: string) => ({
  currency,
  currency_exponent: currencyExponent(currency),
});

const OwnPosition = Type.Object(
  {
    own_median_minor: Nullable(
      price('Half of the own units of the month were sold at this price or a lower one; null below 5 units'),
    ),
    quarter: Nullable(
      StringEnum(['below_p25', 'p25_p50', 'p50_p75', 'above_p75'], {
        description: 'Where that price is in the band; null if one of them is',
      }),
    ),
  },
  { title: 'OwnPricePosition', description: 'The own prices beside those of the market.' },
);
export const Report = Type.Object(
  {
    category,
    period,
    measures: Type.Array(
      Type.Object(
        { measure, status, value, contributors_band },
        { title: 'MarketCell', description: 'A measure of a category in a period.' },
      ),
      { description: 'Prices for a month, indexes for a week' },
    ),
    own_position: described('Null for a week', Nullable(OwnPosition)),
    ...money,
    ...frameFields,
  },
  { title: 'MarketReport', description: 'A category in a period.' },
);
export const toCell = (of: Cell['measure'], cell: Cell | undefined) => ({
  measure: of,
  status: statusOf(cell),
  value: cell?.value ?? null,
  contributors_band: cell?.contributors_band ?? null,
});

/** Says whether at least one of the cells is usable. @param through last day of the newest cell */
export function frameOf(
  at: string,
  contract: string,
  statuses: readonly CellStatus[],
  through: string | null,
) {
  const named = `marketplace-intel.${contract}.v1`;
  const facts_through_on = through;
  if (statuses.includes('complete')) {
    const isWhole = statuses.every((one) => one === 'complete');
    return liveFrame(at, named, { facts_through_on, missing: isWhole ? [] : ['market_volume'] });
  }
  return statuses.includes('below_threshold')
    ? liveFrame(at, named, {
        facts_through_on,
        semantic_status: 'below_threshold',
        status_reason: 'below_disclosure_threshold',
      })
    : liveFrame(at, named, { semantic_status: 'no_usable_report', missing: ['market_volume'] });
}

export const REPORT_EXAMPLE: Static<typeof Report> = {
  ...{ category: 'home > kitchen > mugs', period: '2026-07' },
  measures: [
    {
      ...{ measure: 'price_band', status: 'complete', contributors_band: '10-19' },
      value: { p25_minor: 2_250, p50_minor: 2_550, p75_minor: 2_950 },
    },
  ],
  own_position: { own_median_minor: 2_499, quarter: 'p25_p50' },
  ...moneyOf('AUD'),
  ...frameOf(AT, 'report', ['complete'], '2026-07-31'),
};

export const Trend = Type.Object(
  {
    ...{ category, measure },
    data: Type.Array(
      Type.Object(
        { period, status, value },
        { title: 'MarketTrendPoint', description: 'A measure in a period.' },
      ),
      { description: 'The oldest period first; every period has a row' },
    ),
    ...money,
    ...frameFields,
  },
  { title: 'MarketTrend', description: 'A measure of a category over time.' },
);
export const TREND_EXAMPLE: Static<typeof Trend> = {
  ...{ category: 'home > kitchen > mugs', measure: 'demand_index' },
  data: [
    { period: '2026-W29', status: 'below_threshold', value: null },
    { period: '2026-W30', status: 'complete', value: 110 },
  ],
  ...moneyOf('AUD'),
  ...frameOf(AT, 'trend', ['below_threshold', 'complete'], '2026-07-26'),
};
