/** Orders, refunds and returns as files: a row for each line, with the filters of the lists. */
import type { TProperties } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { objectsOf, writeCsv, writeJsonLines } from '../../../kernel/write-rows.ts';
import { pagesOf } from '../../../platform/db/pages-of.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { reads } from '../../../platform/rest/access.ts';
import { type FileDef, fileRoute } from '../../../platform/rest/file-route.ts';
import { disputed } from '../schemas/examples.ts';
import {
  type FileOrder,
  ORDER_COLUMNS,
  REFUND_COLUMNS,
  RETURN_COLUMNS,
  splitOrder,
  splitRefund,
  splitReturn,
} from '../schemas/file-columns.ts';
import { listOrders, type OrderFilter, type OrderPosition } from '../store/list-orders.ts';
import {
  type ListedKind,
  type ListedPart,
  listParts,
  type PartFilter,
  type PartPosition,
} from '../store/list-parts.ts';
import { refundFilter, refundFilters, returnFilter, returnFilters } from './listed-parts.ts';
import { orderFilters } from './reads.ts';

interface LineFile<Q extends TProperties, Row, Line>
  extends Pick<FileDef<Q>, 'id' | 'path' | 'summary' | 'description'> {
  readonly name: string;
  readonly query: Q;
  readonly columns: readonly CsvColumn<Line>[];
  /** The lines of a row of the list. */
  readonly split: (row: Row) => readonly Line[];
  /** Rows of the example. */
  readonly sample: readonly Row[];
  readonly pages: (
    at: SellerDb,
    query: Parameters<FileDef<Q>['open']>[2]['query'],
  ) => AsyncIterable<readonly Row[]>;
}

/** Examples by content type. */
function mediaOf<Line>(columns: readonly CsvColumn<Line>[], lines: readonly Line[]) {
  const writer = csvWriter(columns);
  const toObject = objectsOf(columns);
  return {
    'text/csv': { example: [writer.header, ...lines.map((line) => writer.line(line))].join('') },
    'application/x-ndjson': {
      example: lines.map((line) => `${JSON.stringify(toObject(line))}\n`).join(''),
    },
  };
}

function lineFile<const Q extends TProperties, Row, Line>(def: LineFile<Q, Row, Line>) {
  const { name, columns, split, sample, pages, description, ...route } = def;
  async function* lines(at: SellerDb, query: Parameters<typeof pages>[1]): AsyncGenerator<readonly Line[]> {
    for await (const rows of pages(at, query)) yield rows.flatMap(split);
  }
  return fileRoute({
    ...route,
    description: `${description} Amounts are decimals in the currency of their row. An apostrophe precedes texts that a spreadsheet would run as a formula.`,
    access: reads('orders'),
    cache: 'no-store',
    formats: ['csv', 'jsonl'],
    media: mediaOf(columns, sample.flatMap(split)),
    open: (ctx, db, { query, format }) => {
      const batches = lines({ db, seller_id: ctx.seller_id }, query);
      return {
        name: `${name}-${sydneyDate(ctx.now())}`,
        text: format === 'csv' ? writeCsv(batches, columns) : writeJsonLines(batches, objectsOf(columns)),
      };
    },
  });
}

const orderPages = (at: SellerDb, filter: OrderFilter): AsyncGenerator<readonly FileOrder[]> =>
  pagesOf(
    (after: OrderPosition | undefined, limit) => listOrders(at, filter, after, limit),
    ({ order: { head } }): OrderPosition => [
      filter.updated_since === undefined ? head.recorded_at : head.updated_at,
      head.order_id,
    ],
  );

const partPages = <K extends ListedKind>(
  at: SellerDb,
  kind: K,
  filter: PartFilter,
): AsyncGenerator<readonly ListedPart<K>[]> =>
  pagesOf(
    (after: PartPosition | undefined, limit) => listParts(at, kind, filter, after, limit),
    ({ position }) => position,
  );

const samplesOf = <K extends ListedKind>(kind: K): ListedPart<K>[] =>
  disputed[kind].map((part) => ({ position: ['', ''], order: disputed, part }));

export const orderFileRoutes = [
  lineFile({
    id: 'orders.export',
    path: '/export',
    name: 'orders',
    summary: 'Export orders',
    description:
      'One row for each line, shipping included: `net` adds up to `order_total`. Takes the filters of `GET /orders`.',
    query: orderFilters,
    columns: ORDER_COLUMNS,
    split: splitOrder,
    sample: [{ order: disputed }],
    pages: orderPages,
  }),
  lineFile({
    id: 'orders.refunds.export',
    path: '/refunds/export',
    name: 'refunds',
    summary: 'Export refunds',
    description: 'One row for each line of a refund. Takes the filters of `GET /orders/refunds`.',
    query: refundFilters,
    columns: REFUND_COLUMNS,
    split: splitRefund,
    sample: samplesOf('refunds'),
    pages: (at, query) => partPages(at, 'refunds', refundFilter(query)),
  }),
  lineFile({
    id: 'orders.returns.export',
    path: '/returns/export',
    name: 'returns',
    summary: 'Export returns',
    description: 'One row for each line of a return. Takes the filters of `GET /orders/returns`.',
    query: returnFilters,
    columns: RETURN_COLUMNS,
    split: splitReturn,
    sample: samplesOf('returns'),
    pages: (at, query) => partPages(at, 'returns', returnFilter(query)),
  }),
];
