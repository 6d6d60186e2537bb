/** The marketplace activity of a quarter as a file, from the same sums as the record over the API. */

import { monthsOf, type Quarter } from '../../../kernel/australia/financial-quarter.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
import { countOrderDays, type OrderDay, orderDays } from '../store/activity-orders.ts';
import { type Activity, activityOf } from '../store/figures.ts';

export interface ActivityOf {
  readonly sellerId: string;
  readonly currency: string;
  readonly quarter: Quarter;
  /** Sydney day. */
  readonly today: string;
}

interface MonthRow {
  readonly month: string;
  readonly activity: Activity;
}

const monthColumns = ({ quarter, currency }: ActivityOf): readonly CsvColumn<MonthRow>[] => [
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

async function monthsFile(db: CursorDb, of: ActivityOf): Promise<CsvFile> {
  const writer = csvWriter(monthColumns(of));
  let text = writer.header;
  const months = monthsOf(of.quarter, of.today);
  for (const { month, ...days } of months)
    text += writer.line({ month, activity: await activityOf(db, of.sellerId, of.currency, days) });
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
  { name: 'delivered_sales', kind: 'decimal', value: ({ sales }) => formatAmount(minor(sales), currency) },
  { name: 'recorded_fees', kind: 'decimal', value: ({ fees }) => formatAmount(minor(fees), currency) },
  { name: 'currency', kind: 'text', value: () => currency },
];

async function ordersFile(db: CursorDb, { sellerId, currency, quarter }: ActivityOf): Promise<CsvFile> {
  const window = { sellerId, currency, start: quarter.start, end: quarter.end };
  const writer = csvWriter(orderColumns(currency));
  return {
    rows: await countOrderDays(db, window),
    async *text() {
      yield writer.header;
      for await (const rows of orderDays(db, window)) yield rows.map((row) => writer.line(row)).join('');
    },
  };
}

/** One row for each calendar month that has begun, or for each order and day; both sum to the record of the quarter. */
export const activityFile = (db: CursorDb, of: ActivityOf, layout: 'months' | 'orders'): Promise<CsvFile> =>
  layout === 'months' ? monthsFile(db, of) : ordersFile(db, of);
