import Type, { type Static, type TProperties } from 'typebox';
import type { CsvColumn } from '../../kernel/csv-writer.ts';
import { SampleStatus } from '../../kernel/frame.ts';
import { formatDecimal, minor } from '../../kernel/money.ts';
import { CurrencyCode, described, Nullable, StringEnum } from '../../kernel/schema.ts';
import { cohortsOf, lifetimeOf, SEGMENTS, segmentsOf, summaryOf } from './domain/figures.ts';
import { Tallying } from './domain/tally.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const bps = (description: string) =>
  Nullable(Type.Integer({ description: `${description}, in basis points` }));
const amount = (description: string) => Nullable(Type.Integer({ description }));
const month = Type.String({ description: 'Month of the first order, such as `2026-05`' });
const segment = StringEnum(SEGMENTS, {
  title: 'BuyerSegment',
  description: 'A buyer belongs to the first segment whose rule fits',
});
const status = described(
  '`insufficient_sample`: fewer than 5 buyers; their averages and money are null',
  SampleStatus,
);

/** The fields that each payload has beside its own. */
const shared = {
  currency: CurrencyCode({ description: 'Currency of the amounts; orders in others are left out' }),
  currency_exponent: Type.Integer({ description: 'Decimal places of the currency' }),
  needs: Type.Optional(
    Type.Array(
      Type.Object({
        what: StringEnum(['orders', 'covered_orders_bps'], { description: 'What there is too little of' }),
        have: count('How much there is'),
        required: count('How much is needed'),
      }),
      { description: 'With `insufficient_history`: why there are no figures' },
    ),
  ),
};
const payload = <P extends TProperties>(properties: P) => Type.Object({ ...properties, ...shared });

export const Summary = payload({
  buyers: Nullable(count('Buyers with an order in the last 365 days')),
  new_buyers_90d: Nullable(count('Buyers whose first order is not 90 days old')),
  repeat_rate_bps: bps('Share of the buyers with a first order 90 days ago or earlier who ordered again'),
  gap_days: Nullable(
    count('Days between orders by which segments are judged: the median, or 60 below 50 such gaps'),
  ),
  covered_orders_bps: bps('Share of orders whose buyer is known'),
});

const SegmentRow = Type.Object(
  {
    segment,
    rule: Type.String({ description: 'The rule in words, with its present numbers of days' }),
    buyers: count('Buyers of the last 365 days'),
    share_bps: bps('Share of all buyers'),
    orders: count('Their orders of the last 365 days'),
    mean_net_minor: amount('Mean of what these orders brought'),
    status,
  },
  { title: 'BuyerSegmentRow', description: 'A segment of the buyers.' },
);
export const Segments = payload({
  segments: Type.Array(SegmentRow, { description: 'All segments, in the order of their rules' }),
});

const Cell = Type.Object(
  {
    m: count('Months after the first one'),
    buyers: Nullable(count('Buyers of the cohort with an order in that month')),
    retained_bps: bps('Their share of the cohort'),
    net_minor: amount('What their orders of that month brought; null for 1 to 4 buyers'),
    complete: Type.Boolean({ description: 'Whether the month has ended; otherwise its figures are null' }),
  },
  { title: 'CohortMonth', description: 'A month of a cohort.' },
);
const Cohort = Type.Object(
  {
    month,
    buyers: count('Buyers whose first order is of that month'),
    status,
    cells: Type.Array(Cell, { description: 'Its months, up to the present one' }),
  },
  { title: 'BuyerCohort', description: 'Buyers by the month of their first order.' },
);
const averages = Type.Array(bps('Share of the buyers of all cohorts that have the month whole'), {
  description: 'By months after the first one',
});
export const Cohorts = payload({
  cohorts: Type.Array(Cohort, { description: 'The oldest first' }),
  average_retained_bps: averages,
});

const values = Type.Array(amount('Mean of what a buyer had brought to the end of the month'), {
  description: 'By months after the first one',
});
export const LifetimeValue = payload({
  by_cohort: Type.Array(
    Type.Object(
      { month, buyers: count('Buyers of the cohort'), status, value_minor: values },
      { title: 'CohortValue', description: 'What a buyer of the cohort has brought so far.' },
    ),
    { description: 'The oldest cohort first' },
  ),
  by_segment: Type.Array(
    Type.Object(
      {
        segment,
        buyers: count('Buyers of the segment'),
        status,
        mean_value_minor: amount('Mean of what they have ever brought'),
      },
      { title: 'SegmentValue', description: 'What a buyer of the segment has brought so far.' },
    ),
    { description: 'All segments, in the order of their rules' },
  ),
  overall: Type.Array(amount('Mean of what a buyer had brought to the end of the month'), {
    description:
      'By months after the first one. Cohorts of fewer than 5 buyers count in groups of 5 and more, the oldest first; ' +
      'up to 4 buyers of the newest wait. While no buyer leaves a cohort and no earlier order changes, the values of ' +
      'two nights do not differ by the money of fewer than 5 buyers.',
  }),
  basis: StringEnum(['realised'], { description: 'Orders that were placed; nothing is projected' }),
});

/** Payloads without figures. */
export const NOTHING = {
  summary: {
    ...{ buyers: null, new_buyers_90d: null, repeat_rate_bps: null },
    ...{ gap_days: null, covered_orders_bps: null },
  },
  segments: { segments: [] },
  cohorts: { cohorts: [], average_retained_bps: [] },
  'lifetime-value': { by_cohort: [], by_segment: [], overall: [], basis: 'realised' as const },
};

const AUD = { currency: 'AUD', currency_exponent: 2 };
/** Six buyers of May, of whom two came back. */
const sample = new Tallying('2026-07-27');
for (const buyer of ['a', 'b', 'c', 'd', 'e', 'f'])
  for (const day of buyer < 'c' ? ['2026-05-04', '2026-06-20'] : ['2026-05-04'])
    sample.add({ buyer, day, net_minor: 5_000 });
const TALLY = sample.end();
export const EXAMPLES = {
  summary: { ...summaryOf(TALLY, 9_600), ...AUD },
  segments: { segments: segmentsOf(TALLY), ...AUD },
  cohorts: { ...cohortsOf(TALLY, '2026-07'), ...AUD },
  'lifetime-value': { ...lifetimeOf(TALLY, '2026-07'), ...AUD },
};

/** The cells of all cohorts as rows of a file. */
export const cohortRows = ({ cohorts, currency, currency_exponent }: Static<typeof Cohorts>) =>
  cohorts.flatMap(({ month: of, buyers, cells }) =>
    cells.map((cell) => ({ month: of, cohort_buyers: buyers, currency, currency_exponent, ...cell })),
  );
export const COHORT_COLUMNS: readonly CsvColumn<ReturnType<typeof cohortRows>[number]>[] = [
  { name: 'month', kind: 'date', value: (row) => row.month },
  { name: 'cohort_buyers', kind: 'number', value: (row) => row.cohort_buyers },
  { name: 'm', kind: 'number', value: ({ m }) => m },
  { name: 'buyers', kind: 'number', value: ({ buyers }) => buyers },
  { name: 'retained_bps', kind: 'number', value: (row) => row.retained_bps },
  {
    name: 'net',
    kind: 'decimal',
    value: ({ net_minor, currency_exponent }) =>
      net_minor === null ? null : formatDecimal(minor(net_minor), currency_exponent),
  },
  { name: 'currency', kind: 'text', value: ({ currency }) => currency },
  { name: 'complete', kind: 'boolean', value: ({ complete }) => complete },
];
