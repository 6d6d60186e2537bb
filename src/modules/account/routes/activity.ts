import Type from 'typebox';
import {
  locksOn,
  monthsOf,
  parseQuarter,
  type Quarter,
  quarterOf,
} from '../../../kernel/australia/financial-quarter.ts';
import { instantsOf } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { accountRoute, describeFigures } from '../../reconciliation/index.ts';
import { missingComponents } from '../actions/read-account.ts';
import { ACTIVITY_EXAMPLE, ActivityRecord, DEFINITIONS } from '../schemas/activity.ts';
import { type Activity, activityOf, countLate } from '../store/figures.ts';

const CONTRACT = 'financials.marketplace_activity.v1';

export const quarterQuery = {
  quarter: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Australian financial quarter such as `FY2026-27-Q1`; defaults to the current one',
    }),
  ),
};

/**
 * The quarter of the query; default: the current one.
 *
 * @throws ApiError 422 at `query.quarter` for anything else and for a future quarter
 */
export function readQuarter(label: string | undefined, today: string): Quarter {
  if (label === undefined) return quarterOf(today);
  const quarter = parseQuarter(label);
  const refuse = (msg: string, type: string) =>
    invalid([{ loc: ['query', 'quarter'], msg, type, input: label }]);
  if (quarter === undefined)
    throw refuse('Must be a financial quarter such as FY2026-27-Q1.', 'format_invalid');
  if (quarter.start > today) throw refuse('The quarter has not begun yet.', 'less_than_equal');
  return quarter;
}

const measures = ({ sales, orders, fees }: Activity) => ({
  delivered_sales_minor: minorToJson(sales),
  delivered_order_count: orders,
  recorded_fees_minor: minorToJson(fees),
});

export const activityRoutes = [
  accountRoute({
    id: 'financials.activity.get',
    path: '/taxes/bas-summary',
    summary: 'Raw marketplace activity of an Australian financial quarter',
    description:
      'The path has a historical name: the amounts are those that buyers and seller paid on the marketplace. The answer is not a tax statement.',
    query: quarterQuery,
    answer: 'The activity',
    schema: ActivityRecord,
    example: ACTIVITY_EXAMPLE,
    read: async (of, query) => {
      const today = sydneyDate(of.now);
      const quarter = readQuarter(query.quarter, today);
      const { start_at, end_at } = instantsOf(quarter);
      const whole = await activityOf(of, quarter);
      const months = [];
      for (const { month, ...period } of monthsOf(quarter, today))
        months.push({ month, ...measures(await activityOf(of, period)) });
      return {
        period_label: quarter.label,
        period_start: quarter.start,
        period_end: quarter.end,
        period_start_at: start_at,
        period_end_at: end_at,
        ...measures(whole),
        months,
        locked: locksOn(quarter) <= today,
        late_recorded_count: await countLate(of, { end: quarter.end, start_at, end_at }),
        missing_components: await missingComponents(of, whole, quarter),
        definitions: DEFINITIONS,
        ...(await describeFigures(of, CONTRACT)),
      };
    },
  }),
];
