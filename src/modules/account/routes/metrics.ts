import Type from 'typebox';
import { readWindow, windowBefore } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { currencyExponent, minor, minorToJson, negated, rateOf, shareToDate } from '../../../kernel/money.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import {
  access,
  accountScope,
  currencyQuery,
  Day,
  describeFigures,
  figures,
} from '../../reconciliation/index.ts';
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

const metrics = defineRoute({
  id: 'financials.metrics.get',
  method: 'GET',
  path: '/metrics',
  summary: 'The account’s measures over a window of days, beside those of the window before',
  description: 'By the Sydney day on which a line counts; by default the thirty days that end today.',
  access,
  ...figures,
  query: Type.Object({
    from: Type.Optional(Day('First day of the window')),
    to: Type.Optional(Day('Last day of the window, included')),
    ...currencyQuery,
  }),
  ok: [{ status: 200, description: 'The measures', schema: Metrics, example: METRICS_EXAMPLE }],
  errors: [],
  handler: async (ctx, { query }) => {
    const window = readWindow(query.from, query.to, sydneyDate(ctx.now()));
    const before = windowBefore(window);
    const of = await accountScope(ctx, query.currency);
    const { db, sellerId, currency } = of;
    const asOf = readAsOf(undefined, ctx.now());
    const [activity, previous, account, source] = await Promise.all([
      activityOf(db, sellerId, currency, window),
      activityOf(db, sellerId, currency, before),
      figuresAt(db, sellerId, currency, asOf),
      describeFigures(of, CONTRACT, asOf.at),
    ]);
    return {
      body: {
        window: { from: window.start, to: window.end },
        previous_window: { from: before.start, to: before.end },
        currency,
        currency_exponent: currencyExponent(currency),
        ...measured(activity),
        previous: measured(previous),
        pending_payout_minor: minorToJson(pendingOf(account)),
        completed_payout_minor: minorToJson(completedOf(account)),
        ...source,
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: await missingComponents(of, activity, window),
      },
    };
  },
});

export const metricsRoutes = [metrics];
