/** Purchase orders as a file, a row for each line. */
import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { currencyExponent, formatDecimal, type Minor } from '../../../kernel/money.ts';
import { writeCsv } from '../../../kernel/write-rows.ts';
import { pagesOf } from '../../../platform/db/pages-of.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { reads } from '../../../platform/rest/access.ts';
import { nameOfDays } from '../../../platform/rest/csv-file.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import { goodsOfLine } from '../domain/priced.ts';
import { numberOf, PURCHASE_EXAMPLE, SCOPE } from '../schemas/orders.ts';
import { createdBetween, type LineRow, linesOfOrders, type PurchaseRow, skusOf } from '../store/orders.ts';

interface Row {
  readonly order: PurchaseRow;
  readonly line: LineRow;
  readonly seller_sku: string | null;
}

const decimal = (amount: Minor | null, currency: string): string | null =>
  amount === null ? null : formatDecimal(amount, currencyExponent(currency));
const text = (name: string, value: CsvColumn<Row>['value']): CsvColumn<Row> => ({
  name,
  kind: 'text',
  value,
});
const units = (name: keyof LineRow & string): CsvColumn<Row> => ({
  ...{ name, kind: 'number', value: ({ line }) => Number(line[name]) },
});
const COLUMNS: readonly CsvColumn<Row>[] = [
  text('scope', () => SCOPE),
  text('number', ({ order }) => numberOf(order.number)),
  text('purchase_order_id', ({ order }) => order.purchase_order_id),
  text('status', ({ order }) => order.status),
  { name: 'created_at', kind: 'date', value: ({ order }) => order.created_at },
  { name: 'submitted_at', kind: 'date', value: ({ order }) => order.submitted_at },
  text('supplier_id', ({ order }) => order.supplier_id),
  text('supplier', ({ order }) => order.supplier_name),
  text('reference', ({ order }) => order.reference),
  units('line_no'),
  text('supplier_sku', ({ line }) => line.supplier_sku),
  text('title', ({ line }) => line.title),
  text('product_id', ({ line }) => line.product_id),
  text('seller_sku', ({ seller_sku }) => seller_sku),
  units('pack_size'),
  ...(['ordered', 'unconfirmed', 'confirmed', 'received', 'cancelled', 'rejected_at_receipt'] as const).map(
    units,
  ),
  text('currency', ({ order }) => order.currency),
  {
    ...{ name: 'pack_price', kind: 'decimal' },
    value: ({ order, line }) => decimal(line.pack_price_minor, order.currency),
  },
  { name: 'goods', kind: 'decimal', value: ({ order, line }) => decimal(goodsOfLine(line), order.currency) },
  {
    ...{ name: 'order_freight', kind: 'decimal' },
    value: ({ order }) => decimal(order.freight_minor, order.currency),
  },
];

const LINE = PURCHASE_EXAMPLE.lines[0];
const EXAMPLE_ROW = [
  ...[SCOPE, PURCHASE_EXAMPLE.number, PURCHASE_EXAMPLE.purchase_order_id, PURCHASE_EXAMPLE.status],
  ...[PURCHASE_EXAMPLE.created_at, PURCHASE_EXAMPLE.submitted_at],
  ...[PURCHASE_EXAMPLE.supplier.supplier_id, PURCHASE_EXAMPLE.supplier.name, ''],
  ...[1, LINE?.supplier_sku, '"Stoneware mug, blue"', LINE?.product_id, LINE?.seller_sku, LINE?.pack_size],
  ...[144, 0, 132, 0, 12, 0, PURCHASE_EXAMPLE.currency, '59.45', '713.40', '38.50'],
];

/** Orders of some Sydney days, the newest first, with their lines. */
async function* rowsOf(
  at: SellerDb,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): AsyncGenerator<readonly Row[]> {
  const start = from === undefined ? undefined : new Date(dayOf(from).start).toISOString();
  const end = to === undefined ? undefined : new Date(dayOf(to).next).toISOString();
  const pages = pagesOf<PurchaseRow, readonly [string]>(
    (after, limit) => createdBetween(at, { start, end }, { after, limit }),
    ({ purchase_order_id }) => [purchase_order_id],
  );
  for await (const orders of pages) {
    const lines = await linesOfOrders(
      at,
      orders.map(({ purchase_order_id }) => purchase_order_id),
    );
    const skus = await skusOf(
      at,
      lines.flatMap(({ product_id }) => product_id ?? []),
    );
    const byOrder = Map.groupBy(lines, ({ purchase_order_id }) => purchase_order_id);
    yield orders.flatMap((order) =>
      (byOrder.get(order.purchase_order_id) ?? []).map((line) => ({
        ...{ order, line, seller_sku: skus.get(line.product_id ?? '') ?? null },
      })),
    );
  }
}

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

export const exportRoute = fileRoute({
  id: 'wholesale.purchase_orders.export',
  path: '/purchase-orders/export',
  summary: 'Export purchase orders',
  description:
    'A row for each line, orders newest first. These amounts are not financial records: `scope` says so in every row. An apostrophe precedes texts that a spreadsheet would run as a formula.',
  access: reads('purchasing'),
  formats: ['csv'],
  query: { from: day('First Sydney day of the orders’ creation'), to: day('Last Sydney day, included') },
  example: `${csvWriter(COLUMNS).header}${EXAMPLE_ROW.join(',')}\r\n`,
  open: (ctx, db, { query }) => {
    requireDays(query);
    return {
      name: nameOfDays('purchase-orders', query, ctx.now()),
      text: writeCsv(rowsOf({ db, seller_id: ctx.seller_id }, query), COLUMNS),
    };
  },
});
