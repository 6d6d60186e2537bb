/** The overview of an account at an instant. Source: docs/design/money.md#figures. */
import Type from 'typebox';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import { Amount, Day, metadata, metadataExample, payload } from '../../reconciliation/index.ts';

const PendingBreakdown = Type.Object(
  {
    in_hold_minor: Amount('Delivered, and available on a later day'),
    available_minor: Amount('Available, not settled yet; below zero: owed to the marketplace'),
    reserved_minor: Amount('Held in reserves'),
    settled_unpaid_minor: Amount('Settled, waiting for a payout'),
    in_transit_minor: Amount('In transit to the bank'),
  },
  { title: 'PendingBreakdown', description: 'What is not paid out yet, by state.' },
);
const PENDING = {
  pending_payout_minor: Amount('Everything still owed to the seller: the sum of its breakdown'),
  pending_breakdown: PendingBreakdown,
  completed_payout_minor: Amount('Payouts that arrived, less those that the bank returned'),
};
const ACTIVITY = {
  delivered_sales_minor: Amount('Value of delivered goods, after discounts; refunds are adjustments'),
  delivered_order_count: Type.Integer({
    description: 'Number of orders; an order counts from its first delivery on',
  }),
  recorded_fees_minor: Amount('Fees charged less fees given back; above zero is a cost'),
  adjustments_minor: Amount('Refunds, chargebacks, manual adjustments, corrections; below zero is a cost'),
  net_activity_minor: Amount('Sales less fees plus adjustments = pending plus completed payouts'),
};

export const Overview = Type.Object(
  {
    as_of: Instant(),
    ...ACTIVITY,
    ...PENDING,
    next_settlement: Nullable(
      Type.Object(
        {
          settlement_id: Type.String(),
          period_end: Day('Last day of the open period'),
          estimated_payable_minor: Amount('If nothing more were recorded until then'),
        },
        { title: 'NextSettlement', description: 'The next settlement.' },
      ),
    ),
    negative_since: Nullable(Day('Since when the account has been below zero without a break')),
    ...payload,
    ...metadata,
  },
  { title: 'FinancialOverview', description: 'The seller’s account at a glance.' },
);

export const Balances = Type.Object(
  { as_of: Instant(), ...ACTIVITY, ...PENDING, ...metadata },
  { title: 'Balances', description: 'The balances of the seller’s account.' },
);

const pendingExample = {
  pending_payout_minor: 30_671,
  pending_breakdown: {
    in_hold_minor: 0,
    available_minor: 0,
    reserved_minor: 0,
    settled_unpaid_minor: 30_671,
    in_transit_minor: 0,
  },
  completed_payout_minor: 94_959,
};
const activityExample = {
  as_of: '2026-08-15T13:59:59.999Z',
  delivered_sales_minor: 218_626,
  delivered_order_count: 10,
  recorded_fees_minor: 24_761,
  adjustments_minor: -68_235,
  net_activity_minor: 125_630,
};
export const BALANCES_EXAMPLE = {
  ...activityExample,
  ...pendingExample,
  ...metadataExample('financials.balances.v1'),
};
export const OVERVIEW_EXAMPLE = {
  ...activityExample,
  ...pendingExample,
  next_settlement: {
    settlement_id: 'stl_01k2m3n4p5q6r7s8t9v0w1x2y3',
    period_end: '2026-08-31',
    estimated_payable_minor: 0,
  },
  negative_since: null,
  cache_status: 'live' as const,
  source_contract: 'financials.overview.v1',
  missing_components: [],
  ...metadataExample('financials.overview.v1'),
};

const Window = Type.Object(
  { from: Day('First day'), to: Day('Last day, included') },
  { title: 'MetricsWindow', description: 'The days that the figures cover.' },
);
const Figures = {
  delivered_sales_minor: ACTIVITY.delivered_sales_minor,
  delivered_order_count: ACTIVITY.delivered_order_count,
  average_order_value_minor: Nullable(
    Type.Integer({ description: 'Sales by orders, rounded half up; null without an order' }),
  ),
  recorded_fees_minor: ACTIVITY.recorded_fees_minor,
  effective_fee_rate_bps: Nullable(
    Type.Integer({ description: 'Fees of sales in hundredths of a per cent; null without sales' }),
  ),
  refunds_minor: Amount('Refunds less those that failed; below zero is a cost'),
  refund_rate_bps: Nullable(
    Type.Integer({ description: 'Refunds of sales in hundredths of a per cent; null without sales' }),
  ),
  chargebacks_minor: Amount('Chargebacks less those that were won; below zero is a cost'),
  net_activity_minor: Amount('Sales less fees plus adjustments'),
};
export const Metrics = Type.Object(
  {
    window: Window,
    previous_window: Window,
    ...Figures,
    previous: Type.Object(Figures, {
      title: 'MetricFigures',
      description: 'The same figures for the window before',
    }),
    pending_payout_minor: PENDING.pending_payout_minor,
    completed_payout_minor: PENDING.completed_payout_minor,
    ...payload,
    ...metadata,
  },
  { title: 'FinancialMetrics', description: 'Key figures of a window of days.' },
);

const figuresExample = {
  delivered_sales_minor: 77_996,
  delivered_order_count: 1,
  average_order_value_minor: 77_996,
  recorded_fees_minor: 10_745,
  effective_fee_rate_bps: 1_378,
  refunds_minor: 0,
  refund_rate_bps: 0,
  chargebacks_minor: 0,
  net_activity_minor: 67_251,
};
export const METRICS_EXAMPLE = {
  window: { from: '2026-07-28', to: '2026-08-26' },
  previous_window: { from: '2026-06-28', to: '2026-07-27' },
  ...figuresExample,
  previous: figuresExample,
  pending_payout_minor: 30_671,
  completed_payout_minor: 94_959,
  cache_status: 'live' as const,
  source_contract: 'financials.metrics.v1',
  missing_components: [],
  ...metadataExample('financials.metrics.v1'),
};
