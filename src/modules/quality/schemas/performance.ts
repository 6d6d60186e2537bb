import Type, { type Static } from 'typebox';
import type { CsvColumn } from '../../../kernel/csv-writer.ts';
import { liveFrame, snapshotFields } from '../../../kernel/frame.ts';
import type { ReadonlyDeep } from '../../../kernel/route.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { CONTEST_EXAMPLE, Contest, type WireContest } from '../../contests/index.ts';
import { CAUSES, CONTEST_MS, type judge, METRICS, type Metric, STATUSES } from '../domain/performance.ts';
import type { EventRow } from '../store/performance.ts';
import { AT } from './readiness.ts';

const WINDOWS = ['30', '90'] as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });
const rate = (description: string) =>
  Nullable(Type.Integer({ description: `${description}, in basis points; null under 30 orders` }));
const metric = StringEnum(METRICS, {
  title: 'PerformanceMetric',
  description: 'Orders that were dispatched late, that the seller cancelled, or that had a fault',
});
const day = Type.String({ format: 'date', description: 'Sydney day' });

export const window = StringEnum(WINDOWS, {
  title: 'PerformanceWindow',
  description: 'Days up to the last one that is counted',
});

export const PerformanceFigure = Type.Object(
  {
    metric,
    numerator: count('Orders that count against the seller'),
    denominator: count('Orders of these days'),
    rate_bps: rate('Numerator divided by denominator'),
    target: Type.Object(
      {
        max_bps: count(
          'Largest rate that meets the target; if the target changed within the days, the mean weighted by orders',
        ),
        version: Type.String({ description: 'The targets that are in force on the last day' }),
      },
      { title: 'PerformanceTarget', description: 'What the marketplace asks for.' },
    ),
    status: StringEnum(STATUSES, {
      title: 'PerformanceStatus',
      description: '`insufficient`: fewer than 30 orders, too few to judge',
    }),
    previous: Type.Object(
      { rate_bps: rate('Rate of the days before'), denominator: count('Orders of the days before') },
      { title: 'PreviousPerformance', description: 'The same number of days before.' },
    ),
    contested: count('Orders of the numerator with an undecided contest; they count until the decision'),
    events: Type.String({ description: 'Path of the orders that count' }),
  },
  { title: 'PerformanceFigure', description: 'How well the seller serves its orders, by one metric.' },
);
type WireMetric = Static<typeof PerformanceFigure>;
type Judged = ReturnType<typeof judge>;

export const toWireMetric = (
  metric: Metric,
  days: number,
  now: Judged,
  { rate_bps, denominator }: Judged,
  contested: number,
): WireMetric => ({
  metric,
  ...now,
  previous: { rate_bps, denominator },
  contested,
  events: `/api/v1/quality/seller-metrics/${metric}/events?window=${days}`,
});

/** Golden figures of docs/design/quality.md. */
export const METRIC_EXAMPLE: WireMetric = {
  ...{ metric: 'late_dispatch', numerator: 3, denominator: 40, rate_bps: 750 },
  target: { max_bps: 400, version: 'default-1' },
  status: 'missed',
  previous: { rate_bps: 250, denominator: 40 },
  contested: 1,
  events: '/api/v1/quality/seller-metrics/late_dispatch/events?window=30',
};

export const Performance = Type.Object(
  {
    window,
    metrics: Type.Array(PerformanceFigure, { description: 'Empty until they are computed' }),
    ...snapshotFields,
  },
  { title: 'SellerPerformance', description: 'How well the seller serves its orders.' },
);
export const FRAME_EXAMPLE = {
  ...liveFrame(AT, 'quality.seller-metrics.v1', { facts_through_on: '2026-07-27' }),
  cache_status: 'fresh' as const,
};

export const History = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        { day, numerator: count('Orders that count'), denominator: count('Orders of the day') },
        { title: 'PerformanceDay', description: 'A day of a metric.' },
      ),
      { description: 'Every day that is counted, also those without orders' },
    ),
    ...snapshotFields,
  },
  { title: 'PerformanceHistory', description: 'A metric by day.' },
);

export const Event = Type.Object(
  {
    event_id: Type.String({ description: 'Id of the event, `qev_…`' }),
    metric,
    order_id: Type.String({ description: 'The order' }),
    day: Type.String({ format: 'date', description: 'The Sydney day on which the order is counted' }),
    since_at: Instant({ description: 'Since when it counts' }),
    fact: Type.Object(
      {
        cause: StringEnum(CAUSES, { title: 'PerformanceCause', description: 'What happened' }),
        at: Instant({ description: 'When' }),
        reason: Nullable(Type.String({ description: 'The reason that was given' })),
        id: Nullable(Type.String({ description: 'The dispute, the return or the rating' })),
      },
      { title: 'PerformanceFact', description: 'Why the order counts against the seller.' },
    ),
    counted: Type.Boolean({ description: 'False: a contest was upheld' }),
    contest_until: Instant({ description: 'Until when it can be contested' }),
    contest: Nullable(Contest),
  },
  { title: 'PerformanceEvent', description: 'An order that counts against the seller.' },
);
type WireEvent = Static<typeof Event>;

export function toWireEvent({ gone: _, ...row }: EventRow, contest: WireContest | null): WireEvent {
  const contest_until = new Date(Date.parse(row.since_at) + CONTEST_MS).toISOString();
  return { ...row, contest_until, contest };
}

export const EVENT_EXAMPLE = toWireEvent(
  {
    event_id: 'qev_01j0000000000000000000000',
    ...{ metric: 'late_dispatch', order_id: 'ord_1002', day: '2026-07-12', counted: true, gone: false },
    since_at: '2026-07-12T18:00:00.000Z',
    fact: { cause: 'dispatched_late', at: '2026-07-13T02:00:00.000Z', reason: null, id: null },
  },
  { ...CONTEST_EXAMPLE, target: { kind: 'performance', id: 'qev_01j0000000000000000000000' } },
);

export const EVENT_COLUMNS: readonly CsvColumn<ReadonlyDeep<WireEvent>>[] = [
  { name: 'event_id', kind: 'text', value: ({ event_id }) => event_id },
  { name: 'metric', kind: 'text', value: ({ metric: name }) => name },
  { name: 'order_id', kind: 'text', value: ({ order_id }) => order_id },
  { name: 'day', kind: 'date', value: ({ day: on }) => on },
  { name: 'cause', kind: 'text', value: ({ fact }) => fact.cause },
  { name: 'at', kind: 'date', value: ({ fact }) => fact.at },
  { name: 'reason', kind: 'text', value: ({ fact }) => fact.reason },
  { name: 'counted', kind: 'boolean', value: ({ counted }) => counted },
  { name: 'contest_until', kind: 'date', value: ({ contest_until }) => contest_until },
  { name: 'contest_status', kind: 'text', value: ({ contest }) => contest?.status },
];
