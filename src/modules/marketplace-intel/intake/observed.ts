/** `marketplace.intel.observed`: aggregates over all sellers of a category. They name no seller. */
import Type, { type Static } from 'typebox';
import { mondayOf, WEEK_PATTERN } from '../../../kernel/australia/iso-week.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { contributorsBand, isPublishable } from '../../../kernel/disclosure.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { allows, Nullable } from '../../../kernel/schema.ts';
import {
  type CellValue,
  categoryOf,
  isMonth,
  lastDayOf,
  type Measure,
  publishedValue,
} from '../domain/cells.ts';
import { insertCell } from '../store.ts';

const MONTH_PATTERN = '^2\\d{3}-(?:0[1-9]|1[0-2])$';
const number = (maximum: number) => Type.Integer({ minimum: 0, maximum });
const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(Nullable(schema));
const Price = number(100_000_000_000);
const Index = number(1_000_000);

const Observed = Type.Object({
  period: Type.String({
    ...allows(
      `${WEEK_PATTERN}|${MONTH_PATTERN}`,
      'Use an ISO week such as 2026-W30, or a month such as 2026-07.',
    ),
  }),
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  contributors: optional(number(1_000_000_000)),
  largest_share_bps: optional(number(10_000)),
  demand_index: optional(Index),
  search_index: optional(Index),
  price: optional(Type.Object({ p25_minor: Price, p50_minor: Price, p75_minor: Price })),
});
type Data = Static<typeof Observed>;

const refuse = (detail: string) => new IntakeRejection('data_invalid', detail);

/**
 * The measures of an event.
 *
 * @param today Sydney day
 * @throws IntakeRejection `data_invalid` if they do not fit the period, or it has not ended
 */
function measured(
  { period, price, demand_index, search_index }: Data,
  today: string,
): readonly (readonly [Measure, CellValue])[] {
  if (!isMonth(period) && mondayOf(period) === undefined)
    throw refuse(`data/period: the year has no week ${period}`);
  if (lastDayOf(period) >= today)
    throw refuse(`data/period: ${period} has not ended; send it after ${lastDayOf(period)}`);
  const prices = price == null ? [] : ([['price_band', price]] as const);
  const indexes = Object.entries({ demand_index, search_index }).flatMap(([name, value]) =>
    value == null ? [] : [[name as Measure, value] as const],
  );
  const [of, others] = isMonth(period) ? [prices, indexes] : [indexes, prices];
  if (of.length === 0 || others.length > 0)
    throw refuse('data: a month has a price and no index, a week has indexes and no price');
  if (price != null && !(price.p25_minor <= price.p50_minor && price.p50_minor <= price.p75_minor))
    throw refuse('data/price: the quartiles are not in order');
  return of;
}

/** Values are rounded before they are stored; a cell that is held back has none. A cell never changes. */
async function applyObserved(
  { db, now }: IntakeCtx,
  { subject, data }: MarketplaceEvent<Data>,
): Promise<IntakeOutcome> {
  const { period, currency, contributors, largest_share_bps } = data;
  const category = categoryOf(subject ?? '');
  if (category === undefined) throw refuse('subject: a category of 1 to 5 levels, such as Home > Kitchen');
  requireCurrency('data/currency', currency);
  if (contributors == null || largest_share_bps == null)
    throw new IntakeRejection(
      'disclosure_facts_missing',
      'data: contributors and largest_share_bps decide what is published; send both',
    );
  const isPublished = isPublishable({ contributors, largest_share_bps });
  const contributors_band = isPublished ? contributorsBand(contributors) : null;
  let added = false;
  for (const [measure, exact] of measured(data, sydneyDate(now()))) {
    const value = isPublished ? publishedValue(exact) : null;
    const cell = { category, period, measure, currency, value, contributors_band };
    added = (await insertCell(db, cell, new Date(now()).toISOString())) || added;
  }
  return { status: added ? 'applied' : 'stale' };
}

export const intelObserved = defineMarketplaceEvent({
  type: 'marketplace.intel.observed',
  summary:
    'Aggregates of a category: indexes of a week, or prices of a month. The first event of a measure holds',
  subject: 'category path',
  schema: Observed,
  example: {
    ...{ period: '2026-W30', currency: 'AUD', contributors: 14, largest_share_bps: 2_100 },
    ...{ demand_index: 112, search_index: 108 },
  },
  example_subject: 'Home > Kitchen > Mugs',
  apply: applyObserved,
});
