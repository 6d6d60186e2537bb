/** What orders were charged, as a file: one row for each posted line. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
import { writeCsv } from '../../../kernel/write-rows.ts';
import { pagesOf } from '../../../platform/db/pages-of.ts';
import { bom, currency, nameOfDays, withMark } from '../../../platform/rest/csv-file.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import {
  firstLineDays,
  ORDER_STATEMENT_EXAMPLE,
  orderList,
  orderStatementJson,
  readOrders,
} from '../../account/index.ts';
import { type AccountScope, acceptDays, access, accountScope } from '../../reconciliation/index.ts';

type Statement = ReturnType<typeof orderStatementJson>;
interface Row {
  readonly order: Pick<Statement, 'order_id' | 'order_number' | 'currency'>;
  readonly line: Statement['lines'][number];
}

const COLUMNS: readonly CsvColumn<Row>[] = [
  { name: 'order_id', kind: 'text', value: ({ order }) => order.order_id },
  { name: 'order_number', kind: 'text', value: ({ order }) => order.order_number },
  { name: 'transaction_id', kind: 'text', value: ({ line }) => line.transaction_id },
  { name: 'type', kind: 'text', value: ({ line }) => line.type },
  { name: 'component', kind: 'text', value: ({ line }) => line.component },
  { name: 'bucket', kind: 'text', value: ({ line }) => line.bucket },
  { name: 'order_line_id', kind: 'text', value: ({ line }) => line.order_line_id },
  { name: 'sku', kind: 'text', value: ({ line }) => line.sku },
  { name: 'quantity', kind: 'number', value: ({ line }) => line.quantity },
  {
    name: 'amount',
    kind: 'decimal',
    value: ({ order, line }) => formatAmount(minor(line.amount_minor), order.currency),
  },
  { name: 'currency', kind: 'text', value: ({ order }) => order.currency },
  { name: 'rate_bps', kind: 'number', value: ({ line }) => line.rate_bps },
  { name: 'posted_on', kind: 'date', value: ({ line }) => line.posted_on },
  { name: 'available_on', kind: 'date', value: ({ line }) => line.available_on },
  { name: 'status', kind: 'text', value: ({ line }) => line.status },
  { name: 'settlement_id', kind: 'text', value: ({ line }) => line.settlement_id },
  { name: 'related_id', kind: 'text', value: ({ line }) => line.related_id },
  { name: 'description', kind: 'text', value: ({ line }) => line.description },
];

const split = (order: Pick<Statement, 'order_id' | 'order_number' | 'currency' | 'lines'>): Row[] =>
  order.lines.map((line) => ({ order, line }));
const writer = csvWriter(COLUMNS);
const EXAMPLE = `${writer.header}${split(ORDER_STATEMENT_EXAMPLE)
  .map((row) => writer.line(row))
  .join('')}`;

async function* rowsOf(
  of: AccountScope,
  filter: Parameters<typeof orderList.read>[1],
): AsyncGenerator<readonly Row[]> {
  const pages = pagesOf(
    (after: ReturnType<typeof orderList.position> | undefined, limit) =>
      orderList.read(of, filter, after, limit),
    orderList.position,
  );
  const today = sydneyDate(of.now);
  for await (const page of pages) {
    const orders = await readOrders(
      of,
      page.map(({ order_id }) => order_id),
    );
    yield orders.flatMap((order) => split(orderStatementJson(order, today)));
  }
}

const transactions = fileRoute({
  id: 'fees.transactions.export',
  path: '/transactions/export/csv',
  summary: 'Export what orders were charged and paid as CSV',
  description:
    'Every line that `GET /fees/transactions` shows with the same filters, in one currency: sales, fees, refunds and adjustments. The amounts of an order add up to its net payout.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: EXAMPLE,
  query: { ...firstLineDays, currency, bom },
  open: async (ctx, db, { query: { bom: mark, currency: asked, ...days } }) => {
    const filter = acceptDays(days);
    const of = await accountScope(ctx.in(db), asked);
    return {
      name: nameOfDays(`fees-${of.currency}`, days, ctx.now()),
      text: withMark(mark, writeCsv(rowsOf(of, filter), COLUMNS)),
    };
  },
});

export const fileRoutes = [transactions];
