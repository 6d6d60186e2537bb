/** The marketplace activity of a quarter as a file. It has the same sums as the record of the API. */

import { monthsOf, type Quarter } from '../../../kernel/australia/financial-quarter.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
import { countOrderDays, type OrderDay, orderDays } from '../store/activity-orders.ts';
import { type Account, type Activity, activityOf } from '../store/figures.ts';

interface ActivityOf extends Account {
  readonly db: CursorDb;
  readonly quarter: Quarter;
  /** Sydney day. */
  readonly today: string;
}

interface MonthRow {
  readonly month: string;
  readonly activity: Pick<Activity, 'sales' | 'orders' | 'fees'>;
}

const monthColumns = (quarter: Quarter, currency: string): readonly CsvColumn<MonthRow>[] => [
  { name: 'period_label', kind: 'text', value: () => quarter.label },
  { name: 'period_start', kind: 'date', value: () => quarter.start },
  { name: 'period_end', kind: 'date', value: () => quarter.end },
  { name: 'month', kind: 'date', value: ({ month }) => month },
  {
    name: 'delivered_sales',
    kind: 'decimal',
    value: ({ activity }) => formatAmount(activity.sales, currency),
  },
  { name: 'delivered_order_count', kind: 'number', value: ({ activity }) => activity.orders },
  { name: 'recorded_fees', kind: 'decimal', value: ({ activity }) => formatAmount(activity.fees, currency) },
  { name: 'currency', kind: 'text', value: () => currency },
];

const exampleMonths = csvWriter(
  monthColumns({ label: 'FY2026-27-Q1', start: '2026-07-01', end: '2026-09-30' }, 'AUD'),
);
/** The layout `months`, for the description of the API. */
export const ACTIVITY_CSV_EXAMPLE = `${exampleMonths.header}${exampleMonths.line({
  month: '2026-07',
  activity: { sales: minor(218_626), orders: 10, fees: minor(24_761) },
})}`;

async function monthsFile(of: ActivityOf): Promise<CsvFile> {
  const writer = csvWriter(monthColumns(of.quarter, of.currency));
  let text = writer.header;
  const months = monthsOf(of.quarter, of.today);
  for (const { month, ...days } of months)
    text += writer.line({ month, activity: await activityOf(of, days) });
  return {
    rows: months.length,
    async *text() {
      yield text;
    },
  };
}

const orderColumns = (currency: string): readonly CsvColumn<OrderDay>[] => [
  { name: 'posted_on', kind: 'date', value: ({ posted_on }) => posted_on },
  { name: 'order_id', kind: 'text', value: ({ order_id }) => order_id },
  { name: 'order_number', kind: 'text', value: ({ order_number }) => order_number },
  { name: 'delivered_sales', kind: 'decimal', value: ({ sales }) => formatAmount(minor(sales), currency) },
  { name: 'recorded_fees', kind: 'decimal', value: ({ fees }) => formatAmount(minor(fees), currency) },
  { name: 'currency', kind: 'text', value: () => currency },
];

async function ordersFile(of: ActivityOf): Promise<CsvFile> {
  const writer = csvWriter(orderColumns(of.currency));
  return {
    rows: await countOrderDays(of, of.quarter),
    async *text() {
      yield writer.header;
      for await (const rows of orderDays(of, of.quarter)) yield rows.map((row) => writer.line(row)).join('');
    },
  };
}

/** One row for each calendar month that has begun, or for each order and day. The rows sum to the quarter's record. */
export const activityFile = (of: ActivityOf, layout: 'months' | 'orders'): Promise<CsvFile> =>
  layout === 'months' ? monthsFile(of) : ordersFile(of);
