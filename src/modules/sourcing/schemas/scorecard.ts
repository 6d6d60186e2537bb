import Type, { type Static } from 'typebox';
import { frameFields, liveFrame, SampleStatus } from '../../../kernel/frame.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { METRIC_NAMES, METRICS, type score } from '../domain/scorecard.ts';
import type { Days } from '../store.ts';
import { count, id, SUPPLIER } from './rfqs.ts';

const day = (description: string) => Type.String({ format: 'date', description });
export const Scorecard = Type.Object(
  {
    supplier_id: id('The supplier'),
    from: day('First day of the window, in Sydney'),
    to: day('Its last day: yesterday'),
    metrics: Type.Array(
      Type.Object(
        {
          metric: StringEnum(METRIC_NAMES, {
            title: 'SupplierMetric',
            description:
              '`on_time`: received by the promised day; `fill`: received of what was ordered; `rejected`: not good at receipt; `dropship_accept`: accepted of what it was asked to send',
          }),
          numerator: count('Units that count'),
          denominator: count('Of so many units'),
          rate_bps: Nullable(count('In basis points; null below the minimum')),
          minimum: count('Units from which the rate says something'),
          status: SampleStatus,
        },
        { title: 'SupplierMetricValue', description: 'One metric of a supplier.' },
      ),
      { description: 'From your own orders. There is no composite score' },
    ),
    ...frameFields,
  },
  { title: 'SupplierScorecard', description: 'How a supplier behaved in your orders.' },
);
type WireScorecard = Static<typeof Scorecard>;
const CONTRACT = 'sourcing.scorecard.v1';

/** The scorecard as the API shows it. Counts below every minimum are shown and not judged. */
export function toWireScorecard(
  supplier_id: string,
  { from, to }: Days,
  metrics: ReturnType<typeof score>,
  at: string,
): WireScorecard {
  const shown = metrics.map((metric) => ({
    ...metric,
    status: metric.rate_bps === null ? ('insufficient_sample' as const) : ('complete' as const),
  }));
  const isJudged = shown.some(({ status }) => status === 'complete');
  return {
    ...{ supplier_id, from, to, metrics: shown },
    ...liveFrame(at, CONTRACT, {
      facts_through_on: to,
      ...(isJudged ? {} : { semantic_status: 'insufficient_sample', status_reason: 'below_minimum' }),
    }),
  };
}

const example = (
  metric: keyof typeof METRICS,
  numerator: number,
  denominator: number,
  rate_bps: number | null,
) => ({
  ...{ metric, numerator, denominator, rate_bps, minimum: METRICS[metric] },
});
export const SCORECARD_EXAMPLE: WireScorecard = toWireScorecard(
  ...([SUPPLIER.supplier_id, { from: '2026-01-03', to: '2026-07-01' }] as const),
  [
    example('on_time', 132, 144, 9_167),
    example('fill', 154, 168, 9_167),
    example('rejected', 2, 156, 128),
    example('dropship_accept', 9, 11, null),
  ],
  '2026-07-02T01:00:00.000Z',
);
