import Type from 'typebox';
import { readWindow, windowBefore } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { minor, minorToJson, negated, rateOf, shareToDate } from '../../../kernel/money.ts';
import { accountRoute, Day, describeFigures } from '../../reconciliation/index.ts';
import { completedOf, missingComponents, netOf, pendingOf } from '../actions/read-account.ts';
import { readAsOf } from '../domain/as-of.ts';
import { METRICS_EXAMPLE, Metrics } from '../schemas/overview.ts';
import { type Activity, activityOf, figuresAt } from '../store/figures.ts';

const CONTRACT = 'financials.metrics.v1';

function measured(activity: Activity) {
  const { sales, orders, fees, refunds, chargebacks } = activity;
  return {
    delivered_sales_minor: minorToJson(sales),
    delivered_order_count: orders,
    average_order_value_minor: orders === 0 ? null : minorToJson(shareToDate(sales, 1n, BigInt(orders))),
    recorded_fees_minor: minorToJson(fees),
    effective_fee_rate_bps: rateOf(fees, sales),
    refunds_minor: minorToJson(refunds),
    refund_rate_bps: rateOf(negated(refunds), sales),
    chargebacks_minor: minorToJson(chargebacks),
    net_activity_minor: minorToJson(minor(netOf(activity))),
  };
}

export const metricsRoutes = [
  accountRoute({
    id: 'financials.metrics.get',
    path: '/metrics',
    summary: 'Compare key figures of a window of days with the window before',
    description: 'A line counts on its Sydney day. The window defaults to the thirty days that end today.',
    query: {
      from: Type.Optional(Day('First day of the window')),
      to: Type.Optional(Day('Last day of the window, included')),
    },
    answer: 'The measures',
    schema: Metrics,
    example: METRICS_EXAMPLE,
    read: async (of, { from, to }) => {
      const window = readWindow(from, to, sydneyDate(of.now));
      const before = windowBefore(window);
      const asOf = readAsOf(undefined, of.now);
      const [activity, previous, account, source] = await Promise.all([
        activityOf(of, window),
        activityOf(of, before),
        figuresAt(of, asOf),
        describeFigures(of, CONTRACT, asOf.at),
      ]);
      return {
        window: { from: window.start, to: window.end },
        previous_window: { from: before.start, to: before.end },
        ...measured(activity),
        previous: measured(previous),
        pending_payout_minor: minorToJson(pendingOf(account)),
        completed_payout_minor: minorToJson(completedOf(account)),
        ...source,
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: await missingComponents(of, activity, window),
      };
    },
  }),
];
