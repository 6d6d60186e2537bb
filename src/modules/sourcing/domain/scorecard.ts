/** How a supplier behaved in the seller's own orders. Source: docs/design/sourcing.md#scorecard. */
import { rateBps } from '../../../kernel/frame.ts';

/** The metrics, each with the units from which its rate says something. */
export const METRICS = { on_time: 50, fill: 50, rejected: 50, dropship_accept: 20 } as const;
export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as readonly Metric[];

/** Units that count, of units. */
interface Counted {
  readonly numerator: number;
  readonly denominator: number;
}
const NONE: Counted = { numerator: 0, denominator: 0 };

/** The metrics with their rates. Below its minimum a metric has counts and no rate. There is no composite score. */
export const score = (counts: { readonly [M in Metric]?: Counted }) =>
  METRIC_NAMES.map((metric) => {
    const { numerator, denominator } = counts[metric] ?? NONE;
    const minimum = METRICS[metric];
    return { metric, numerator, denominator, rate_bps: rateBps(numerator, denominator, minimum), minimum };
  });
