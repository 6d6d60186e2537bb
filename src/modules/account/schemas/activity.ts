/** Raw marketplace activity of a financial quarter: delivered sales and their fees only. */

import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';
import { Amount, Day, metadata, metadataExample } from '../../reconciliation/index.ts';

const measures = {
  delivered_sales_minor: Amount('Value of delivered goods, after discounts'),
  delivered_order_count: Type.Integer({ description: 'Orders whose first delivery lies in it' }),
  recorded_fees_minor: Amount('Fees charged less fees given back'),
};

export const ActivityRecord = Type.Object(
  {
    period_label: Type.String({ description: 'Financial year and quarter' }),
    period_start: Day('First day'),
    period_end: Day('Last day, included'),
    period_start_at: Instant({ description: 'First instant of the quarter' }),
    period_end_at: Instant({ description: 'First instant after the quarter' }),
    ...measures,
    months: Type.Array(
      Type.Object(
        { month: Type.String({ description: 'Calendar month `YYYY-MM` in Sydney' }), ...measures },
        { title: 'ActivityMonth', description: 'The figures of one month.' },
      ),
      {
        description: 'Calendar months in Sydney that have begun; they sum to the record',
      },
    ),
    locked: Type.Boolean({ description: 'Whether the quarter is final' }),
    late_recorded_count: Type.Integer({
      description: 'Lines that happened in this quarter, were recorded late, and count in a later one',
    }),
    missing_components: Type.Array(Type.String(), {
      description:
        'Components that orders of the quarter should have and that were not recorded; not in the fees',
    }),
    definitions: Type.Array(Type.String(), { description: 'What the figures mean, in words' }),
    ...metadata,
  },
  {
    title: 'MarketplaceActivity',
    description: 'The figures of one quarter of the Australian financial year.',
  },
);

export const DEFINITIONS = [
  'Delivered sales are the amounts of order lines, after discounts that the seller funds, on the Sydney day of their delivery; refunds and chargebacks are adjustments and are not subtracted.',
  'Recorded fees are fees charged less fees given back on the Sydney day on which they count; an order counts once, on the day of its first delivery.',
];

const month = (name: string, sales: number, orders: number, fees: number) => ({
  month: name,
  delivered_sales_minor: sales,
  delivered_order_count: orders,
  recorded_fees_minor: fees,
});
export const ACTIVITY_EXAMPLE = {
  period_label: 'FY2026-27-Q1',
  period_start: '2026-07-01',
  period_end: '2026-09-30',
  period_start_at: '2026-06-30T14:00:00.000Z',
  period_end_at: '2026-09-30T14:00:00.000Z',
  delivered_sales_minor: 211_636,
  delivered_order_count: 9,
  recorded_fees_minor: 23_879,
  months: [month('2026-07', 211_636, 9, 27_789), month('2026-08', 0, 0, -3_910), month('2026-09', 0, 0, 0)],
  locked: true,
  late_recorded_count: 0,
  missing_components: [],
  definitions: DEFINITIONS,
  ...metadataExample('financials.marketplace_activity.v1'),
};
